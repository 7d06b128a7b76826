// Many requests at one site manager: a million that wait, a hundred thousand in one instant, and nodes for many that
// come free at once; see scale_stage.hpp.
//
//   scale_requests_bench waiting requests=1000000 widths=1     also: late, burst, wide
#include "bench/scale_stage.hpp"
#include "bench/scale_user.hpp"

namespace dmm::bench {
namespace {

// ---- a million requests --------------------------------------------------------------------------------------------

void match(Stage& stage, User& requests, Grants& grants, int times, std::size_t batch, const char* what) {
  stage.begin();
  for (int i = 0; i < times; ++i) {
    release(stage, grants, batch);
    stage.run();
    clean(stage, grants);
    requests.ask(batch);
    stage.run();
  }
  stage.print(what, static_cast<double>(batch) * times);
}

/// In one instant all neighbours say that they have room. Each is asked at once as far as it may be, and rejects.
void offer_and_reject(Stage& stage, Grants& grants, std::size_t neighbours) {
  stage.begin();
  std::size_t asked = 0;
  for (int round = 0; round < 20; ++round) {
    for (std::size_t i = 0; i < neighbours; ++i)
      stage.hint(neighbour(i), hint_of(static_cast<std::uint32_t>(64 + round)));
    stage.run();
    asked += grants.delegates.size();
    for (std::size_t i = 0; i < neighbours; ++i) stage.hint(neighbour(i), hint_of(0));
    reject(stage, grants);
    stage.run();
  }
  stage.print("20 times: all neighbours have room, then say no", static_cast<double>(asked));
}

void waiting(const Arguments& arguments) {
  const auto many = static_cast<std::uint64_t>(arguments.number("requests", 1e6));
  const auto neighbours = static_cast<std::size_t>(arguments.count("neighbours", 100));
  Stage stage(neighbours);
  Grants grants(stage);
  User requests(stage, static_cast<std::uint32_t>(arguments.count("widths", 1)));
  greet_neighbours(stage, neighbours);
  stage.greet(manager(0));
  stage.greet(user);
  stage.run();
  stage.say(manager(0), offer(1'000));
  stage.run();
  stage.begin();
  requests.ask_many(many);
  stage.print("requests come, and nearly all wait", static_cast<double>(many));
  match(stage, requests, grants, 500, 1, "a lease ends, the next begins, a request comes");
  match(stage, requests, grants, 20, 200, "the same with 200 at once");
  offer_and_reject(stage, grants, neighbours);

  stage.begin();
  stage.set_silent(neighbour(0), true);
  stage.rest(seconds(5));
  stage.print("a neighbour falls silent: 5 s", 1);
  stage.begin();
  stage.rest(seconds(120));
  stage.print("two minutes in which nothing comes", 120);
  stage.begin();
  stage.set_silent(user, true);
  stage.rest(seconds(40));
  stage.print("the user falls silent: its requests leave", static_cast<double>(many));
  if (stage.manager().queue().size() > 0) fail("requests of a silent user wait");
  stage.begin();
  stage.set_silent(user, false);
  stage.rest(seconds(40));
  stage.print("it is back: they come back", static_cast<double>(many));
  stage.begin();
  stage.greet_again(user);
  stage.rest(seconds(40));
  stage.print("it starts again, and wants none of them", static_cast<double>(many));
  requests.ask_many(many);
  stage.set_silent(user, true);
  stage.rest(seconds(40));
  stage.begin();
  stage.greet_again(user);
  stage.rest(seconds(40));
  stage.print("the same after it was silent for long", static_cast<double>(many));
}

/// All requests wait for nodes of a size that is unknown yet; then the first resource manager comes.
void late(const Arguments& arguments) {
  const auto many = static_cast<std::uint64_t>(arguments.number("requests", 1e6));
  Stage stage(0);
  Grants grants(stage);
  User requests(stage, 1);
  stage.greet(user);
  stage.greet(manager(0));
  stage.run();
  stage.begin();
  requests.ask_many(many);
  stage.print("requests come before any node", static_cast<double>(many));
  stage.begin();
  stage.say(manager(0), offer(100));
  stage.run();
  stage.print("the first resource manager comes", 1);
  stage.begin();
  for (std::uint64_t job = 101; job <= many; ++job) {
    stage.say(user, Cancel{{site, user.name, job, 1}});
    if (job % 25'600 == 0) stage.run();
  }
  stage.run();
  stage.print("they are taken back", static_cast<double>(many - 100));
}

// ---- many at once --------------------------------------------------------------------------------------------------

void burst(const Arguments& arguments) {
  const auto many = static_cast<std::uint64_t>(arguments.number("requests", 1e5));
  Stage stage(0);
  Grants grants(stage);
  User requests(stage, 1);
  stage.greet(user);
  for (std::size_t i = 0; i < 10; ++i) stage.greet(manager(i));
  stage.run();
  for (std::size_t i = 0; i < 10; ++i) stage.say(manager(i), offer(static_cast<std::uint32_t>(many / 10)));
  stage.run();
  stage.begin();
  requests.ask(many);
  stage.run();
  stage.print("requests in one instant, and nodes for all of them", static_cast<double>(grants.leases.size()));
}

/// Nodes for many requests come free at once: with a resource manager that brings them, and when a wide job ends.
void wide(const Arguments& arguments) {
  const auto many = static_cast<std::uint64_t>(arguments.number("requests", 1e6));
  const auto nodes = static_cast<std::uint32_t>(arguments.count("nodes", 100'000));
  Stage stage(0);
  Grants grants(stage);
  User requests(stage, 1);
  stage.greet(user);
  stage.greet(manager(0));
  stage.greet(manager(1));
  stage.run();
  stage.say(manager(0), offer(10'000));
  stage.run();
  stage.say(user, request_of(user, many + 1, 10'000));
  stage.run();
  requests.ask_many(many);
  stage.begin();
  release(stage, grants, 1);
  stage.run();
  clean(stage, grants);
  stage.run();
  stage.print("a job on 10,000 nodes ends: others start", static_cast<double>(grants.leases.size()));
  stage.begin();
  const std::size_t before = grants.leases.size();
  stage.say(manager(1), offer(nodes));
  stage.run();
  stage.print("a resource manager brings many nodes: others start",
              static_cast<double>(grants.leases.size() - before));
}

}  // namespace
}  // namespace dmm::bench

int main(int argc, char** argv) {
  using namespace dmm::bench;
  return run_measurement(Arguments(argc, argv),
                         {{"waiting", waiting}, {"late", late}, {"burst", burst}, {"wide", wide}});
}
