// Draws a run; see random_grid.hpp.
#include "simulator/faults/random_grid.hpp"

#include <algorithm>
#include <map>

#include "manager/assert.hpp"
#include "protocol/programs.hpp"
#include "simulator/faults/crowd.hpp"
#include "simulator/faults/dice.hpp"
#include "simulator/faults/fault_plan.hpp"

namespace dmm {
namespace {

constexpr double longest_as_it_is = 3600;  ///< seconds; longer runs are stretched

class Draw {
 public:
  Draw(std::uint64_t seed, RandomOptions options) : dice_(seed), options_(options) {
    run_.settings.seed = seed;
    run_.trouble = options.trouble;
    run_.trouble_ends = Instant{} + options.length;
    run_.settings.skips_quiet = options.skips_quiet;
    run_.co_allocated = options.co_allocated;
    run_.settings.ledgers = options.trouble != Trouble::forgetful;
    run_.stretch = std::max(1.0, options.length.in_seconds() / longest_as_it_is);
  }

  RandomRun all() {
    grid();
    behaviour();
    if (has_ledgers()) limits();
    world();
    if (options_.trouble == Trouble::life) far_and_slow();
    if (run_.stretch > 1) stretch();
    jobs();
    if (options_.trouble != Trouble::none) plan_faults(run_, dice_);
    // Drawn last, so that a seed has the same grid, jobs and faults whatever this gives.
    for (TopologySite& site : run_.topology.sites) site.settings.lease_ends_with_job = dice_.chance(0.7);
    plan_operators(run_, dice_);
    arrays_and_rest();
    if (options_.keyed) plan_keys(run_);
    if (options_.files) input_files();
    for (TopologySite& site : run_.topology.sites)
      site.settings.claiming_threshold = dice_.pick<double>({1.0, 0.5, 0.0});
    for (TopologySite& site : run_.topology.sites) site.settings.preempt = dice_.chance(0.5);
    if (options_.files) kept_files();
    std::stable_sort(run_.acts.begin(), run_.acts.end(), [](const Act& a, const Act& b) { return a.at < b.at; });
    return std::move(run_);
  }

 private:
  bool has_ledgers() const { return run_.settings.ledgers && options_.trouble != Trouble::none; }

  void grid() {
    std::uint32_t count = options_.sites > 0 ? options_.sites : dice_.between(2, options_.sites_max);
    const bool is_line = options_.trouble == Trouble::life && dice_.chance(0.2);
    if (is_line) count = dice_.between(6, 17);
    for (std::uint32_t i = 0; i < count; ++i) {
      TopologySite site;
      site.name = SiteName("s" + std::to_string(i));
      if (is_line && i > 0)
        site.parent = run_.topology.sites.back().name;
      else if (i > 0 && dice_.chance(0.6))
        site.parent = run_.topology.sites[dice_.below(i)].name;
      for (const TopologySite& other : run_.topology.sites)
        if (other.parent == site.parent && dice_.chance(0.5)) site.siblings.push_back(other.name);
      for (std::uint32_t c = options_.alike ? 1 : dice_.chance(0.2) ? 0 : dice_.between(1, 2); c > 0; --c)
        site.clusters.push_back(cluster("c" + std::to_string(c)));
      for (std::uint32_t u = dice_.chance(0.3) && i > 0 ? 0 : dice_.between(1, 2); u > 0; --u)
        site.users.push_back("u" + std::to_string(u));
      site.direct_routes = dice_.chance(0.7);
      run_.topology.sites.push_back(std::move(site));
    }
    run_.topology.name = "random";
  }

  /// Four sites of five have clusters, one and a half on average, each half of this wide on average.
  std::uint32_t widest() const {
    const auto sites = static_cast<std::uint32_t>(std::max<std::size_t>(1, options_.sites));
    return options_.nodes == 0 ? 8 : std::max(1U, 5 * options_.nodes / (3 * sites));
  }

  TopologyCluster cluster(const std::string& name) {
    TopologyCluster cluster;
    cluster.name = ClusterName(name);
    if (alike_ == 0 || !options_.alike) alike_ = dice_.between(options_.alike ? 2 : 1, widest());
    cluster.nodes = alike_;
    cluster.processors_per_node = options_.alike || dice_.chance(0.7) ? 1 : dice_.between(2, 4);
    cluster.resource_managers = cluster.nodes > 2 && dice_.chance(0.3) ? 2 : 1;
    if (dice_.chance(0.1)) cluster.quota = 0.75;
    return cluster;
  }

