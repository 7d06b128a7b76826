// Small random grids in which one party lies, of each role in turn: a site, a job manager, a resource manager or a
// client. No manager's invariants break, the state of honest parties stays bounded, and a site with enough nodes of its
// own serves its users. In half of the runs the liar is restarted as an honest party, and then all jobs are served. To
// repeat a failing seed:
//   DMM_SEED=<seed> build/bin/simulation_tests -tc="liars*"
//   DMM_VERBOSE=1   prints everything that happened.
//   DMM_SEEDS=5000  runs more of them, DMM_FIRST_SEED=1000000 other ones.
#include <doctest/doctest.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>

#include "protocol/text.hpp"
#include "simulator/checkers/timeline.hpp"
#include "simulator/faults/dice.hpp"
#include "simulator/faults/liar.hpp"
#include "simulator/faults/random_grid.hpp"

namespace dmm::liars_test {
namespace {

constexpr Instant lies_begin = Instant{} + seconds(5);
constexpr Instant lies_end = Instant{} + seconds(65);
constexpr Duration between_jobs = seconds(2);
constexpr Duration between_lies = milliseconds(20);
/// Jobs run for two seconds at most. Lent nodes come back within reclaim_after and reclaim_grace, and their resource
/// manager cleans them. Other jobs of the site may be earlier in the queue.
constexpr Duration served_within = seconds(60);
/// After all parties are honest: confirm_limit, the rounds of asking, and all jobs that waited until then.
constexpr Duration all_served_within = seconds(300);
constexpr std::uint64_t steps_between_looks = 50;

// Limits of what honest managers keep. They are small, so that unbounded state soon exceeds them.
constexpr std::uint32_t leases_per_link = 6, delegations_per_link = 4, requests_per_user = 12;
constexpr std::size_t links_max = 400;

std::uint64_t current_seed = 0;

void tell_seed(int) {
  std::fprintf(stderr, "the seed was DMM_SEED=%llu\n", static_cast<unsigned long long>(current_seed));
}

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

class LiarRun {
 public:
  explicit LiarRun(std::uint64_t seed)
      : dice_(seed ^ 0x6c6965ULL), repents_(seed / 4 % 2 == 0), world_(topology(seed), settings(seed)) {
    liar_ = std::make_shared<Liar>(seed, choose(static_cast<Role>(seed % 4)), repents_);
    world_.network().set_tampering([this](std::string& frame) {
      if (world_.now() >= lies_begin) liar_->tamper(frame);
    });
  }

  /// Plays the run; returns what is broken, or empty.
  std::string play() {
    Instant next_job{}, next_lie = lies_begin;
    while (world_.now() < lies_end && fault_.empty()) {
      if (world_.now() >= next_job) submit_everywhere(), next_job = world_.now() + between_jobs;
      if (world_.now() >= next_lie) liar_->speak(world_), next_lie = world_.now() + between_lies;
      advance(std::min({next_job, next_lie, lies_end}));
    }
    if (repents_ && fault_.empty()) {
      liar_->repent();
      if (liar_->party().role != Role::client) world_.restart(liar_->party());
    }
    const Instant until = lies_end + (repents_ ? all_served_within : served_within);
    while (world_.now() < until && fault_.empty() && anything_open()) {
      if (!repents_) liar_->speak(world_);
      advance(world_.now() + (repents_ ? seconds(1) : between_lies));
    }
    look();
    if (fault_.empty()) fault_ = unserved(true);
    return fault_;
  }

  World& world() { return world_; }
  const Liar& liar() const { return *liar_; }
  std::uint64_t served() const { return served_; }

 private:
  struct Wanted {
    Party user;
    std::uint64_t number = 0;
    Instant at{};
    bool guarded = false;  ///< it must be served whatever the liar does
  };

  Topology topology(std::uint64_t seed) {
    Topology grid = draw(seed, {.trouble = Trouble::none, .sites_max = 6}).topology;
    for (TopologySite& site : grid.sites) {
      if (site.clusters.empty()) site.clusters.emplace_back().name = ClusterName("c1");
      if (site.users.empty()) site.users.push_back("u1");
      for (TopologyCluster& cluster : site.clusters) {
        cluster.nodes = std::max(cluster.nodes, 4U);
        cluster.quota = 1;
      }
      SiteSettings& rules = site.settings;
      rules.delegate = dice_.chance(0.5);
      rules.owner_first = true;
      rules.dispatching_policy = "fcfs_scan";
      rules.matchmaking_cycle = rules.delegation_cycle = {};
      rules.reclaim_after = seconds(5);
      rules.reclaim_grace = seconds(2);
      rules.protected_first = seconds(1);  // otherwise its owner waits for jobs that were interrupted twice
      rules.protected_max = seconds(5);
      rules.absent_job_manager = seconds(15);
      rules.leases_per_link_max = leases_per_link;
      rules.delegations_per_link_max = delegations_per_link;
      rules.requests_per_user_max = requests_per_user;
      rules.seen_max = 200;
    }
    const auto error = link_sites(grid);
    REQUIRE(!error);
    return grid;
  }

