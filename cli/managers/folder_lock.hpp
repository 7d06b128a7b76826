// A lock on a folder itself, so that there is no file to be left behind.
#pragma once

#include <string>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace dmm {

/// While it lives, no other command has the same one: the next waits.
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
  /// False: there is no such folder, or it may not be read.
  bool is_held() const { return descriptor_ >= 0; }

 private:
  int descriptor_;
};

}  // namespace dmm
