// The load on the site manager of scale_stage.hpp: requests of one user. Also how the user, the resource managers and
// the neighbours answer what the site manager sends.
#pragma once

#include <algorithm>
#include <deque>
#include <utility>
#include <variant>
#include <vector>

#include "bench/scale_stage.hpp"

namespace dmm::bench {

/// Requests of one user, of several widths in turn.
class User {
 public:
  User(Stage& stage, std::uint32_t widths) : stage_(stage), widths_(widths) {}
  void ask(std::uint64_t requests) {
    for (; requests > 0; --requests) {
      const std::uint64_t job = ++last_;
      const auto kind = static_cast<std::uint32_t>(job % widths_);
      stage_.say(user, request_of(user, job, 1 + kind % 64, 1 + kind / 64 % 5));
    }
  }
  /// Sends some at a time, so that not all their frames are in memory at once.
  void ask_many(std::uint64_t requests) {
    constexpr std::uint64_t piece = 100 * frames_a_step;
    for (std::uint64_t left = requests; left > 0; left -= std::min(left, piece)) {
      ask(std::min(left, piece));
      stage_.run();
    }
  }

 private:
  Stage& stage_;
  std::uint32_t widths_;
  std::uint64_t last_ = 0;
};

/// The site manager's grants and orders, as a user and resource managers receive them.
struct Grants {
  explicit Grants(Stage& stage) {
    stage.hear = [this](const Envelope& envelope) {
      if (const auto* grant = std::get_if<Grant>(&envelope.message)) leases.push_back(grant->lease);
      if (const auto* over = std::get_if<Unassign>(&envelope.message)) orders.emplace_back(envelope.to, *over);
      if (const auto* asked = std::get_if<Delegate>(&envelope.message))
        delegates.emplace_back(envelope.to, *asked);
      refusals += std::holds_alternative<Refuse>(envelope.message);
      rejects += std::holds_alternative<Reject>(envelope.message);
    };
  }
  std::deque<LeaseId> leases;
  std::vector<std::pair<Party, Unassign>> orders;
  std::vector<std::pair<Party, Delegate>> delegates;
  std::size_t refusals = 0, rejects = 0;
};

inline void release(Stage& stage, Grants& grants, std::size_t leases) {
  for (; leases > 0 && !grants.leases.empty(); --leases) {
    stage.say(user, Release{grants.leases.front(), {}});
    grants.leases.pop_front();
  }
}

inline void clean(Stage& stage, Grants& grants) {
  for (auto& [party, order] : std::exchange(grants.orders, {}))
    stage.say(party, Clean{order.lease, std::move(order.nodes)});
}

/// All neighbours reject what they were asked for.
inline void reject(Stage& stage, Grants& grants) {
  for (const auto& [party, asked] : std::exchange(grants.delegates, {}))
    stage.say(party, Reject{asked.request.id,
                            asked.part,
                            asked.round,
                            RejectReason::no_capacity,
                            asked.tries_left,
                            {{party.site, RejectReason::no_capacity}}});
}

inline CapacityHint hint_of(std::uint32_t lendable) {
  return CapacityHint(dttl_max, HintEntry{lendable, 1'000, true, 0, 0, 0});
}

inline void greet_neighbours(Stage& stage, std::size_t neighbours) {
  for (std::size_t i = 0; i < neighbours; ++i) stage.greet(neighbour(i));
  stage.run();
  for (std::size_t i = 0; i < neighbours; ++i) stage.hint(neighbour(i), hint_of(0));
  stage.run();
}

}  // namespace dmm::bench
