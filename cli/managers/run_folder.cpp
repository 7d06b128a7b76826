#include "cli/managers/run_folder.hpp"

#include <filesystem>

#include "cli/managers/registry.hpp"

namespace dmm {

namespace fs = std::filesystem;

std::string run_folder(const std::string& name) { return home_folder() + "/runs/" + name; }

std::string last_run_folder() {
  std::string last;
  fs::file_time_type newest{};
  std::error_code error;
  for (fs::directory_iterator entry(home_folder() + "/runs", error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code none;
    const auto time = fs::last_write_time(entry->path(), none);
    if (none || (!last.empty() && time <= newest)) continue;
    last = entry->path().string();
    newest = time;
  }
  return last;
}

}  // namespace dmm
