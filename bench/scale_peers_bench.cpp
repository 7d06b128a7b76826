// Many peers of one site manager: 4,000 resource managers of one node, and 100 neighbours; see scale_stage.hpp.
//
//   scale_peers_bench managers managers=4000     also: neighbours
#include "bench/scale_stage.hpp"
#include "bench/scale_user.hpp"

namespace dmm::bench {
namespace {

// ---- resource managers ---------------------------------------------------------------------------------------------

void managers(const Arguments& arguments) {
  const auto many = static_cast<std::size_t>(arguments.count("managers", 4'000));
  const auto queued = static_cast<std::uint64_t>(arguments.number("requests", 0));
  Stage stage(0);
  Grants grants(stage);
  User requests(stage, 1);
  stage.greet(user);
  stage.run();
  requests.ask_many(queued);
  const auto n = static_cast<double>(many);
  const auto register_all = [&] {
    for (std::size_t i = 0; i < many; ++i) stage.say(manager(i), offer(1));
    stage.run();
  };
  stage.begin();
  for (std::size_t i = 0; i < many; ++i) stage.greet(manager(i));
  stage.run();
  register_all();
  stage.print("resource managers greet and register", n);
  if (stage.manager().owned().total() != many) fail("not all are registered");
  if (queued > 0) return;

  stage.begin();
  stage.rest(seconds(60));
  stage.print("a minute in which nothing comes", 60);
  stage.begin();
  stage.say(user, request_of(user, 1, static_cast<std::uint32_t>(many)));
  stage.run();
  stage.print("one job on all of them: its grant", n);
  stage.begin();
  release(stage, grants, 1);
  stage.run();
  stage.print("its release", n);
  stage.begin();
  clean(stage, grants);
  stage.run();
  stage.print("all are clean again", n);
  if (stage.manager().owned().used() > 0) fail("not all are free");
  stage.begin();
  for (std::size_t i = 0; i < many; ++i) stage.set_silent(manager(i), true);
  stage.rest(seconds(40));
  stage.print("all fall silent", n);
  stage.begin();
  for (std::size_t i = 0; i < many; ++i) stage.greet_again(manager(i));
  stage.run();
  register_all();
  stage.print("all start again, and register", n);
}

// ---- neighbours ----------------------------------------------------------------------------------------------------

Reach reach_of(std::size_t i, std::size_t kinds) {
  Reach reach;
  for (std::uint32_t d = 0; d < dttl_max; ++d) {
    ReachEntry& entry = reach.entries.emplace_back();
    entry.complete = true;
    for (std::size_t kind = 0; kind < kinds; ++kind)
      entry.classes.push_back({(kind + 1) << 30,
                               {{"arch", "kind-" + std::to_string(kind)}},
                               static_cast<std::uint32_t>(100 + i),
                               static_cast<std::uint32_t>(200 + i),
                               {}});
  }
  return reach;
}

void neighbours(const Arguments& arguments) {
  const auto many = static_cast<std::size_t>(arguments.count("neighbours", 100));
  const auto delegates = static_cast<std::size_t>(arguments.count("delegates", 100'000));
  const auto kinds = static_cast<std::size_t>(arguments.count("kinds", 8));
  Stage stage(many);
  Grants grants(stage);
  stage.greet(manager(0));
  stage.run();
  stage.say(manager(0), offer(1'000));
  stage.run();
  const auto n = static_cast<double>(many);
  stage.begin();
  for (std::size_t i = 0; i < many; ++i) stage.greet(neighbour(i));
  stage.run();
  for (std::size_t i = 0; i < many; ++i) stage.say(neighbour(i), Inventory{});
  for (std::size_t i = 0; i < many; ++i) stage.hint(neighbour(i), hint_of(0));
  for (std::size_t i = 0; i < many; ++i) stage.say(neighbour(i), reach_of(i, kinds));
  stage.run();
  stage.print("neighbours come, with hints and reaches", n);
  stage.begin();
  for (std::size_t i = 0; i < many; ++i) {
    stage.say(neighbour(i), reach_of(i + 1, kinds));
    stage.run();
  }
  stage.print("each tells another reach, one by one", n);
  stage.begin();
  for (std::size_t i = 0; i < many; ++i) {
    stage.hint(neighbour(i), hint_of(static_cast<std::uint32_t>(i)));
    stage.run();
  }
  stage.print("each tells another hint, one by one", n);
  stage.begin();
  for (std::size_t i = 0; i < delegates; ++i) {
    const std::size_t from = i % many;
    Delegate asked;
    asked.request = request_of(job_manager_of(neighbour_name(from), "bob"), i + 1, 1);
    asked.round = 1;
    asked.dttl = 4;
    asked.tries_left = 15;
    asked.answer_within = seconds(10);
    asked.chain = {neighbour_name(from)};
    asked.stay = 1;
    stage.say(neighbour(from), std::move(asked));
  }
  stage.run();
  for (int i = 0; i < 20 && !grants.delegates.empty(); ++i) {
    reject(stage, grants);
    stage.run();
  }
  stage.print("all delegate in one instant", static_cast<double>(delegates));
  stage.begin();
  stage.rest(seconds(60));
  stage.print("a minute in which nothing comes", 60);
}

}  // namespace
}  // namespace dmm::bench

int main(int argc, char** argv) {
  using namespace dmm::bench;
  return run_measurement(Arguments(argc, argv), {{"managers", managers}, {"neighbours", neighbours}});
}
