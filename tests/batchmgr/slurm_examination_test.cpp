// Findings about a Slurm cluster's configuration, as a real cluster prints it (Slurm 22.05), and the repairs.
#include <doctest/doctest.h>

#include <algorithm>

#include "batchmgr/systems/slurm_configuration.hpp"
#include "batchmgr/systems/slurm_examination.hpp"

namespace dmm::slurm_examination_test {
namespace {

/// A configuration with all that lending and borrowing need.
constexpr const char* good_configuration =
    "Configuration data as of 2026-11-28T01:09:55\n"
    "AuthInfo                = socket=/run/munge/munge.socket.2,cred_expire=5\n"
    "AuthType                = auth/munge\n"
    "MaxNodeCount            = 64\n"
    "PreemptMode             = CANCEL\n"
    "PreemptType             = preempt/partition_prio\n"
    "SelectType              = select/cons_tres\n"
    "SlurmctldHost[0]        = head(10.0.0.1)\n"
    "SlurmctldParameters     = enable_configless,preempt_send_user_signal\n"
    "SlurmdPort              = 6900\n"
    "SLURM_VERSION           = 22.05.8\n"
    "TreeWidth               = 65533\n"
    "\n"
    "Slurmctld(primary) at head is UP\n";

constexpr const char* good_partitions =
    "PartitionName=main AllowGroups=ALL Default=YES GraceTime=0 MaxTime=UNLIMITED Nodes=n[1-3] PriorityTier=1 "
    "PreemptMode=OFF State=UP TotalNodes=3\n"
    "PartitionName=lend AllowGroups=root Default=NO GraceTime=15 MaxTime=UNLIMITED Nodes=n[1-3] PriorityTier=0 "
    "PreemptMode=CANCEL State=UP TotalNodes=3\n";

constexpr const char* good_nodes =
    "NodeName=n1 NodeAddr=10.0.1.1 OS=Linux 6.1.0 #1 SMP  State=IDLE Partitions=main,lend \n"
    "NodeName=n2 NodeAddr=10.0.1.2 State=IDLE Partitions=main,lend \n"
    "NodeName=n3 NodeAddr=10.0.1.3 State=IDLE Partitions=main,lend \n";

BatchSettings settings() {
  BatchSettings settings;
  settings.site = SiteName("b");
  settings.grace = seconds(5);
  settings.borrow.from = {"a/nodes"};
  settings.borrow.nodes_max = 8;
  return settings;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

std::vector<Finding> examined(const std::string& configuration, const std::string& partitions = good_partitions,
                              const std::string& nodes = good_nodes) {
  const auto read = slurm::read_facts(configuration, partitions, nodes);
  REQUIRE(std::holds_alternative<slurm::Facts>(read));
  const slurm::Facts& facts = std::get<slurm::Facts>(read);
  std::vector<Finding> all = slurm::examine_lending(facts, settings());
  for (Finding& one : slurm::examine_borrowing(facts, settings(), "PartitionName=main Nodes=ALL Default=YES\n"))
    all.push_back(std::move(one));
  return all;
}

/// The subject of the only finding that isn't ok.
std::string only(const std::vector<Finding>& all, FindingKind kind) {
  std::string subjects;
  for (const Finding& one : all)
    if (one.kind != FindingKind::ok) {
      subjects += one.subject + ";";
      CHECK(one.kind == kind);
      CHECK_FALSE(one.change.empty());
    }
  return subjects;
}

}  // namespace

TEST_CASE("slurm examination: a cluster that has all that is needed is ok in every line") {
  const std::vector<Finding> all = examined(good_configuration);
  CHECK(all.size() == 19);
  CHECK(only(all, FindingKind::ok) == "");
}

TEST_CASE("slurm examination: each setting that is wrong in a cluster is found, and nothing else") {
  const auto without = [](const std::string& from, const std::string& to) {
    return only(examined(replaced(good_configuration, from, to)), FindingKind::change);
  };
  CHECK(without("preempt/partition_prio", "preempt/none") == "preemption;");
  CHECK(without("= CANCEL", "= OFF") == "preemption;");
  CHECK(without(",preempt_send_user_signal", "") == "warning of preemption;");
  CHECK(without("select/cons_tres", "select/linear") == "nodes that come and go;");
  CHECK(without("= 64\n", "= 10\n") == "room for nodes;");
  CHECK(without("= 65533", "= 16") == "messages to nodes;");
  CHECK(without(",cred_expire=5", "") == "jobs of returned nodes;");
  CHECK(without("auth/munge", "auth/slurm") == "authentication;");
}

TEST_CASE("slurm examination: each setting that is wrong for the partition of pilots is found, and nothing else") {
  const auto without = [](const std::string& from, const std::string& to, FindingKind kind = FindingKind::change) {
    return only(examined(good_configuration, replaced(good_partitions, from, to)), kind);
  };
  CHECK(without("PartitionName=lend", "PartitionName=other") == "partition of pilots;");
  CHECK(without("PriorityTier=0", "PriorityTier=1") == "priority of pilots;");
  CHECK(without("PreemptMode=CANCEL State=UP", "PreemptMode=SUSPEND State=UP") == "preemption of pilots;");
  CHECK(without("PreemptMode=CANCEL State=UP", "PreemptMode=CANCEL State=DOWN") == "partition of pilots;");
  CHECK(without("GraceTime=15", "GraceTime=9") == "grace of pilots;");
  CHECK(without("MaxTime=UNLIMITED Nodes=n[1-3] PriorityTier=0", "MaxTime=00:30:00 Nodes=n[1-3] PriorityTier=0") ==
        "time limit of pilots;");
  CHECK(without("AllowGroups=root", "AllowGroups=ALL", FindingKind::look) == "users of the partition;");
}

TEST_CASE("slurm examination: a setting that a person has to judge isn't called wrong") {
  const auto judged = [](const std::string& from, const std::string& to) {
    return only(examined(replaced(good_configuration, from, to)), FindingKind::look);
  };
  CHECK(judged("22.05.8", "21.08.5") == "Slurm;");
  CHECK(judged("preempt/partition_prio", "preempt/qos") == "preemption;");
  CHECK(judged("6900", "6818") == "port of borrowed nodes;");
  CHECK(judged("head(10.0.0.1)", "head") == "address of the head;");
  CHECK(judged("10.0.0.1", "127.0.0.1") == "address of the head;");
  const std::string fast = "PartitionName=fast PriorityTier=5 PreemptMode=OFF State=UP\n";
  const std::string partitions = replaced(good_partitions, "PreemptMode=OFF", "PreemptMode=CANCEL");
  CHECK(only(examined(good_configuration, fast + partitions), FindingKind::look) == "jobs of local users;");
  const auto named = [](const char* name) {
    const std::string nodes = replaced(good_nodes, "NodeName=n2", "NodeName=" + std::string(name));
    return only(examined(good_configuration, good_partitions, nodes), FindingKind::look);
  };
  CHECK(named("n:2") == "nodes to lend;");
  CHECK(named("Node-2").empty());
}

TEST_CASE("slurm examination: output that isn't that of scontrol is named") {
  const auto read = slurm::read_facts("slurm_load_ctl_conf error", "", "");
  CHECK(std::get<std::string>(read) == "scontrol show config said \"slurm_load_ctl_conf error\"");
}

TEST_CASE("slurm examination: the changes of slurm.conf keep the other lines and words") {
  const std::string text =
      "ClusterName=b\n"
      "# SelectType=select/linear is old\n"
      "selecttype=select/linear\n"
      "AuthInfo=socket=/run/munge  # ours\n"
      "NodeName=n[1-3] CPUs=2\n"
      "PartitionName=main Nodes=n[1-3] Default=YES  # all users\n";
  const std::vector<Edit> edits{{"", "SelectType", "select/cons_tres"},
                                {"", "AuthInfo", "cred_expire=5", true},
                                {"", "SlurmctldParameters", "preempt_send_user_signal", true},
                                {"main", "Nodes", "ALL"},
                                {"main", "PreemptMode", "OFF"},
                                {"other", "PriorityTier", "0"},
                                {"", "", "PartitionName=lend Nodes=n[1-3]"}};
  const slurm::Configured all = slurm::configured(text, edits);
  CHECK(all.text ==
        "ClusterName=b\n"
        "# SelectType=select/linear is old\n"
        "selecttype=select/cons_tres\n"
        "AuthInfo=socket=/run/munge,cred_expire=5  # ours\n"
        "SlurmctldParameters=preempt_send_user_signal\n"
        "NodeName=n[1-3] CPUs=2\n"
        "PartitionName=main Nodes=ALL Default=YES PreemptMode=OFF  # all users\n"
        "PartitionName=lend Nodes=n[1-3]\n");
  CHECK(all.by_hand == std::vector<std::string>{"partition other: PriorityTier=0"});
}

TEST_CASE("slurm examination: a new partition of pilots has the cluster's own nodes alone") {
  const std::string other = replaced(good_partitions, "PartitionName=lend", "PartitionName=debug");
  const auto line_of = [](const std::vector<Finding>& all) {
    const auto found = std::ranges::find(all, "partition of pilots", &Finding::subject);
    REQUIRE(found != all.end());
    REQUIRE(found->edits.size() == 1);
    return found->edits.front().value;
  };
  CHECK(line_of(examined(good_configuration, other)) ==
        "PartitionName=lend Nodes=n[1-3] PriorityTier=0 PreemptMode=CANCEL GraceTime=10 AllowGroups=root "
        "MaxTime=UNLIMITED State=UP");
  const std::string borrowed =
      std::string(good_nodes) + "NodeName=lent1 State=IDLE+DYNAMIC_NORM Partitions=main \n";
  CHECK(line_of(examined(good_configuration, other, borrowed)).find(" Nodes=n1,n2,n3 ") != std::string::npos);
}

}  // namespace dmm::slurm_examination_test
