#include "simulator/architectures/dmm.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "jobmgr/reruns.hpp"
#include "manager/assert.hpp"
#include "manager/lookup.hpp"
#include "protocol/programs.hpp"
#include "simulator/world/world.hpp"
#include "workloads/random.hpp"

namespace dmm {
namespace {

constexpr std::uint64_t jobs_between_progress = 1 << 10;
/// The managers connect before the first job is submitted; traces begin after this.
constexpr Duration warm_up = seconds(1);
/// After the last job ended its nodes come home within some messages, or never.
constexpr Duration homecoming_max = seconds(600);

/// No manager dies here, so managers needn't give their keepers signs of life.
constexpr Duration keep_for_good = seconds(1'000'000'000);

WorldSettings world_settings(const DmmOptions& dmm, const SimulationOptions& options) {
  WorldSettings settings;
  settings.network.latency = dmm.latency;
  settings.seed = options.seed;
  settings.level = Level::error;
  settings.hand_out_ended = true;
  settings.traced = false;
  settings.keep = keep_for_good;
  settings.sessions.beat = dmm.beat.value_or(seconds(300));
  settings.sessions.silence = dmm.silence.value_or(settings.sessions.beat * 3);
  return settings;
}

/// Seconds as text: "12.345678". Formatting a double would cost more than all other work on the text.
std::string seconds_text(Duration length) {
  std::string fraction = std::to_string(1'000'000 + length.microseconds % 1'000'000);
  fraction.front() = '.';
  return std::to_string(length.microseconds / 1'000'000) + fraction;
}

double trace_seconds(Instant at) { return (at - Instant{} - warm_up).in_seconds(); }

class DmmRun {
 public:
  DmmRun(const Topology& topology, JobStream jobs, const DmmOptions& dmm, const SimulationOptions& options,
         const SimulationSinks& sinks)
      : options_(options),
        sinks_(sinks),
        dttl_(dmm.dttl),
        penalty_(dmm.penalty),
        input_bytes_(dmm.input_bytes),
        chance_(options.seed),
        jobs_(std::move(jobs)),
        homes_(workload_homes(topology)),
        links_(links_of(topology)),
        world_(topology, world_settings(dmm, options)) {
    for (std::size_t i = 0; i < homes_.size(); ++i)
      numbers_[{homes_[i].site_name, topology.sites[homes_[i].site].clusters[homes_[i].cluster].name}] =
          static_cast<std::uint32_t>(i);
    next_sample_ = options.sample_every > Duration{} && sinks.sample ? Instant{} + warm_up : never;
  }

  SimulationTotals run() {
    world_.run_until(Instant{} + warm_up);
    for (auto job = jobs_(); job; job = jobs_()) {
      advance(job->submit + warm_up);
      submit(*job);
      if (totals_.jobs_submitted % jobs_between_progress == 0) report_progress();
    }
    collect();
    if (options_.cool_down) cool_down();
    finish();
    return totals_;
  }

 private:
  /// A job by its job manager's address and its number there.
  struct Key {
    Address job_manager = 0;
    std::uint64_t number = 0;
    auto operator<=>(const Key&) const = default;
    friend std::uint64_t table_hash(const Key& key) { return dmm::table_hash(key.number ^ key.job_manager << 40); }
  };

  /// Events at the very instant come after the jobs submitted then, so that all of them are one batch.
  void advance(Instant until) {
    while (next_sample_ <= until) {
      world_.run_until(next_sample_);
      take_sample();
      next_sample_ = next_sample_ + options_.sample_every;
    }
    world_.run_until(until);
    collect();
  }

  void cool_down() {
    std::uint64_t steps = 0;
    while (!open_.empty() && world_.next_instant() != never) {
      advance(world_.next_instant());
      if (++steps % jobs_between_progress == 0) report_progress();
    }
    const Instant limit = world_.now() + homecoming_max;
    while (!world_.quiet() && world_.next_instant() <= limit) world_.run_until(world_.now() + seconds(1));
    totals_.nodes_not_home = world_.nodes_not_home();
  }

  void submit(const StreamJob& job) {
    ++totals_.jobs_submitted;
    const WorkloadHome& home = homes_.at(job.home);
    const std::vector<std::string>& users = world_.topology().sites[home.site].users;
    if (users.empty()) return report(job, outcome_of(job, JobOutcome::State::failed), {});
    JobDescription description;
    description.need.components = {{job.processors, {}, {}}};
    description.program.arguments.reserve(2);
    description.program.arguments.emplace_back("sleep");
    description.program.arguments.push_back(seconds_text(job.run));
    description.keep_output = false;
    description.dttl = dttl_;
    if (penalty_ > 0) make_divisible(description, job.run);
    if (input_bytes_ > 0) add_input(description);
    const Party manager = job_manager_of(home.site_name, users[job.user % users.size()]);
    const std::uint64_t number = world_.submit(manager, std::move(description));
    DMM_ASSERT(number != 0);
    open_[{world_.address_of(manager), number}] = job;
  }

  void make_divisible(JobDescription& job, Duration run) const {
    job.need.kind = RequestKind::flexible;
    job.program.arguments.front() = "spread";
    job.program.arguments.push_back(seconds_text(from_seconds(run.in_seconds() * penalty_)));
  }

  /// Adds an input file with replicas at two of the sites with clusters.
  void add_input(JobDescription& job) {
    const auto site_at = [&](std::uint64_t place) { return homes_[place % homes_.size()].site_name; };
    const std::uint64_t first = chance_.below(homes_.size());
    InputFile file{"input", {}, input_bytes_, {}};
    for (const std::uint64_t place :
         {first, first + 1 + chance_.below(std::max<std::uint64_t>(homes_.size() - 1, 1))})
      file.replicas.push_back({"http://" + std::string(site_at(place).text) + "/input", site_at(place)});
    set_inputs(job, {std::move(file)});
  }

  void collect() {
    world_.take_ended([this](Address manager, const Job& ended) {
      const Key key{manager, ended.number};
      report(open_.at(key), ended);
      open_.erase(key);
    });
  }

  static JobOutcome outcome_of(const StreamJob& job, JobOutcome::State state) {
    JobOutcome outcome;
    outcome.cluster = job.home;
    outcome.submit_seconds = (job.submit - Instant{}).in_seconds();
    outcome.processors = job.processors;
    outcome.state = state;
    return outcome;
  }

  static JobOutcome::State state_of(JobState state) {
    switch (state) {
      case JobState::finished: return JobOutcome::State::finished;
      case JobState::failed: return JobOutcome::State::failed;
      case JobState::cancelled: return JobOutcome::State::cancelled;
      case JobState::lost: return JobOutcome::State::lost;
      default: return JobOutcome::State::unfinished;
    }
  }

  void report(const StreamJob& job, const Job& record) {
    JobOutcome outcome = outcome_of(job, state_of(record.state));
    if (record.started) outcome.start_seconds = trace_seconds(*record.started);
    if (record.ended && record.started) outcome.end_seconds = trace_seconds(*record.ended);
    outcome.origin = record.origin;
    outcome.delegations = hops_of(record);
    outcome.delegations_tried = record.tries;
    totals_.jobs_interrupted += interruptions_of(*record.past, record.past_causes) > 0;
    totals_.jobs_rerun += record.reruns + record.false_starts > 0;
    pieces_.clear();
    if (record.places.size() == 1 && !record.places[0].clusters.empty())
      pieces_.push_back({cluster_of(record.places[0]), job.processors});
    // The record doesn't say how many processors each place has.
    if (record.places.size() > 1)
      for (const Place& place : record.places) pieces_.push_back({cluster_of(place), 0});
    report(job, outcome, pieces_);
  }

  void report(const StreamJob& job, const JobOutcome& outcome, std::span<const ClusterShare> pieces) {
    ++jobs_ended_;
    if (sinks_.outcome) sinks_.outcome({job, outcome, pieces});
  }

  void take_sample() {
    std::vector<ClusterSample> clusters(homes_.size());
    for (std::size_t i = 0; i < homes_.size(); ++i)
      for (const std::string& user : world_.topology().sites[homes_[i].site].users)
        sample_jobs(world_.job_manager(job_manager_of(homes_[i].site_name, user))->manager, i, clusters);
    std::vector<LinkSample> links;
    world_.end_all_quiet();  // counts the messages of quiet links, too
    for (const TopologyLink& link : links_) links.push_back(sample_link(link));
    sinks_.sample({next_sample_ - warm_up, clusters, links});
  }

  void sample_jobs(const JobManager& manager, std::size_t home, std::vector<ClusterSample>& clusters) {
    clusters[home].waiting += manager.count(JobState::waiting);
    for (const JobState state : {JobState::starting, JobState::running, JobState::ending})
      for (const JobView& job : manager.jobs({.state = state})) {
        ClusterSample& cluster = clusters[cluster_of(job.places[0])];
        cluster.busy += job.processors;
        if (job.places[0].lease.owner != homes_[home].site_name) cluster.foreign += job.processors;
      }
  }

  std::uint32_t cluster_of(const Place& place) const {
    return numbers_.at({place.lease.owner, place.clusters.front()});
  }

  LinkSample sample_link(const TopologyLink& link) {
    const auto& sites = world_.topology().sites;
    const Driver<SiteManager>& driver = *world_.site(sites[link.dialler].name);
    LinkSample sample;
    for (const SiteView::Link& one : driver.manager.view(world_.now()).links)
      if (one.neighbour.site == sites[link.listener].name)
        sample.leases = static_cast<std::uint32_t>(one.leases_in + one.leases_out);
    for (const LinkView& one : driver.endpoint.links())
      if (one.peer == site_manager_of(sites[link.listener].name)) sample.messages = one.sent + one.received;
    return sample;
  }

  void report_progress() const {
    if (!sinks_.progress) return;
    sinks_.progress({world_.now() - warm_up, totals_.jobs_submitted, jobs_ended_, world_.network().frames_sent()});
  }

  void finish() {
    for (const Key& key : open_.keys()) {
      const Job* record = world_.job_manager(world_.parties()[key.job_manager])->manager.find(key.number);
      DMM_ASSERT(record);
      report(open_.at(key), *record);
    }
    totals_.ended = world_.now() - warm_up;
    totals_.events = world_.network().frames_sent();
    totals_.messages = world_.messages_by_kind();
  }

  const SimulationOptions& options_;
  const SimulationSinks& sinks_;
  std::uint32_t dttl_;
  double penalty_;
  std::uint64_t input_bytes_;
  Random chance_;  ///< for the sites of input files
  JobStream jobs_;
  std::vector<WorkloadHome> homes_;
  std::vector<TopologyLink> links_;
  World world_;
  std::map<std::pair<SiteName, ClusterName>, std::uint32_t> numbers_;  ///< of clusters, by owner and name
  Lookup<Key, StreamJob> open_;                                        ///< jobs submitted and not ended
  std::vector<ClusterShare> pieces_;
  Instant next_sample_ = never;
  std::uint64_t jobs_ended_ = 0;
  SimulationTotals totals_;
};

}  // namespace

SimulationTotals simulate_dmm(const Topology& topology, JobStream jobs, const DmmOptions& dmm,
                              const SimulationOptions& options, const SimulationSinks& sinks) {
  if (dmm.input_bytes == 0) return DmmRun(topology, std::move(jobs), dmm, options, sinks).run();
  Topology staging = topology;
  for (TopologySite& site : staging.sites)
    for (TopologyCluster& cluster : site.clusters) cluster.attributes[staging_attribute] = staging_value;
  return DmmRun(staging, std::move(jobs), dmm, options, sinks).run();
}

}  // namespace dmm
