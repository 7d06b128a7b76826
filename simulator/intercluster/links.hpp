// The links between clusters: the running co-allocated jobs, their shares of the bandwidth that they need, and so
// their ends. Whenever a job starts or ends, the ends of all others may slide, forward or back.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "matchmaking/link_allotment.hpp"
#include "protocol/time.hpp"
#include "simulator/intercluster/cluster_share.hpp"
#include "simulator/intercluster/execution.hpp"
#include "simulator/intercluster/residual.hpp"

namespace dmm {

/// Whether a job on these pieces uses links.
bool spans_clusters(std::span<const ClusterShare> pieces);

class InterclusterLinks {
 public:
  /// The new end of a job. The caller chose its number.
  struct Slide {
    std::uint32_t job = 0;
    Instant end{};
  };

  /// A link for each of this number of clusters.
  InterclusterLinks(std::uint32_t clusters, const SharedLinks& settings);

  /// Starts a job on several clusters; `run` is its run time within one. Returns all ends that this sets or changes;
  /// valid until the next change.
  std::span<const Slide> start(Instant now, std::uint32_t job, Duration run, std::span<const ClusterShare> pieces);
  /// Removes the job that ends next. Returns all ends that this changes; valid until the next change.
  std::span<const Slide> end_next(Instant now);
  /// When the next job ends; `never` if none runs. Of several at once, the one that started first is next.
  Instant next_end() const { return flows_.empty() ? never : flows_[next_].end; }
  std::uint32_t next_job() const { return flows_[next_].job; }
  /// Demand on a link over its capacity: the inverse of equation 2 of Jones et al. 2004.
  double load(std::uint32_t link) const { return demand_[link] / capacities_[link]; }

 private:
  /// A job that runs.
  struct Flow {
    std::uint32_t job = 0;
    Instant since{};  ///< when its share last changed
    Instant end{};
    Residual residual{};  ///< at `since`
    double share = 1;
  };

  JobDemand demand_of(std::span<const ClusterShare> pieces) const;
  void reallot(Instant now);
  void share_out(Instant now);

  SharedLinks settings_;
  std::vector<double> capacities_;  ///< megabits a second of each link
  std::vector<double> demand_;      ///< of all jobs, on each link
  std::vector<Flow> flows_;         ///< in the order of start
  std::vector<JobDemand> demands_;  ///< of each flow
  std::size_t next_ = 0;            ///< which flow ends next
  bool any_held_ = false;           ///< whether any flow has less than it needs
  std::vector<Slide> slides_;
};

}  // namespace dmm
