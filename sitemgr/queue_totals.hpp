// Sums over the local requests that wait, kept up with every change of the queue. They tell what this site's own
// users want of its nodes, on which kinds of nodes, and how much of it may be served elsewhere. In processors, but
// for the counts.
#pragma once

#include <cstdint>
#include <map>

#include "sitemgr/local_request.hpp"

namespace dmm {

class QueueTotals {
 public:
  /// Processors of requests that this site could hold: of servable ones, and of those that a placement may put here.
  std::uint64_t demand() const { return demand_; }
  /// The same less those that are out on a delegation: the queued part of the load.
  std::uint64_t demand_here() const { return demand_here_; }
  /// The demand by the nodes that it could use. Beyond 64 kinds of demand, the rest counts as if any node would do.
  const std::map<LocalClaim, std::uint64_t>& claims() const { return claims_; }
  /// Processors of requests that may be served elsewhere: of those that this site could serve itself, or can't.
  std::uint64_t borrowing(bool servable) const { return borrowing_[servable]; }
  /// Requests with a search at this stage.
  std::size_t count(LocalRequest::Search search) const { return counts_[static_cast<std::size_t>(search)]; }
  /// All of them.
  std::size_t requests() const { return counts_[0] + counts_[1] + counts_[2] + counts_[3] + counts_[4]; }
  /// Counts up whenever the claims changed.
  std::uint64_t claim_changes() const { return claim_changes_; }

  /// Adds requests of a class to the demand, or takes them out; `here` of them aren't out.
  void add(RequestClass& kind, std::uint64_t requests, std::uint64_t here) { change(kind, requests, here, true); }
  void subtract(RequestClass& kind, std::uint64_t requests, std::uint64_t here) {
    change(kind, requests, here, false);
  }
  /// The search of a request of the class comes to a stage, or leaves it.
  void enter(const RequestClass& kind, LocalRequest::Search search);
  void leave(const RequestClass& kind, LocalRequest::Search search);
  /// A request of the class that is in the demand went out on a delegation, or came back.
  void went_out(const RequestClass& kind);
  void came_back(const RequestClass& kind);
  /// This site can serve the class from now on, or no longer. Before `kind.servable` changes.
  void reclassify(const RequestClass& kind, bool servable);

 private:
  void change(RequestClass& kind, std::uint64_t requests, std::uint64_t here, bool add);
  LocalClaim claim_of(const RequestClass& kind) const;

  std::map<LocalClaim, std::uint64_t> claims_;
  std::uint64_t demand_ = 0, demand_here_ = 0, borrowing_[2] = {}, claim_changes_ = 0;
  std::size_t counts_[5] = {};
};

}  // namespace dmm
