// The site manager: serves the requests of its own users from its own nodes, delegates what it can't serve to
// neighbours, serves or passes on what they delegate, and keeps the leases that come of it (Iosup et al. 2007,
// sections 4.1 to 4.4). A state machine without input or output; docs/protocol.md has every message that it takes.
//
// One step is a batch of `receive`s and one `settle`. Receiving records; settling decides, in this order: what time
// calls for, local and foreign matchmaking, reuse of the pool, delegation, hints. Where things are:
//   site_manager.cpp  the gate, links and resource managers coming and going, what time calls for
//   job_managers.cpp  job managers coming and going, their requests
//   matchmaking.cpp   serving local and foreign requests from owned nodes
//   delegation.cpp    rounds of search at home, passing on elsewhere, their answers
//   leasing.cpp       the life of a lease at one hop: claim, release, renew, expire, end
//   owning.cpp        resource managers: what they offer, run, clean and set aside
//   reconciling.cpp   both sides of a link compare what they believe, after a restart of either
//   recovery.cpp      the ledger: what is written, and how a restarted site finds it again
//   orders.cpp        what the owner orders: reclaim, drain, resume
//   pool.cpp          what the sink does with leased nodes that have no job
//   hinting.cpp       capacity hints
//   views.cpp         what people see
#pragma once

#include <deque>
#include <map>
#include <set>
#include <variant>

#include "machine/dense.hpp"
#include "machine/input.hpp"
#include "machine/lookup.hpp"
#include "matchmaking/load.hpp"
#include "matchmaking/policy.hpp"
#include "sitemgr/cycle.hpp"
#include "sitemgr/lease.hpp"
#include "sitemgr/neighbours.hpp"
#include "sitemgr/owned_nodes.hpp"
#include "sitemgr/records.hpp"
#include "sitemgr/request_queue.hpp"
#include "sitemgr/seen_list.hpp"
#include "sitemgr/settings.hpp"
#include "sitemgr/site_view.hpp"
#include "sitemgr/usage.hpp"

namespace dmm {

struct SiteManagerEffects : Effects {
  LedgerChanges<SiteRecord> ledger;
};

class SiteManager {
 public:
  using Input = std::variant<Received, LinkUp, LinkDown>;
  using Effects = SiteManagerEffects;

  /// `incarnation` is greater at each start. The policies' names must be known (topologies/ checks them).
  SiteManager(SiteSettings settings, std::uint64_t incarnation);
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
  /// Takes back what this site owns and has leased out: one lease (by its text form), all leases of a borrowing site,
  /// or of everybody if `whose` is empty. Returns how many leases. `end_of_job` as grace: when their jobs have ended.
  std::size_t reclaim(Instant now, const std::string& whose, Duration grace, Effects& effects);
  /// Lends nothing more to this site; our own name: nothing new starts on our nodes. False if it was so already.
  bool drain(Instant now, const SiteName& site, Effects& effects);
  /// The reverse.
  bool resume(Instant now, const SiteName& site, Effects& effects);
  const std::set<SiteName>& drained() const { return drained_; }

  SiteView view(Instant now) const;
  WaitView why(Instant now, const RequestId& request) const;
  const RequestQueue& queue() const { return queue_; }
  const LeaseTable& leases() const { return leases_; }
  const UsageLog& usage() const { return usage_; }
  const Neighbours& neighbours() const { return neighbours_; }
  const SiteSettings& settings() const { return settings_; }
  /// Whether nothing is leased, waiting or under way: what a quiet grid must look like.
  bool quiet() const;
  /// Recounts everything that is kept as a sum. For tests; costs a walk over the site.
  void check_invariants() const;

