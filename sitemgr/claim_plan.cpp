#include "sitemgr/claim_plan.hpp"

#include <algorithm>

#include "manager/assert.hpp"

namespace dmm {
namespace {

/// No two tries follow each other sooner.
constexpr Duration between_tries = seconds(1);

Duration part_of(Duration whole, double share) { return from_seconds(whole.in_seconds() * share); }

}  // namespace

ClaimRules ClaimRules::lowered() const { return {std::max(wait - step, std::min(wait, least)), step, least}; }

ClaimPlan plan_claim(Instant now, Duration transfer, const ClaimRules& rules) {
  DMM_ASSERT(transfer > Duration{} && rules.wait > 0 && rules.wait < 1);
  ClaimPlan plan;
  plan.rules = rules;
  plan.start = now + transfer;
  plan.claim = now + part_of(transfer, rules.wait);
  return plan;
}

bool claim_later(ClaimPlan& plan, Instant now) {
  ++plan.tries;
  const Instant next = now + std::max(part_of(plan.start - now, plan.rules.wait), between_tries);
  if (next >= plan.start) return false;
  plan.claim = next;
  return true;
}

}  // namespace dmm
