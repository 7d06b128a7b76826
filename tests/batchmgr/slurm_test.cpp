// What Slurm's commands print, as read from a real cluster (Slurm 22.05), and how they are called.
#include <doctest/doctest.h>

#include "batchmgr/batch_system.hpp"

namespace dmm::slurm_test {
namespace {

BatchSettings settings() {
  BatchSettings settings;
  settings.site = SiteName("b");
  settings.name = "slurm";
  settings.hold = seconds(3'600);
  return settings;
}

const BatchSystem& slurm() { return *find_batch_system("slurm"); }

Snapshot read(const std::string& nodes, const std::string& jobs) {
  const std::vector<std::string> outputs{nodes, jobs};
  const auto read = slurm().read(settings(), outputs);
  REQUIRE(std::holds_alternative<Snapshot>(read));
  return std::get<Snapshot>(read);
}

std::string fault(const std::string& nodes, const std::string& jobs) {
  const std::vector<std::string> outputs{nodes, jobs};
  const auto read = slurm().read(settings(), outputs);
  return std::holds_alternative<std::string>(read) ? std::get<std::string>(read) : std::string();
}

}  // namespace

TEST_CASE("slurm: its nodes have a use, a size and features") {
  const Snapshot all = read(
      "b2|mixed|2|4000|(null)|none\n"
      "b1|idle|16|64000|gpu,fast|none\n"
      "b3|drained|2|4000|(null)|a fan | is loud\n"
      "b4|idle*|2|4000|(null)|Not responding\n"
      "b5|allocated|2|4000|(null)|none\n"
      "b6|down~|2|4000|(null)|none\n"
      "b7|completing|2|4000|(null)|none\n"
      "b8|planned|2|4000|(null)|none\n"
      "b9|reserved|2|4000|(null)|none\n",
      "");
  REQUIRE(all.nodes.size() == 9);
  CHECK(all.nodes[0].name == "b1");
  CHECK(all.nodes[0].use == NodeUse::idle);
  CHECK(all.nodes[0].processors == 16);
  CHECK(all.nodes[0].memory_bytes == 64'000ull * 1024 * 1024);
  CHECK(all.nodes[0].features == std::vector<std::string>{"gpu", "fast"});
  CHECK(all.nodes[1].use == NodeUse::busy);
  CHECK(all.nodes[2].use == NodeUse::drained);
  CHECK(all.nodes[2].reason == "a fan | is loud");
  CHECK(all.nodes[3].use == NodeUse::down);
  CHECK(all.nodes[4].use == NodeUse::busy);
  CHECK(all.nodes[5].use == NodeUse::down);
  CHECK(all.nodes[6].use == NodeUse::planned);
  CHECK(all.nodes[7].use == NodeUse::planned);
  CHECK(all.nodes[8].use == NodeUse::reserved);
}

TEST_CASE("slurm: its jobs are pilots of this batch manager, or local jobs that wait for nodes") {
  const Snapshot all = read("",
                            "1|RUNNING|None|lend|1|b1|b1|59:58|N/A|dmm-b-slurm\n"
                            "2|PENDING|Resources|lend|1||b2|1-00:00:00|N/A|dmm-b-slurm\n"
                            "3|RUNNING|None|lend|1|b3|b3|59:58|N/A|dmm-b-other\n"
                            "4|PENDING|Resources|main|4|||UNLIMITED|1800000090|a job | with a bar\n"
                            "5|PENDING|Priority|main|1-4|||UNLIMITED|N/A|wrap\n"
                            "6|PENDING|Dependency|main|4|||UNLIMITED|N/A|wrap\n"
                            "7|PENDING|BeginTime|main|4|||UNLIMITED|1800000060|wrap\n"
                            "8|RUNNING|None|main|4|b4||UNLIMITED|1700000000|wrap\n"
                            "9|PENDING|Resources|lend|1||b2|30:00|N/A|dmm-b-other\n");
  REQUIRE(all.pilots.size() == 2);
  CHECK(all.pilots[0].id.text == "1");
  CHECK(all.pilots[0].node == "b1");
  CHECK(all.pilots[0].runs);
  CHECK(all.pilots[0].left == seconds(59 * 60 + 58));
  CHECK_FALSE(all.pilots[1].runs);
  CHECK(all.pilots[1].node == "b2");
  CHECK(all.pilots[1].left == seconds(86'400));
  REQUIRE(all.waiting.size() == 2);
  CHECK(all.waiting[0].id == "4");
  CHECK(all.waiting[0].nodes == 4);
  CHECK(all.waiting[1].nodes == 1);
  CHECK(all.planned == 1'800'000'060);
}

TEST_CASE("slurm: output that can't be read is named") {
  CHECK(fault("slurm_load_node: Unable to contact", "") == "sinfo said \"slurm_load_node: Unable to contact\"");
  CHECK(fault("b1|idle|many|4000|(null)|none", "") == "sinfo said \"b1|idle|many|4000|(null)|none\"");
  CHECK(fault("", "1|RUNNING") == "squeue said \"1|RUNNING\"");
}

TEST_CASE("slurm: a pilot asks for its node alone, and for a warning before its end") {
  const Command command = slurm().hold(settings(), {.name = "b1"}, "#!/bin/sh\n");
  CHECK(command.input == "#!/bin/sh\n");
  const auto has = [&](const std::string& word) {
    return std::find(command.arguments.begin(), command.arguments.end(), word) != command.arguments.end();
  };
  CHECK(has("--nodelist=b1"));
  CHECK(has("--partition=lend"));
  CHECK(has("--time=60"));
  CHECK(has("--signal=B:USR1@10"));
  CHECK(has("--job-name=dmm-b-slurm"));
  CHECK(has("--export=ALL"));
  CHECK(command.arguments[2].starts_with("exec env -i "));
}

TEST_CASE("slurm: the id of a pilot is read with or without its cluster") {
  CHECK(std::get<PilotId>(slurm().held("12;b\n")).text == "12");
  CHECK(std::get<PilotId>(slurm().held("12\n")).text == "12");
  CHECK(std::get<std::string>(slurm().held("sbatch: error\n")) == "sbatch said \"sbatch: error\n\"");
}

TEST_CASE("slurm: a pilot's time limit is moved to a whole hold from now") {
  const Command command = slurm().prolong(settings(), {{"7"}, "b1", true, seconds(1'200)});
  CHECK(command.arguments == std::vector<std::string>{"scontrol", "update", "jobid=7", "timelimit=+40"});
}

TEST_CASE("slurm: a waiting job that wants more nodes than its cluster has is marked as too large") {
  const Snapshot all = read("",
                            "4|PENDING|PartitionConfig|main|6|||UNLIMITED|N/A|wrap\n"
                            "5|PENDING|Resources|main|2|||UNLIMITED|N/A|wrap\n");
  REQUIRE(all.waiting.size() == 2);
  CHECK(all.waiting[0].too_large);
  CHECK_FALSE(all.waiting[1].too_large);
}

TEST_CASE("slurm: borrowed nodes are looked for among all nodes, each once") {
  BatchSettings borrowing = settings();
  borrowing.borrow.from = {"b/nodes"};
  borrowing.borrow.nodes_max = 2;
  REQUIRE(slurm().look(borrowing).size() == 3);
  CHECK(slurm().look(settings()).size() == 2);
  const std::string nodes =
      "a1|idle|2|4000|(null)|none\n"
      "lent2|idle|2|4000|lent|none\n"
      "lent2|idle|2|4000|lent|none\n"
      "lent3|idle|2|4000|lent|none\n";
  const std::vector<std::string> outputs{"", "", nodes};
  const auto read = slurm().read(borrowing, outputs);
  REQUIRE(std::holds_alternative<Snapshot>(read));
  REQUIRE(std::get<Snapshot>(read).guests.size() == 1);
  CHECK(std::get<Snapshot>(read).guests[0].name == "lent2");
}

TEST_CASE("slurm: what a borrowed node runs has the cluster's key and configuration as letters only") {
  BatchSettings borrowing = settings();
  borrowing.borrow.key_text = std::string("'\0$(reboot)", 11);
  borrowing.borrow.configuration_text = "ClusterName=a\n'; reboot\n";
  borrowing.borrow.processors = 4;
  const std::string script = slurm().guest_script(borrowing, "lent1");
  CHECK(script.find("reboot") == std::string::npos);
  CHECK(script.find("echo JwAkKHJlYm9vdCk= | basenc") != std::string::npos);
  CHECK(script.find("N=lent1\n") != std::string::npos);
  CHECK(script.find("-N $N --conf \"CPUs=4 ") != std::string::npos);
}

TEST_CASE("slurm: a node that is evicted is asked nothing any more where it was") {
  const std::string script = slurm().evict(settings(), "lent1").arguments.at(2);
  const std::size_t away = script.find("nodeaddr=127."), down = script.find("state=down"),
                    gone = script.find("scontrol delete");
  CHECK(away < down);
  CHECK(down < gone);
  CHECK(gone != std::string::npos);
}

}  // namespace dmm::slurm_test
