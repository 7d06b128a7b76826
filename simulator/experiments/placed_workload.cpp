#include "simulator/experiments/placed_workload.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "manager/assert.hpp"
#include "protocol/programs.hpp"
#include "simulator/world/world.hpp"
#include "workloads/samplers.hpp"

namespace dmm {
namespace {

constexpr const char* submission_site = "submission";
constexpr const char* local_user = "local";
constexpr Duration beat = seconds(60);
/// The managers connect before the first job comes: two Beats have gone over each link.
constexpr Duration first_submit = seconds(122);
constexpr Duration local_run_mean = seconds(600), sample_interval = seconds(60);
/// A longer workload counts as one that never ends.
constexpr Duration length_max = seconds(60LL * 86400);
/// Limit of each cluster's kept files: no file is dropped for another.
constexpr std::uint64_t kept_bytes_max = UINT64_MAX;
constexpr std::size_t jobs_between_progress = 10;
/// Long, since no link is lost here.
constexpr Duration lease_term = seconds(3600);

Topology topology_of(const PlacedWorkload& workload) {
  Topology topology;
  topology.name = "placed";
  topology.sites.reserve(workload.clusters.size() + 1);
  TopologySite& submission = topology.sites.emplace_back();
  submission.name = SiteName(submission_site);
  submission.settings = workload.policies;
  submission.settings.reclaim_after = {};
  submission.settings.term = lease_term;
  for (std::uint32_t user = 0; user < workload.users; ++user)
    submission.users.push_back("user" + std::to_string(user));
  for (const PlacedCluster& cluster : workload.clusters) {
    TopologySite& site = topology.sites.emplace_back();
    site.name = SiteName(cluster.name);
    site.parent = SiteName(submission_site);
    site.users = {local_user};
    site.settings.reclaim_after = {};  // local users wait, as in the testbed
    site.settings.term = lease_term;
    if (workload.link_bandwidth > 0)
      topology.link_qualities.push_back({{submission.name, site.name}, milliseconds(1), workload.link_bandwidth});
    site.clusters.push_back({.name = ClusterName("nodes"), .nodes = cluster.processors});
    site.clusters.back().attributes[staging_attribute] = staging_value;
    site.clusters.back().kept_files_bytes_max = workload.keeps_files ? kept_bytes_max : 0;
  }
  const auto error = link_sites(topology);
  DMM_ASSERT(!error);
  return topology;
}

WorldSettings placed_world_settings(std::uint64_t seed) {
  WorldSettings settings;
  settings.seed = seed;
  settings.level = Level::error;
  settings.hand_out_ended = true;
  settings.traced = false;
  settings.keep = length_max * 2;
  settings.sessions.beat = beat;
  settings.sessions.silence = beat * 3;
  return settings;
}

/// The next job of a cluster's local users.
struct LocalUsers {
  Party manager;
  double mean_gap = 0;  ///< seconds; 0: no jobs
  Instant next = never;
  std::uint32_t at_first = 1;  ///< initial jobs: as many as run on average
};

class PlacedRun {
 public:
  PlacedRun(const PlacedWorkload& workload, const std::function<void(std::size_t)>& progress)
      : workload_(workload),
        progress_(progress),
        chance_(derived_seed(workload.seed, 1)),
        world_(topology_of(workload), placed_world_settings(workload.seed)) {
    outcome_.jobs.resize(workload.jobs.size());
    for (std::uint32_t user = 0; user < workload.users; ++user)
      managers_.push_back(job_manager_of(SiteName(submission_site), "user" + std::to_string(user)));
    for (const PlacedCluster& cluster : workload.clusters) prepare(cluster);
  }

  PlacedOutcome run() {
    Instant sample = Instant{} + first_submit;
    while (ended_ < workload_.jobs.size() && world_.now() < Instant{} + length_max) {
      const Instant due = std::min({next_submit(), next_local(), sample});
      if (const Instant next = world_.next_instant(); next <= due)
        world_.step();
      else
        world_.run_until(due);
      look();
      if (world_.now() < due) continue;
      if (world_.now() >= sample) take_sample(), sample = sample + sample_interval;
      submit_local();
      if (world_.now() >= next_submit()) submit();
    }
    outcome_.length = world_.now() - Instant{} - first_submit;
    const double capacity =
        static_cast<double>(world_.nodes()) * static_cast<double>(std::max<std::size_t>(samples_, 1));
    outcome_.used = used_ / capacity;
    outcome_.used_locally = used_locally_ / capacity;
    return std::move(outcome_);
  }

 private:
  using Key = std::pair<Address, std::uint64_t>;  ///< a job manager and a job's number there

  void prepare(const PlacedCluster& cluster) {
    const SiteName site(cluster.name);
    const auto broken = static_cast<std::uint32_t>(cluster.broken_share * cluster.processors);
    NodeSet nodes;
    if (broken > 0) nodes.push_back({0, broken - 1});
    world_.fail_starts(resource_manager_of(site, "nodes"), nodes, cluster.failing_share);
    LocalUsers users{job_manager_of(site, local_user)};
    if (const double busy = workload_.background * cluster.processors; busy > 0) {
      users.mean_gap = local_run_mean.in_seconds() / busy;
      users.next = Instant{} + seconds(1);
      users.at_first = static_cast<std::uint32_t>(busy);
    }
    locals_.push_back(users);
  }

  Duration since_beginning(Instant at) const { return at - Instant{} - first_submit; }

  Instant next_submit() const {
    if (next_ == workload_.jobs.size()) return never;
    if (workload_.waiting_max > 0 && waiting() >= workload_.waiting_max) return never;
    return std::max(world_.now(), Instant{} + first_submit + workload_.jobs[next_].submit);
  }