  void behaviour() {
    SiteSettings typical;
    typical.term = seconds(10);
    typical.use_hints = dice_.chance(0.8);
    typical.owner_first = dice_.chance(0.7);
    typical.keep_local = dice_.chance(0.7);
    typical.seen_counts_dttl = dice_.chance(0.7);
    typical.delegation_threshold = dice_.pick<double>({0, 0.5, 1, 1, 1, 1.5});
    typical.tries_per_round = dice_.pick<std::uint32_t>({3, 16, 16, 1000});
    typical.overtaken_limit = seconds(dice_.pick<std::int64_t>({5, 300}));
    typical.dispatching_policy =
        dice_.pick<std::string>({"fcfs", "fcfs_scan", "fcfs_scan", "smallest_first", "largest_first", "priority"});
    typical.delegation_policy =
        dice_.pick<std::string>({"fcfs", "largest_first", "smallest_first", "latest_first"});
    typical.target_policy = dice_.pick<std::string>({"hints", "hints", "best_fit", "round_robin", "configured"});
    if (dice_.chance(0.2)) {
      typical.matchmaking_cycle = seconds(dice_.between(1, 6));
      typical.delegation_cycle = seconds(dice_.between(1, 3));
    }
    for (TopologySite& site : run_.topology.sites) {
      site.settings = typical;
      if (dice_.chance(0.1)) site.settings.lend = false;
      if (dice_.chance(0.1)) site.settings.delegate = false;
      if (dice_.chance(0.2))
        site.settings.placement_policy = dice_.pick<std::string>({"worst_fit", "best_fit", "fcm"});
    }
    const auto error = link_sites(run_.topology);
    DMM_ASSERT(!error);
  }

  /// The rules of an owner that matter when faults happen.
  void limits() {
    SiteSettings typical;
    typical.absent_job_manager = seconds(dice_.pick<std::int64_t>({15, 600, 600}));
    typical.adopt_within = seconds(dice_.between(3, 10));
    typical.offer = seconds(dice_.between(2, 5));
    if (options_.trouble == Trouble::harsh) {
      typical.detached_max = seconds(dice_.pick<std::int64_t>({15, 3600, 3600}));
      typical.reclaim_after = seconds(dice_.pick<std::int64_t>({0, 0, 5, 20}));
      typical.reclaim_at_job_end = dice_.chance(0.3);
      typical.reclaim_grace = seconds(dice_.between(0, 10));
      if (dice_.chance(0.1)) typical.lease_length_max = seconds(dice_.between(15, 60));
    } else {
      typical.absent_job_manager = seconds(600);
    }
    for (TopologySite& site : run_.topology.sites) {
      site.settings.absent_job_manager = typical.absent_job_manager;
      site.settings.detached_max = typical.detached_max;
      site.settings.adopt_within = typical.adopt_within;
      site.settings.offer = typical.offer;
      site.settings.reclaim_after = typical.reclaim_after;
      site.settings.reclaim_at_job_end = typical.reclaim_at_job_end;
      site.settings.reclaim_grace = typical.reclaim_grace;
      site.settings.lease_length_max = typical.lease_length_max;
    }
  }

  /// With latencies of seconds, use the terms and limits of daemons, and chains of sixteen hops at every try.
  void far_and_slow() {
    run_.settings.sessions = {};
    run_.settings.sessions.beat = seconds(dice_.between(1, 3));
    run_.settings.sessions.silence = run_.settings.sessions.beat * 3;
    run_.settings.confirm_limit = WorldSettings{}.confirm_limit;
    // Left out for co-allocated jobs: contending for nodes beyond links of seconds takes hours of virtual time.
    if (dice_.chance(0.3) && !options_.co_allocated)
      run_.settings.network.latency = milliseconds(dice_.between(500, 5000));
    const Duration longest =
        dice_.chance(0.3) ? seconds(dice_.between(200, 1000)) : SiteSettings{}.lease_length_max;
    const Duration after = seconds(dice_.pick<std::int64_t>({0, 60, 300}));
    const Duration first = seconds(dice_.pick<std::int64_t>({0, 10, 600}));
    const bool searches_far = dice_.chance(0.7);
    for (TopologySite& site : run_.topology.sites) {
      site.settings.term = SiteSettings{}.term;
      site.settings.offer = SiteSettings{}.offer;
      site.settings.lease_length_max = longest;
      site.settings.reclaim_after = after;
      site.settings.reclaim_grace = seconds(10);
      site.settings.protected_first = first;
      if (searches_far) site.settings.tries_per_round = SiteSettings{}.tries_per_round;
    }
  }

