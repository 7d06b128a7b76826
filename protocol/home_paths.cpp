#include "protocol/home_paths.hpp"

#include <algorithm>

namespace dmm {
namespace {

/// PATH_MAX of Linux, without the zero byte.
constexpr std::size_t path_max = 4095;
constexpr std::size_t name_max = 255;

}  // namespace

WhyNot fault_of_home(std::string_view url) {
  const std::string_view path = is_at_home(url) ? home_path(url) : std::string_view();
  if (!path.starts_with('/') || path.ends_with('/')) return "expected the absolute path of a file at home";
  if (path.size() > path_max || path.find('\0') != std::string_view::npos)
    return "expected a path of at most 4095 bytes";
  return {};
}

bool stays_below(std::string_view name) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; };
  if (name.empty() || name.size() > name_max || std::ranges::any_of(name, is_control)) return false;
  while (true) {
    const std::size_t end = std::min(name.find('/'), name.size());
    const std::string_view part = name.substr(0, end);
    if (part.empty() || part == "." || part == "..") return false;
    if (end == name.size()) return true;
    name.remove_prefix(end + 1);
  }
}

}  // namespace dmm
