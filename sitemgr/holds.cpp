// The order among co-allocated requests; see holds.hpp.
#include "sitemgr/holds.hpp"

#include <algorithm>
#include <tuple>

#include "manager/assert.hpp"

namespace dmm {
namespace {

/// Longer than two tries. No longer, since owners that measured differently must come to agree.
constexpr Duration measured_for = seconds(60);
/// Of the requests that are remembered.
constexpr std::size_t measured_max = 4'096;

}  // namespace

bool goes_before(const Precedence& one, const Precedence& other) {
  return std::tie(one.since, one.request) < std::tie(other.since, other.request);
}

Precedence Holds::as_measured_first(Instant now, const Precedence& measured) {
  if (measured_.size() >= measured_max)
    std::erase_if(measured_, [&](const auto& one) { return one.second.until <= now; });
  if (measured_.size() >= measured_max) return measured;
  Measured& known = measured_[measured.request];
  if (known.until <= now) known = {measured.since, now + measured_for};
  return {known.since, measured.request};
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

void Holds::claimed(const LeaseId& lease) {
  const auto at = held_.find(lease);
  if (at == held_.end()) return;
  if (first_ && first_->request == at->second.request) first_.reset();
  held_.erase(at);
}

void Holds::turned_away(Instant now, const Precedence& one, Duration kept) {
  if (first_ && now < first_until_ && first_->request != one.request && goes_before(*first_, one)) return;
  first_ = one;
  first_until_ = now + kept;
  DMM_ASSERT(may_hold(now, one));
}

bool Holds::may_hold(Instant now, const Precedence& one) const {
  return !first_ || now >= first_until_ || first_->request == one.request || goes_before(one, *first_);
}

}  // namespace dmm