  static WorldSettings settings(std::uint64_t seed) {
    WorldSettings settings;
    settings.seed = seed;
    settings.confirm_limit = seconds(20);
    if (seed % 2 == 1) settings.network.jitter = milliseconds(20);
    settings.level = std::getenv("DMM_VERBOSE") ? Level::debug : Level::error;
    settings.traced = false;
    return settings;
  }

  Party choose(Role role) {
    std::vector<Party> of_role;
    for (const Party& party : world_.parties())
      if (party.role == (role == Role::client ? Role::job_manager : role)) of_role.push_back(party);
    Party chosen = dice_.pick(of_role);
    if (role == Role::client) chosen.role = role;
    return chosen;
  }

  bool is_honest(const Party& party) const { return party != liar_->party(); }

  void submit_everywhere() {
    for (const TopologySite& site : world_.topology().sites) {
      const Party user = job_manager_of(site.name, dice_.pick(site.users));
      JobDescription job;
      job.need.components.push_back({dice_.between(1, 2), {}, {}});
      job.reruns_max = 1'000;
      job.dttl = dice_.between(0, 3);
      job.program.arguments = {"sleep", std::to_string(2 * dice_.uniform())};
      if (!world_.is_up(user)) continue;
      const std::uint64_t number = world_.submit(user, job);
      if (!is_honest(user)) continue;  // a lying user needs jobs to speak with more parties than its site
      const bool at_liar = site.name == liar_->party().site;
      // A site's own managers believe their site manager for good: a lease that it invented may fence all later ones.
      if (at_liar && liar_->party().role == Role::site_manager) continue;
      if (number > 0) wanted_.push_back({user, number, world_.now(), !at_liar && !site.settings.delegate});
    }
  }

  void tell() {
    for (const Happening& happening : world_.take_happenings())
      if (std::getenv("DMM_VERBOSE")) std::printf("%s\n", line_of(happening).c_str());
  }

  void advance(Instant until) {
    while (fault_.empty() && world_.next_instant() <= until) {
      world_.step();
      tell();
      watch_for_trespassers();
      if (world_.steps() % steps_between_looks == 0) look();
    }
    world_.run_until(until);
    if (fault_.empty()) fault_ = unserved(false);
  }

  bool anything_open() const {
    return std::any_of(wanted_.begin(), wanted_.end(),
                       [this](const Wanted& job) { return job.guarded || repents_; });
  }

  /// The fault of a job that was not served in time, if any. Jobs that ended leave the list.
  std::string unserved(bool in_the_end) {
    std::string fault;
    std::erase_if(wanted_, [&](const Wanted& wanted) {
      const auto* manager = world_.job_manager(wanted.user);
      const Job* job = manager ? manager->manager.find(wanted.number) : nullptr;
      if (!job) return true;  // its job manager restarted and forgot it
      if (is_over(job->state)) {
        ++served_;
        if (wanted.guarded && job->state != JobState::finished) fault = name_of(wanted) + " didn't finish";
        return true;
      }
      const bool late = wanted.guarded && world_.now() - wanted.at > served_within;
      if (late || (in_the_end && repents_)) fault = name_of(wanted) + " isn't served";
      return false;
    });
    return fault;
  }

  std::string name_of(const Wanted& wanted) const {
    const auto view = world_.job_manager(wanted.user)->manager.job(wanted.number);
    return to_text(wanted.user) + " job " + std::to_string(wanted.number) + " (state " +
           std::to_string(static_cast<int>(view->state)) + ", attempt " + std::to_string(view->attempt) + ", at " +
           (view->places.empty()
                ? ""
                : to_text(view->places[0].lease) + " of " + std::to_string(view->places[0].chain.size())) +
           ", " + view->text + (wanted.guarded ? ", guarded)" : ")");
  }

  void look() {
    for (const Party& party : world_.parties()) {
      if (!fault_.empty() || !is_honest(party) || !world_.is_up(party)) continue;
      std::string fault = look_at(party);
      if (!fault.empty()) fault_ = to_text(party) + ": " + fault;
    }
  }

  std::string look_at(const Party& party) {
    switch (party.role) {
      case Role::site_manager: return look_at_site(*world_.site(party.site));
      case Role::job_manager: return look_at_jobs(*world_.job_manager(party));
      case Role::resource_manager: return look_at_nodes(party, *world_.resource_manager(party));
      case Role::client: break;
    }
    return {};
  }

