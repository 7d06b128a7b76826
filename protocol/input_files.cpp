#include "protocol/input_files.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "protocol/home_paths.hpp"

namespace dmm {
namespace {

constexpr std::array<std::string_view, 3> schemes{"http://", "https://", "file:///"};
constexpr std::size_t sha256_digits = 64;

bool is_url(std::string_view text) {
  return std::ranges::any_of(schemes, [text](std::string_view scheme) {
    return text.starts_with(scheme) && text.size() > scheme.size();
  });
}

/// Printable names keep a line of a log, and a header of HTTP, in one piece.
bool is_printable(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7f'; });
}

bool is_sha256(std::string_view text) {
  return text.size() == sha256_digits &&
         std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

/// Whether one name is the other, or a folder of the other.
bool collide(std::string_view one, std::string_view other) {
  if (one.size() > other.size()) std::swap(one, other);
  return other.starts_with(one) && (one.size() == other.size() || other[one.size()] == '/');
}

WhyNot fault_of(const InputFile& file) {
  if (!stays_below(file.name))
    return "expected a name below the working directory, of at most 255 bytes, without '..'";
  if (file.replicas.empty() || file.replicas.size() > replicas_max)
    return "expected 1 to " + std::to_string(replicas_max) + " places where it is";
  const bool comes_from_home = is_at_home(file.replicas[0].url) && file.replicas.size() == 1;
  for (const Replica& replica : file.replicas)
    if (WhyNot why = comes_from_home ? fault_of_home(replica.url) : fault_of_url(replica.url); !why.empty())
      return why;
  if (!file.sha256.empty() && !is_sha256(file.sha256)) return "expected a SHA-256 of 64 digits, 0-9 and a-f";
  return {};
}

}  // namespace

WhyNot fault_of_url(std::string_view url) {
  if (!is_url(url)) return "expected a URL that begins with http://, https:// or file:///";
  if (url.size() > url_bytes_max || !is_printable(url))
    return "expected a URL of at most 2000 printable characters, without blanks";
  return {};
}

WhyNot fault_of_logical_name(std::string_view name) {
  if (stays_below(name) && is_printable(name)) return {};
  return "expected a logical name of at most 255 printable characters, as in physics/mesh.dat";
}

OrFault<InputFile, WhyNot> parse_input_file(std::string_view text) {
  using Result = OrFault<InputFile, WhyNot>;
  const auto is_path = [](std::string_view from) { return !is_url(from) && !from.starts_with(logical_scheme); };
  const std::size_t equals = text.find('=');
  const bool is_named = is_path(text) && equals != std::string_view::npos;
  const std::string_view from = is_named ? text.substr(equals + 1) : text;
  const std::string_view path = is_path(from) ? from : from.substr(0, from.find_first_of("?#"));
  const std::string_view name = is_named ? text.substr(0, equals) : path.substr(path.find_last_of("/:") + 1);
  InputFile file{name, {{from}}};
  WhyNot why;
  if (is_path(from)) {
    if (from.empty() || from.find("://") != std::string_view::npos)
      why = "expected a file here, or a URL that begins with http://, https:// or file:///";
    else
      file.replicas[0].url = at_home(from);
  } else if (from.starts_with(logical_scheme)) {
    why = fault_of_logical_name(from.substr(logical_scheme.size()));
  } else {
    why = fault_of(file);
  }
  if (why.empty() && !stays_below(name)) why = "expected a name below the working directory";
  if (!why.empty()) return Result(std::in_place_index<1>, why + ", got '" + std::string(text) + "'");
  return Result(std::in_place_index<0>, std::move(file));
}

WhyNot fault_of(const InputFiles& files) {
  if (files.size() > input_files_max)
    return "there are " + std::to_string(files.size()) + " files; at most " + std::to_string(input_files_max);
  for (const InputFile& file : files) {
    if (WhyNot why = fault_of(file); !why.empty()) return '\'' + std::string(file.name) + "': " + why;
    for (const InputFile& other : files)
      if (&other != &file && collide(file.name, other.name))
        return '\'' + std::string(file.name) + "' and '" + std::string(other.name) + "' are in each other's place";
  }
  return {};
}

WhyNot fault_of(const FileNeeds& files) {
  if (files.size() > input_files_max)
    return "it has more than " + std::to_string(input_files_max) + " input files";
  for (const FileNeed& file : files)
    if (file.sites.empty() || file.sites.size() > replicas_max)
      return "an input file lies at no site, or at more than " + std::to_string(replicas_max);
  return {};
}

FileNeeds needs_of(const InputFiles& files) {
  FileNeeds needs;
  for (const InputFile& file : files) {
    FileNeed need{file.bytes, {}, file.sha256};
    for (const Replica& replica : file.replicas)
      if (!replica.site.empty() && std::ranges::find(need.sites, replica.site) == need.sites.end())
        need.sites.push_back(replica.site);
    if (!need.sites.empty()) needs.push_back(std::move(need));
  }
  return needs;
}

}  // namespace dmm
