// CoAllocator: requests of this site's own users with components that may run at several sites at once. An attempt
// divides a request into parts, each for one site. Each part is held as a lease. All are claimed together when all
// are held, and handed out together when each owner has acknowledged its claim. If one part can't be had, all are
// given back, and the request tries again after a pause (Sonmez et al. 2006; Mohamed and Epema 2005;
// docs/protocol.md 6.6).
//
// Where a request stands is in its `search`; while it is `gathering`, its attempt is here.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "manager/times.hpp"
#include "protocol/messages.hpp"
#include "sitemgr/claim_plan.hpp"

namespace dmm {

/// Components of one co-allocated request that are to run at one site, and the lease that serves them.
struct CoPart {
  /// `replaced`: refused, and other parts have its components.
  enum class State : std::uint8_t { refused, asked, held, claimed, replaced };
  State state = State::asked;
  SiteName site;
  std::optional<std::size_t> neighbour;   ///< the next site on the way to it; none: nothing need be asked for
  std::uint32_t hops = 0;                 ///< to the site
  Duration round_trip;                    ///< to the site and back, as reported
  std::vector<std::uint32_t> components;  ///< their numbers in the request
  ResourceNeed need;                      ///< these components, each fixed to its cluster
  std::vector<LeaseId> gives_up;          ///< leases of jobs of low priority that its owner may end for it
  LeaseId lease;  ///< once held; of leased nodes that this site has already, from the start

  bool is_held() const { return state == State::held || state == State::claimed; }
};

/// One try to have all parts of a request at once.
struct CoAttempt {
  std::uint32_t round = 0;  ///< tells its messages from those of earlier tries
  std::vector<CoPart> parts;
  std::string placement;  ///< for people: why the parts are these
  std::string broken;     ///< why it is to be given up; empty if it isn't

  /// A part by its number, from 1; nullptr if there is none.
  CoPart* part(std::uint32_t number) {
    return number == 0 || number > parts.size() ? nullptr : &parts[number - 1];
  }
  bool all_past(CoPart::State state) const;
  /// The fraction of its components that are held.
  double held() const;
};

/// "refused", "asked", "held", "claimed", "replaced".
std::string_view to_text(CoPart::State state);

class CoAllocator {
 public:
  // ---- requests that wait ----
  /// A request that may be co-allocated waits here, since then: it is tried at once. Those of high priority have a
  /// queue of their own, which goes before the other (Mohamed and Epema 2005, section 3.1).
  void add(Instant now, const RequestId& request, Instant since, bool is_high = false);
  /// Since when it counts as waiting where several requests need the same nodes.
  Instant stands_since(const RequestId& request) const { return waiting_.at(request).stands_since; }
  /// A job ends for it that had waited since then: it goes before that job from now on, wherever both need nodes.
  void take_standing(const RequestId& request, Instant since);
  /// Whether jobs may end for it now. They may for a while after the first did, and then not for a pause that grows.
  /// Else they would end again and again for a request that another site turns away.
  bool may_preempt(Instant now, const RequestId& request) const;
  /// Jobs end for it.
  void preempts(Instant now, const RequestId& request);
  /// It left the queue; no attempt may be under way.
  void drop(const RequestId& request);
  bool knows(const RequestId& request) const { return waiting_.contains(request); }
  /// The next request to try; it is due no longer. Before one that is due, those that pause before it in the order
  /// of queues and age get another try: what the later one would hold is often what the earlier one lacked. An
  /// earlier one is tried so where reports came or more became free since its last try, and else twice a second at
  /// most. After `high_scans` such tries of high priority a due request of the other queue has its turn.
  std::optional<RequestId> take_due(Instant now, std::uint32_t high_scans = 2);
  /// The first of those that pause, in the order of queues and age; nothing if none does.
  std::optional<RequestId> longest_pausing() const;
  /// It is tried now, before it is due.
  void take(const RequestId& request);
  /// It is tried again at that time.
  void try_at(const RequestId& request, Instant at);
  /// It was placed, and claims its nodes when the plan says. The plan ends with the request, or when a try fails
  /// and none follows before the files are there: then the request is placed again.
  void plan(Instant now, const RequestId& request, ClaimPlan plan);
  /// The files that its plan awaits at a cluster are there, or won't come ahead. With the last of them the nodes are
  /// claimed at once; if that fails, the request is placed again.
  void files_came(Instant now, const RequestId& request, const PlannedPlace& place);
  /// The next request with files that its plan has awaited for a while: after 10 s, then after twice as long each
  /// time, up to 300 s. Its job manager is to hear of them again, since what it sent may be lost.
  std::optional<RequestId> take_awaiting_files(Instant now);
  /// nullptr: it has no plan.
  const ClaimPlan* plan_of(const RequestId& request) const;
  /// Whether any request has a plan.
  bool has_plans() const;
  /// For the next plan of the request: `first`, lowered for each plan that came to nothing.
  ClaimRules rules_of(const RequestId& request, const ClaimRules& first) const;
  /// How much later its plan expects its files than the first one did (Mohamed and Epema 2005, section 3.2).
  Duration start_delay(const RequestId& request) const;
  /// New reports came: all that wait for some are due at once.
  void reports_came(Instant now);
  /// Whether nodes of this site became free since this was asked last, by the counter of OwnedNodes.
  bool note_freed(std::uint64_t freed) { return std::exchange(freed_, freed) != freed; }
  /// More is free than before, here or elsewhere, or one that waited got what it needs. The first of those that
  /// pause are tried soon, each half a second or so after its last try.
  void more_is_free(Instant now);
  /// It waits for reports until then, at the latest.
  void await_reports(Instant now, const RequestId& request, Instant until);

