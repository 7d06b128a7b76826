// A link is cut for a day while jobs go on: how much is kept for it, and what it costs when it heals. Fifty users of
// one site run jobs on the nodes of fifty resource managers of the other. All their messages pass the link as relays.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>

#include "tests/simulation/life_stage.hpp"

namespace dmm::link_cut_test {
namespace {

using namespace life_stage;

constexpr std::size_t pairs = 50;
const SiteName home("home"), owner("owner");
const Party at_home = site_manager_of(home), at_owner = site_manager_of(owner);

Topology two_sites() {
  std::string users;
  for (std::size_t i = 0; i < pairs; ++i) users += (i ? ", \"u" : "\"u") + std::to_string(i) + '"';
  return topology_of(R"({"name": "cut", "sites": [
    {"name": "home", "siblings": ["owner"], "users": [)" +
                     users + R"(],
     "clusters": [{"name": "c", "nodes": 10}]},
    {"name": "owner", "direct_routes": false,
     "clusters": [{"name": "c", "nodes": 50, "resource_managers": 50}]}]})");
}

/// Beats are rarer than by default, so that a day takes only seconds to simulate.
WorldSettings a_day() {
  WorldSettings settings = quiet_world();
  settings.sessions = {.beat = seconds(10), .silence = seconds(30)};
  settings.traced = false;
  return settings;
}

class TwoSites {
 public:
  TwoSites() : world_(two_sites(), a_day()) { world_.run_until(Instant{} + seconds(60)); }

  /// Submits another such job for each user.
  void submit(const JobDescription& job) {
    for (std::size_t i = 0; i < pairs; ++i) world_.submit(job_manager_of(home, "u" + std::to_string(i)), job);
  }
  void cut() { world_.cut(at_home, at_owner); }
  void heal() { world_.heal(at_home, at_owner); }
  void run(Duration length) {
    for (const Instant until = world_.now() + length; world_.now() < until;) {
      world_.run_until(std::min(until, world_.now() + seconds(10)));
      most_kept_ = std::max(most_kept_, kept_now());
    }
  }
  std::size_t kept_now() {
    std::size_t all = 0;
    for (const Party& party : world_.parties()) {
      const std::size_t kept = kept_by(party);
      most_kept_by_one_ = std::max(most_kept_by_one_, kept);
      if (party.role == Role::site_manager) most_kept_by_a_site_ = std::max(most_kept_by_a_site_, kept);
      all += kept;
    }
    return all;
  }
  /// Bytes that cross the link in the next minute.
  std::uint64_t bytes_of_a_minute() {
    const auto crossed = [&] {
      return world_.network().bytes_between(world_.address_of(at_home), world_.address_of(at_owner));
    };
    const std::uint64_t before = crossed();
    run(seconds(60));
    return crossed() - before;
  }
  std::size_t count(JobState state) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        world_.submissions(), [&](const Submission& one) { return view_of(world_, one).state == state; }));
  }
  std::size_t count(OutputState state) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        world_.submissions(), [&](const Submission& one) { return view_of(world_, one).output == state; }));
  }
  /// All messages about output so far.
  std::uint64_t output_messages() const {
    std::uint64_t all = 0;
    for (const Party& party : world_.parties()) {
      const auto add = [&](const auto* driver) {
        const auto sent = driver->endpoint.counters().sent;
        for (const std::uint16_t type : {Fetch::type, Chunk::type, Piece::type, Grown::type})
          if (const auto found = sent.find(type); found != sent.end()) all += found->second;
      };
      if (party.role == Role::job_manager) add(world_.job_manager(party));
      if (party.role == Role::resource_manager) add(world_.resource_manager(party));
    }
    return all;
  }
  /// The most bytes kept so far: by all managers together, by the manager that kept most, and by the site that kept
  /// most.
  std::size_t most_kept() const { return most_kept_; }
  std::size_t most_kept_by_one() const { return most_kept_by_one_; }
  std::size_t most_kept_by_a_site() const { return most_kept_by_a_site_; }

 private:
  std::size_t kept_by(const Party& party) const {
    switch (party.role) {
      case Role::site_manager: return world_.site(party.site)->endpoint.kept_bytes();
      case Role::job_manager: return world_.job_manager(party)->endpoint.kept_bytes();
      case Role::resource_manager: return world_.resource_manager(party)->endpoint.kept_bytes();
      case Role::client: break;
    }
    return 0;
  }

  World world_;
  std::size_t most_kept_ = 0, most_kept_by_one_ = 0, most_kept_by_a_site_ = 0;
};

