// A request of one of this site's own users, from arrival until nodes are handed out: it waits here and nowhere else,
// also while it is out on a delegation. Requests that need the same are of one class: whether they fit, and which
// neighbours may be asked for them, is found out once for the class.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "manager/dense.hpp"
#include "matchmaking/dispatch.hpp"
#include "protocol/messages.hpp"

namespace dmm {

struct LocalRequest;

/// Processors that users of this site wait for, on nodes of one kind, in one of these clusters.
struct LocalClaim {
  Constraints constraints;
  std::uint64_t clusters = 0;  ///< a bit each
  auto operator<=>(const LocalClaim&) const = default;
};

/// All waiting requests with one need and one DTTL.
struct RequestClass {
  ResourceNeed need;
  std::uint32_t dttl = 0;
  std::uint32_t processors = 0;  ///< of each, in all
  std::uint32_t widest = 0;      ///< in one cluster
  bool simple = true;            ///< one component, anywhere, no constraints: fits by its size alone
  bool holds_here = true;        ///< this site could hold it when idle
  bool servable = true;          ///< likewise, and it starts here when it fits: no placement decides where it goes
  bool placed = false;           ///< a placement does: it has input files, and the policy minds them
  bool co_allocable = false;     ///< its components may run at several sites, or at another than this
  bool aimed = false;            ///< they may, and name sites or mind files: no neighbour is asked for all of it
  std::uint64_t clusters = 0;    ///< which of its clusters could hold the widest component when idle, a bit each
  std::map<Duration, std::size_t> lengths;    ///< how many run how long, of those with a declared length
  std::size_t out = 0, home = 0;              ///< how many of them are away, and how many never leave
  std::uint64_t misfit = 0;                   ///< the pass of matchmaking that found no place for it
  LocalClaim claim;                           ///< under which its processors are summed up
  std::uint64_t claimed = 0;                  ///< how many they are
  DenseMap<OrderKey, LocalRequest*> waiting;  ///< all of them, in the order of dispatching
  DenseMap<OrderKey, LocalRequest*> ready;    ///< those that may be offered to a neighbour, in delegation order
};

struct LocalRequest {
  /// Where its search stands. `ready`: may be offered to the next neighbour. `out`: one neighbour has it.
  /// `pausing`: all that may have room said no, so it waits for a hint or the end of the pause. `home`: it never
  /// leaves (no DTTL, or no neighbour to ask). `gathering`: parts of it are asked for or held at several sites.
  enum class Search : std::uint8_t { ready, out, pausing, home, gathering };

  Request request;                   ///< its need is its class's
  RequestClass* kind = nullptr;      ///< set by the queue
  std::uint64_t arrival = 0;         ///< rank; a request that waited before it came ranks among its elders
  std::uint32_t session = 0;         ///< of its job manager, in which it was asked for last
  std::uint64_t stay = 0;            ///< names this time that it waits here, over all restarts
  Instant since{};                   ///< when it began to wait
  bool reclaimed = false;            ///< lent nodes were reclaimed for it
  std::optional<Instant> overtaken;  ///< since when later ones have started before it

  Search search = Search::ready;
  std::uint32_t round = 0;
  std::uint32_t tries_left = 0;     ///< what neighbours may spend of this round's search budget
  std::uint32_t asks = 0;           ///< neighbours asked in this round
  std::uint32_t tries = 0;          ///< delegations sent in all
  std::vector<bool> asked;          ///< by neighbour, in this round; empty: none
  std::size_t target = 0;           ///< while out: the neighbour that has it
  Instant asked_at{};               ///< while out or gathering: since when
  Instant answer_by{};              ///< while out or gathering: until then an answer, or all of them, must come
  Instant resume_at{};              ///< while pausing
  Duration pause{};                 ///< the last one
  bool window_full = false;         ///< the last look found only neighbours with a full window
  std::vector<SiteAnswer> answers;  ///< what the sites that were asked said in the last round

  RequestView view(Instant now) const {
    return {arrival, kind->processors, kind->widest, request.priority, (now - since).microseconds};
  }
  /// Whether the search has nodes elsewhere in prospect: it doesn't wait for those of this site meanwhile.
  bool is_away() const { return is_away(search); }
  static bool is_away(Search search) { return search == Search::out || search == Search::gathering; }
  /// The request with its need, as it is sent.
  Request whole() const {
    Request full = request;
    full.need = kind->need;
    return full;
  }
};

}  // namespace dmm
