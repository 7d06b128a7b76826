// EASY backfilling on the job's own cluster (Mu'alem and Feitelson 2001): first come, first served, with a
// reservation for the head of the queue when it doesn't fit. Jobs behind the head, in the order of arrival, may start
// if that doesn't delay the reservation. Either they end, as estimated, by the start of the reservation (the shadow
// time), or they use only processors that the head leaves over (the extra ones).
//
// Rules on which tools differ, and on which the figures depend:
//   order     By arrival, both for the head and for backfilling; equal submit times in the order of the stream.
//   events    All ends of an instant, then all its arrivals, then one decision.
//   running   A job is expected to end at its start + estimate, and a job that outran it at once.
//   extra     Processors idle at the shadow time, after all ends expected up to and at it, less the head.
//   equality  A job with an estimated end exactly at the shadow time may be backfilled.
//   kill      Jobs aren't ended at their estimate; for that, cut run times in the workload.
//
// Messages: as fcfs.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "simulator/architectures/floor.hpp"
#include "simulator/architectures/parameters.hpp"
#include "simulator/architectures/waiting_queue.hpp"

namespace dmm {

class Easy {
 public:
  Easy(const Floor& floor, const ModelParameters&);

  void arrive(Floor& floor, const StreamJob& job);
  void ended(Floor& floor, const RunningJob& job);
  void settle(Floor& floor);
  Instant next_wake() const { return never; }
  std::vector<StreamJob> hand_over();

  /// The number of the job that waits longest for this cluster; 0 if there is none.
  std::uint64_t head(std::uint32_t cluster) const;
  /// The latest start of the head of this cluster's queue, if no estimate is too low; nothing if no job waits.
  std::optional<Instant> promise(const Floor& floor, std::uint32_t cluster) const;

 private:
  /// A running job's processors on one cluster, and when they are expected to be free.
  struct ExpectedEnd {
    Instant at{};
    std::uint64_t number = 0;  ///< of the job
    std::uint32_t processors = 0;
    bool operator<(const ExpectedEnd& other) const {
      return at != other.at ? at < other.at : number < other.number;
    }
  };
  struct Cluster {
    WaitingQueue queue;
    std::set<ExpectedEnd> running;
    bool touched = false;
  };
  /// The promise to the blocked head.
  struct Reservation {
    Instant start{};          ///< the shadow time
    std::uint32_t extra = 0;  ///< processors
  };

  static Instant expected_end(Instant start, const StreamJob& job) { return start + job.estimate; }
  void touch(std::uint32_t cluster);
  void settle_cluster(Floor& floor, std::uint32_t cluster);
  void start(Floor& floor, std::uint32_t cluster, WaitingQueue::Place place);
  static Reservation reserve(const Cluster& cluster, std::uint32_t idle, std::uint32_t wanted, Instant now);
  void backfill(Floor& floor, std::uint32_t cluster, Reservation reservation);

  std::vector<Cluster> clusters_;
  std::vector<std::uint32_t> touched_;
};

}  // namespace dmm