/// A job that runs at this site or not at all.
JobDescription sleeper_at(const SiteName& site, std::int64_t length) {
  JobDescription job = sleeper(1, length);
  job.need.kind = RequestKind::fixed;
  job.need.components = {{1, site, ClusterName("c")}};
  return job;
}

/// A job that writes this many bytes, at its end or gradually.
JobDescription printer(std::uint64_t bytes, std::int64_t length = 0) {
  JobDescription job = sleeper_at(owner, 0);
  job.program.arguments = {"print", std::to_string(bytes)};
  if (length > 0) job.program.arguments = {"write", std::to_string(bytes), std::to_string(length)};
  return job;
}

}  // namespace

TEST_CASE("link cut: a link that is cut for a day keeps little, and heals at the cost of what then begins") {
  for (const bool again : {false, true}) {
    TwoSites sites;
    JobDescription far = sleeper_at(owner, 7200);
    far.reruns_max = again ? 3 : 0;  // a job that is cut off is rerun after the healing, or not
    sites.submit(far);
    const std::uint64_t busy = sites.bytes_of_a_minute();
    CHECK(sites.count(JobState::running) == pairs);
    const std::uint64_t quiet = sites.bytes_of_a_minute();
    sites.cut();
    for (int hour = 0; hour < 24; ++hour) {
      sites.submit(sleeper_at(home, 600));
      sites.run(seconds(3600));
    }
    CHECK(sites.count(JobState::finished) >= 23 * pairs);
    sites.heal();
    const std::uint64_t healing = sites.bytes_of_a_minute();
    CHECK(sites.count(JobState::lost) == (again ? 0 : pairs));
    std::printf(
        "cut for a day: %zu bytes kept by all; over the link in a minute: %ju with fifty starts, %ju in quiet, "
        "%ju after the healing\n",
        sites.most_kept(), std::uintmax_t{busy}, std::uintmax_t{quiet}, std::uintmax_t{healing});
    CHECK(sites.most_kept() <= 1'000'000);
    CHECK(healing <= 2 * (again ? busy : quiet));
  }
}

TEST_CASE("link cut: fifty outputs that a cut interrupts are kept in no party's memory, and come when it heals") {
  for (const std::int64_t length : {0, 7200}) {
    TwoSites sites;
    sites.submit(printer(3'000'000, length));
    sites.run(length > 0 ? seconds(600) : milliseconds(400));
    CHECK(sites.count(length > 0 ? JobState::running : JobState::collecting) == pairs);
    sites.cut();
    sites.run(seconds(3000));
    CHECK(sites.most_kept() <= 100'000);
    CHECK(sites.most_kept_by_one() <= 16 * 1024);
    if (length == 0) CHECK(sites.count(OutputState::unfetched) == pairs);  // their outcome has become known
    std::printf("fifty outputs, cut for long: %zu bytes kept by all\n", sites.most_kept());
    sites.heal();
    sites.run(seconds(length + 120));
    CHECK(sites.count(JobState::finished) == pairs);
    CHECK(sites.count(OutputState::complete) == pairs);
  }
}

TEST_CASE("link cut: jobs that write nothing cost no message more because output is taken while they run") {
  TwoSites sites;
  sites.submit(sleeper_at(owner, 600));
  sites.run(seconds(700));
  CHECK(sites.count(JobState::finished) == pairs);
  CHECK(sites.output_messages() == 0);
}

}  // namespace dmm::link_cut_test
