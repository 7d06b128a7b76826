// The instants of matchmaking: all site managers hold their rounds at the multiples of one cycle.
#pragma once

#include "protocol/time.hpp"

namespace dmm {

class Rounds {
 public:
  /// With a cycle of 0 every decision is a round.
  explicit Rounds(Duration cycle) : cycle_(cycle) {}

  /// Whether now is the instant of a round. To be asked at every decision.
  bool begins(Instant now) {
    now_ = now;
    return cycle_ <= Duration{} || now.microseconds % cycle_.microseconds == 0;
  }
  /// The first round after the last decision; never, if it is with the next event.
  Instant next() const {
    if (cycle_ <= Duration{}) return never;
    return Instant{(now_.microseconds / cycle_.microseconds + 1) * cycle_.microseconds};
  }

 private:
  Duration cycle_;
  Instant now_{};
};

/// What a match costs in messages of match-claim-release: told to both sides, claimed and consented to, and the
/// release told to both (Iosup et al. 2007, figure 4, steps 3 to 7, within one site).
inline constexpr std::uint64_t match_messages = 4;
inline constexpr std::uint64_t release_messages = 2;
/// The site manager asks for a job manager's next request, and is told it.
inline constexpr std::uint64_t negotiation_messages = 2;

}  // namespace dmm
