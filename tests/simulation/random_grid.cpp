// Drawing a run; see random_grid.hpp.
#include "random_grid.hpp"

#include <algorithm>
#include <map>

#include "machine/assert.hpp"

namespace dmm {
namespace {

class Draw {
 public:
  Draw(std::uint64_t seed, RandomOptions options) : random_(seed), options_(options) { run_.settings.seed = seed; }

  RandomRun all() {
    grid();
    behaviour();
    world();
    jobs();
    if (options_.faults) faults();
    std::stable_sort(run_.acts.begin(), run_.acts.end(), [](const Act& a, const Act& b) { return a.at < b.at; });
    return std::move(run_);
  }

 private:
  std::uint32_t between(std::uint32_t low, std::uint32_t high) {
    return low + static_cast<std::uint32_t>(random_.below(high - low + 1));
  }
  Instant within(double from, double to) {
    return Instant{} + from_seconds(from + (to - from) * random_.uniform());
  }
  template <class T>
  const T& pick(const std::vector<T>& from) {
    return from[random_.below(from.size())];
  }

  void grid() {
    const std::uint32_t count = between(2, options_.sites_max);
    for (std::uint32_t i = 0; i < count; ++i) {
      TopologySite site;
      site.name = SiteName("s" + std::to_string(i));
      if (i > 0 && random_.chance(0.6)) site.parent = run_.topology.sites[random_.below(i)].name;
      for (const TopologySite& other : run_.topology.sites)
        if (other.parent == site.parent && random_.chance(0.5)) site.siblings.push_back(other.name);
      for (std::uint32_t c = random_.chance(0.2) ? 0 : between(1, 2); c > 0; --c)
        site.clusters.push_back(cluster("c" + std::to_string(c)));
      for (std::uint32_t u = random_.chance(0.3) && i > 0 ? 0 : between(1, 2); u > 0; --u)
        site.users.push_back("u" + std::to_string(u));
      site.direct_routes = random_.chance(0.7);
      run_.topology.sites.push_back(std::move(site));
    }
    run_.topology.name = "random";
  }

  TopologyCluster cluster(const std::string& name) {
    TopologyCluster cluster;
    cluster.name = ClusterName(name);
    cluster.nodes = between(1, 8);
    cluster.processors_per_node = random_.chance(0.7) ? 1 : between(2, 4);
    cluster.resource_managers = cluster.nodes > 2 && random_.chance(0.3) ? 2 : 1;
    if (random_.chance(0.1)) cluster.quota = 0.75;
    return cluster;
  }

  void behaviour() {
    SiteSettings typical;
    typical.term = seconds(10);
    typical.use_hints = random_.chance(0.8);
    typical.owner_first = random_.chance(0.7);
    typical.keep_local = random_.chance(0.7);
    typical.seen_counts_dttl = random_.chance(0.7);
    typical.delegation_threshold = pick<double>({0, 0.5, 1, 1, 1, 1.5});
    typical.tries_per_round = pick<std::uint32_t>({3, 16, 16, 1000});
    typical.overtaken_limit = seconds(pick<std::int64_t>({5, 300}));
    typical.dispatching_policy =
        pick<std::string>({"fcfs", "fcfs_scan", "fcfs_scan", "smallest_first", "largest_first", "priority"});
    typical.delegation_policy = pick<std::string>({"fcfs", "largest_first", "smallest_first", "latest_first"});
    typical.target_policy = pick<std::string>({"hints", "hints", "best_fit", "round_robin", "configured"});
    if (random_.chance(0.2)) {
      typical.matchmaking_cycle = seconds(between(1, 6));
      typical.delegation_cycle = seconds(between(1, 3));
    }
    for (TopologySite& site : run_.topology.sites) {
      site.settings = typical;
      if (random_.chance(0.1)) site.settings.lend = false;
      if (random_.chance(0.1)) site.settings.delegate = false;
      if (random_.chance(0.2))
        site.settings.placement_policy = pick<std::string>({"worst_fit", "best_fit", "fcm"});
    }
    const auto error = link_sites(run_.topology);
    DMM_ASSERT(!error);
  }

  void world() {
    run_.settings.network.latency = milliseconds(between(1, 30));
    if (random_.chance(0.5)) run_.settings.network.jitter = milliseconds(between(1, 200));
    run_.settings.confirm_limit = seconds(40);
    run_.settings.sessions.beat = seconds(between(1, 3));
    run_.settings.sessions.silence = run_.settings.sessions.beat * 3;
    if (options_.faults && random_.chance(0.3)) run_.loss = 0.03 * random_.uniform();
    if (options_.faults && random_.chance(0.3)) run_.doubling = 0.05 * random_.uniform();
  }

