// Renewals (keep-alive): whether both sides of a link believe the same of the leases between them, and which leases the
// owner side wants back. Beats of the lender vouch for leases (docs/protocol.md section 4.7), so a Renew is only a
// comparison: the borrower says how many leases it holds, the lender says what differs. Sides that agree compare once
// in twenty terms, others ten times in each term. A borrower that renews fewer leases than it was lent, for longer than
// a lease can be on its way, has lost some: then both sides compare all leases in a new session (section 8.15).
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "sitemgr/lease_book.hpp"
#include "sitemgr/neighbours.hpp"
#include "sitemgr/wanted_look.hpp"

namespace dmm {

/// What comes of comparing the number of leases that a borrower renews with those that it was lent.
enum class RenewalComparison : std::uint8_t {
  agrees,
  differs,   ///< the borrower lacks leases that may be on their way
  has_lost,  ///< the borrower lacks leases for too long: both sides compare all leases in a new session
};

class Renewals {
 public:
  explicit Renewals(std::size_t neighbours) : links_(neighbours) {}
  void add_neighbours(std::size_t neighbours) { links_.resize(neighbours); }

  /// A session with the neighbour is new: both sides compare their leases now.
  void begin(Instant now, std::size_t n);

  // ---- as borrower ----
  /// The first lease over a link sets when its next Renew leaves; later leases join that Renew.
  void first_lease(Instant now, std::size_t n, Duration term) { links_[n].renew_due = next_renewal(now, n, term); }
  /// The lenders to which a Renew is due.
  std::vector<std::size_t> take_due(Instant now, const Neighbours& neighbours, const LeaseBook& leases,
                                    Duration term);
  /// The lender answered whether both believe the same.
  void hear_settled(Instant now, std::size_t n, bool settled, Duration term);

  // ---- as lender ----
  /// The borrower renews `renewed` leases; by our record it uses `lent` leases. `patience`: how long leases that it
  /// lacks may be on their way.
  RenewalComparison compare(Instant now, std::size_t n, std::uint32_t renewed, std::size_t lent,
                            Duration patience);
  /// Whether the borrower's last Renew agreed with what it was lent.
  bool is_settled(std::size_t n) const { return !links_[n].differs_since; }

  // ---- leases that are to serve no further job ----
  const std::vector<LeaseId>& told_wanted(std::size_t n) const { return links_[n].told_wanted; }
  void set_told_wanted(std::size_t n, std::vector<LeaseId> wanted) { links_[n].told_wanted = std::move(wanted); }
  /// When the owner side looks which of them there are; see wanted_look.hpp.
  WantedLook& wanted_look() { return wanted_look_; }

  // ---- leases that are promised again, or no longer ----
  /// The holders of the lease are to hear whether it stands.
  void restate(const LeaseId& lease) { restated_.push_back(lease); }
  std::vector<LeaseId> take_restated() { return std::exchange(restated_, {}); }

  Instant next_deadline(const Neighbours& neighbours, const LeaseBook& leases) const;

 private:
  struct Link {
    Instant renew_due{};                   ///< when the next Renew leaves
    bool agrees = false;                   ///< the lender's answer to the last one was that both believe the same
    std::optional<Instant> differs_since;  ///< since when the borrower renews fewer leases than it was lent
    std::vector<LeaseId> told_wanted;      ///< as the borrower was told last
  };
  Instant next_renewal(Instant now, std::size_t n, Duration term) const;

  std::vector<Link> links_;  ///< by neighbour
  WantedLook wanted_look_;
  std::vector<LeaseId> restated_;
};

}  // namespace dmm