  /// For runs of days: the default settings of sites, or settings longer by the same factor as the jobs.
  void stretch() {
    const auto stretched = [&](Duration length) { return from_seconds(length.in_seconds() * run_.stretch); };
    const bool is_calm = options_.trouble == Trouble::life || options_.trouble == Trouble::none;
    const Duration term = is_calm ? seconds(dice_.pick<std::int64_t>({30, 100, 300})) : Duration{};
    run_.settings.confirm_limit = std::max(run_.settings.confirm_limit, term * 4);
    const bool guards_late = dice_.chance(0.5);
    for (TopologySite& site : run_.topology.sites) {
      SiteSettings& settings = site.settings;
      settings.term = std::max(settings.term, term);
      settings.overtaken_limit =
          guards_late ? SiteSettings{}.overtaken_limit : stretched(settings.overtaken_limit);
      if (settings.lease_length_max < SiteSettings{}.lease_length_max)
        settings.lease_length_max = stretched(settings.lease_length_max);
    }
  }

  void world() {
    run_.settings.network.latency = milliseconds(dice_.between(1, 30));
    if (dice_.chance(0.5)) run_.settings.network.jitter = milliseconds(dice_.between(1, 200));
    run_.settings.confirm_limit = seconds(40);
    run_.settings.sessions.beat = seconds(dice_.between(1, has_ledgers() ? 2 : 3));
    run_.settings.sessions.silence = run_.settings.sessions.beat * 3;
  }

  void jobs() {
    std::uint32_t widest = 4;
    std::vector<Party> users;
    for (const TopologySite& site : run_.topology.sites) {
      for (const std::string& user : site.users) users.push_back(job_manager_of(site.name, user));
      for (const TopologyCluster& cluster : site.clusters)
        widest = std::max(widest, cluster.nodes * cluster.processors_per_node);
    }
    typical_seconds_ = options_.trouble == Trouble::gentle                       ? 25
                       : options_.trouble == Trouble::harsh && dice_.chance(0.4) ? 60
                                                                                 : 8;
    if (options_.co_allocated) typical_seconds_ = 0.3;
    std::map<Party, std::uint64_t> submitted;
    const double windows = options_.jobs * options_.length.in_seconds() / run_.stretch / 100;
    const std::uint32_t most = std::max({5 * options_.sites_max, 5 * options_.sites, options_.nodes / 10});
    const std::uint32_t usual = options_.alike          ? dice_.between(20, 50)
                                : options_.co_allocated ? dice_.between(100, 300)
                                                        : dice_.between(5, most);
    const auto count = static_cast<std::uint32_t>(windows * usual);
    for (std::uint32_t left = count; left > 0; --left) {
      Act act;
      act.at = dice_.within(1, 0.6 * options_.length.in_seconds());
      act.a = dice_.pick(users);
      act.job = job(widest);
      if (options_.trouble == Trouble::life) lengthen(act.job);
      const std::uint64_t number = ++submitted[act.a];
      if (dice_.chance(0.15)) {
        Act cancel;
        cancel.kind = Act::Kind::cancel;
        cancel.at = act.at + from_seconds(dice_.exponential(dice_.chance(0.5) ? 0.3 : 8 * run_.stretch));
        cancel.a = act.a;
        cancel.number = number;
        run_.acts.push_back(std::move(cancel));
      }
      run_.acts.push_back(std::move(act));
    }
  }