  // ---- attempts ----
  /// The request is tried with these parts: its search is `gathering` from now on.
  CoAttempt& begin(const RequestId& request, std::uint32_t round, std::vector<CoPart> parts);
  CoAttempt* find(const RequestId& request);
  const CoAttempt* find(const RequestId& request) const;
  /// A part is held under this lease.
  void held(const RequestId& request, CoPart& part, const LeaseId& lease);
  /// The request with a part that is held under this lease; nothing if there is none.
  std::optional<RequestId> request_of(const LeaseId& lease) const;
  /// A part isn't to be had: nothing of it is out. The attempt is to be given up in this step.
  void refused(const RequestId& request, CoPart& part, std::string why);
  /// A site will never hold nodes for the request: for a while none are asked for there.
  void avoid(Instant now, const RequestId& request, const SiteName& site);
  bool avoids(Instant now, const RequestId& request, const SiteName& site) const;
  /// A lease of a part is gone, or a part is too late: the attempt is to be given up in this step.
  void break_off(const RequestId& request, std::string why);
  /// The attempts with a part that was asked for over this link.
  std::vector<RequestId> asked_over(std::size_t neighbour) const;
  /// The next attempt that is to be given up.
  std::optional<RequestId> take_broken();
  /// Takes the attempt out: it succeeded.
  CoAttempt succeed(const RequestId& request);
  /// Takes the attempt out: the request pauses, for twice as long each time, and by its name never as long as
  /// others.
  CoAttempt fail(Instant now, const RequestId& request);
  /// It could not even be tried: the same pause, for this reason.
  void found_no_place(Instant now, const RequestId& request, std::string why);

  Instant next_deadline() const {
    return broken_.empty() ? std::min(times_.next_deadline(), tellings_.next_deadline()) : Instant{};
  }

  // ---- for people ----
  /// Why the last try came to nothing; empty if none was made.
  std::string last_failure(const RequestId& request) const;
  std::uint32_t tries(const RequestId& request) const;
  /// Calls `visit` for each part that is asked for over a link.
  template <class Visit>
  void each_asked(Visit visit) const {
    for (const auto& [request, waiting] : waiting_)
      if (waiting.attempt)
        for (const CoPart& part : waiting.attempt->parts)
          if (part.state == CoPart::State::asked && part.neighbour) visit(part);
  }
  std::size_t size() const { return waiting_.size(); }

 private:
  /// The order of requests: high priority first, then the oldest.
  struct Turn {
    bool is_low = true;
    Instant since{};
    RequestId request = {};
    auto operator<=>(const Turn&) const = default;
  };
  struct Waiting {
    bool is_low = true;
    Instant since{};
    Instant stands_since{};
    Instant preempts_until{};   ///< jobs may end for it before this
    Instant preempts_from{};    ///< or after this
    Duration preempting_pause;  ///< between the two, the last time
    Instant due = never;
    Instant tried{};         ///< when it last began to pause
    std::uint64_t news = 0;  ///< `news_` at that time
    Duration pause;
    std::uint32_t tries = 0;
    std::string last_failure;
    std::map<SiteName, Instant> avoided;  ///< until when
    std::optional<CoAttempt> attempt;
    std::optional<ClaimPlan> plan;
    std::optional<ClaimRules> rules;  ///< of the next plan, after one that came to nothing
    Instant first_start{};            ///< of its first plan
    Instant tell_at = never;          ///< of the files that its plan awaits
    Duration tell_pause;              ///< until then
  };

  void pause(Instant now, const RequestId& request, Waiting& waiting, std::string why);
  void await_no_files(const RequestId& request, Waiting& waiting) {
    tellings_.set(waiting.tell_at, request, never);
  }
  Turn turn_of(const RequestId& request) const;
  RequestId earlier_than(Instant now, const Turn& due, bool with_high) const;

  std::map<RequestId, Waiting> waiting_;
  Times<RequestId> times_;     ///< every Waiting::due
  Times<RequestId> tellings_;  ///< every Waiting::tell_at
  std::set<Turn> pausing_;
  std::set<RequestId> asleep_;             ///< those of them that are woken when more is free, and weren't yet
  std::set<RequestId> awaiting_;           ///< those that are woken by reports
  std::map<LeaseId, RequestId> by_lease_;  ///< leases of parts that are held
  std::vector<RequestId> broken_;
  std::uint32_t high_tries_ = 0;  ///< since a request that isn't of high priority had its turn
  std::uint64_t news_ = 0;        ///< counts reports, and times at which more became free
  std::uint64_t freed_ = 0;       ///< what OwnedNodes had counted when it was looked at last
};

}  // namespace dmm
