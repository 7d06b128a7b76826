// Reconciliation (anti-entropy): when a session is new to either side of a link, both sides send an Inventory of
// the leases between them. Then what was lost with the old session is put right. The lender's record decides what
// is leased. The side that has no record of a lease, or of some of its nodes, decides their fate; the other side
// waits for that decision. The side with the record draws no conclusion from the other's silence: else a restarted
// site in the middle of a chain could never take its place in the chain again (docs/protocol.md section 8.16a).
//
// This part has the state of each comparison, and says what follows from one holding. The manager carries that
// out.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "protocol/inventory.hpp"
#include "sitemgr/lease.hpp"
#include "sitemgr/neighbours.hpp"
#include "sitemgr/users.hpp"

namespace dmm {

/// What follows from a holding that a borrower names.
enum class HeldByBorrower : std::uint8_t {
  recorded,  ///< we lent it: it counts as claimed if it is there; nodes beyond our record are over
  orphan,    ///< we may have passed it on and lost our record: the lender's Inventory will tell
  unknown,   ///< it is over
};

/// What follows from a holding that a lender names.
enum class LentToUs : std::uint8_t {
  recorded,  ///< we borrowed it: its promise holds; nodes beyond our record go back
  adopt,     ///< it was on its way through us to a neighbour: we take our place in its chain again
  release,   ///< no use of it is known here: it goes back
};

/// How we take our place in the chain of a lease again.
struct Adoption {
  std::size_t downstream = 0;  ///< the neighbour towards the sink
  bool is_claimed = false;     ///< that neighbour named the lease, and knows of its Claim
};

/// A lease for which no side spoke in time.
struct Unvouched {
  std::size_t neighbour = 0;
  LeaseId lease;
  /// True: the neighbour holds the lease, and no lender named it. False: the neighbour was lent it, and never named it.
  bool is_orphan = false;
};

class Reconciliation {
 public:
  using Holds = Users::Holds;

  /// `self`: this site.
  Reconciliation(SiteName self, std::size_t neighbours) : self_(std::move(self)), books_(neighbours) {}
  void add_neighbours(std::size_t neighbours) { books_.resize(neighbours); }

  // ---- with a neighbour ----
  /// A session is new: the neighbour's Inventory is awaited. `known`: all leases of the link, lent and borrowed.
  void begin(std::size_t n, DenseSet<LeaseId> known);
  /// Whether the neighbour's Inventory of the present session, or of the first one, has yet to come.
  bool is_awaited(std::size_t n) const { return books_[n].awaited; }
  /// A message of an Inventory that is awaited; the whole with the last one.
  std::optional<Inventory> hear(std::size_t n, Inventory& part);
  /// What follows from a holding that the neighbour names as borrowed. `ours`: our record of the lease, or null.
  /// `until`: an orphan waits until then for its lender's word.
  HeldByBorrower on_borrowed(std::size_t n, const Holding& held, const HopLease* ours,
                             const Neighbours& neighbours, Instant until);
  /// Adopted leases that the neighbour holds no more: they go back to their owner.
  std::vector<LeaseId> not_held(std::size_t n);
  /// Leases that the neighbour was lent and didn't name: it gives them back, or they are unvouched at `until`.
  void note_unnamed(std::size_t n, const std::vector<Holding>& borrowed, const DenseSet<LeaseId>& lent,
                    Instant until);
  /// What follows from a holding that the neighbour names as lent to us. `adoption` is set with `adopt`.
  LentToUs on_lent(std::size_t n, const Holding& lent, const HopLease* ours, const Neighbours& neighbours,
                   Adoption& adoption);
  /// A lease that we took our place in again: the neighbour towards the sink has yet to name it.
  void adopted(std::size_t downstream, const LeaseId& lease);
  /// All of the neighbour's Inventory was looked at.
  void end(std::size_t n) { books_[n].known.clear(); }

  /// The neighbour spoke of a lease by Claim or Release.
  void named(std::size_t n, const LeaseId& lease) { books_[n].unnamed.erase(lease); }
  /// The neighbour gave back a lease without a record here. Returns whether it was awaited as an orphan.
  bool gave_back_orphan(std::size_t n, const LeaseId& lease) { return books_[n].orphans.erase(lease) > 0; }
  /// Leases for which no side spoke in time, by neighbour, orphans first; they are forgotten here.
  std::vector<Unvouched> take_overdue(Instant now);
  Instant next_deadline() const;

  // ---- with a job manager of this site ----
  /// A session is new: the job manager's Inventory is awaited. `holds`: what it holds by our record.
  void begin(const Party& user, Holds holds);
  bool is_awaited(const Party& user) const { return users_.contains(user); }
  /// Whether a comparison with the job manager is open, and the job manager held any lease when it began.
  bool concerns(const Party& user) const;
  /// The whole Inventory with its last message, and what the job manager held by our record when the session began.
  std::optional<std::pair<Inventory, Holds>> hear(const Party& user, Inventory& part);
  void forget(const Party& user) { users_.erase(user); }

 private:
  /// A lease for which a word of the other side is awaited.
  struct Awaited {
    Instant until;
    bool is_claimed = false;  ///< of an orphan
  };
  struct Books {
    bool awaited = true;
    DenseSet<LeaseId> known;             ///< when the session began: what is gone since has ended
    Inventory said;                      ///< as far as it came
    std::map<LeaseId, Awaited> orphans;  ///< named by the neighbour, and not yet by their lender
    std::set<LeaseId> adopted;           ///< named by their lender, and not yet by the neighbour
    std::map<LeaseId, Awaited> unnamed;  ///< lent to the neighbour, and not in its Inventory
  };
  struct UserBooks {
    Holds holds;
    Inventory said;
  };
  bool may_adopt(std::size_t n, const Holding& held, const Neighbours& neighbours) const;

  SiteName self_;
  std::vector<Books> books_;          ///< by neighbour
  bool may_wait_ = false;             ///< false: no book has orphans or unnamed leases, which are rare
  std::map<Party, UserBooks> users_;  ///< job managers that have yet to send their Inventory
};

}  // namespace dmm
