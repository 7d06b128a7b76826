// LinkSpeeds: how many bytes a second a link to a neighbour carries, by timed frames (docs/protocol.md section 8.10d).
// Up to three Probes go over a link, one after another. The first is empty and tells the way alone. The second has
// some kilobytes. A long one follows only if the second was too fast to be timed well: so a slow link is never held up
// for long.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "protocol/messages.hpp"

namespace dmm {

class LinkSpeeds {
 public:
  explicit LinkSpeeds(std::size_t neighbours) : links_(neighbours) {}
  void add_neighbours(std::size_t neighbours) { links_.resize(neighbours); }

  /// The Probe that is to go to neighbour `n` now; nothing if its link was probed in the last ten minutes.
  std::optional<Probe> begin(Instant now, std::size_t n);
  /// The answer to a Probe came. Returns the next Probe to send, if there is one.
  std::optional<Probe> hear(Instant now, std::size_t n, const Probed& answer);
  /// The session is over: no answer will come.
  void lose(std::size_t n);

  /// In bytes a second; 0: not known.
  std::uint64_t of(std::size_t n) const;

 private:
  struct Link {
    std::uint64_t bytes_per_second = 0;
    std::optional<Instant> begun;  ///< the latest probing
    Instant sent{};                ///< the Probe that is out
    std::uint32_t out = 0;         ///< its number; 0: none is out
    Duration way;                  ///< how long the empty one took there and back
  };

  static Probe send(Instant now, Link& link, std::uint32_t number);

  std::vector<Link> links_;  ///< by neighbour
};

}  // namespace dmm
