// The site manager: serves the requests of its own users from its own nodes, delegates what it can't serve to
// neighbours, serves or passes on what they delegate, and keeps the leases that come of it (Iosup et al. 2007,
// sections 4.1 to 4.4). A state machine without input or output; docs/protocol.md has every message that it takes.
//
// One step is a batch of `receive`s and one `settle`. Receiving records; settling decides, in this order: what time
// calls for, local and foreign matchmaking, reuse of the pool, delegation, hints. Where things are:
//   site_manager.cpp  the gate, links coming and going, what time calls for
//   job_managers.cpp  job managers coming and going, their requests
//   refusing.cpp      refusing requests that no site can ever serve, telling neighbours what can be had here
//   matchmaking.cpp   serving local and foreign requests from owned nodes, making leases
//   reclaiming.cpp    reclaiming lent nodes for a local request
//   delegation.cpp    rounds of search at home
//   passing_on.cpp    passing delegations on at other sites, and the answers
//   leasing.cpp       the life of a lease at one hop: claim, release, end
//   renewing.cpp      for how long a lease is promised, and when it is over
//   owning.cpp        resource managers: what they offer, run, clean and set aside
//   comparing.cpp     a resource manager's register beside the owner's record
//   reconciling.cpp   what follows from comparing inventories, after a restart of either side
//   recovery.cpp      the ledger: what is written, and how a restarted site finds it again
//   orders.cpp        what the owner orders: reclaim, drain, resume, forget
//   reconfiguring.cpp settings that change while it runs
//   pool.cpp          what the sink does with leased nodes that have no job
//   hinting.cpp       capacity hints
//   views.cpp         what people see
// Parts with a state of their own: OwnedNodes, Providers, RequestQueue, Neighbours, Feasibility, Targets, Transit, Reservation, Matcher, Lending, HomeSearch, LeaseBook,
// Relays, HintBoard, Renewals, Reconciliation, Users, Accounts.
#pragma once

#include <map>
#include <set>
#include <variant>

#include "manager/contract.hpp"
#include "manager/dense.hpp"
#include "manager/dispatch.hpp"
#include "manager/lookup.hpp"
#include "matchmaking/load.hpp"
#include "matchmaking/policy.hpp"
#include "sitemgr/accounts.hpp"
#include "sitemgr/feasibility.hpp"
#include "sitemgr/hint_board.hpp"
#include "sitemgr/home_search.hpp"
#include "sitemgr/lease_book.hpp"
#include "sitemgr/lending.hpp"
#include "sitemgr/matcher.hpp"
#include "sitemgr/neighbours.hpp"
#include "sitemgr/owned_nodes.hpp"
#include "sitemgr/providers.hpp"
#include "sitemgr/reconciliation.hpp"
#include "sitemgr/records.hpp"
#include "sitemgr/relays.hpp"
#include "sitemgr/renewals.hpp"
#include "sitemgr/request_queue.hpp"
#include "sitemgr/settings.hpp"
#include "sitemgr/site_view.hpp"
#include "sitemgr/targets.hpp"
#include "sitemgr/transit.hpp"
#include "sitemgr/users.hpp"

namespace dmm {

struct SiteManagerEffects : Effects {
  LedgerChanges<SiteRecord> ledger;
};

class SiteManager {
 public:
  using Input = std::variant<Received, LinkUp, LinkDown, LinkPressed, LinkStanding>;
  using Effects = SiteManagerEffects;

  /// `incarnation` is greater at each start. The policies' names must be known (topologies/ checks them).
  SiteManager(SiteSettings settings, std::uint64_t incarnation);
  // Compiled once, in the .cpp: each file that moved or ended one would compile those of all its members.
  SiteManager(SiteManager&&) noexcept;
  SiteManager& operator=(SiteManager&&) noexcept;
  ~SiteManager();
  /// Goes on from what an earlier start wrote; before any event.
  void restore(Instant now, std::vector<SiteRecord> rows);
  /// All that the ledger must hold now.
  std::vector<SiteRecord> records() const;

  void receive(Instant now, Input input, Effects& effects);
  /// The same of a message, which is most of what comes.
  void receive(Instant now, Received&& message, Effects& effects);
  void settle(Instant now, Effects& effects);
  Instant next_deadline() const;