  std::size_t waiting() const {
    std::size_t waiting = 0;
    for (const Party& manager : managers_)
      waiting += world_.job_manager(manager)->manager.count(JobState::waiting);
    return waiting;
  }

  Instant next_local() const {
    Instant next = never;
    for (const LocalUsers& users : locals_) next = std::min(next, users.next);
    return next;
  }

  void submit_local() {
    for (LocalUsers& users : locals_) {
      if (users.next > world_.now()) continue;
      const std::uint32_t jobs = std::exchange(users.at_first, 1);
      for (std::uint32_t i = 0; i < jobs; ++i) world_.submit(users.manager, local_job());
      users.next = world_.now() + from_seconds(chance_.exponential(users.mean_gap));
    }
  }

  JobDescription local_job() {
    JobDescription job;
    job.need.components = {{1, {}, {}}};
    job.program.arguments = {"sleep", std::to_string(chance_.exponential(local_run_mean.in_seconds()))};
    job.keep_output = false;
    job.dttl = 0;
    return job;
  }

  void submit() {
    const Party& manager = managers_[next_ % managers_.size()];
    const std::uint64_t number = world_.submit(manager, workload_.jobs[next_].job);
    DMM_ASSERT(number > 0);
    outcome_.jobs[next_].submitted = since_beginning(world_.now());
    open_[{world_.address_of(manager), number}] = next_++;
  }

  /// Reads what the managers did in the last step.
  void look() {
    world_.take_ended([this](Address address, const Job& job) {
      if (const auto found = open_.find({address, job.number}); found != open_.end()) {
        end(outcome_.jobs[found->second], job);
        open_.erase(found);
      }
    });
    for (const Address address : world_.settled()) {
      if (world_.parties()[address].role != Role::job_manager) continue;
      const JobManager& manager = world_.job_manager(world_.parties()[address])->manager;
      for (auto at = open_.lower_bound({address, 0}); at != open_.end() && at->first.first == address; ++at) {
        const Job& job = *manager.find(at->first.second);
        note_plan(outcome_.jobs[at->second], job, world_.parties()[address].name);
        note_first(outcome_.jobs[at->second], job);
      }
    }
  }

  void note_first(PlacedJobOutcome& outcome, const Job& job) const {
    if (outcome.first_expected || !job.granted) return;
    outcome.first_expected = since_beginning(*job.granted) + transfer_of(job);
  }

  /// Notes a plan of the home site, as the job manager hears of it.
  void note_plan(PlacedJobOutcome& outcome, const Job& job, const ShortText& user) const {
    if (!workload_.keeps_files || job.state != JobState::waiting) return;
    const SiteManager& home = world_.site(SiteName(submission_site))->manager;
    const RequestId request{SiteName(submission_site), user, job.number, job.attempt};
    const auto planned = home.wait_of(world_.now(), request).planned;
    if (!planned) return;
    const Duration expected = since_beginning(world_.now()) + planned->starts_in;
    if (outcome.last_expected == expected) return;
    outcome.last_expected = expected;
    outcome.placed = since_beginning(world_.now());
    if (!outcome.first_expected) outcome.first_expected = expected;
  }

  /// The transfer time of the file that is farthest from the job's place.
  Duration transfer_of(const Job& job) const {
    const std::uint64_t bandwidth =
        workload_.link_bandwidth > 0 ? workload_.link_bandwidth : file_bandwidth_unsaid;
    Duration longest;
    for (const Place& place : job.places)
      for (const InputFile& file : job.description.program.inputs)
        if (std::ranges::none_of(file.replicas,
                                 [&](const Replica& replica) { return replica.site == place.lease.owner; }))
          longest = std::max(longest, time_to_carry(file.bytes, bandwidth));
    return longest;
  }

  void end(PlacedJobOutcome& outcome, const Job& job) {
    outcome.is_finished = job.state == JobState::finished;
    if (job.granted && !outcome.last_expected) outcome.placed = since_beginning(*job.granted);
    if (job.ran_from) outcome.began = since_beginning(*job.ran_from);
    if (job.ended) outcome.ended = since_beginning(*job.ended);
    outcome.failures = job.false_starts + job.reruns;
    outcome.placement = job.joint->placement.view();
    std::set<SiteName> owners;
    for (const Place& place : job.places) owners.insert(place.lease.owner);
    outcome.clusters = static_cast<std::uint32_t>(owners.size());
    ++ended_;
    if (progress_ && ended_ % jobs_between_progress == 0) progress_(ended_);
  }

  void take_sample() {
    ++samples_;
    for (const Party& manager : managers_) used_ += held_by(manager);
    for (const LocalUsers& users : locals_) used_locally_ += held_by(users.manager);
  }

  double held_by(const Party& manager) const {
    double processors = 0;
    for (const JobState state : {JobState::starting, JobState::running, JobState::ending})
      for (const JobView& job : world_.job_manager(manager)->manager.jobs({.state = state}))
        processors += job.processors;
    return processors;
  }

  const PlacedWorkload& workload_;
  const std::function<void(std::size_t)>& progress_;
  Random chance_;  ///< of local jobs
  World world_;
  std::vector<Party> managers_;  ///< of the submission site's users
  std::vector<LocalUsers> locals_;
  std::map<Key, std::size_t> open_;  ///< jobs submitted and not ended: position in the workload
  std::size_t next_ = 0, ended_ = 0, samples_ = 0;
  double used_ = 0, used_locally_ = 0;  ///< sums over the samples
  PlacedOutcome outcome_;
};

}  // namespace

PlacedOutcome run_placed_workload(const PlacedWorkload& workload,
                                  const std::function<void(std::size_t)>& progress) {
  return PlacedRun(workload, progress).run();
}

}  // namespace dmm
