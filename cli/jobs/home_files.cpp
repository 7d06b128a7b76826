#include "cli/jobs/home_files.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>

#include <unistd.h>

#include "protocol/home_paths.hpp"

namespace dmm {

namespace fs = std::filesystem;

std::string absolute_here(const std::string& path) {
  return path.empty() ? path : fs::absolute(path).lexically_normal().string();
}

WhyNot find_at_home(InputFiles& files) {
  for (InputFile& file : files) {
    Replica& replica = file.replicas[0];
    if (!is_at_home(replica.url)) continue;
    const std::string path = absolute_here(std::string(home_path(replica.url)));
    std::error_code error;
    if (!fs::is_regular_file(path, error))
      return '\'' + path + "' is not a file here; expected a file here, a URL, or lfn: and a logical name";
    if (access(path.c_str(), R_OK) != 0) return '\'' + path + "' can't be read: " + std::strerror(errno);
    file.bytes = fs::file_size(path, error);
    replica.url = at_home(path);
  }
  return {};
}

void place_at_home(OutputFiles& files) {
  for (OutputFile& file : files) file.to = at_home(absolute_here(std::string(home_path(file.to))));
}

}  // namespace dmm
