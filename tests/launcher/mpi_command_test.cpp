// The command line of an MPI launcher: which one, and how it starts its daemons.
#include "resmgr/launcher/mpi_command.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "resmgr/backends/process/launch_arguments.hpp"
#include "resmgr/keeper/ready_line.hpp"
#include "resmgr/launcher/agent_words.hpp"

namespace mpi_command_test {

using namespace dmm;

LaunchOrder two_hosts(const std::string& first, const std::string& second) {
  return {0, {{0, 1, 4, first + ":40/a"}, {1, 1, 2, second + ":41/b"}}};
}

const MpiHost host{"/opt/dmm/launcher", "/usr/bin/mpirun", "/jobs/7/nodes"};

bool has(const std::vector<std::string>& words, const std::string& word) {
  return std::ranges::find(words, word) != words.end();
}

TEST_CASE("mpi command: the kind of MPI is that of the library that the program names, else that of mpirun") {
  CHECK(mpi_kind("..libmpich.so.12..", "/usr/bin/orterun") == MpiKind::mpich);
  CHECK(mpi_kind("..libmpi.so.40..", "/usr/bin/mpiexec.hydra") == MpiKind::open_mpi);
  CHECK(mpi_kind("#!/bin/sh", "/usr/bin/mpiexec.hydra") == MpiKind::mpich);
  CHECK(mpi_kind("#!/bin/sh", "/usr/bin/orterun") == MpiKind::open_mpi);
  CHECK(mpi_kind("", "") == MpiKind::open_mpi);
}

TEST_CASE("mpi command: Open MPI is told to start its daemons by the launcher, and all ranks") {
  const auto words = mpi_command(MpiKind::open_mpi, host, two_hosts("node1", "node2"), {"./solver", "-v"});
  CHECK(words.front() == "/usr/bin/mpirun");
  CHECK(has(words, "/opt/dmm/launcher remote"));
  CHECK(has(words, "/jobs/7/nodes"));
  CHECK(has(words, "6"));
  CHECK_FALSE(has(words, "lo"));
  CHECK(std::vector(words.end() - 2, words.end()) == std::vector<std::string>{"./solver", "-v"});
  CHECK(has(mpi_command(MpiKind::open_mpi, host, two_hosts("127.1.0.1", "127.1.0.2"), {"x"}), "lo"));
  CHECK_FALSE(has(mpi_command(MpiKind::open_mpi, host, two_hosts("127.1.0.1", "node2"), {"x"}), "lo"));
}

TEST_CASE("mpi command: MPICH gets its hosts with their slots") {
  const auto words = mpi_command(MpiKind::mpich, host, two_hosts("node1", "node2"), {"./solver"});
  CHECK(has(words, "node1:4,node2:2"));
  CHECK(has(words, "/opt/dmm/launcher"));
  CHECK(has(words, "6"));
}

TEST_CASE("mpi command: the arguments of a launcher, its ready line and a contact are read as they were written") {
  const LaunchArguments arguments{Runner::per_processor, "10.0.0.7", {"sh", "-c", "echo --"}};
  std::vector<std::string> words = launch_words(arguments);
  CHECK(words.front() == "run");
  words.erase(words.begin());
  const auto read = parse_launch_arguments(words);
  REQUIRE(read);
  CHECK(read->runner == arguments.runner);
  CHECK(read->address == arguments.address);
  CHECK(read->program == arguments.program);
  CHECK_FALSE(parse_launch_arguments({"9", "", "sh"}));
  CHECK_FALSE(parse_launch_arguments({"1", ""}));
  const InputFiles inputs{{"a b", {{"http://h/a"}, {"http://g/a"}}, 7, "5f"}, {"b", {{"file:///b=c"}}, 0, {}}};
  const OutputFiles outputs{{"r", "https://h/r#pin=x="}, {"o/s", "https://h/s"}};
  std::vector<std::string> variables = launch_variables(inputs, outputs, {"/kept", 9, seconds(7)});
  for (const std::string& variable : variables) CHECK(is_launch_variable(variable));
  variables.push_back("DMM_JOB=7");
  CHECK_FALSE(is_launch_variable(variables.back()));
  const auto files = parse_launch_variables(variables);
  REQUIRE(files);
  CHECK(std::ranges::equal(files->inputs, inputs));
  CHECK(std::ranges::equal(files->outputs, outputs));
  CHECK(files->kept == KeptFilesRules{"/kept", 9, seconds(7)});
  CHECK_FALSE(parse_launch_variables({"DMM_STAGE_IN_0=x"}));
  CHECK_FALSE(parse_launch_variables({"DMM_KEPT_FILES=/kept"}));
  CHECK(launch_variables({}, outputs, {"/kept", 9, seconds(7)}).size() == 2);
  const ReadyLine fault = parse_ready_line(ready_line({StartFault::not_permitted, "can't run x:\nno"}));
  CHECK(fault.fault == StartFault::not_permitted);
  CHECK(fault.text == "can't run x: no");
  CHECK(parse_ready_line("77 what").fault == StartFault::resources);
  CHECK(parse_ready_line("").fault == StartFault::resources);
  const auto contact = launcher::parse_contact("10.0.0.7:40121/5f3a");
  CHECK(contact.host == "10.0.0.7");
  CHECK(contact.port == "40121");
  CHECK(contact.token == "5f3a");
  CHECK(launcher::parse_contact("10.0.0.7").port.empty());
}

}  // namespace mpi_command_test
