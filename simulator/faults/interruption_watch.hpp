// InterruptionWatch: an attempt with a component that ran is given up for a reason only: a fault, or an owner that took
// back one of its leases. Without faults, or with single short ones only, just the owner is a reason.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "simulator/faults/random_grid.hpp"
#include "simulator/world/world.hpp"

namespace dmm {

class InterruptionWatch {
 public:
  explicit InterruptionWatch(const RandomRun& run);

  void note(const Act& act, Instant now);
  /// Must get every happening exactly once. Returns what is wrong; empty if nothing is. With `has_chances` faults may
  /// happen at any time.
  std::string note(const World& world, const Happening& happening, bool has_chances);

 private:
  void note_started(const World& world, const Happening& started);
  void note_leases(const World& world, const Happening& happening);
  std::string check_rerun(const World& world, const Happening& rerun, bool has_chances);
  /// Whether the effects of recent acts may still end leases.
  bool is_trouble_felt(Instant now) const { return now - last_trouble_ < felt_; }

  Trouble trouble_;
  /// An act has effects for this long. In a run of days they last longer, because a site that is cut off lets jobs of
  /// remote users run on for a while.
  Duration felt_;
  std::set<RequestId> started_;  ///< attempts with a component that ran, until the job runs again
  std::map<RequestId, std::vector<std::string>> handed_out_;  ///< the leases that each request got
  std::set<std::string> explained_;  ///< leases that owners took back, or that ended while trouble was felt
  Instant last_trouble_{};           ///< the last act that may interrupt jobs
};

}  // namespace dmm
