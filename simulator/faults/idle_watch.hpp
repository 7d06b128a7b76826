// No node idle while wanted: without faults, idle nodes and a request within reach that they would serve coexist for
// a bounded time only. Seen from outside: a node is idle while no program runs on it.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "simulator/world/world.hpp"

namespace dmm {

class IdleWatch {
 public:
  /// Two of the longest pauses between rounds of a search, with their spread, and the return of an idle lease.
  static constexpr Duration together_max = seconds(170);
  /// Further latencies: three rounds (before, between and after those pauses) over the longest chains and back, and a
  /// Start. That is seven times the seven hops from a job manager to a resource manager at the end of such a chain.
  static constexpr std::int64_t ways_of_a_search = 7 * 7;
  using Reach = std::function<std::vector<std::size_t>(const Party& user, const JobDescription& job)>;
  using Job = std::function<const JobDescription*(const Party& user, std::uint64_t number)>;

  /// `reach` returns the sites that could hold a user's job when idle, as positions in the topology. `job` returns a
  /// job's description, or nothing if the job isn't watched. `latency` is that of a frame.
  IdleWatch(Reach reach, Job job, Duration latency)
      : reach_(std::move(reach)), job_(std::move(job)), patience_(together_max + latency * ways_of_a_search) {}

  /// What waited beside idle nodes for too long; empty if nothing did. Cheap if called often: it looks once a second.
  std::string look(const World& world);
  /// A fault or a change happened: requests that wait now have a reason to.
  void excuse(Instant now) { excused_at_ = now; }
  /// What its home site says about a waiting request.
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
