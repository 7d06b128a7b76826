// What code under test does to the disk, seen from outside and everywhere alike: no privileges, no tracer, no mount.
// This program has its own pwrite, fsync, fdatasync, rename and zmq_send (disk_stage.cpp), which the libraries under
// test and SQLite call in place of the system's. They do the same, note it, and fail where a test wants them to.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dmm {

/// Watches the files of one folder, also those that processes use which are forked meanwhile. One at a time.
class WatchedDisk {
 public:
  explicit WatchedDisk(std::string folder);
  ~WatchedDisk();
  WatchedDisk(const WatchedDisk&) = delete;
  WatchedDisk& operator=(const WatchedDisk&) = delete;

  /// No more room for files to grow, but for this number of bytes.
  void fill(std::int64_t left = 0);
  void make_room();
  /// Each sync fails from now on, as on a broken disk.
  void break_syncs();
  void repair();

  /// What was done so far, in order: "wrote NAME", "synced NAME", "renamed NAME", by the last part of the path; "sent"
  /// for a frame that a forked process sends; and what `note` added.
  std::vector<std::string> notes() const;
  void forget_notes();
};

/// Adds a line to the notes, if a disk is watched.
void note(std::string_view what);

/// Whether, after each `first` in the notes, the next ones of these come in this order; and there is any `first`.
bool in_order(const std::vector<std::string>& notes, const std::string& first,
              const std::vector<std::string>& then);

}  // namespace dmm