 private:
  struct Step {
    Instant now;
    Effects& out;
  };
  /// A delegation taken from a neighbour and not answered yet.
  struct Foreign {
    Delegate delegate;
    std::size_t from = 0;
    RejectReason reason = RejectReason::no_capacity;  ///< why it isn't served here
    std::vector<bool> asked;                          ///< by neighbour
    std::vector<SiteAnswer> answers;
    std::uint32_t tries_left = 0;
    std::size_t target = 0;  ///< the neighbour that it was passed on to
    Instant answer_by = never;
  };
  /// A request of a job manager that is silent.
  struct Shelved {
    Request request;
    Instant since{};  ///< when it began to wait
  };
  struct JobManager {
    using Holds = DenseSet<std::pair<LeaseId, RequestId>>;
    /// A request of its own under a lease of ours, by what these names are more than it and we are.
    struct OwnHold {
      Epoch lease;
      std::uint64_t job = 0;
      std::uint32_t attempt = 0;
      auto operator<=>(const OwnHold&) const = default;
      friend std::uint64_t table_hash(const OwnHold& hold) {
        return dmm::table_hash(dmm::table_hash(hold.lease) ^ hold.job) ^ hold.attempt;
      }
    };
    Instant shelve_at = never;     ///< while it is silent: its requests leave the queue then
    Instant nodes_until = never;   ///< while it is silent: its nodes are taken back then
    bool judging = false;          ///< its Inventory is awaited, which judges these
    Holds judged;
    Inventory inventory;           ///< the parts of it that have come
    LookupSet<OwnHold> own;  ///< what it holds of our own leases,
    Instant own_since{};     ///< none of which was granted before,
    Holds borrowed;          ///< and of others'
    void hold(const Lease& lease, const RequestId& request);
    void drop(const Lease& lease, const RequestId& request);
    bool holds(const Lease& lease, const RequestId& request) const;
    std::size_t requests = 0;  ///< open
    std::vector<Shelved> shelved;  ///< while it is silent: its requests, out of the queue
  };
  /// All that a job manager holds.
  JobManager::Holds holds_of(const Party& party, const JobManager& user) const;
  enum class Choice { found, window_full, nobody };
  /// What a site wants of a neighbour, at home or passing on.
  struct Search {
    PartKey key;
    std::uint32_t widest = 0;
    std::uint32_t dttl = 0;
    const std::vector<bool>* asked = nullptr;
    const SiteNames* chain = nullptr;
  };

  // ---- gate and parties (site_manager.cpp) ----
  void on(Step& s, Received& in);
  void on(Step& s, LinkUp& up);
  void on(Step& s, LinkDown& down);
  void neighbour_up(Step& s, std::size_t n, bool restarted);
  void neighbour_down(Step& s, std::size_t n);
  void lose_questions(Step& s, std::size_t n);
  void on(Step& s, const Party& from, Request& request);
  void on(Step& s, const Party& from, Cancel& cancel);
  void job_manager_up(Step& s, const Party& party, bool restarted);
  void shelve_requests(Step& s, const Party& party, bool keep);
  void take_back_from(Step& s, const Party& job_manager);
  bool cycles_wanted() const;
  void sweep(Step& s);
  void sweep_at(Instant at) { next_sweep_ = std::min(next_sweep_, at); }
  Instant next_due(Instant now) const;

  // ---- resource managers (owning.cpp) ----
  void on(Step& s, const Party& from, Register& offer);
  void assign(Step& s, const Lease& lease, const Party& manager, const NodeSet& nodes);
  void on(Step& s, const Party& from, Clean& clean);
  void end_with_job(Step& s, Lease& lease, const Party& manager);
  void on(Step& s, const Party& from, SetAside& aside);
  void on(Step& s, const Party& from, LeaseEnded& ended);  ///< of a lease that can't be assigned, or isn't used
  void forget_older(Step& s, const Party& manager, const Register& offer);
  Duration detached_for(const Lease& lease) const;
  void compare(Step& s, const Party& manager, const Register& offer, bool is_first);
  void take_unknown(Step& s, const Party& manager, const LeaseId& id, const NodeSet& nodes);
  void recount_servable(Step& s);
  void lose_nodes(Step& s, const Party& resource_manager);
  void resource_manager_up(Step& s, const Party& manager, bool restarted);