  // ---- orders of the owner; followed by settle, as any event ----
  /// Takes back what this site owns and has leased out: one lease (by its text form), all leases of a borrowing
  /// site or over a neighbour, or of everybody if `whose` is empty. Returns how many leases. `end_of_job` as
  /// grace: when their jobs have ended.
  std::size_t reclaim(Instant now, const std::string& whose, Duration grace, Effects& effects);
  /// Lends nothing more to this site; our own name: nothing new starts on our nodes. False if it was so already.
  bool drain(Instant now, const SiteName& site, Effects& effects);
  /// Whether a site of that name can be drained: this one, a neighbour, or the holder of a lease of ours.
  bool may_drain(const SiteName& site) const;
  /// The reverse.
  bool resume(Instant now, const SiteName& site, Effects& effects);
  const std::set<SiteName>& drained() const { return lending_.drained(); }
  /// A resource manager that is down won't come back. Why it can't be forgotten; empty if it is.
  std::string forget(Instant now, const ShortText& resource_manager, Effects& effects);
  /// Takes other settings: everything but the site's name and ancestors, and the clusters that there are. Empty, or why
  /// they can't be taken, and then nothing changed.
  std::string reconfigure(Instant now, const SiteSettings& settings, Effects& effects);

  SiteView view(Instant now) const;
  /// Why a request waits; without what takes a walk over the site: who has what it waits for, and whom it may ask.
  WaitView wait_of(Instant now, const RequestId& request) const;
  WaitView why(Instant now, const RequestId& request) const;
  /// All nodes that it owns, by resource manager and number.
  std::vector<NodesView> nodes() const;
  const RequestQueue& queue() const { return queue_; }
  const LeaseBook& leases() const { return leases_; }
  const UsageLog& usage() const { return accounts_.log(); }
  const Neighbours& neighbours() const { return neighbours_; }
  const Feasibility& feasibility() const { return feasibility_; }
  const Targets& targets() const { return targets_; }
  const HintBoard& hints() const { return hints_; }
  const OwnedNodes& owned() const { return owned_; }
  const SiteSettings& settings() const { return settings_; }
  /// All use by direction and neighbour, since the ledger began.
  const std::map<Accounts::Key, UsageTotal>& usage_totals() const { return accounts_.totals(); }
  const Ignored& ignored() const { return ignored_; }
  /// Whether nothing is leased, waiting or under way: what a quiet grid must look like.
  bool quiet() const;
  /// Recounts everything that is kept as a sum. For tests; costs a walk over the site.
  void check_invariants() const;

 private:
  struct Step {
    Instant now;
    Effects& out;
  };

  // ---- gate and parties (site_manager.cpp) ----
  void on(Step& s, Received& in);
  void hand(Step& s, Received& in, std::optional<std::size_t> neighbour);
  void on(Step& s, LinkUp& up);
  void on(Step& s, LinkDown& down);
  void on(Step& s, LinkPressed& change);
  void neighbour_up(Step& s, std::size_t n, bool restarted);
  void neighbour_down(Step& s, std::size_t n);
  void lose_questions(Step& s, std::size_t n);
  bool cycles_wanted() const;
  void sweep(Step& s);
  Instant next_due() const;
  void refuse(std::size_t n, std::string_view what) { ++neighbours_[n].refused[what]; }
  void ignore(std::string_view reason) { ++ignored_[reason]; }
  void send(Step& s, std::size_t n, Message message, const RequestId& trace);
  Party party(std::size_t n) const { return site_manager_of(neighbours_[n].site); }

  void on(Step& s, FromSite from, Relay& relay);
  void on(Step& s, FromUser from, Relay& relay);
  void on(Step& s, FromProvider from, Relay& relay);
  template <class Sender>
  void pass_relay(Step& s, const Sender& from, Relay& relay);

  // ---- job managers (job_managers.cpp) ----
  void on(Step& s, FromUser from, Request& request);
  void on(Step& s, FromUser from, Cancel& cancel);
  LocalRequest& enqueue(Step& s, const Party& user, Request& request);
  void leave_queue(Step& s, LocalRequest& request);
  void job_manager_up(Step& s, const Party& user, bool restarted);
  void job_managers_due(Step& s);
  void do_chores(Step& s);
  void release_of_absent(Step& s, const Party& user);

