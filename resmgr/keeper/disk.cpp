// The walk over jobs' directories, and its pipe.
#include "resmgr/keeper/disk.hpp"

#include <csignal>

#include <fcntl.h>
#include <fts.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace dmm::keeper {
namespace {

constexpr std::uint64_t block_bytes = 512;  // of st_blocks, on any file system

std::uint64_t bytes_below(const std::string& path) {
  char* paths[] = {const_cast<char*>(path.c_str()), nullptr};
  FTS* const walk = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, nullptr);
  if (!walk) return 0;
  std::uint64_t bytes = 0;
  while (const FTSENT* entry = fts_read(walk)) {
    if (entry->fts_info != FTS_F && entry->fts_info != FTS_D) continue;
    const struct stat& file = *entry->fts_statp;
    const std::uint64_t names = entry->fts_info == FTS_F && file.st_nlink > 0 ? file.st_nlink : 1;
    bytes += static_cast<std::uint64_t>(file.st_blocks) * block_bytes / names;
  }
  fts_close(walk);
  return bytes;
}

}  // namespace

DiskWatch::~DiskWatch() {
  if (pipe_ >= 0) close(pipe_);
}

void DiskWatch::walk(const std::vector<Directory>& directories) {
  int ends[2];
  if (is_walking() || pipe2(ends, O_CLOEXEC) != 0) return;
  const pid_t process = fork();
  if (process == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (const Directory& directory : directories) {
      const Size size{directory.serial, bytes_below(directory.path)};
      if (write(ends[1], &size, sizeof size) != sizeof size) break;
    }
    _exit(0);
  }
  close(ends[1]);
  if (process < 0) {
    close(ends[0]);
    return;
  }
  child_ = process;
  pipe_ = ends[0];
  fcntl(pipe_, F_SETFL, O_NONBLOCK);
}

std::vector<DiskWatch::Size> DiskWatch::take() {
  std::vector<Size> sizes;
  if (pipe_ < 0) return sizes;
  // A size is written in one call, so it is read whole.
  Size size;
  ssize_t length;
  while ((length = read(pipe_, &size, sizeof size)) == sizeof size) sizes.push_back(size);
  if (length == 0) {
    close(pipe_);
    pipe_ = -1;
  }
  return sizes;
}

}  // namespace dmm::keeper