  // ---- comparing (reconciling.cpp) ----
  void open_books(Step& s, std::size_t n);
  void open_books(Step& s, const Party& job_manager);
  void on(Step& s, std::size_t from, Inventory& inventory);
  void on(Step& s, const Party& from, Inventory& inventory);
  void judge_lent(Step& s, std::size_t n, const std::vector<Holding>& borrowed);
  void judge_borrowed(Step& s, std::size_t n, const std::vector<Holding>& lent);
  bool may_adopt(std::size_t n, const Holding& held) const;
  void adopt_or_release(Step& s, std::size_t n, const Holding& lent);
  void end_orphans(Step& s);
  Duration left_of(Instant now, const Lease& lease) const;

  // ---- the ledger (recovery.cpp) ----
  void changed(Step& s, Lease& lease);
  void write_ledger(Step& s);
  LeaseRecord record_of(const Lease& lease) const;
  bool restore(Instant now, LeaseRecord& row);

  // ---- serving (matchmaking.cpp) ----
  void match(Step& s);
  void match_local(Step& s);
  bool serve_heads(Step& s);
  bool serve(Step& s, LocalRequest& request);
  bool starts_at_next_pass(const LocalRequest& request) const;
  void match_foreign(Step& s);
  bool lend(Step& s, Foreign& foreign);
  std::optional<Placement> place(const ResourceNeed& need, const std::vector<ClusterView>& clusters) const;
  std::vector<ClusterView> lendable_views(const Constraints& constraints) const;
  bool servable_when_idle(const ResourceNeed& need) const;
  Lease& make_lease(Step& s, const ResourceNeed& need, const Placement& placement, const RequestId& request,
                    std::optional<std::size_t> downstream);
  Load load() const;

  // ---- searching (delegation.cpp) ----
  void begin_round(LocalRequest& request);
  void end_round(Step& s, LocalRequest& request);
  void delegate_local(Step& s);
  bool keeps_local(const LocalRequest& request) const;
  Choice ask_next(Step& s, LocalRequest& request);
  Choice choose(const Search& search, std::size_t& target);
  void pass_on(Step& s, Foreign foreign);
  void reject(Step& s, const Foreign& foreign, RejectReason reason);
  void on_answer(Step& s, LocalRequest& request, RejectReason reason);
  void on(Step& s, std::size_t from, Delegate& delegate);
  void on(Step& s, std::size_t from, Reject& reject);
  void on(Step& s, std::size_t from, Withdraw& withdraw);
  void on_no_answer(Step& s, const PartKey& key, RejectReason reason);
  void withdraw(Step& s, LocalRequest& request);
  void refuse_if_too_large(Step& s, LocalRequest& request);
  bool too_wide_for_known(const LocalRequest& request) const;
  void run_due(Step& s);

  // ---- leases (leasing.cpp) ----
  void on(Step& s, std::size_t from, Grant& grant);
  void on(Step& s, std::size_t from, Claim& claim);
  void hear_claim(Step& s, Lease& lease);
  void on(Step& s, std::size_t from, LeaseEnded& ended);
  void on_release(Step& s, std::optional<std::size_t> from, const Party& party, Release& release);
  void on_renew(Step& s, std::optional<std::size_t> from, const Party& party);
  void on(Step& s, std::size_t from, Renewed& renewed);
  /// The holder downstream gave these nodes back, or has lost them: they go to the owner. Erases an empty lease.
  void give_back(Step& s, Lease& lease, const std::vector<NodeGroup>& nodes, bool silent = false);
  /// Tells whoever has these nodes from us that they are over; empty for all.
  void tell_ended(Step& s, Lease& lease, const std::vector<NodeGroup>& nodes, LeaseEnd reason, bool confirmed,
                  Duration grace = {});
  void end_lease(Step& s, Lease& lease, LeaseEnd reason);
  void clean(Step& s, Lease& lease, std::vector<NodeGroup> nodes, bool silent, Duration grace = {});
  std::vector<NodeGroup> take_for_cleaning(Step& s, Lease& lease, const std::vector<NodeGroup>& nodes);
  void account(Step& s, Lease& lease, const std::vector<NodeGroup>& nodes);
  void close(Step& s, Lease& lease);
  void expire_leases(Step& s);
  void watch(const Lease& lease);
  void renew_links(Step& s);
  void reclaim_for_local(Step& s);
  void take_back(Step& s, Lease& lease, Duration grace);

