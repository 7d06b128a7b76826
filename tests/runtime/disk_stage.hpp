// Observes from outside what code under test does to the disk, on any machine: without privileges, tracer or mount.
// This program has its own pwrite, fsync, fdatasync, rename and zmq_send (disk_stage.cpp). The libraries under test and
// SQLite call these instead of the system's. They do the same, note it, and fail where a test wants them to.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dmm {

/// Watches the files of one folder, also for processes that are forked meanwhile. Only one watch at a time.
class WatchedDisk {
 public:
  explicit WatchedDisk(std::string folder);
  ~WatchedDisk();
  WatchedDisk(const WatchedDisk&) = delete;
  WatchedDisk& operator=(const WatchedDisk&) = delete;

  /// From now on files can only grow by this number of bytes in all.
  void fill(std::int64_t left = 0);
  void make_room();
  /// Each sync fails from now on, as on a broken disk.
  void break_syncs();
  void repair();

  /// All actions so far, in order: "wrote NAME", "synced NAME", "renamed NAME", by the last part of the path; "sent"
  /// for a frame that a forked process sends; and lines that `note` added.
  std::vector<std::string> notes() const;
  void forget_notes();
};

/// Adds a line to the notes, if a disk is watched.
void note(std::string_view what);

/// Whether each `first` in the notes is followed by the next ones in this order, and there is at least one `first`.
bool in_order(const std::vector<std::string>& notes, const std::string& first,
              const std::vector<std::string>& then);

}  // namespace dmm
