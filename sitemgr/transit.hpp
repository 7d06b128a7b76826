// Transit (forwarding): delegations that this site took from neighbours and hasn't answered yet. A delegation waits for
// matchmaking, then for the delegation cycle if it isn't served here, then for the answer of the neighbour that it was
// passed on to. A request is taken once in each round: a copy that comes another way is rejected, but for one that
// comes from the home site itself, which displaces the others (Iosup et al. 2007, section 4.3; docs/protocol.md section
// 6). What a neighbour says is believed only as far as it can be checked.
#pragma once

#include <list>
#include <map>
#include <optional>
#include <vector>

#include "sitemgr/deadlines.hpp"
#include "sitemgr/foreign.hpp"
#include "sitemgr/seen_list.hpp"
#include "sitemgr/settings.hpp"

namespace dmm {

class Transit {
 public:
  /// What came of a Delegate. The manager withdraws and rejects what was displaced, and rejects what is refused.
  struct Taken {
    std::optional<Foreign> displaced;
    std::optional<Foreign> refused;
    RejectReason reason = RejectReason::malformed;  ///< of what is refused
  };

  Transit(const SiteSettings& settings, std::size_t neighbours);
  void configure(const SiteSettings& settings);
  void add_neighbours(std::size_t neighbours);

  // ---- taking ----
  /// A Delegate came from neighbour `n`, the site `sender`: it waits for matchmaking, or is refused.
  Taken take(Instant now, std::size_t n, const SiteName& sender, Delegate delegate, const SiteSettings& settings);
  /// One waiting delegation of each neighbour, in turn from call to call; empty if none waits.
  std::vector<Foreign> next_round();
  bool has_waiting(std::size_t n) const { return !waiting_[n].empty(); }
  std::size_t waiting() const { return waiting_count_; }
  /// It isn't served here: it waits for the delegation cycle.
  void keep(Foreign foreign) { unserved_.push_back(std::move(foreign)); }
  std::vector<Foreign> take_kept() { return std::exchange(unserved_, {}); }
  bool has_work() const { return waiting_count_ > 0 || !unserved_.empty(); }
  /// Nodes of this site are being freed for it: it waits for them, until then at the latest.
  void park(Foreign foreign, Instant until);
  /// `freed`: the counter of OwnedNodes. If nodes came since, what is parked waits for matchmaking again.
  void unpark(std::uint64_t freed);
  /// What has been parked for too long isn't served here.
  void end_parking(Instant now);

  // ---- passing on ----
  /// Whether another copy of the same search is passed on now.
  bool is_passed_on(const PartKey& key) const { return passed_.contains(key); }
  /// Passes a delegation on to neighbour `target`, `round_trip` away, for an answer `within` that time; returns the
  /// Delegate to send.
  Delegate pass_on(Instant now, Foreign foreign, std::size_t target, Duration round_trip, Duration within,
                   const SiteName& self, std::size_t neighbours);

  // ---- delegations that were passed on: answers, and what ends the wait for them ----
  /// The target rejected a delegation, which is taken out. Nothing if it is gone, or is out at another neighbour.
  std::optional<Foreign> rejected(std::size_t target, Reject& answer);
  /// What is passed on to a neighbour under this key; null if nothing is.
  const Foreign* find(const PartKey& key, std::size_t target) const;
  Foreign take_passed(const PartKey& key);
  /// The next delegation with an overdue answer.
  std::optional<Foreign> take_overdue(Instant now);
  /// All that are passed on to a neighbour.
  std::vector<Foreign> take_passed_to(std::size_t target);
  /// Neighbour `n` withdrew its delegation, which is taken out; returned if it was passed on.
  std::optional<Foreign> withdrawn(std::size_t n, const Withdraw& message);
  /// The session of neighbour `n` is over: no answer can reach it. Takes out its delegations; returns those passed on.
  std::vector<Foreign> lose(std::size_t n);
  /// A delegation of this neighbour was answered.
  void answered(std::size_t n);

  Instant next_deadline() const;

  // ---- for people and tests ----
  std::size_t size() const { return passed_.size() + unserved_.size() + parked_.size() + waiting_count_; }
  std::uint64_t delegations_received(std::size_t n) const { return received_[n]; }
  const std::map<PartKey, Foreign>& passed() const { return passed_; }
  void check_invariants() const;

 private:
  std::optional<RejectReason> fault_of(std::size_t n, const SiteName& sender, const Delegate& delegate,
                                       const SiteSettings& settings) const;
  /// Takes out the delegations that were passed on and that `is_wanted` says yes to, in order of their keys.
  template <class Is>
  std::vector<Foreign> take_passed_if(Is is_wanted);

  SeenList seen_;
  std::vector<std::list<Foreign>> waiting_;  ///< by neighbour: for matchmaking
  std::size_t waiting_count_ = 0;            ///< of all of them
  std::size_t next_link_ = 0;                ///< the neighbour that is first in the next round
  std::vector<Foreign> unserved_;            ///< waiting for the delegation cycle
  std::vector<Foreign> parked_;          ///< waiting for nodes that are being freed, each until its `answer_by`
  std::uint64_t freed_ = 0;              ///< what OwnedNodes had counted when that was looked at last
  std::map<PartKey, Foreign> passed_;    ///< waiting for an answer
  Deadlines<PartKey> due_;               ///< every `answer_by` of those
  std::vector<std::size_t> open_;        ///< by neighbour: taken from it and not answered
  std::vector<std::uint64_t> received_;  ///< by neighbour: Delegates since the start
};

}  // namespace dmm
