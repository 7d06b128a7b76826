// The local requests that wait, indexed so that no event walks them all: by class, and in each class in the order of
// dispatching and, if they may leave, of delegation; by the end of their pause, by answer due, by neighbour, by user.
// There may be as many classes as requests, so only one event walks all of them: a change of what the site or its
// neighbours could do when idle. A pass of matchmaking goes over the classes a thousand at a time.
#pragma once

#include <map>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "manager/dense.hpp"
#include "manager/wide_lookup.hpp"
#include "matchmaking/delegation.hpp"
#include "sitemgr/local_request.hpp"

namespace dmm {

class RequestQueue {
 public:
  RequestQueue(const DispatchPolicy& dispatch, const DelegationPolicy& delegation, std::size_t neighbours)
      : dispatch_(&dispatch), delegation_(&delegation), out_(neighbours) {}

  /// The class of a need; made if there is none, then with `is_new` set: it is to be classified before anything is
  /// added.
  RequestClass& class_of(const ResourceNeed& need, std::uint32_t dttl, bool& is_new);
  /// Says what this site could do for the class when idle.
  void classify(RequestClass& kind, bool servable, std::uint64_t clusters);
  /// Calls `visit` for each class, in a fixed order.
  template <class Visit>
  void each_class(Visit visit) {
    for (auto& [key, kind] : classes_) visit(*kind);
  }
  std::size_t classes() const { return classes_.size(); }

  /// The rank of a request that began to wait at this instant.
  std::uint64_t rank(Instant since);
  LocalRequest& add(LocalRequest request, RequestClass& kind);
  LocalRequest* find(const RequestId& id);
  const LocalRequest* find(const RequestId& id) const { return const_cast<RequestQueue*>(this)->find(id); }
  void erase(LocalRequest& request);
  std::size_t size() const { return requests_.size(); }
  /// A user's requests, by arrival; nullptr if there are none.
  const DenseMap<std::uint64_t, LocalRequest*>* of_user(const ShortText& user) const;
  /// Neighbours were added: there are this many.
  void add_neighbours(std::size_t neighbours) { out_.resize(neighbours); }
  /// Everything is ordered by other policies from now on.
  void set_policies(const DispatchPolicy& dispatch, const DelegationPolicy& delegation);

  // ---- dispatching ----
  /// The first in dispatching order of those that this site can serve; nullptr if there is none.
  LocalRequest* head() { return const_cast<LocalRequest*>(std::as_const(*this).head()); }
  const LocalRequest* head() const;
  /// The next of them after another.
  LocalRequest* after(const LocalRequest& request);
  /// A new pass of matchmaking begins: what didn't fit may fit now.
  void begin_pass();
  /// The pass goes on where it was left unfinished.
  void go_on();
  /// The next request of the pass, in dispatching order, that this site can serve and that needs at most `widest_max`
  /// processors in one cluster. Classes for which the pass found no place are left out. nullptr if there is none, or if
  /// this step has looked at enough of them. Within a pass `widest_max` may only shrink.
  LocalRequest* first_fitting(std::uint32_t widest_max);
  /// Whether that is why there was none.
  bool is_unfinished() const { return looks_left_ == 0 && !sweep_.empty(); }
  /// Whether the pass goes on behind this one, which might fit.
  bool is_passed(const LocalRequest& request) const {
    return request.kind->servable && !is_misfit(*request.kind) && dispatch_key(request) < swept_;
  }
  void set_misfit(RequestClass& kind) { kind.misfit = pass_; }
  bool is_misfit(const RequestClass& kind) const { return kind.misfit == pass_; }
  /// The first request that may be put on `processors` idle processors in one cluster of a lease over `hops` hops, and
  /// that runs no longer than `length`. A request without a declared length is taken to run for `unsaid`. Only some
  /// hundred classes are looked at, the ones in front.
  LocalRequest* first_for_lease(std::uint32_t processors, std::uint32_t hops, Duration length, Duration unsaid);
  OrderKey dispatch_key(const LocalRequest& request) const { return dispatch_->key(request.view(request.since)); }

  // ---- searching ----
  /// Moves a request between the stages of its search; `resume_at`, `target` and `answer_by` must be set before.
  void set_search(LocalRequest& request, LocalRequest::Search search);
  /// Classes of which some may be offered to a neighbour now, in delegation order of their first: the ones that this
  /// site could serve itself, which stay below the delegation threshold, and the ones that it never could, which go
  /// out at any load.
  const DenseMap<OrderKey, RequestClass*>& ready(bool servable) const { return ready_[servable]; }
  /// The first to arrive after `after` of those that pause and need at most `widest_max` in one cluster, or nullptr;
  /// that also if a thousand before it are a little wider.
  LocalRequest* first_pausing(std::uint32_t widest_max, std::uint64_t after) const;
  /// Those that are out at a neighbour, by arrival.
  const DenseMap<std::uint64_t, LocalRequest*>& out_at(std::size_t neighbour) const { return out_[neighbour]; }
  /// The next pause that ends, or answer that is overdue; nullptr if none is due at `now`.
  LocalRequest* due(Instant now);
  Instant next_due() const { return due_.empty() ? never : due_.begin()->first.first; }

