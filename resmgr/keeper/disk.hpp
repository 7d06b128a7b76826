// The disk space of the directories of jobs. A file system may not answer, and a job may have a million files. So a
// child of the keeper walks the directories, and reports over a pipe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <sys/types.h>

namespace dmm::keeper {

class DiskWatch {
 public:
  struct Directory {
    std::uint64_t serial = 0;
    std::string path;
  };
  struct Size {
    std::uint64_t serial = 0;
    std::uint64_t bytes =
        0;  ///< on disk; a file with several names counts once, a deleted open file doesn't count
  };

  DiskWatch() = default;
  ~DiskWatch();
  DiskWatch(const DiskWatch&) = delete;
  DiskWatch& operator=(const DiskWatch&) = delete;

  /// Begins a walk over these directories. Only if none is under way.
  void walk(const std::vector<Directory>& directories);
  bool is_walking() const { return child_ != 0 || pipe_ >= 0; }
  /// Readable while there are sizes, or the walk is over; -1 if there is no walk.
  int descriptor() const { return pipe_; }
  /// The sizes that the walk has found since the last call. Never waits.
  std::vector<Size> take();
  /// The child of the walk, which the keeper waits for; 0 if there is none.
  pid_t child() const { return child_; }
  void child_ended() { child_ = 0; }

 private:
  pid_t child_ = 0;
  int pipe_ = -1;
};

}  // namespace dmm::keeper
