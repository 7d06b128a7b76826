// Input and output of every simulated architecture, of the real managers (dmm) as well as the models: options, an
// outcome for each job, samples over time, totals.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "protocol/messages.hpp"
#include "protocol/time.hpp"
#include "simulator/intercluster/cluster_share.hpp"
#include "simulator/intercluster/execution.hpp"
#include "workloads/job_stream.hpp"
#include "workloads/summary.hpp"

namespace dmm {

/// Messages by kind (protocol/messages.hpp): the five of Iosup et al. 2007, section 5.2.1, and keep-alives.
using MessageCounts = std::array<std::uint64_t, message_kinds>;

/// How one job went; the spans are valid during the call only.
struct SimulatedOutcome {
  const StreamJob& job;
  const JobOutcome& outcome;
  std::span<const ClusterShare> pieces;  ///< empty: it never started
};

/// The state at one moment of each cluster, and of each link.
struct ClusterSample {
  std::uint32_t busy = 0;     ///< processors of this cluster in use, by any job
  std::uint32_t foreign = 0;  ///< of these, by jobs of other homes
  std::uint64_t waiting = 0;  ///< waiting jobs of this home
};
struct LinkSample {
  double load = 0;             ///< demanded bandwidth over capacity, where the network is modelled
  std::uint64_t messages = 0;  ///< so far, in both directions, where messages are sent
  std::uint32_t leases = 0;    ///< leases over this link, in either direction
};
struct Sample {
  Instant at{};
  std::span<const ClusterSample> clusters;
  std::span<const LinkSample> links;  ///< empty where the architecture has none
};

/// The progress of a simulation.
struct SimulationProgress {
  Instant now{};
  std::uint64_t jobs_submitted = 0;
  std::uint64_t jobs_ended = 0;
  std::uint64_t events = 0;
};

struct SimulationSinks {
  std::function<void(const SimulatedOutcome&)> outcome = {};     ///< once for each job, in the order of their ends
  std::function<void(const Sample&)> sample = {};                ///< every `sample_every`
  std::function<void(const SimulationProgress&)> progress = {};  ///< every some thousand events
};

/// Another architecture takes over. It gets the waiting jobs in the order of arrival; running jobs run on.
struct SchedulerChange {
  Instant at{};
  std::string architecture;
};

struct SimulationOptions {
  /// Whether the simulation goes on after the last arrival until all jobs ended (the cool-down phase). Without it,
  /// jobs that haven't ended at the last arrival are unfinished (Iosup et al. 2007, section 5.2.1).
  bool cool_down = true;
  Duration sample_every{};  ///< 0: no samples
  std::uint64_t seed = 1;
  std::vector<SchedulerChange> changes = {};  ///< by time; not to or from dmm
  Execution execution = {};                   ///< how long a job runs on several clusters; not for dmm
};

struct SimulationTotals {
  std::uint64_t jobs_submitted = 0;
  std::uint64_t events = 0;
  Instant ended{};  ///< when the last event was
  MessageCounts messages{};
  std::uint64_t nodes_not_home = 0;    ///< of dmm, after the cool-down phase
  std::uint64_t jobs_interrupted = 0;  ///< of dmm: ended by their owners' right and run again
  /// Of dmm: jobs run again for any other reason. Without faults there are none.
  std::uint64_t jobs_rerun = 0;
};

}  // namespace dmm
