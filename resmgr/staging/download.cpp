#include "resmgr/staging/download.hpp"

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "resmgr/staging/replicas.hpp"

namespace dmm::staging {
namespace {

namespace fs = std::filesystem;

/// From the kept files; from its replicas if the file can't be kept, or the kept copy is wrong.
TransferFault bring_by(const KeptFiles* kept, const InputFile& file, int descriptor,
                       const TransferLimits& limits) {
  const FileLimitHeld held;
  if (kept && kept->is_for(file))
    for (int tries = 0; tries < 2; ++tries) {  // the second try replaces a wrong copy
      TransferFault fault = kept->fetch(file, limits);
      if (fault.fault == StartFault::staging) return fault;
      if (fault.fault != StartFault::none) break;
      if (kept->copy(file, descriptor)) return {};
      if (ftruncate(descriptor, 0) != 0 || lseek(descriptor, 0, SEEK_SET) != 0) break;
    }
  return bring(file, descriptor, limits);
}

}  // namespace

TransferFault download(const InputFile& file, const std::string& folder, const TransferLimits& limits,
                       const KeptFiles* kept) {
  const fs::path path = fs::path(folder) / std::string(file.name);
  const std::string part = path.string() + ".part", what = what_of(file);
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  const int descriptor = open(part.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
  if (descriptor < 0) return fault_of_disk(what, errno);
  TransferFault fault = bring_by(kept, file, descriptor, limits);
  if (close(descriptor) != 0 && fault.fault == StartFault::none) fault = fault_of_disk(what, errno);
  if (fault.fault == StartFault::none && rename(part.c_str(), path.c_str()) != 0)
    fault = fault_of_disk(what, errno);
  if (fault.fault != StartFault::none) unlink(part.c_str());
  return fault;
}

}  // namespace dmm::staging
