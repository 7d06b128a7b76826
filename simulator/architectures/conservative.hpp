// Conservative backfilling on the job's own cluster (Mu'alem and Feitelson 2001). An arriving job reserves the
// earliest start that delays no other job, and starts when that is due. When a job ends earlier than expected, the
// plan is compressed: every waiting job, in the order of arrival, moves to the earliest start that is now free. So a
// job never starts later than first promised.
//
// Rules: equal submit times in the order of the stream. At an instant: all ends, then compression, then arrivals,
// then starts that are due. A job is planned with its estimate, or with its run time if that is longer, as if its
// user had asked for more in time: jobs aren't ended at their estimate.
//
// A job can outrun even that if its processors lie in several clusters, an earlier architecture started it, and links
// are slow. Such a job gets another minute, again and again. Only then do promises slip.
//
// Messages: as fcfs.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "simulator/architectures/floor.hpp"
#include "simulator/architectures/parameters.hpp"
#include "simulator/architectures/profile.hpp"

namespace dmm {

class Conservative {
 public:
  Conservative(const Floor& floor, const ModelParameters&);

  void arrive(Floor& floor, const StreamJob& job);
  void ended(Floor& floor, const RunningJob& job);
  void settle(Floor& floor);
  Instant next_wake() const { return due_.empty() ? never : due_.begin()->first; }
  std::vector<StreamJob> hand_over();

  /// When each waiting job is to start, by job number.
  std::map<std::uint64_t, Instant> promises() const;

 private:
  struct Waiting {
    StreamJob job;
    Instant start{};  ///< reserved
  };
  struct Cluster {
    explicit Cluster(std::uint32_t processors) : profile(processors) {}

    Profile profile;
    std::map<std::uint64_t, Waiting> waiting;            ///< by job number, which is the order of arrival
    std::set<std::pair<Instant, std::uint64_t>> starts;  ///< of the waiting jobs: start, number
    std::map<std::uint64_t, Instant> running;            ///< planned ends, by job number
    std::vector<StreamJob> arrived;                      ///< not yet reserved for
    Intervals freed;  ///< where the plan got free processors since all jobs were considered
    bool ended_early = false;
    bool touched = false;
    Instant due = never;  ///< its entry in due_
  };

  void touch(std::uint32_t cluster);
  void settle_cluster(Floor& floor, std::uint32_t number);
  void note_due(std::uint32_t number);
  static void reserve(Cluster& cluster, Waiting& waiting, Instant start);
  static void compress(Cluster& cluster, Instant now);
  static std::optional<Instant> earlier_start(const Cluster& cluster, const Waiting& waiting, Instant now);
  bool start_due(Floor& floor, std::uint32_t number);
  void plan_again(const Floor& floor, std::uint32_t number);
  void plan_running(const Floor& floor, std::uint32_t number);

  std::vector<Cluster> clusters_;
  std::vector<std::uint32_t> touched_;
  /// The first start at each cluster with waiting jobs, and the cluster.
  std::set<std::pair<Instant, std::uint32_t>> due_;
};

}  // namespace dmm
