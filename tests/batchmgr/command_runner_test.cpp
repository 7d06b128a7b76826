// Real commands: their output, their end, and how they are ended when they take too long.
#include "batchmgr/runner/command_runner.hpp"

#include <doctest/doctest.h>
#include <poll.h>

#include <map>

namespace dmm::command_runner_test {
namespace {

/// The ends of `count` commands, by id.
std::map<std::uint64_t, CommandEnded> ends(CommandRunner& runner, std::size_t count) {
  std::map<std::uint64_t, CommandEnded> all;
  while (all.size() < count) {
    pollfd polled{runner.descriptor(), POLLIN, 0};
    REQUIRE(::poll(&polled, 1, 20'000) == 1);
    for (CommandEnded& ended : runner.take()) all.emplace(ended.id, std::move(ended));
  }
  return all;
}

CommandWanted shell(std::uint64_t id, const std::string& text, Duration at_most = seconds(20)) {
  return {id, {{"sh", "-c", text}, "given"}, at_most};
}

}  // namespace

TEST_CASE("command runner: a command's output, errors and exit status come apart") {
  CommandRunner runner;
  runner.run(shell(1, "cat; echo wrong >&2; exit 3"));
  const CommandEnded ended = ends(runner, 1).at(1);
  CHECK(ended.status == 3);
  CHECK(ended.output == "given");
  CHECK(ended.error == "wrong\n");
  CHECK(ended.took > Duration{});
  CHECK(ended.minute < 24 * 60);
}

TEST_CASE("command runner: a command that takes too long is killed with all that it started") {
  CommandRunner runner;
  runner.run(shell(1, "sleep 1000 & echo $!; wait", milliseconds(100)));
  const CommandEnded ended = ends(runner, 1).at(1);
  CHECK(ended.status == -1);
  CHECK(ended.error == "didn't end in time");
  const std::string child = ended.output.substr(0, ended.output.find('\n'));
  REQUIRE_FALSE(child.empty());
  runner.run(shell(2, "while kill -0 " + child + " 2>/dev/null; do :; done"));
  CHECK(ends(runner, 1).at(2).status == 0);
}

TEST_CASE("command runner: a missing command is told, also among others") {
  CommandRunner runner;
  runner.run({1, {{"/no/such/program"}}, seconds(1)});
  runner.run(shell(2, "true"));
  const auto all = ends(runner, 2);
  CHECK(all.at(1).status == -1);
  CHECK(all.at(1).error.find("/no/such/program: ") == 0);
  CHECK(all.at(2).status == 0);
}

TEST_CASE("command runner: more commands than run at once wait for their turn") {
  CommandRunner runner;
  for (std::uint64_t id = 1; id <= 50; ++id) runner.run(shell(id, "echo " + std::to_string(id)));
  for (const auto& [id, ended] : ends(runner, 50)) CHECK(ended.output == std::to_string(id) + "\n");
}

}  // namespace dmm::command_runner_test