  // ---- what can never be served (refusing.cpp) ----
  Feasibility::Site site() const { return {settings_, owned_, neighbours_, placer_}; }
  void classify(RequestClass& kind);
  void refuse_hopeless(Step& s);
  void refuse_if_hopeless(Step& s, LocalRequest& request);
  void tell_reach(Step& s);
  void on(Step& s, FromSite from, Reach& reach);

  // ---- resource managers (owning.cpp, comparing.cpp) ----
  void on(Step& s, FromProvider from, Register& offer);
  void take_offer(Step& s, const NodeOffer& offer, const std::string& endpoint);
  void remove_nodes_of(Step& s, const Party& manager, const NodeSet& removed);
  void assign(Step& s, const Lease& lease, const Party& manager, const NodeSet& nodes);
  void on(Step& s, FromProvider from, Clean& clean);
  void end_with_job(Step& s, Lease& lease, const Party& manager);
  void on(Step& s, FromProvider from, SetAside& aside);
  void on(Step& s, FromProvider from, LeaseEnded& ended);  ///< of a lease that can't be assigned, or isn't used
  void forget_older(Step& s, const Party& manager, const Register& offer);
  Duration detached_for(const Lease& lease) const;
  void compare(Step& s, const Party& manager, const Register& offer, bool is_first);
  void take_unknown(Step& s, const Party& manager, const LeaseId& id, const NodeSet& nodes);
  void lose_nodes(Step& s, const Party& resource_manager);
  void resource_manager_up(Step& s, const Party& manager, bool restarted);

  // ---- inventories (reconciling.cpp) ----
  void begin_reconciliation(Step& s, std::size_t n);
  void begin_reconciliation(Step& s, const Party& job_manager);
  void on(Step& s, FromSite from, Inventory& inventory);
  void on(Step& s, FromUser from, Inventory& inventory);
  void compare_borrowed(Step& s, std::size_t n, const Holding& held, Instant until);
  void compare_lent(Step& s, std::size_t n, const Holding& lent);
  void adopt(Step& s, std::size_t upstream, std::size_t downstream, const Holding& lent);
  void end_unvouched(Step& s);
  Duration adopt_within(std::size_t n) const;

  // ---- the ledger (recovery.cpp) ----
  void changed(Step& s, Lease& lease);
  void write_ledger(Step& s);
  bool restore(Instant now, LeaseRecord& row);

  // ---- serving (matchmaking.cpp) ----
  void match_local(Step& s);
  Lease& make_lease(Step& s, const ResourceNeed& need, const Placement& placement, const RequestId& request,
                    const Foreign* foreign);

  // ---- what is in the way (waiting.cpp) ----
  std::vector<HolderView> holders_of(Instant now, const Constraints& constraints) const;
  AskedView asked_of(Instant now, std::size_t n, const LocalRequest& request) const;

  void match_foreign(Step& s);
  bool lend(Step& s, Foreign& foreign);
  Lending::Site lending_site() const {
    return {settings_, owned_, queue_, neighbours_, leases_, placer_, reservation_, transit_};
  }

  // ---- reclaiming for a local request (reclaiming.cpp) ----
  Instant reclaim_due() const;
  void reclaim_for_local(Step& s);
  void update_reservation(Instant now);
  void drop_reservation();

  // ---- searching at home (delegation.cpp) ----
  void run_due(Step& s);
  void delegate_local(Step& s);
  void delegate(Step& s, const HomeSearch::Found& found);
  void on_answer(Step& s, LocalRequest& request, RejectReason reason);
  void withdraw(Step& s, LocalRequest& request);
  HomeSearch::Site search_site() const {
    return {settings_, owned_, neighbours_, matcher_, reservation_, lending_, feasibility_, site()};
  }

  // ---- passing on (passing_on.cpp) ----
  void on(Step& s, FromSite from, Delegate& delegate);
  void on(Step& s, FromSite from, Reject& reject);
  void on(Step& s, FromSite from, Withdraw& withdraw);
  void pass_on(Step& s, Foreign foreign);
  void note_back(const Foreign& foreign);
  void withdraw_passed(Step& s, const Foreign& foreign);
  void reject(Step& s, const Foreign& foreign, RejectReason reason);
  RejectReason exact(Instant now, const Foreign& foreign, RejectReason reason) const;
  void on_no_answer(Step& s, Foreign foreign, RejectReason reason);

