#include "runtime/json_list.hpp"

#include <filesystem>

#include "runtime/files.hpp"

namespace dmm {
namespace {

constexpr std::size_t list_bytes_max = 4 * 1024 * 1024;

}  // namespace

OrFault<nlohmann::ordered_json> read_json_list(const std::string& path) {
  const auto text = read_small_file(path, list_bytes_max);
  if (std::error_code error; !text && !std::filesystem::exists(path, error) && !error)
    return nlohmann::ordered_json::array();
  if (!text) return path + " can't be read, or is longer than " + std::to_string(list_bytes_max) + " bytes";
  auto json = nlohmann::ordered_json::parse(*text, nullptr, false);
  if (!json.is_array()) return path + ": expected a JSON array; was it damaged?";
  return json;
}

}  // namespace dmm
