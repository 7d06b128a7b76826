// When a placed request claims its nodes: not before its input files are nearly there, as in KOALA, so that no
// processor stands idle while they come (Mohamed and Epema 2005, section 3.2). Until then nothing is held.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "protocol/messages.hpp"
#include "protocol/time.hpp"

namespace dmm {

/// L of the paper, how far a failure lowers it, and down to what. An L of 0: nodes are claimed at once.
struct ClaimRules {
  double wait = 0, step = 0.125, least = 0.25;

  /// For the next placement, after one that could not be claimed.
  ClaimRules lowered() const;
};

/// A placement that waits for its files.
struct ClaimPlan {
  ResourceNeed need;                  ///< each component fixed to its cluster
  std::vector<PlannedPlace> awaited;  ///< the clusters that lack files yet
  std::string placement;              ///< for people: why it is this
  ClaimRules rules;
  Instant start{};          ///< JST: the files are expected to be there
  Instant claim{};          ///< JCT: the next try to claim
  std::uint32_t tries = 0;  ///< that failed
};

/// JST = JPT + FTT, and JCT = JPT + L * FTT, where `now` is the job placement time and `transfer` the estimated
/// file transfer time.
ClaimPlan plan_claim(Instant now, Duration transfer, const ClaimRules& rules);
/// A try to claim failed: the next comes after L times what is left until the files are there. False: there is
/// none before that, and the request is to be placed again.
bool claim_later(ClaimPlan& plan, Instant now);

}  // namespace dmm