  void jobs() {
    std::uint32_t widest = 4;
    std::vector<Party> users;
    for (const TopologySite& site : run_.topology.sites) {
      for (const std::string& user : site.users) users.push_back(job_manager_of(site.name, user));
      for (const TopologyCluster& cluster : site.clusters)
        widest = std::max(widest, cluster.nodes * cluster.processors_per_node);
    }
    std::map<Party, std::uint64_t> submitted;
    for (std::uint32_t left = between(5, 5 * options_.sites_max); left > 0; --left) {
      Act act{.at = within(1, 60),
              .kind = Act::Kind::submit,
              .a = pick(users),
              .b = {},
              .job = job(widest),
              .number = 0};
      const std::uint64_t number = ++submitted[act.a];
      if (random_.chance(0.15)) {
        Act cancel{.at = act.at + from_seconds(random_.exponential(8)),
                   .kind = Act::Kind::cancel,
                   .a = act.a,
                   .b = {},
                   .job = {},
                   .number = number};
        run_.acts.push_back(std::move(cancel));
      }
      run_.acts.push_back(std::move(act));
    }
  }

  JobDescription job(std::uint32_t widest) {
    JobDescription job;
    job.dttl = pick<std::uint32_t>({0, 1, 2, 3, 5, 5, 5, 5, 8});
    job.reruns_max = 10;
    job.priority = static_cast<std::int32_t>(random_.below(3));
    const std::uint32_t components = random_.chance(0.8) ? 1 : between(2, 3);
    for (std::uint32_t i = 0; i < components; ++i) {
      const bool wide = random_.chance(0.2);
      job.need.components.push_back({between(1, wide ? widest + 1 : 4), {}, {}});
    }
    if (components == 1 && random_.chance(0.1)) job.need.kind = RequestKind::flexible;
    const double runs = random_.exponential(8);
    job.program.arguments = {random_.chance(0.05) ? "stubborn" : "sleep", std::to_string(runs)};
    if (random_.chance(0.05)) job.program.arguments = {"false"};
    if (random_.chance(0.03)) job.program.arguments = {"missing"};
    if (random_.chance(0.05)) job.program.arguments = {"print", std::to_string(between(1, 200'000))};
    return job;
  }

  void faults() {
    std::vector<Party> sites, managers, users;
    std::vector<std::pair<Party, Party>> links;
    for (const TopologySite& site : run_.topology.sites) {
      sites.push_back(site_manager_of(site.name));
      for (const auto& one : resource_managers_of(site))
        managers.push_back(resource_manager_of(site.name, one.name));
      for (const std::string& user : site.users) users.push_back(job_manager_of(site.name, user));
    }
    for (const TopologyLink& link : links_of(run_.topology))
      links.emplace_back(sites[link.dialler], sites[link.listener]);
    for (const Party& manager : managers) links.emplace_back(manager, site_manager_of(manager.site));
    for (const Party& user : users) links.emplace_back(user, site_manager_of(user.site));
    if (!managers.empty())
      for (std::uint32_t i = 0; i < 3; ++i) links.emplace_back(pick(users), pick(managers));
    if (!links.empty())
      for (std::uint32_t left = between(0, 6); left > 0; --left)
        trouble(Act::Kind::cut, Act::Kind::heal, pick(links), 40);
    const auto some = [&](const std::vector<Party>& of, std::uint32_t most, Act::Kind begin, Act::Kind end,
                          double longest) {
      for (std::uint32_t left = of.empty() ? 0 : between(0, most); left > 0; --left)
        trouble(begin, end, {pick(of), {}}, longest);
    };
    some(managers, 3, Act::Kind::crash, Act::Kind::restart, 30);
    if (random_.chance(0.5)) some(sites, 2, Act::Kind::crash, Act::Kind::restart, 30);
    if (random_.chance(0.3)) some(users, 1, Act::Kind::crash, Act::Kind::restart, 30);
    if (random_.chance(0.3)) some(sites, 2, Act::Kind::pause, Act::Kind::resume, 25);
    if (random_.chance(0.3)) some(managers, 2, Act::Kind::pause, Act::Kind::resume, 25);
    if (random_.chance(0.2)) some(users, 1, Act::Kind::pause, Act::Kind::resume, 25);
    for (const Party& manager : managers)
      if (random_.chance(0.1))
        run_.acts.push_back({.at = {}, .kind = Act::Kind::unreachable, .a = manager, .b = {}, .job = {}});
  }

  void trouble(Act::Kind begin, Act::Kind end, const std::pair<Party, Party>& who, double longest) {
    const Instant from = within(0, 80);
    const Instant to = from + from_seconds(longest * random_.uniform() * random_.uniform());
    run_.acts.push_back({.at = from, .kind = begin, .a = who.first, .b = who.second, .job = {}});
    run_.acts.push_back(
        {.at = std::min(to, trouble_ends), .kind = end, .a = who.first, .b = who.second, .job = {}});
  }

  Random random_;
  RandomOptions options_;
  RandomRun run_;
};

}  // namespace

RandomRun draw(std::uint64_t seed, const RandomOptions& options) { return Draw(seed, options).all(); }

}  // namespace dmm
