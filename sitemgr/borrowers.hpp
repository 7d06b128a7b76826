// What an owner knows of its borrowers: how much each has, which ones wait for more, which one is next, and which ones
// are lent nothing for a while. Neighbours share by weight. Each borrower's *served time* grows by the processors that
// it has, over its weight; the waiting borrower that was served least is in turn. A borrower that wanted nothing for a
// while comes back with at least the least served time of the others, so no claim is saved up (start-time fair
// queueing).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "protocol/time.hpp"
#include "sitemgr/settings.hpp"

namespace dmm {

/// A borrower as `dmm sites` shows it: processors that it has, processors that it waits for, and its served time.
struct BorrowerView {
  std::uint32_t processors = 0;
  std::uint32_t queued = 0;
  double served_seconds = 0;  ///< served time: processor seconds over its weight
  Duration kept_off;          ///< it is lent nothing for so long yet
};

class Borrowers {
 public:
  explicit Borrowers(const std::vector<NeighbourSettings>& neighbours);
  /// Neighbours were added: there are this many.
  void add_neighbours(std::size_t neighbours) { list_.resize(neighbours); }
  void set_weight(Instant now, std::size_t borrower, double weight);

  // ---- what they have ----
  void lend(Instant now, std::size_t borrower, std::uint32_t processors);
  void returned(Instant now, std::size_t borrower, std::uint32_t processors);
  std::uint32_t processors(std::size_t borrower) const { return list_[borrower].processors; }
  std::uint64_t processors() const { return lent_; }

  // ---- what they want ----
  /// It told by a hint how many processors its users wait for, and how many of them the first needs in one cluster.
  void hear(Instant now, std::size_t borrower, std::uint32_t queued, std::uint32_t width);
  /// The borrower asked in vain for `processors`, `width` of them in one cluster. `memory`: for how long that counts.
  void turn_away(Instant now, std::size_t borrower, std::uint32_t processors, std::uint32_t width,
                 Duration memory);
  /// The borrower got nodes, wants none, or is down: forget the request with which it was turned away.
  void satisfy(std::size_t borrower);
  bool wants(Instant now, std::size_t borrower) const;
  bool wants_any(Instant now) const;
  std::uint32_t queued(Instant now, std::size_t borrower) const;
  std::uint32_t width(Instant now, std::size_t borrower) const;

  // ---- the next borrower ----
  /// The waiting borrower that was served least, of those that `may` names; nothing if none of them waits.
  template <class May>
  std::optional<std::size_t> first(Instant now, May may) const {
    std::optional<std::size_t> first;
    for (std::size_t i = 0; i < list_.size(); ++i)
      if (wants(now, i) && (!first || served(now, i) < served(now, *first)) && may(i)) first = i;
    return first;
  }
  /// Processor microseconds over its weight.
  double served(Instant now, std::size_t borrower) const;
  /// The processors of each borrower if `processors` were shared by weight. No share exceeds what the borrower has plus
  /// what it waits for, or plus its entry in `more_at_most`.
  std::vector<double> fair_shares(Instant now, double processors,
                                  std::span<const std::uint32_t> more_at_most) const;

  // ---- borrowers that are lent nothing for a while ----
  void keep_off(std::size_t borrower, Instant until);
  /// The borrower let an offer lapse. From the second lapse without a claim, it is kept off for longer each time.
  void lapse(Instant now, std::size_t borrower);
  void claim(std::size_t borrower) { list_[borrower].lapses = 0; }
  bool is_kept_off(Instant now, std::size_t borrower) const { return now < kept_off_until(borrower); }
  Instant kept_off_until(std::size_t borrower) const { return list_[borrower].off_until; }

  /// `off_until`: until when the borrower is kept off for something that isn't known here.
  BorrowerView view(Instant now, std::size_t borrower, Instant off_until = {}) const;

 private:
  struct Borrower {
    double weight = 1;
    std::uint32_t processors = 0;
    double served = 0;  ///< up to `counted`
    Instant counted{};
    std::uint32_t queued = 0, width = 0;       ///< by its hint
    std::uint32_t asked = 0, asked_width = 0;  ///< processors of the request with which it was turned away
    Instant asked_until{};                     ///< until when that request counts
    Instant off_until{};
    std::uint32_t lapses = 0;
  };
  void count(Instant now, Borrower& borrower) const;
  void join(Instant now, std::size_t borrower);

  std::vector<Borrower> list_;
  std::uint64_t lent_ = 0;
};

}  // namespace dmm
