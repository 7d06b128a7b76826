// Finds processes of jobs without a keeper, by what each process inherited. For the next keeper in the folder, for a
// manager that can't start a keeper, and before a folder is removed.
#pragma once

#include <cstdint>
#include <string>

#include <sys/resource.h>
#include <sys/types.h>

namespace dmm::keeper {

/// The mark of a job on its processes: their hard limit of file locks. Linux doesn't enforce that limit since 2.4.25.
/// Every descendant inherits it and only a privileged one can raise it, so it survives setsid, a double fork and a
/// cleared environment. The mark is the keeper's own limit less a tag of its state folder (24 bits) and the job's
/// serial number (32 bits). It is always lower, so setting it needs no privilege, even for a keeper inside a job.
class Marks {
 public:
  /// `state`: the state folder, as an absolute path.
  explicit Marks(const std::string& state);
  rlim_t of(std::uint64_t serial) const { return base_ - (tag_ << 32) - (serial & 0xFFFFFFFF); }
  /// The serial number of the job that a process belongs to. 0 if it belongs to none of this folder, is gone or may not
  /// be looked at.
  std::uint64_t owner_of(pid_t process) const;

 private:
  rlim_t base_;
  rlim_t tag_;
};

/// The rest of jobs in a state folder: processes with a mark of the folder, or with a variable DMM_DIRECTORY that
/// begins with its jobs' folder (a privileged job may have changed its mark).
struct Leftovers {
  int found = 0;     ///< processes that were killed, or could not be
  std::string last;  ///< the last of them, and why it is still there; empty if there is none
};
/// Looks through all processes once, and kills leftovers.
Leftovers kill_leftovers(const std::string& state, const Marks& marks);

/// Kills leftovers, and waits until none are left. Returns what is still there after five seconds, or an empty text.
std::string end_leftovers(const std::string& state, const Marks& marks);

}  // namespace dmm::keeper
