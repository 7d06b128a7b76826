#include "cli/managers/shipped.hpp"

#include <filesystem>

#include "cli/managers/processes.hpp"

namespace dmm {

namespace fs = std::filesystem;

std::string shipped(const std::string& path) {
  std::error_code error;
  if (path.empty() || fs::path(path).is_absolute() || fs::exists(path, error)) return path;
  const fs::path installed = fs::path(own_folder()).parent_path() / "share" / "dmm" / path;
  return fs::is_regular_file(installed, error) ? installed.string() : path;
}

}  // namespace dmm