  // ---- leases (leasing.cpp) ----
  void on(Step& s, FromSite from, Grant& grant);
  std::string_view fault_of(std::size_t from, const Grant& grant) const;
  void take_grant(Step& s, std::size_t from, const Grant& grant, Lease lease);
  void on(Step& s, FromSite from, Claim& claim);
  void hear_claim(Step& s, Lease& lease);
  void on(Step& s, FromSite from, LeaseEnded& ended);
  void on(Step& s, FromSite from, Release& release);
  void on(Step& s, FromUser from, Release& release);
  /// The holder downstream gave these nodes back, or has lost them: they go to the owner. Erases an empty lease.
  void give_back(Step& s, Lease& lease, const std::vector<NodeGroup>& nodes, bool silent = false, bool failed = false);
  /// Tells whoever has these nodes from us that they are over; empty for all.
  void tell_ended(Step& s, Lease& lease, const std::vector<NodeGroup>& nodes, LeaseEnd reason, bool confirmed,
                  Duration grace = {});
  void end_lease(Step& s, Lease& lease, LeaseEnd reason);
  void clean(Step& s, Lease& lease, std::vector<NodeGroup> nodes, LeaseEnd reason, bool silent, Duration grace = {});
  std::vector<NodeGroup> take_for_cleaning(Step& s, Lease& lease, const std::vector<NodeGroup>& nodes);
  void account(Step& s, Lease& lease, const std::vector<NodeGroup>& nodes);
  Lease& add_lease(Step& s, Lease lease);
  Lease& keep_lease(Step& s, Lease lease);
  void close(Step& s, Lease& lease);

  // ---- time (renewing.cpp) ----
  Duration promise_of(const Lease& lease) const;
  bool stands(const Lease& lease) const;
  Duration word_on(const Lease& lease) const;
  Instant promised_until(Instant vouched, const Lease& lease) const;
  void on(Step& s, LinkStanding& change);
  void on(Step& s, FromSite from, Renewed& renewed);
  void stand(Lease& lease);
  void waver(Lease& lease, Instant proved);
  void restate_unless_it_stands(const Lease& lease);
  void tell_restated(Step& s);
  void renew_links(Step& s);
  void on(Step& s, FromSite from, Renew& renew);
  void on(Step& s, FromUser from, Renew& renew);
  bool agrees(Step& s, std::size_t n, const Renew& renew);
  std::vector<LeaseId> wanted_of(Instant now, std::size_t n) const;
  void tell_wanted(Step& s);
  void expire_leases(Step& s);

  // ---- orders (orders.cpp) ----
  void reclaim(Step& s, Lease& lease, Duration grace, LeaseEnd reason);

  // ---- the sink's pool (pool.cpp) ----
  void hand_out(Step& s, Lease& lease, LocalRequest& request, std::vector<NodeGroup> nodes);
  void into_pool(Lease& lease, std::vector<NodeGroup> nodes);
  void match_pool(Step& s);
  Duration reusable_for(Instant now, const Lease& lease) const;
  bool reuse(Step& s, Lease& lease);
  /// Which of these nodes, empty for all, were in the hands of this job manager, or of any if none is named.
  std::vector<NodeGroup> take_from_users(Step& s, Lease& lease, const std::vector<NodeGroup>& nodes,
                                         const Party* job_manager);
  void take_from_user(Lease& lease, const RequestId& request);

  // ---- hints (hinting.cpp) ----
  void on_hint(Step& s, std::size_t n, CapacityHint hint);
  void update_demand();
  void send_hints(Step& s);
  HintEntry own_hint(Instant now, std::size_t n);

  // ---- views (views.cpp) ----
  bool too_wide_for_known(const LocalRequest& request) const;

  // ---- other settings (reconfiguring.cpp) ----
  void add_neighbour(Instant now, const NeighbourSettings& settings);
  void remove_neighbour(Step& s, std::size_t n);

  SiteSettings settings_;
  std::uint64_t incarnation_;
  Placer placer_;

  OwnedNodes owned_;
  Providers providers_;
  RequestQueue queue_;
  Neighbours neighbours_;
  Feasibility feasibility_;
  Targets targets_;
  Transit transit_;
  Reservation reservation_;
  Matcher matcher_;
  Lending lending_;
  HomeSearch search_;
  LeaseBook leases_;
  Relays relays_;
  Reconciliation reconciliation_;
  HintBoard hints_;
  Renewals renewals_;
  Accounts accounts_;
  Ignored ignored_;
  Users users_;


};

}  // namespace dmm
