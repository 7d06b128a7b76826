// The instants of matchmaking: all site managers hold their rounds at the multiples of one cycle.
#pragma once

#include "protocol/time.hpp"

namespace dmm {

class Rounds {
 public:
  /// With a cycle of 0 every decision is a round.
  explicit Rounds(Duration cycle) : cycle_(cycle) {}

  /// Whether now is the instant of a round. Must be called at every decision.
  bool begins(Instant now) {
    now_ = now;
    return cycle_ <= Duration{} || now.microseconds % cycle_.microseconds == 0;
  }
  /// The first round after the last decision. `never` if the cycle is 0: then the next round is at the next event.
  Instant next() const {
    if (cycle_ <= Duration{}) return never;
    return Instant{(now_.microseconds / cycle_.microseconds + 1) * cycle_.microseconds};
  }

 private:
  Duration cycle_;
  Instant now_{};
};

/// Messages of match-claim-release for a match: told to both sides, claimed, consented to. The release is told to
/// both sides (Iosup et al. 2007, figure 4, steps 3 to 7, within one site).
inline constexpr std::uint64_t match_messages = 4;
inline constexpr std::uint64_t release_messages = 2;
/// The site manager asks for a job manager's next request, and the job manager answers.
inline constexpr std::uint64_t negotiation_messages = 2;

}  // namespace dmm
