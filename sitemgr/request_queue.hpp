// The local requests that wait, indexed by class, end of the pause, answer due, neighbour and user. Within its class a
// request stands in dispatching order and, while it may be offered to a neighbour, in delegation order. There may be as
// many classes as requests. Only a reconfiguration, or a change of what the site or its neighbours could do when idle,
// walks all of them. A pass of matchmaking looks at a thousand classes in each step.
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
#include "sitemgr/queue_totals.hpp"
#include "sitemgr/width_index.hpp"

namespace dmm {

class RequestQueue {
 public:
  RequestQueue(const DispatchPolicy& dispatch, const DelegationPolicy& delegation, std::size_t neighbours)
      : dispatch_(&dispatch), delegation_(&delegation), out_(neighbours) {}

  /// The class of a need and DTTL. Sets `is_new` if the class was made now: classify it before adding a request.
  RequestClass& class_of(const ResourceNeed& need, std::uint32_t dttl, bool& is_new);
  /// Says what this site could do for the class when idle.
  void classify(RequestClass& kind, bool holds_here, bool servable, std::uint64_t clusters);
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
  /// The next such request after `request`; nullptr if there is none.
  LocalRequest* after(const LocalRequest& request);
  /// The classes that this site can serve, for a pass of matchmaking over them.
  const WidthIndex& fitting() const { return fitting_; }
  /// The first request that fits on `processors` idle processors in one cluster of a lease over `hops` hops, and runs
  /// no longer than `length`. A request without a declared length is taken to run for `unsaid`. Looks only at the first
  /// hundreds of classes, and passes over jobs that an owner interrupted.
  LocalRequest* first_for_lease(std::uint32_t processors, std::uint32_t hops, Duration length, Duration unsaid);
  /// Whether the request may run on a lease that another job had, and is over within `length`, as above.
  static bool may_follow(const LocalRequest& request, Duration length, Duration unsaid);
  OrderKey dispatch_key(const LocalRequest& request) const { return dispatch_->key(request.view(request.since)); }

  // ---- searching ----
  /// Moves a request between the stages of its search; `resume_at`, `target` and `answer_by` must be set before.
  void set_search(LocalRequest& request, LocalRequest::Search search);
  /// Classes with requests that may be offered to a neighbour now, in delegation order of the first such request.
  /// Classes that this site could serve stay while its load is below the delegation threshold; the others go out at any
  /// load.
  const DenseMap<OrderKey, RequestClass*>& ready(bool servable) const { return ready_[servable]; }
  /// Of the pausing requests that need at most `widest_max` processors in one cluster, the first to arrive after
  /// `after`. nullptr if there is none, or if a thousand slightly wider requests stand before it.
  LocalRequest* first_pausing(std::uint32_t widest_max, std::uint64_t after) const;
  /// Those that are out at a neighbour, by arrival.
  const DenseMap<std::uint64_t, LocalRequest*>& out_at(std::size_t neighbour) const { return out_[neighbour]; }
  /// The next pause that ends, or answer that is overdue; nullptr if none is due at `now`.
  LocalRequest* due(Instant now);
  Instant next_due() const { return due_.empty() ? never : due_.begin()->first.first; }

  // ---- sums ----
  const QueueTotals& totals() const { return totals_; }
  /// The first in dispatching order of those that may be served elsewhere; nullptr if there is none.
  const LocalRequest* first_borrowing(bool also_servable) const;
  /// Counts up whenever a request became ready to be offered to a neighbour.
  std::uint64_t readied() const { return readied_; }

  /// All of them by arrival, for people.
  const DenseMap<std::uint64_t, std::unique_ptr<LocalRequest>>& all() const { return requests_; }

 private:
  using ClassKey = std::tuple<std::uint32_t, std::uint32_t, ResourceNeed>;  ///< widest, DTTL, and all of it
  using InOrder = DenseMap<OrderKey, LocalRequest*>;
  using Heads = DenseMap<OrderKey, RequestClass*>;

  void index(LocalRequest& request, bool add);
  void index_search(LocalRequest& request, bool add);
  void index_head(RequestClass& kind, bool add);
  void index_ready_head(RequestClass& kind, bool add);
  template <class IndexHead>
  void change(InOrder& list, const OrderKey& key, LocalRequest* request, IndexHead index_head);

  const DispatchPolicy* dispatch_;
  const DelegationPolicy* delegation_;
  DenseMap<std::uint64_t, std::unique_ptr<LocalRequest>> requests_;  ///< by arrival
  WideLookup<RequestId, LocalRequest*> by_id_;
  std::map<ShortText, DenseMap<std::uint64_t, LocalRequest*>> by_user_;
  std::map<ClassKey, std::unique_ptr<RequestClass>> classes_;  ///< the narrowest first
  Heads heads_[2];      ///< all classes, in dispatching order of their first requests; [1]: servable here
  Heads leaving_[2];    ///< the classes of `heads_` with a DTTL above 0
  Heads ready_[2];      ///< classes with ready requests, in delegation order; [1]: servable here
  WidthIndex fitting_;  ///< of classes that are servable here
  WidthIndex simple_;   ///< of simple ones
  DenseMap<std::pair<std::uint32_t, std::uint64_t>, LocalRequest*> pausing_;  ///< by how wide they are, roughly
  DenseMap<std::pair<Instant, std::uint64_t>, LocalRequest*> due_;
  std::vector<DenseMap<std::uint64_t, LocalRequest*>> out_;  ///< by neighbour
  QueueTotals totals_;
  std::uint64_t readied_ = 0, added_ = 0;
};

}  // namespace dmm
