// HomeSearch: the search for nodes elsewhere, for requests of this site's own users. In rounds, a request goes to one
// neighbour after another. When all that may have room were asked in vain, the request pauses, for twice as long each
// time. A hint or the end of the pause begins the next round. Requests that are alike are one class, in delegation
// order. A request that this site could serve goes out only if the load is above the threshold, or if matchmaking found
// no place for it (Iosup et al. 2007, sections 4.3 and 4.4; docs/protocol.md section 6).
//
// The manager asks for one step after another: `begin`, then `next` until there is nothing, `ask` for each that found
// a neighbour.
#pragma once

#include <optional>
#include <variant>

#include "matchmaking/load.hpp"
#include "sitemgr/cycle.hpp"
#include "sitemgr/drains.hpp"
#include "sitemgr/matcher.hpp"
#include "sitemgr/targets.hpp"

namespace dmm {

/// How long an answer from sites up to `dttl` hops away may take. It is the sum of this site's own limit, twice
/// the cycles of all sites on the way, and twice the way to the farthest site and back.
Duration answer_within(std::uint32_t dttl, const SiteSettings& settings, Duration round_trip);
/// How long a search may take that asks up to `tries` sites within `dttl` hops, one after the other: a neighbour that
/// searches on isn't silent.
Duration search_within(std::uint32_t dttl, std::uint32_t tries, const SiteSettings& settings,
                       const Neighbours& neighbours);

class HomeSearch {
 public:
  /// What this part looks at beside its own state and the queue.
  struct Site {
    const SiteSettings& settings;
    const OwnedNodes& owned;
    const Neighbours& neighbours;
    const Matcher& matcher;
    const Reservation& reservation;
    const Drains& drains;
    const Feasibility& feasibility;
    Feasibility::Site capacity;
  };
  /// A request for which there is a neighbour to ask.
  struct Found {
    LocalRequest& request;
    std::size_t target = 0;
  };
  /// A request that has ended its round: it pauses.
  struct Paused {
    LocalRequest& request;
  };
  using Next = std::variant<std::monostate, Found, Paused>;

  explicit HomeSearch(Duration cycle) : cycle_(cycle) {}

  // ---- when ----
  bool is_due(Instant now) { return cycle_.is_due(now); }
  /// Whether anything waits for the next cycle.
  void want(Instant now, bool wanted) { cycle_.want(now, wanted); }
  Instant next_deadline() const { return cycle_.next(); }

  // ---- a pass over all that may go ----
  /// Begins a pass if some request may go, or some neighbour may be asked, that couldn't at the last pass; else false.
  bool begin(const RequestQueue& queue, const Site& site, const Targets& targets);
  Next next(Instant now, RequestQueue& queue, const Site& site, Targets& targets);
  /// The request goes to the neighbour that was found: the Delegate to send. `user_round_trip`: to its job manager.
  Delegate ask(Instant now, const Found& found, RequestQueue& queue, const Site& site, Duration user_round_trip);

  // ---- rounds ----
  static void begin_round(LocalRequest& request, const SiteSettings& settings);
  /// Names this stay of a request in the queue, over all restarts.
  std::uint64_t new_stay(const RequestId& request, std::uint64_t incarnation);

  // ---- for the manager and for people ----
  static Load load(const OwnedNodes& owned, const RequestQueue& queue, bool is_drained);
  /// Whether requests that wait here, and that this site could serve, may go to others.
  static bool may_delegate(const RequestQueue& queue, const Site& site);

 private:
  /// Change counters of all that a pass depends on: while they stay the same, another pass finds nothing new.
  struct Seen {
    std::uint64_t readied = 0, openings = 0, neighbours = 0;
    Feasibility::Sources feasibility;
    bool may_delegate = false;
    bool operator==(const Seen&) const = default;
  };

  static std::uint32_t keeps_up_to(const Site& site);
  static bool is_promised(const RequestClass& kind, const Neighbours& neighbours);
  static void pause(Instant now, LocalRequest& request, RequestQueue& queue, const Site& site);
  bool choose_class(const RequestQueue& queue, const Site& site);
  Next next_of_class(Instant now, RequestQueue& queue, const Site& site, Targets& targets);

  Cycle cycle_;
  std::optional<Seen> seen_;      ///< the counters at the last pass
  std::uint32_t kept_up_to_ = 0;  ///< up to which width the last pass kept simple requests here
  std::uint64_t stays_ = 0;       ///< requests that came to wait here

  // Of the pass that is being made in this step.
  bool servable_ = false;          ///< the pass is at requests that this site could serve; before: at the others
  std::optional<OrderKey> after_;  ///< classes up to this one were looked at
  RequestClass* kind_ = nullptr;   ///< the class that is looked at; null: the next is to be chosen
  OrderKey first_;                 ///< the first request of the class when the pass came to it
  std::optional<OrderKey> looked_to_;  ///< requests of the class up to this one were looked at
  int looked_at_ = 0;                  ///< how many
  bool any_left_ = false;              ///< some of them pause now
  std::optional<Duration> hopeless_;   ///< a request of this length found no neighbour: longer ones won't either
};

}  // namespace dmm
