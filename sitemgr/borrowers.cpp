// Counting what borrowers were served; see borrowers.hpp.
#include "sitemgr/borrowers.hpp"

#include <algorithm>
#include <cmath>

#include "manager/assert.hpp"

namespace dmm {
namespace {

constexpr Duration off_first = seconds(10), off_last = seconds(600);

}  // namespace

Borrowers::Borrowers(const std::vector<NeighbourSettings>& neighbours) : list_(neighbours.size()) {
  for (std::size_t i = 0; i < list_.size(); ++i) list_[i].weight = neighbours[i].limits.weight;
}

void Borrowers::set_weight(Instant now, std::size_t borrower, double weight) {
  DMM_ASSERT(borrower < list_.size());
  count(now, list_[borrower]);
  list_[borrower].weight = weight;
}

// ---- what they have ------------------------------------------------------------------------------------------------

double Borrowers::served(Instant now, std::size_t borrower) const {
  DMM_ASSERT(borrower < list_.size() && list_[borrower].processors <= lent_);
  const Borrower& one = list_[borrower];
  const double passed = static_cast<double>((now - one.counted).microseconds);
  return one.served + passed * one.processors / one.weight;
}

void Borrowers::count(Instant now, Borrower& borrower) const {
  borrower.served = served(now, static_cast<std::size_t>(&borrower - list_.data()));
  borrower.counted = now;
}

/// A borrower has no claim for a time in which it neither had nor wanted anything.
void Borrowers::join(Instant now, std::size_t borrower) {
  DMM_ASSERT(borrower < list_.size());
  Borrower& one = list_[borrower];
  count(now, one);
  if (one.processors > 0 || wants(now, borrower)) return;
  double least = HUGE_VAL;
  for (std::size_t i = 0; i < list_.size(); ++i)
    if (i != borrower && (list_[i].processors > 0 || wants(now, i))) least = std::min(least, served(now, i));
  if (least != HUGE_VAL) one.served = std::max(one.served, least);
}

void Borrowers::lend(Instant now, std::size_t borrower, std::uint32_t processors) {
  join(now, borrower);
  list_[borrower].processors += processors;
  lent_ += processors;
  DMM_ASSERT(list_[borrower].processors <= lent_);
}

void Borrowers::returned(Instant now, std::size_t borrower, std::uint32_t processors) {
  DMM_ASSERT(borrower < list_.size());
  Borrower& one = list_[borrower];
  DMM_ASSERT(one.processors >= processors && lent_ >= one.processors);
  count(now, one);
  one.processors -= processors;
  lent_ -= processors;
  DMM_ASSERT(one.processors <= lent_);
}

// ---- what they want ------------------------------------------------------------------------------------------------

void Borrowers::hear(Instant now, std::size_t borrower, std::uint32_t queued, std::uint32_t width) {
  DMM_ASSERT(borrower < list_.size());
  if (queued > 0) join(now, borrower);
  list_[borrower].queued = queued;
  list_[borrower].width = width;
}

void Borrowers::turn_away(Instant now, std::size_t borrower, std::uint32_t processors, std::uint32_t width,
                          Duration memory) {
  DMM_ASSERT(width > 0 && processors >= width);
  join(now, borrower);
  Borrower& one = list_[borrower];
  one.asked = processors;
  one.asked_width = width;
  one.asked_until = now + memory;
}

void Borrowers::satisfy(std::size_t borrower) {
  DMM_ASSERT(borrower < list_.size());
  list_[borrower].asked = 0;
  list_[borrower].asked_until = Instant{};
}

bool Borrowers::wants(Instant now, std::size_t borrower) const { return queued(now, borrower) > 0; }

bool Borrowers::wants_any(Instant now) const {
  return std::ranges::any_of(list_, [&](const Borrower& one) { return one.queued > 0 || now < one.asked_until; });
}

std::uint32_t Borrowers::queued(Instant now, std::size_t borrower) const {
  DMM_ASSERT(borrower < list_.size());
  const Borrower& one = list_[borrower];
  return std::max(one.queued, now < one.asked_until ? one.asked : 0);
}

std::uint32_t Borrowers::width(Instant now, std::size_t borrower) const {
  DMM_ASSERT(borrower < list_.size());
  const Borrower& one = list_[borrower];
  if (one.queued > 0) return std::max(1U, one.width);
  return now < one.asked_until ? std::max(1U, one.asked_width) : 0;
}

// ---- the next borrower ---------------------------------------------------------------------------------------------

std::vector<double> Borrowers::fair_shares(Instant now, double processors,
                                           std::span<const std::uint32_t> more_at_most) const {
  DMM_ASSERT(more_at_most.size() == list_.size());
  std::vector<double> shares(list_.size(), 0);
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < list_.size(); ++i)
    if (list_[i].processors > 0 || wants(now, i)) open.push_back(i);
  // A borrower that wants less than its part leaves the rest to the others. There are at most as many rounds as
  // borrowers.
  for (bool again = true; again && !open.empty();) {
    again = false;
    double weights = 0;
    for (const std::size_t i : open) weights += list_[i].weight;
    const double part = processors / weights;
    for (std::size_t k = 0; k < open.size();) {
      const std::size_t i = open[k];
      const double want = static_cast<double>(list_[i].processors) + std::min(queued(now, i), more_at_most[i]);
      if (want > part * list_[i].weight) {
        ++k;
        continue;
      }
      shares[i] = want;
      processors -= want;
      open.erase(open.begin() + static_cast<std::ptrdiff_t>(k));
      again = true;
    }
    if (again) continue;
    for (const std::size_t i : open) shares[i] = part * list_[i].weight;
  }
  return shares;
}

// ---- borrowers that are lent nothing for a while -------------------------------------------------------------------

void Borrowers::keep_off(std::size_t borrower, Instant until) {
  DMM_ASSERT(borrower < list_.size());
  list_[borrower].off_until = std::max(list_[borrower].off_until, until);
}

void Borrowers::lapse(Instant now, std::size_t borrower) {
  DMM_ASSERT(borrower < list_.size());
  Borrower& one = list_[borrower];
  Duration off = off_first;
  for (std::uint32_t i = 0; i < one.lapses && off < off_last; ++i) off = std::min(off * 2, off_last);
  DMM_ASSERT(off_first <= off && off <= off_last);
  ++one.lapses;
  // The first may be an accident of the way.
  if (one.lapses > 1) keep_off(borrower, now + off);
}

BorrowerView Borrowers::view(Instant now, std::size_t borrower, Instant off_until) const {
  return {list_[borrower].processors, queued(now, borrower), served(now, borrower) / 1e6,
          std::max(std::max(kept_off_until(borrower), off_until) - now, Duration{})};
}

}  // namespace dmm
