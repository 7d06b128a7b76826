// Beats on quiet links are accounted for instead of simulated: everything else stays the same, byte for byte.
#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "simulator/faults/fault_run.hpp"
#include "tests/simulation/life_stage.hpp"

namespace dmm::quiet_links_test {
namespace {

/// The results of a run, and the number of its steps.
struct Played {
  std::string fault, told;
  std::uint64_t trace = 0, steps = 0, frames = 0, bytes = 0;
  std::array<std::uint64_t, message_kinds> messages{};
  Instant end{};
};

Played play(std::uint64_t seed, Trouble trouble, bool skips_quiet) {
  FaultRun run(seed, RandomOptions{.trouble = trouble, .skips_quiet = skips_quiet}, Level::debug);
  Played played;
  run.set_trace([&](const std::string& line) { played.told += line + "\n"; });
  played.fault = run.play();
  played.messages = run.world().messages_by_kind();
  played.trace = run.world().trace_hash();
  played.steps = run.world().steps();
  played.frames = run.world().network().frames_sent();
  played.bytes = run.world().network().bytes_sent();
  played.end = run.world().now();
  return played;
}

}  // namespace

TEST_CASE("quiet links: an hour in which nothing happens takes no steps, and its beats are known all the same") {
  const Topology idle = life_stage::topology_of(R"({"name": "idle", "sites": [
    {"name": "a", "clusters": [{"name": "c", "nodes": 4}], "users": ["u"]},
    {"name": "b", "parent": "a", "clusters": [{"name": "c", "nodes": 4}]}]})");
  std::array<std::uint64_t, message_kinds> messages[2];
  for (const bool skips : {false, true}) {
    WorldSettings settings;
    settings.skips_quiet = skips;
    World world(idle, settings);
    world.run_until(Instant{} + seconds(60));
    const std::uint64_t before = world.steps();
    world.run_until(Instant{} + seconds(3660));
    if (skips) CHECK(world.steps() == before);
    messages[skips] = world.messages_by_kind();
  }
  CHECK(messages[true] == messages[false]);
}

TEST_CASE("quiet links: a run is the same whether beats on quiet links are played or not, but for the beats") {
  std::uint64_t steps_of_all = 0, steps_of_fast = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const Played all = play(seed, trouble_of(seed), false), fast = play(seed, trouble_of(seed), true);
    CAPTURE(seed);
    CHECK(all.fault == fast.fault);
    CHECK(all.told == fast.told);
    CHECK(all.trace == fast.trace);
    CHECK(all.end == fast.end);
    CHECK(all.messages == fast.messages);
    CHECK(all.frames == fast.frames);
    CHECK(all.bytes == fast.bytes);
    steps_of_all += all.steps;
    steps_of_fast += fast.steps;
  }
  CHECK(steps_of_fast < steps_of_all);
}

}  // namespace dmm::quiet_links_test
