// How jobs ended, until their directories are removed: kept on disk for later managers and keepers, by a keeper that
// outlives its manager. An outcome that didn't fit on the disk is written again later.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "resmgr/keeper/files.hpp"
#include "resmgr/keeper/frames.hpp"
#include "resmgr/keeper/guard.hpp"

namespace dmm::keeper {

class Outcomes {
 public:
  /// Loads the outcomes of an earlier keeper. Incomplete ones and those of another build are removed if `fresh`, as
  /// directories without an outcome are. Returns the highest serial number among them.
  std::uint64_t load(JobFolder& folder, bool fresh);
  /// By directory; without streams, which are in it.
  const std::map<std::string, Outcome>& all() const { return outcomes_; }
  /// Keeps an outcome, even if this keeper is killed.
  void add(const std::string& directory, Outcome outcome, const JobFolder& folder);
  /// The job's directory is removed.
  void remove(const std::string& directory, const JobFolder& folder);
  /// Whether an outcome is not on the disk yet. The keeper stays for it: without it the job would seem lost and run
  /// again.
  bool has_unkept() const { return !unkept_.empty(); }
  /// When they are written again.
  Clock keep_again() const { return keep_again_; }
  /// Writes what is not on the disk yet, if it is time.
  void keep_unkept(const JobFolder& folder);

 private:
  std::map<std::string, Outcome> outcomes_;
  std::set<std::string> unkept_;  // outcomes that didn't fit on the disk
  Clock keep_again_ = 0;
};

/// The end of a job with its streams if they are short, and with their lengths.
JobEnded with_streams(JobEnded end, const std::string& directory, const JobFolder& folder);

}  // namespace dmm::keeper
