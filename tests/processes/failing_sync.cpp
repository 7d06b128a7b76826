// A disk that fails to sync, for whole processes that start with this library in LD_PRELOAD. Their fsync and fdatasync
// fail while the folder that DMM_FAILING_SYNC names has a file with the process's number as its name. This needs
// neither privileges nor a tracer.
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

namespace {

int sync_or_fail(long call, int file) {
  char path[4096];
  const char* const folder = std::getenv("DMM_FAILING_SYNC");
  if (folder != nullptr && std::snprintf(path, sizeof path, "%s/%ld", folder, static_cast<long>(::getpid())) > 0 &&
      ::access(path, F_OK) == 0)
    return errno = EIO, -1;
  return static_cast<int>(::syscall(call, file));
}

}  // namespace

extern "C" {
int fsync(int file) { return sync_or_fail(SYS_fsync, file); }
int fdatasync(int file) { return sync_or_fail(SYS_fdatasync, file); }
}
