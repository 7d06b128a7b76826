// The local requests that wait, indexed so that no event walks them all: by dispatching order within each size, by
// delegation order among those that may leave, by the end of their pause, by answer due.
#pragma once

#include <memory>

#include "machine/dense.hpp"
#include "machine/lookup.hpp"
#include "matchmaking/delegation.hpp"
#include "sitemgr/local_request.hpp"

namespace dmm {

class RequestQueue {
 public:
  RequestQueue(const DispatchPolicy& dispatch, const DelegationPolicy& delegation)
      : dispatch_(&dispatch), delegation_(&delegation) {}

  LocalRequest& add(LocalRequest request);
  LocalRequest* find(const RequestId& id);
  const LocalRequest* find(const RequestId& id) const { return const_cast<RequestQueue*>(this)->find(id); }
  void erase(LocalRequest& request);
  std::size_t size() const { return requests_.size(); }

  // ---- dispatching ----
  /// The first in dispatching order that needs at most `widest_max` processors in one cluster and comes after `after`;
  /// nullptr if there is none. Either of the requests that this site could serve when idle, or of the others.
  LocalRequest* first_fitting(std::uint32_t widest_max, const OrderKey* after = nullptr, bool servable = true);
  /// The first of all that this site can serve; nullptr if there is none.
  LocalRequest* head() { return first_fitting(UINT32_MAX); }
  OrderKey dispatch_key(const LocalRequest& request) const { return dispatch_->key(request.view(request.since)); }

  // ---- searching ----
  /// Moves a request between the stages of its search; `resume_at` and `answer_by` must be set before.
  void set_search(LocalRequest& request, LocalRequest::Search search);
  /// Sets whether this site could serve it; it is counted and dispatched accordingly.
  void set_servable(LocalRequest& request, bool servable);
  /// Those that may be offered to a neighbour now, in delegation order: the ones that this site could serve itself,
  /// which stay below the delegation threshold, and the ones that it never could, which go out at any load.
  const DenseMap<OrderKey, LocalRequest*>& ready(bool servable) const { return ready_[servable]; }
  /// The first to arrive after `after` of those that pause and need at most `widest_max` in one cluster, or nullptr.
  LocalRequest* first_pausing(std::uint32_t widest_max, std::uint64_t after) const;
  /// The next pause that ends, or answer that is overdue; nullptr if none is due at `now`.
  LocalRequest* due(Instant now);
  Instant next_due() const { return due_.empty() ? never : due_.begin()->first.first; }

  // ---- sums, kept up with every change ----
  /// Processors of servable requests: what this site's own users want of its nodes.
  std::uint64_t demand() const { return demand_; }
  /// The same less those that are out on a delegation: the queued part of the load.
  std::uint64_t demand_here() const { return demand_here_; }
  /// Counts up whenever a request left the queue or went out on a delegation.
  std::uint64_t departures() const { return departures_; }
  std::size_t count(LocalRequest::Search search) const { return counts_[static_cast<std::size_t>(search)]; }

  /// All of them by arrival, for people.
  const DenseMap<std::uint64_t, std::unique_ptr<LocalRequest>>& all() const { return requests_; }

 private:
  void index(LocalRequest& request, bool add);

  const DispatchPolicy* dispatch_;
  const DelegationPolicy* delegation_;
  DenseMap<std::uint64_t, std::unique_ptr<LocalRequest>> requests_;  ///< by arrival
  Lookup<RequestId, LocalRequest*> by_id_;
  DenseMap<std::uint32_t, DenseMap<OrderKey, LocalRequest*>> by_width_[2];  ///< by whether this site could serve them
  DenseMap<OrderKey, LocalRequest*> ready_[2];  ///< by whether this site could serve them
  DenseMap<std::pair<std::uint32_t, std::uint64_t>, LocalRequest*> pausing_;
  DenseMap<std::pair<Instant, std::uint64_t>, LocalRequest*> due_;
  std::uint64_t demand_ = 0, demand_here_ = 0, departures_ = 0;
  std::size_t counts_[4] = {};
};

}  // namespace dmm