  JobDescription job(std::uint32_t widest) {
    JobDescription job;
    job.dttl = dice_.pick<std::uint32_t>({0, 1, 2, 3, 5, 5, 5, 5, 8});
    job.reruns_max = 10;
    job.priority = static_cast<std::int32_t>(dice_.below(3));
    const std::uint32_t components = !options_.co_allocated && dice_.chance(0.8) ? 1 : dice_.between(2, 3);
    for (std::uint32_t i = 0; i < components; ++i) {
      const bool wide = dice_.chance(0.2);
      const std::uint32_t least = options_.co_allocated ? widest / 2 + 1 : 1;
      const std::uint32_t most = options_.co_allocated ? widest : wide ? widest + 1 : 4;
      job.need.components.push_back({dice_.between(least, most), {}, {}});
    }
    if (components == 1 && dice_.chance(0.1)) job.need.kind = RequestKind::flexible;
    const double runs = dice_.exponential(typical_seconds_ * run_.stretch);
    job.program.arguments = {dice_.chance(0.05) ? "stubborn" : "sleep", std::to_string(runs)};
    if (dice_.chance(0.05)) job.program.arguments = {"false"};
    if (dice_.chance(0.03)) job.program.arguments = {"missing"};
    if (!dice_.chance(0.05)) return job;
    const std::uint32_t bytes = dice_.between(1, 200'000);
    job.program.arguments = {"print", std::to_string(bytes)};
    if (bytes % 2 == 0) job.program.arguments = {"write", std::to_string(bytes), std::to_string(runs)};
    return job;
  }

  /// Some jobs are arrays, and some go on without a component if its owner takes its nodes back.
  void arrays_and_rest() {
    for (Act& act : run_.acts) {
      if (act.kind != Act::Kind::submit) continue;
      if (act.job.need.components.size() > 1 && dice_.chance(0.3)) act.job.goes_on = true;
      if (!dice_.chance(0.1)) continue;
      act.job.array.ranges.push_back({1, dice_.between(1, 6), 1});
      act.job.array.at_once = dice_.between(0, 2);
    }
  }

  void input_files() {
    Dice policies(run_.settings.seed + 1);  // separate dice: a seed keeps its files
    for (TopologySite& site : run_.topology.sites) {
      for (TopologyCluster& cluster : site.clusters) cluster.attributes[staging_attribute] = staging_value;
      if (policies.chance(0.6)) site.settings.placement_policy = "close_to_files";
    }
    for (Act& act : run_.acts) {
      if (act.kind != Act::Kind::submit || !dice_.chance(0.5)) continue;
      InputFiles files;
      for (std::uint32_t i = 0, count = dice_.between(1, 3); i < count; ++i) {
        const SiteName& site = dice_.pick(run_.topology.sites).name;
        files.push_back({"f" + std::to_string(i), {{"http://h/f", site}}, dice_.between(1, 60'000'000)});
      }
      if (dice_.chance(0.1)) files.back().replicas[0].url = TaskPerformer::lost_file_url;
      set_inputs(act.job, std::move(files));
    }
  }

  /// Some clusters keep files, so that some sites wait for files before they claim nodes.
  void kept_files() {
    for (TopologySite& site : run_.topology.sites) {
      for (TopologyCluster& cluster : site.clusters)
        cluster.kept_files_bytes_max = dice_.chance(0.7) ? UINT64_MAX : 0;
      site.settings.claiming_wait = dice_.pick<double>({0, 0.5, 0.75});
    }
    for (Act& act : run_.acts)
      for (InputFile& file : act.job.program.inputs)
        if (const std::string bytes = std::to_string(file.bytes); dice_.chance(0.8))
          file.sha256 = std::string(64 - bytes.size(), '0') + bytes;
  }

  /// Some jobs run for very long, and some of these say so; some have a very large DTTL.
  void lengthen(JobDescription& job) {
    if (dice_.chance(0.2)) job.dttl = 16;
    const bool sleeps = job.program.arguments.front() == "sleep";
    if (!sleeps || !dice_.chance(0.15)) return;
    const auto length = static_cast<std::uint32_t>(dice_.between(200, 1200) * run_.stretch);
    job.program.arguments.back() = std::to_string(length);
    if (dice_.chance(0.5)) job.program.limits.edit().wall_seconds = length + 10;
  }

  Dice dice_;
  RandomOptions options_;
  RandomRun run_;
  double typical_seconds_ = 8;  ///< typical run time of a job
  std::uint32_t alike_ = 0;     ///< nodes of the latest cluster, if all are alike
};

}  // namespace

Trouble trouble_of(std::uint64_t seed) {
  if (seed % 8 == 7) return Trouble::none;
  if (seed % 8 == 3) return Trouble::life;
  return seed % 4 == 0 ? Trouble::gentle : Trouble::harsh;
}

RandomRun draw(std::uint64_t seed, const RandomOptions& options) {
  return options.trouble == Trouble::crowd ? draw_crowd(seed) : Draw(seed, options).all();
}

}  // namespace dmm
