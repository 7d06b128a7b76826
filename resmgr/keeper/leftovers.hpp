// Finding processes of jobs whose keeper is gone, by what each of them inherited: for the next keeper in the folder,
// for a manager that can't start one, and for whoever removes the folder.
#pragma once

#include <cstdint>
#include <string>

#include <sys/resource.h>
#include <sys/types.h>

namespace dmm::keeper {

/// What tells to which job a process belongs: its hard limit of file locks. Linux doesn't enforce that limit since
/// 2.4.25, but every descendant inherits it and only a privileged one can raise it, so it survives setsid, a
/// double fork and a cleared environment. The mark is the keeper's own limit less a tag of its state folder (24
/// bits) and the job's serial number (32 bits): always lower, so setting it needs no privilege, also in a keeper
/// inside a job.
class Marks {
 public:
  /// `state`: the state folder, as an absolute path.
  explicit Marks(const std::string& state);
  rlim_t of(std::uint64_t serial) const { return base_ - (tag_ << 32) - (serial & 0xFFFFFFFF); }
  /// The serial number of the job that a process belongs to; 0 if it belongs to none of this folder, is gone or
  /// may not be looked at.
  std::uint64_t owner_of(pid_t process) const;

 private:
  rlim_t base_;
  rlim_t tag_;
};

/// What is left of jobs in a state folder: processes with a mark of it, or with a variable DMM_DIRECTORY that begins
/// with its jobs' folder (a privileged job may have changed its mark).
struct Leftovers {
  int found = 0;     ///< and killed, or tried to
  std::string last;  ///< the last of them, and why it is still there; empty if there is none
};
/// Looks through all processes once, and kills what is left.
Leftovers kill_leftovers(const std::string& state, const Marks& marks);

/// Kills what is left, and waits until nothing is. What still is after five seconds, or nothing.
std::string end_leftovers(const std::string& state, const Marks& marks);

}  // namespace dmm::keeper