  std::string look_at_links(const Endpoint& endpoint) const {
    const SessionLimits& limits = endpoint.settings().limits;
    if (endpoint.kept_bytes() > limits.kept_bytes_all) return "too much is kept";
    if (endpoint.strangers().size() > limits.strangers) return "too many strangers are remembered";
    if (endpoint.links().size() > links_max) return "too many links";
    return {};
  }

  std::string look_at_site(const Driver<SiteManager>& site) const {
    site.manager.check_invariants();
    const SiteView view = site.manager.view(world_.now());
    const std::size_t links = view.links.size();
    if (view.requests_waiting > requests_per_user * (view.job_managers.size() + 1)) return "too many requests";
    if (view.foreign_waiting > links * delegations_per_link) return "too many delegations";
    if (view.leases_in > links * leases_per_link || view.leases_out > links * leases_per_link)
      return "too many leases: " + std::to_string(view.leases_in) + " in, " + std::to_string(view.leases_out) +
             " out";
    return look_at_links(site.endpoint);
  }

  std::string look_at_jobs(const Driver<JobManager>& jobs) const {
    std::string fault = jobs.manager.broken_invariant();
    if (fault.empty() && jobs.manager.holdings().size() > 2 * jobs.manager.size()) fault = "too many leases";
    return fault.empty() ? look_at_links(jobs.endpoint) : fault;
  }

  std::string look_at_nodes(const Party& party, const Driver<ResourceManager>& nodes) const {
    nodes.manager.check_invariants();
    NodeSet used;
    for (const auto& program : world_.performer(party).running()) {
      if (overlap(used, program->nodes)) return "two programs run on a node";
      used = unite(used, program->nodes);
    }
    const ResourceManagerView view = nodes.manager.view();
    if (view.leases.size() > view.nodes_total) return "too many leases";
    return look_at_links(nodes.endpoint);
  }

  /// After each step: a job manager that is told of an unknown job must have it stopped at once.
  void watch_for_trespassers() {
    for (const Party& party : world_.parties()) {
      if (party.role != Role::resource_manager || !is_honest(party)) continue;
      const std::uint64_t changes = world_.performer(party).changes();
      if (std::exchange(changes_[party], changes) == changes) continue;
      for (const auto& program : world_.performer(party).running())
        if (is_trespasser(party, *program))
          fault_ = to_text(program->id.request) + " runs at " + to_text(party) + " under another's lease";
    }
  }

  /// Whether a program runs under a lease that its owner gave to another site, or to another of its own users.
  bool is_trespasser(const Party& manager, const TaskPerformer::Program& program) const {
    const auto* owner = world_.site(manager.site);
    if (!owner || !is_honest(site_manager_of(manager.site)) || !owner->manager.leases().contains(program.lease))
      return false;
    const HopLease& lease = owner->manager.leases().get(program.lease);
    const RequestId& request = program.id.request;
    if (request.site != lease.chain.back()) return true;
    const auto is_his = [&](const auto& served) { return served.first.user == request.user; };
    return !lease.handed_out.empty() && !std::ranges::any_of(lease.handed_out, is_his);
  }

  Dice dice_;
  bool repents_;
  World world_;
  std::shared_ptr<Liar> liar_;
  std::vector<Wanted> wanted_;
  std::map<Party, std::uint64_t> changes_;  ///< of the hosts, at the last look
  std::uint64_t served_ = 0;
  std::string fault_;
};

}  // namespace

TEST_CASE("liars: a liar of any role breaks no invariant, fills no honest party and starves no site") {
  std::signal(SIGABRT, tell_seed);
  const std::uint64_t first = from_environment("DMM_SEED", from_environment("DMM_FIRST_SEED", 1));
  const std::uint64_t seeds = std::getenv("DMM_SEED") ? 1 : from_environment("DMM_SEEDS", 240);
  std::map<Role, std::uint64_t> lies;
  std::uint64_t steps = 0, served = 0;
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
    current_seed = seed;
    LiarRun run(seed);
    const std::string fault = run.play();
    CHECK_MESSAGE(fault.empty(), "DMM_SEED=", seed, ", liar ", to_text(run.liar().party()), ", at ",
                  run.world().now().microseconds, " us: ", fault);
    lies[run.liar().party().role] += run.liar().lies();
    steps += run.world().steps();
    served += run.served();
  }
  for (const auto& [role, count] : lies) MESSAGE(to_text(role), ": ", count, " lies");
  MESSAGE(steps, " steps, ", served, " jobs over");
  if (std::getenv("DMM_SEED") || std::getenv("DMM_FIRST_SEED") || std::getenv("DMM_SEEDS")) return;
  CHECK(steps >= 1'000'000);
}

}  // namespace dmm::liars_test
