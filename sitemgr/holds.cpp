// The order among co-allocated requests; see holds.hpp.
#include "sitemgr/holds.hpp"

#include <algorithm>

#include "manager/assert.hpp"

namespace dmm {
namespace {

/// Longer than the longest pause of a request before its next try: its turn lasts from one try to the next.
constexpr Duration first_kept = seconds(12);
/// Two sites that know since when two requests wait, by their own clocks and links, differ by less.
constexpr Duration taken_for_equal = seconds(1);

}  // namespace

bool goes_before(const Precedence& one, const Precedence& other) {
  const Duration apart = one.since < other.since ? other.since - one.since : one.since - other.since;
  return apart > taken_for_equal ? one.since < other.since : one.request < other.request;
}

std::vector<LeaseId> Holds::younger_than(const Precedence& one) const {
  std::vector<std::pair<Precedence, LeaseId>> younger;
  for (const auto& [lease, of] : held_)
    if (of.request != one.request && goes_before(one, of)) younger.emplace_back(of, lease);
  std::ranges::stable_sort(younger, std::greater{}, [](const auto& entry) { return entry.first.since; });
  std::vector<LeaseId> leases;
  for (const auto& [of, lease] : younger) leases.push_back(lease);
  DMM_ASSERT(leases.size() <= held_.size());
  return leases;
}

void Holds::turned_away(Instant now, const Precedence& one) {
  if (first_ && now < first_until_ && first_->request != one.request && goes_before(*first_, one)) return;
  first_ = one;
  first_until_ = now + first_kept;
  DMM_ASSERT(may_hold(now, one));
}

bool Holds::may_hold(Instant now, const Precedence& one) const {
  return !first_ || now >= first_until_ || first_->request == one.request || goes_before(one, *first_);
}

}  // namespace dmm
