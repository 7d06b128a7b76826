// Replaces calls of the C library and of ZeroMQ in this program; see disk_stage.hpp.
#include "tests/runtime/disk_stage.hpp"

#include <dlfcn.h>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <zmq.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

namespace dmm {
namespace {

constexpr int notes_max = 4'000;
constexpr std::int64_t any_room = INT64_MAX;

/// Shared with forked processes.
struct State {
  std::atomic<bool> watching;
  std::atomic<bool> syncs_fail;
  std::atomic<std::int64_t> room;
  std::atomic<int> count;
  std::atomic<int> watcher;  ///< the process of the test itself
  char folder[256];
  char notes[notes_max][64];
};

State& state() {
  static State* const shared = [] {
    void* const memory = ::mmap(nullptr, sizeof(State), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? nullptr : new (memory) State{};
  }();
  return *shared;
}

/// The last part of a path inside the watched folder, or the folder's own name; empty for any other path.
std::string_view watched_name(std::string_view path) {
  const std::string_view folder = state().folder;
  if (!path.starts_with(folder) || (path.size() > folder.size() && path[folder.size()] != '/')) return {};
  return path.substr(path.rfind('/') + 1);
}

std::string path_of(int file) {
  char path[512];
  const ssize_t length = ::readlink(("/proc/self/fd/" + std::to_string(file)).c_str(), path, sizeof path);
  return {path, static_cast<std::size_t>(std::max<ssize_t>(length, 0))};
}

void note_file(std::string_view what, std::string_view path) {
  if (const std::string_view name = watched_name(path); !name.empty()) note(std::string(what) += name);
}

/// Takes room for as many of these bytes as there is; returns their number.
std::size_t take_room(int file, std::size_t length, off_t offset) {
  struct stat now {};
  if (state().room == any_room || ::fstat(file, &now) != 0) return length;
  const std::int64_t growth = offset + static_cast<std::int64_t>(length) - now.st_size;
  if (growth <= 0) return length;
  const std::int64_t lacking = std::max<std::int64_t>(growth - state().room, 0);
  state().room -= growth - lacking;
  return length - std::min(length, static_cast<std::size_t>(lacking));
}

ssize_t write_noted(int file, const void* data, std::size_t length, off_t offset) {
  if (state().watching)
    if (const std::string path = path_of(file); !watched_name(path).empty()) {
      const std::size_t fits = take_room(file, length, offset);
      if (fits == 0 && length > 0) return errno = ENOSPC, -1;
      note_file("wrote ", path);
      length = fits;
    }
  return ::syscall(SYS_pwrite64, file, data, length, offset);
}

int sync_noted(long call, int file) {
  if (state().watching)
    if (const std::string path = path_of(file); !watched_name(path).empty()) {
      if (state().syncs_fail) return errno = EIO, -1;
      note_file("synced ", path);
    }
  return static_cast<int>(::syscall(call, file));
}

}  // namespace

void note(std::string_view what) {
  if (!state().watching) return;
  const int place = state().count++;
  if (place >= notes_max) return;
  char* const line = state().notes[place];
  line[what.copy(line, sizeof state().notes[place] - 1)] = '\0';
}

WatchedDisk::WatchedDisk(std::string folder) {
  REQUIRE(!state().watching);
  while (folder.ends_with('/')) folder.pop_back();
  REQUIRE(folder.size() < sizeof state().folder);
  std::strcpy(state().folder, folder.c_str());
  state().watcher = ::getpid();
  make_room();
  repair();
  forget_notes();
  state().watching = true;
}

WatchedDisk::~WatchedDisk() { state().watching = false; }

void WatchedDisk::fill(std::int64_t left) { state().room = left; }
void WatchedDisk::make_room() { state().room = any_room; }
void WatchedDisk::break_syncs() { state().syncs_fail = true; }
void WatchedDisk::repair() { state().syncs_fail = false; }

std::vector<std::string> WatchedDisk::notes() const {
  REQUIRE(state().count <= notes_max);
  return {state().notes, state().notes + state().count};
}

void WatchedDisk::forget_notes() { state().count = 0; }

bool in_order(const std::vector<std::string>& notes, const std::string& first,
              const std::vector<std::string>& then) {
  auto begin = std::find(notes.begin(), notes.end(), first);
  if (begin == notes.end()) return false;
  for (; begin != notes.end(); begin = std::find(begin + 1, notes.end(), first)) {
    auto last = begin;
    for (const std::string& what : then) {
      const auto found = std::find(begin, notes.end(), what);
      if (found == notes.end() || found < last) return false;
      last = found;
    }
  }
  return true;
}

}  // namespace dmm

// The C library's `pwrite` and `pwrite64` are one function where file offsets have 64 bits.
extern "C" {
ssize_t pwrite(int file, const void* data, size_t length, off_t offset) {
  return dmm::write_noted(file, data, length, offset);
}
ssize_t pwrite64(int file, const void* data, size_t length, off64_t offset) {
  return dmm::write_noted(file, data, length, offset);
}
int fsync(int file) { return dmm::sync_noted(SYS_fsync, file); }
int fdatasync(int file) { return dmm::sync_noted(SYS_fdatasync, file); }
int rename(const char* from, const char* to) noexcept {
  const int result = static_cast<int>(::syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to));
  if (result == 0 && dmm::state().watching) dmm::note_file("renamed ", to);
  return result;
}
int zmq_send(void* socket, const void* data, size_t length, int flags) {
  using Send = int (*)(void*, const void*, size_t, int);
  static const auto real = reinterpret_cast<Send>(::dlsym(RTLD_NEXT, "zmq_send"));
  if ((flags & ZMQ_SNDMORE) == 0 && dmm::state().watcher != ::getpid()) dmm::note("sent");
  return real(socket, data, length, flags);
}
}
