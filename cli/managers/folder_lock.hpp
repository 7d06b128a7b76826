// A lock on a folder itself, so that no lock file can be left behind.
#pragma once

#include <string>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace dmm {

/// While this object lives, another command that locks the same folder waits.
class FolderLock {
 public:
  explicit FolderLock(const std::string& folder)
      : descriptor_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (descriptor_ >= 0) ::flock(descriptor_, LOCK_EX);
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  /// False if the folder doesn't exist or can't be read.
  bool is_held() const { return descriptor_ >= 0; }

 private:
  int descriptor_;
};

}  // namespace dmm
