// A request of one of this site's own users, from arrival until nodes are handed out: it waits here and nowhere else,
// also while it is out on a delegation.
#pragma once

#include <optional>
#include <vector>

#include "matchmaking/dispatch.hpp"
#include "protocol/messages.hpp"

namespace dmm {

struct LocalRequest {
  /// Where its search stands. `ready`: may be offered to the next neighbour; `out`: one neighbour has it; `pausing`:
  /// everybody said no, until a hint or the pause's end; `home`: it never leaves (no DTTL, or nobody to ask).
  enum class Search : std::uint8_t { ready, out, pausing, home };

  Request request;
  std::uint64_t arrival = 0;       ///< rank; a request that waited before it came ranks among its elders
  Instant since{};                 ///< when it began to wait
  std::uint32_t processors = 0;    ///< in all
  std::uint32_t widest = 0;        ///< in one cluster
  bool simple = true;              ///< one component, anywhere, no constraints: fits by its size alone
  bool servable = true;            ///< this site could serve it when idle
  bool reclaimed = false;          ///< lent nodes were taken back for it
  std::optional<Instant> overtaken;  ///< since when later ones have started before it

  Search search = Search::ready;
  std::uint32_t round = 0;
  std::uint32_t tries_left = 0;
  std::uint32_t tries = 0;                 ///< delegations sent in all
  std::vector<bool> asked;                 ///< by neighbour, in this round
  std::size_t target = 0;                  ///< while out: the neighbour that has it
  Instant answer_by{};                     ///< while out
  Instant resume_at{};                     ///< while pausing
  Duration pause{};                        ///< the last one
  bool window_full = false;                ///< the last look found only neighbours with a full window
  std::vector<SiteAnswer> answers;         ///< what everybody said in the last round

  RequestView view(Instant now) const {
    return {arrival, processors, widest, request.priority, (now - since).microseconds};
  }
};

}  // namespace dmm
