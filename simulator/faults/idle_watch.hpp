// No idle while wanted: where nothing goes wrong, nodes that stand idle and a request within reach that they would
// serve are together for a bounded time only. Looked at from outside: idle is a node on which no program runs.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "simulator/world/world.hpp"

namespace dmm {

class IdleWatch {
 public:
  /// Two of the longest pauses between rounds of a search, with their spread, and an idle lease on its way home.
  static constexpr Duration together_max = seconds(170);
  /// Besides, the round before those pauses, the one between, and the one after, over the longest chains and back, and
  /// a Start: seven times the seven hops from a job manager to a resource manager at the end of such a chain.
  static constexpr std::int64_t ways_of_a_search = 7 * 7;
  using Reach = std::function<std::vector<std::size_t>(const Party& user, const JobDescription& job)>;
  using Job = std::function<const JobDescription*(const Party& user, std::uint64_t number)>;

  /// `reach` gives the sites that could hold a job of a user when idle, as positions in the topology; `job` what a job
  /// asks for, or nothing if it isn't watched; `latency` is that of a frame.
  IdleWatch(Reach reach, Job job, Duration latency)
      : reach_(std::move(reach)), job_(std::move(job)), patience_(together_max + latency * ways_of_a_search) {}

  /// What waits beside idle nodes for too long; empty if nothing does. Cheap if called often: it looks once a second.
  std::string look(const World& world);
  /// Something went wrong or was changed: whoever waits now has a reason.
  void excuse(Instant now) { excused_at_ = now; }
  /// What its home says of a request that waits.
  static std::string why(const World& world, const RequestId& request);

 private:
  bool is_served_by(const World& world, std::size_t site, const Party& user, const JobDescription& job) const;
  bool would_serve(const World& world, const Party& user, const RequestId& request,
                   const JobDescription& job) const;

  Reach reach_;
  Job job_;
  Duration patience_;
  Instant looked_{}, excused_at_{};
  std::map<RequestId, Instant> since_;
};

}  // namespace dmm
