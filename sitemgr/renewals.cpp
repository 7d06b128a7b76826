// When sides of a link compare their leases, and what comes of it; see renewals.hpp.
#include "sitemgr/renewals.hpp"

#include <algorithm>

#include "manager/assert.hpp"

namespace dmm {
namespace {

constexpr std::int64_t terms_between_renewals = 20;
constexpr std::int64_t renewals_a_term = 10;

}  // namespace

void Renewals::begin(Instant now, std::size_t n) {
  DMM_ASSERT(n < links_.size());
  links_[n] = Link{now, false, std::nullopt, {}};
  wanted_look_.due = now;
}

Instant Renewals::next_renewal(Instant now, std::size_t n, Duration term) const {
  DMM_ASSERT(n < links_.size());
  return now + (links_[n].agrees ? term * terms_between_renewals : term / renewals_a_term);
}

std::vector<std::size_t> Renewals::take_due(Instant now, const Neighbours& neighbours, const LeaseBook& leases,
                                            Duration term) {
  DMM_ASSERT(links_.size() >= neighbours.size());
  std::vector<std::size_t> due;
  for (std::size_t n = 0; n < neighbours.size(); ++n) {
    if (!neighbours[n].up || leases.up(n).empty() || now < links_[n].renew_due) continue;
    links_[n].renew_due = next_renewal(now, n, term);
    due.push_back(n);
  }
  return due;
}

void Renewals::hear_settled(Instant now, std::size_t n, bool settled, Duration term) {
  DMM_ASSERT(n < links_.size());
  if (std::exchange(links_[n].agrees, settled) != settled) links_[n].renew_due = next_renewal(now, n, term);
}

RenewalComparison Renewals::compare(Instant now, std::size_t n, std::uint32_t renewed, std::size_t lent,
                                    Duration patience) {
  DMM_ASSERT(n < links_.size());
  std::optional<Instant>& since = links_[n].differs_since;
  if (renewed >= lent) {
    since.reset();
    return RenewalComparison::agrees;
  }
  if (!since) since = now;
  DMM_ASSERT(*since <= now);
  if (now - *since < patience) return RenewalComparison::differs;
  since.reset();
  return RenewalComparison::has_lost;
}

Instant Renewals::next_deadline(const Neighbours& neighbours, const LeaseBook& leases) const {
  DMM_ASSERT(links_.size() >= neighbours.size());
  Instant next = wanted_look_.due;
  for (std::size_t n = 0; n < neighbours.size(); ++n)
    if (neighbours[n].up && !leases.up(n).empty()) next = std::min(next, links_[n].renew_due);
  return next;
}

}  // namespace dmm
