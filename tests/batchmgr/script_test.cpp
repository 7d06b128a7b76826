// The four programs of a site: their arguments, and the meaning of their output.
#include <doctest/doctest.h>

#include "batchmgr/batch_system.hpp"

namespace dmm::script_test {
namespace {

BatchSettings settings() {
  BatchSettings settings;
  settings.site = SiteName("g");
  settings.name = "sge";
  settings.programs = "/etc/dmm/sge";
  settings.partition = "lend";
  return settings;
}

const BatchSystem& script() { return *find_batch_system("script"); }

auto read(const std::string& output) {
  const std::vector<std::string> outputs{output};
  return script().read(settings(), outputs);
}

}  // namespace

TEST_CASE("script: the programs are called with the partition, the pilots' name, a node or a pilot") {
  using Words = std::vector<std::string>;
  CHECK(script().look(settings()).front().arguments == Words{"/etc/dmm/sge/look", "lend", "dmm-g-sge"});
  const Command hold = script().hold(settings(), {.name = "g1"}, "#!/bin/sh\n");
  CHECK(hold.arguments == Words{"/etc/dmm/sge/hold", "lend", "dmm-g-sge", "g1", "60"});
  CHECK(hold.input == "#!/bin/sh\n");
  CHECK(script().recall(settings(), {{"7"}, "g1"}).arguments == Words{"/etc/dmm/sge/recall", "7"});
  CHECK(script().withdraw(settings(), {{"7"}, "g1"}).arguments == Words{"/etc/dmm/sge/withdraw", "7"});
  CHECK((script().prolong == nullptr));
}

TEST_CASE("script: lines of nodes, pilots and waiting jobs make a snapshot") {
  const auto all = read(
      "node g2 busy 4 8000 -\n"
      "node g1 idle 8 16000 gpu,fast\n"
      "node g3 drained 4 8000 - a fan is loud\n"
      "pilot 12 g2 runs 3000\n"
      "pilot 13 g1 waits 0\n"
      "waiting 14 3 no free slots\n");
  REQUIRE(std::holds_alternative<Snapshot>(all));
  const Snapshot& snapshot = std::get<Snapshot>(all);
  REQUIRE(snapshot.nodes.size() == 3);
  CHECK(snapshot.nodes[0].name == "g1");
  CHECK(snapshot.nodes[0].features == std::vector<std::string>{"gpu", "fast"});
  CHECK(snapshot.nodes[0].memory_bytes == 16'000ull * 1024 * 1024);
  CHECK(snapshot.nodes[2].use == NodeUse::drained);
  CHECK(snapshot.nodes[2].reason == "a fan is loud");
  REQUIRE(snapshot.pilots.size() == 2);
  CHECK(snapshot.pilots[0].runs);
  CHECK(snapshot.pilots[0].left == seconds(3'000));
  CHECK_FALSE(snapshot.pilots[1].runs);
  REQUIRE(snapshot.waiting.size() == 1);
  CHECK(snapshot.waiting[0].nodes == 3);
  CHECK(snapshot.waiting[0].reason == "no free slots");
}

TEST_CASE("script: a line that is no node, pilot or waiting job is named") {
  for (const char* line :
       {"nodes g1 idle 8 16000 -", "node g1 asleep 8 16000 -", "node g1 idle 8", "pilot 12 g2 maybe 1",
        "pilot 12 g2 runs", "waiting 14 none", "waiting 14 0", "hello"}) {
    const auto all = read(std::string(line) + "\n");
    REQUIRE(std::holds_alternative<std::string>(all));
    CHECK(std::get<std::string>(all).find(line) != std::string::npos);
  }
}

TEST_CASE("script: hold prints the id of the pilot and nothing else") {
  CHECK(std::get<PilotId>(script().held("12\n")).text == "12");
  CHECK(std::holds_alternative<std::string>(script().held("")));
  CHECK(std::holds_alternative<std::string>(script().held("your job\n12\n")));
}

TEST_CASE("script: a site's programs are examined: whether they are there, and what look says") {
  const auto bad_of = [](CommandEnded look, int recall_status = 0) {
    const std::vector<CommandEnded> ends{std::move(look), {}, {}, {.status = recall_status}, {}};
    REQUIRE(script().questions(settings()).size() == ends.size());
    std::string bad;
    for (const Finding& one : script().examine(settings(), ends))
      if (one.kind != FindingKind::ok) bad += one.subject + ": " + one.found + ";";
    return bad;
  };
  const std::string node = "node g1 idle 8 16000 -\n";
  CHECK(bad_of({.output = node}) == "");
  CHECK(bad_of({.output = node}, 1) == "the program recall: /etc/dmm/sge/recall;");
  CHECK(bad_of({.output = ""}) == "nodes to lend: the program look names none;");
  CHECK(bad_of({.status = 1, .error = "qstat: no master"}) == "the program look: qstat: no master;");
  CHECK(bad_of({.output = "hello\n"}).starts_with("the program look: the program look said \"hello\""));
}

TEST_CASE("script: a batch system is found by its name alone") {
  CHECK(find_batch_system("slurm") != nullptr);
  CHECK(find_batch_system("lsf") == nullptr);
}

}  // namespace dmm::script_test
