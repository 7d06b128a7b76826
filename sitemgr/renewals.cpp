// When sides of a link compare their leases, and what comes of it; see renewals.hpp.
#include "sitemgr/renewals.hpp"

#include <algorithm>

namespace dmm {
namespace {

constexpr std::int64_t terms_between_renewals = 20;
constexpr std::int64_t renewals_a_term = 10;

}  // namespace

void Renewals::begin(Instant now, std::size_t n) {
  links_[n] = Link{now, false, std::nullopt, {}};
  wanted_look_.due = now;
}

Instant Renewals::next_renewal(Instant now, std::size_t n, Duration term) const {
  return now + (links_[n].agrees ? term * terms_between_renewals : term / renewals_a_term);
}

std::vector<std::size_t> Renewals::take_due(Instant now, const Neighbours& neighbours, const LeaseBook& leases,
                                            Duration term) {
  std::vector<std::size_t> due;
  for (std::size_t n = 0; n < neighbours.size(); ++n) {
    if (!neighbours[n].up || leases.up(n).empty() || now < links_[n].renew_due) continue;
    links_[n].renew_due = next_renewal(now, n, term);
    due.push_back(n);
  }
  return due;
}

void Renewals::hear_settled(Instant now, std::size_t n, bool settled, Duration term) {
  if (std::exchange(links_[n].agrees, settled) != settled) links_[n].renew_due = next_renewal(now, n, term);
}

RenewalComparison Renewals::compare(Instant now, std::size_t n, std::uint32_t renewed, std::size_t lent,
                                    Duration patience) {
  std::optional<Instant>& since = links_[n].differs_since;
  if (renewed >= lent) {
    since.reset();
    return RenewalComparison::agrees;
  }
  if (!since) since = now;
  if (now - *since < patience) return RenewalComparison::differs;
  since.reset();
  return RenewalComparison::has_lost;
}

Instant Renewals::next_deadline(const Neighbours& neighbours, const LeaseBook& leases) const {
  Instant next = wanted_look_.due;
  for (std::size_t n = 0; n < neighbours.size(); ++n)
    if (neighbours[n].up && !leases.up(n).empty()) next = std::min(next, links_[n].renew_due);
  return next;
}

}  // namespace dmm