  // ---- the sink's pool (pool.cpp) ----
  void hand_out(Step& s, Lease& lease, LocalRequest& request, std::vector<NodeGroup> nodes);
  void into_pool(Lease& lease, std::vector<NodeGroup> nodes);
  void match_pool(Step& s);
  bool reuse(Step& s, Lease& lease);
  /// Which of these nodes, empty for all, were in the hands of this job manager, or of any if none is named.
  std::vector<NodeGroup> take_from_users(Step& s, Lease& lease, const std::vector<NodeGroup>& nodes,
                                         const Party* job_manager);
  void take_from_user(Lease& lease, const RequestId& request);

  // ---- hints (hinting.cpp) ----
  void on_hint(Step& s, std::size_t n, CapacityHint hint);
  void send_hints(Step& s);
  HintEntry own_hint() const;
  void send(Step& s, std::size_t n, Message message, const RequestId& trace);

  Party party(std::size_t n) const { return site_manager_of(neighbours_[n].site); }

  SiteSettings settings_;
  std::uint64_t incarnation_;
  std::uint64_t leases_made_ = 0;
  const DispatchPolicy* dispatch_;
  PlacementPolicy placement_, flexible_placement_;
  TargetPolicy targets_;

  OwnedNodes owned_;
  RequestQueue queue_;
  Neighbours neighbours_;
  LeaseTable leases_;
  SeenList seen_;
  UsageLog usage_;
  std::map<Party, JobManager> job_managers_;
  std::map<Party, Instant> lost_managers_;     ///< resource managers that are down, and since when
  std::map<Party, Register> registering_;      ///< by resource manager: the parts that have come
  std::vector<std::deque<Foreign>> foreign_;   ///< by neighbour: waiting for this step's matchmaking
  std::size_t foreign_waiting_ = 0;            ///< how many there are of them
  std::vector<Foreign> unserved_;              ///< waiting for the delegation cycle
  std::map<PartKey, Foreign> passed_;          ///< passed on, waiting for an answer
  std::vector<RequestId> fresh_;               ///< local requests that matchmaking hasn't looked at
  std::vector<LeaseId> pool_;                  ///< leases with idle nodes, to be reused or given back in this step
  std::set<SiteName> drained_;                 ///< who is lent nothing more; our own name: nothing new starts here
  std::vector<LeaseId> changed_leases_;        ///< to be written at the end of this step
  std::vector<DrainRecord> changed_drains_;
  std::uint64_t usage_written_ = 1;            ///< the ledger has the records before this number
  std::uint64_t usage_first_ = 1;              ///< and from this one on
  std::vector<TargetView> target_views_;       ///< scratch
  std::vector<std::size_t> target_order_;      ///< scratch

  std::uint64_t freed_seen_ = 0;  ///< OwnedNodes::freed() at the last matchmaking
  std::uint64_t departures_seen_ = 0;  ///< RequestQueue::departures() at the last matchmaking
  bool blocked_ = false;               ///< the last matchmaking ended at a request that lets none overtake it
  std::size_t next_link_ = 0;     ///< round robin over links
  std::uint64_t grants_local_ = 0, grants_foreign_ = 0;
  std::uint64_t processors_lent_ = 0;
  Cycle match_cycle_, delegation_cycle_;
  Instant next_sweep_ = never, hints_due_ = never;
  bool hints_dirty_ = true;
};

}  // namespace dmm