  // ---- sums, kept up with every change ----
  /// Processors of servable requests: what this site's own users want of its nodes.
  std::uint64_t demand() const { return demand_; }
  /// The same less those that are out on a delegation: the queued part of the load.
  std::uint64_t demand_here() const { return demand_here_; }
  /// The same by what they could use; all that can't be told apart any more as if it could use anything.
  const std::map<LocalClaim, std::uint64_t>& claims() const { return claims_; }
  /// Processors of requests that wait and may be served elsewhere: of those that this site could serve itself, or not.
  std::uint64_t borrowing(bool servable) const { return borrowing_[servable]; }
  /// The first of these in dispatching order; nullptr if there is none.
  const LocalRequest* first_borrowing(bool also_servable) const;
  /// Counts up whenever the claims changed.
  std::uint64_t claim_changes() const { return claim_changes_; }
  /// Counts up whenever a request became ready to be offered to a neighbour.
  std::uint64_t readied() const { return readied_; }
  std::size_t count(LocalRequest::Search search) const { return counts_[static_cast<std::size_t>(search)]; }

  /// All of them by arrival, for people.
  const DenseMap<std::uint64_t, std::unique_ptr<LocalRequest>>& all() const { return requests_; }

 private:
  using ClassKey = std::tuple<std::uint32_t, std::uint32_t, ResourceNeed>;  ///< widest, DTTL, and all of it
  using InOrder = DenseMap<OrderKey, LocalRequest*>;
  using Heads = DenseMap<OrderKey, RequestClass*>;
  /// By how wide they are, roughly, then in order.
  using HeadsByWidth = DenseMap<std::pair<std::uint32_t, OrderKey>, RequestClass*>;
  /// A walk over several widths in order: for each of them, where its next head is at the earliest. A heap.
  using Walk = std::vector<std::pair<OrderKey, std::uint32_t>>;

  void index(LocalRequest& request, bool add);
  void index_search(LocalRequest& request, bool add);
  void count(RequestClass& kind, std::uint64_t requests, std::uint64_t here, bool add);
  void index_head(RequestClass& kind, bool add);
  void index_ready_head(RequestClass& kind, bool add);
  template <class IndexHead>
  void change(InOrder& list, const OrderKey& key, LocalRequest* request, IndexHead index_head);
  LocalClaim claim_of(const RequestClass& kind) const;
  static Walk walk_from(const HeadsByWidth& heads, std::uint32_t widest_max, const OrderKey& from);
  static RequestClass* next_of(const HeadsByWidth& heads, std::uint32_t widest_max, Walk& walk);

  const DispatchPolicy* dispatch_;
  const DelegationPolicy* delegation_;
  DenseMap<std::uint64_t, std::unique_ptr<LocalRequest>> requests_;  ///< by arrival
  WideLookup<RequestId, LocalRequest*> by_id_;
  std::map<ShortText, DenseMap<std::uint64_t, LocalRequest*>> by_user_;
  std::map<ClassKey, std::unique_ptr<RequestClass>> classes_;        ///< the narrowest first
  Heads heads_[2];         ///< of classes, in the order of dispatching, by whether servable here
  Heads leaving_[2];       ///< the same of classes that have a DTTL
  Heads ready_[2];         ///< the same in delegation order, of those that may leave
  HeadsByWidth fitting_;   ///< of classes that are servable here
  HeadsByWidth simple_;    ///< of simple ones
  DenseMap<std::pair<std::uint32_t, std::uint64_t>, LocalRequest*> pausing_;  ///< by how wide they are, roughly
  DenseMap<std::pair<Instant, std::uint64_t>, LocalRequest*> due_;
  std::vector<DenseMap<std::uint64_t, LocalRequest*>> out_;          ///< by neighbour
  std::map<LocalClaim, std::uint64_t> claims_;
  std::uint64_t demand_ = 0, demand_here_ = 0, borrowing_[2] = {}, readied_ = 0, claim_changes_ = 0;
  std::uint64_t pass_ = 1, added_ = 0;
  Walk sweep_;                  ///< over fitting_, of the present pass
  OrderKey swept_;              ///< all before this were looked at
  std::uint32_t looks_left_ = 0;  ///< in this step
  std::size_t counts_[4] = {};
};

}  // namespace dmm
