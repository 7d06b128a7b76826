// Matcher (backfill dispatcher): which waiting requests of this site's own users start on its free nodes, in the
// order of the dispatching policy. With a policy that scans, later requests may overtake those that don't fit,
// until a request was overtaken for too long. A strict policy passes over nothing but requests that are out on a
// delegation (Iosup et al. 2007, section 5.4). A step starts a bounded number of requests: the next step goes on,
// and nothing is lent or delegated in between.
//
// The manager asks for one match after another: `begin`, then `next` until there is none, `placed` each time that
// the nodes of a match were handed out.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "sitemgr/class_sweep.hpp"
#include "sitemgr/cycle.hpp"
#include "sitemgr/owned_nodes.hpp"
#include "sitemgr/placer.hpp"
#include "sitemgr/request_queue.hpp"
#include "sitemgr/reservation.hpp"

namespace dmm {

class Matcher {
 public:
  /// What this part looks at beside its own state and the queue.
  struct Site {
    const SiteSettings& settings;
    const OwnedNodes& owned;
    const Placer& placer;
    const Reservation& reservation;
    bool is_drained = false;  ///< nothing new starts here
  };
  struct Match {
    LocalRequest& request;
    Placement placement;
    bool is_reserved = false;  ///< it is the request for which nodes were reserved
  };

  Matcher(const DispatchPolicy& policy, Duration cycle) : scan_(policy.scan), cycle_(cycle) {}
  void set_policy(const DispatchPolicy& policy) { scan_ = policy.scan, sweep_.reorder(); }

  // ---- when ----
  /// Whether a pass is to be made in this step.
  bool is_due(Instant now) { return is_matching() || cycle_.is_due(now); }
  /// Whether anything waits for the next cycle.
  void want(Instant now, bool wanted) { cycle_.want(now, wanted); }
  Instant next_deadline() const { return cycle_.next(); }
  /// Whether the next step goes on at once, since this one started or looked at as many as it may.
  bool is_matching() const { return unfinished_ || pass_goes_on_ || pass_again_; }
  /// Whether the request that blocked others at the last pass does so no longer.
  bool makes_way(const RequestQueue& queue) const;
  /// Whether all that wait here were looked at, with all nodes that are free.
  bool has_matched(const RequestQueue& queue, const OwnedNodes& owned, const Reservation& reservation) const {
    return fresh_.empty() && !is_matching() && !makes_way(queue) &&
           seen_ == Seen{owned.freed(), reservation.changes()};
  }
  /// Whether a request that was overtaken for too long, or a strict policy, holds the others back.
  bool is_blocked() const { return blocker_.has_value(); }
  /// A request that holds the others back since it was overtaken for as long as it may be; each is said once.
  std::optional<RequestId> take_overtaken() { return std::exchange(overtaken_, std::nullopt); }

  // ---- what changed ----
  /// A request came that wasn't looked at.
  void add(const RequestId& id) { fresh_.push_back(id); }

  // ---- a pass ----
  void begin(RequestQueue& queue, const Site& site);
  std::optional<Match> next(Instant now, RequestQueue& queue, const Site& site);
  /// The last match started, and its request has left the queue.
  void placed(Instant now, RequestQueue& queue);
  std::uint64_t started() const { return started_; }

 private:
  enum class Phase : std::uint8_t { idle, reserved, heads, fresh, fitting };
  /// Counters: when one of them differs, requests that didn't fit may fit.
  struct Seen {
    std::uint64_t freed = 0, reservation = 0;
    bool operator==(const Seen&) const = default;
  };

  /// The pass that is being made in this step.
  struct Pass {
    Phase phase = Phase::idle;
    std::vector<RequestId> looked_at;  ///< the requests that were fresh when the pass began
    std::size_t next_fresh = 0;        ///< the next of `looked_at`
    std::size_t left = 0;              ///< how many requests may still start in this step
    bool looks_at_all = false;         ///< all requests are looked at, not only fresh ones
    bool was_blocked = false;
    bool from_head = true;  ///< the next head is the first of the queue; else `cursor`
    LocalRequest* cursor = nullptr;
    bool is_reserved = false;  ///< the last match was of the reservation
    OrderKey key;              ///< of the last match that may have overtaken others
  };

  std::optional<Placement> fit(const LocalRequest& request, const Site& site) const;
  bool may_be_passed(const LocalRequest& head) const;
  bool blocks(Instant now, const LocalRequest& head, const SiteSettings& settings) const;
  std::optional<Match> next_head(Instant now, RequestQueue& queue, const Site& site);
  std::optional<Match> next_fresh(RequestQueue& queue, const Site& site);
  std::optional<Match> next_fitting(RequestQueue& queue, const Site& site);
  std::optional<Match> try_overtaking(LocalRequest& request, RequestQueue& queue, const Site& site);
  void end_heads(RequestQueue& queue, const LocalRequest* blocker);
  void finish();

  bool scan_;
  Cycle cycle_;
  std::vector<RequestId> fresh_;  ///< requests that no pass has looked at
  Seen seen_;                     ///< the counters at the last pass
  bool was_drained_ = false;      ///< the site was drained at the last pass, so nothing could start
  bool unfinished_ = false;       ///< the last step started as many requests as it may: the next step goes on
  bool pass_goes_on_ = false;     ///< the last step looked at as many classes as it may: the rest are due
  bool pass_again_ = false;       ///< an unfinished pass missed requests that may fit now: another pass follows
  std::optional<RequestId> blocker_;    ///< the request that no other may overtake: the last pass ended there
  std::optional<RequestId> overtaken_;  ///< reached the limit of overtaking, and is to be told
  RequestId told_;                      ///< the last one that did
  std::uint64_t started_ = 0;

  ClassSweep sweep_;  ///< of all requests, over several steps if they are many

  Pass pass_;
};

}  // namespace dmm
