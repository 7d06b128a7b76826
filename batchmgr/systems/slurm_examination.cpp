// One function for each precondition, in the order in which an administrator would mend them.
#include "batchmgr/systems/slurm_examination.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>

#include "batchmgr/lines.hpp"

namespace dmm::slurm {
namespace {

constexpr std::uint64_t tree_width_wanted = 65'533;
constexpr std::uint64_t slurmd_port_of_slurm = 6'818;  ///< if slurm.conf names none

struct Case {
  const Facts& facts;
  const BatchSettings& settings;
  std::string value(std::string_view key) const { return value_in(facts.configuration, key); }
  std::string key_is(std::string_view key) const { return std::string(key) + " is " + shown(value(key)); }
  static std::string shown(const std::string& text) { return text.empty() ? "not set" : text; }
};

Finding ok(std::string subject, std::string found) {
  return {FindingKind::ok, std::move(subject), std::move(found)};
}
Finding look(std::string subject, std::string found, std::string change) {
  return {FindingKind::look, std::move(subject), std::move(found), std::move(change)};
}
Finding change(std::string subject, std::string found, std::string change, std::vector<Edit> edits = {}) {
  return {FindingKind::change, std::move(subject), std::move(found), std::move(change), std::move(edits)};
}

std::string whole_seconds(Duration length) {
  return std::to_string(static_cast<std::int64_t>(length.in_seconds())) + " s";
}

/// What GraceTime has to be, in whole seconds.
std::string grace_text(const BatchSettings& settings) {
  return std::to_string(static_cast<std::int64_t>(std::ceil(grace_wanted(settings).in_seconds())));
}

// ---- lending ----

Finding version_of(const Case& one) {
  const std::string version = one.value("SLURM_VERSION");
  const auto parts = lines::split(version, '.');
  const std::uint64_t year = lines::number_in(parts[0]).value_or(0);
  const std::uint64_t month = parts.size() > 1 ? lines::number_in(parts[1]).value_or(0) : 0;
  if (year > 22 || (year == 22 && month >= 5)) return ok("Slurm", version);
  return look("Slurm", version, "DMM was tried with 22.05 and later");
}

Finding preemption_of(const Case& one) {
  const std::string type = one.value("PreemptType");
  const std::string found = one.key_is("PreemptType") + ", " + one.key_is("PreemptMode");
  if (type == "preempt/qos")
    return look("preemption", found,
                "pilots leave when the batch manager recalls them (recall_after_seconds), unless the QOS of local "
                "jobs preempts that of pilots");
  if (type == "preempt/partition_prio" && !lists(one.value("PreemptMode"), "OFF")) return ok("preemption", found);
  return change("preemption", found, "in slurm.conf: PreemptType=preempt/partition_prio and PreemptMode=CANCEL",
                {{"", "PreemptType", "preempt/partition_prio"}, {"", "PreemptMode", "CANCEL"}});
}

Finding warning_of(const Case& one) {
  if (lists(one.value("SlurmctldParameters"), "preempt_send_user_signal"))
    return ok("warning of preemption", "pilots hear at once that their node is wanted");
  return change("warning of preemption", one.key_is("SlurmctldParameters"),
                "in slurm.conf: add preempt_send_user_signal to SlurmctldParameters; else local jobs wait for the "
                "whole GraceTime",
                {{"", "SlurmctldParameters", "preempt_send_user_signal", true}});
}

Finding priority_of(const Case& one, const Record& lend) {
  const std::uint64_t tier = count_in(lend, "PriorityTier");
  std::string above;  // partitions that pilots wouldn't yield to
  for (const Record& other : one.facts.partitions)
    if (&other != &lend && count_in(other, "PriorityTier") <= tier)
      lines::add_to(above, value_in(other, "PartitionName"));
  const std::string found = "PriorityTier is " + std::to_string(tier);
  if (above.empty()) return ok("priority of pilots", found + ", below all others");
  return change(
      "priority of pilots", found + ", and no lower than that of " + above,
      "in slurm.conf: give partition " + one.settings.partition + " a lower PriorityTier; 0 is the lowest",
      {{one.settings.partition, "PriorityTier", "0"}});
}

Finding mode_of(const Case& one, const Record& lend) {
  const std::string mode = value_in(lend, "PreemptMode");
  if (mode == "CANCEL" || mode == "REQUEUE") return ok("preemption of pilots", "PreemptMode is " + mode);
  return change("preemption of pilots", "PreemptMode is " + Case::shown(mode),
                "in slurm.conf: PreemptMode=CANCEL for partition " + one.settings.partition,
                {{one.settings.partition, "PreemptMode", "CANCEL"}});
}

Finding grace_of(const Case& one, const Record& lend) {
  const Duration given = seconds(static_cast<std::int64_t>(count_in(lend, "GraceTime")));
  const Duration wanted = grace_wanted(one.settings);
  const std::string found = "GraceTime is " + whole_seconds(given);
  if (given >= wanted) return ok("grace of pilots", found);
  const std::string enough = grace_text(one.settings);
  return change("grace of pilots", found,
                "in slurm.conf: GraceTime=" + enough + " or more for partition " + one.settings.partition +
                    ": grace_seconds, and 5 s for the agent",
                {{one.settings.partition, "GraceTime", enough}});
}

Finding limit_of(const Case& one, const Record& lend) {
  const std::string text = value_in(lend, "MaxTime");
  const auto limit = time_in(text);
  const std::string found = "MaxTime is " + Case::shown(text);
  if (!limit || *limit >= one.settings.hold) return ok("time limit of pilots", found);
  return change("time limit of pilots", found + ", and hold_seconds is " + whole_seconds(one.settings.hold),
                "in slurm.conf: a longer MaxTime for partition " + one.settings.partition +
                    "; or a shorter hold_seconds in the batch manager's configuration");
}

Finding groups_of(const Case& one, const Record& lend) {
  const std::string groups = value_in(lend, "AllowGroups");
  if (groups != "ALL" && !groups.empty()) return ok("users of the partition", "AllowGroups is " + groups);
  return look("users of the partition", "all users may submit to partition " + one.settings.partition,
              "in slurm.conf: AllowGroups=root for it keeps other users' jobs out of the pilots' partition");
}

/// With preemption by partition, jobs of one partition of users may end those of another.
Finding others_of(const Case& one, const Record& lend) {
  std::uint64_t highest = 0;
  for (const Record& other : one.facts.partitions)
    if (&other != &lend) highest = std::max(highest, count_in(other, "PriorityTier"));
  std::string weak;
  for (const Record& other : one.facts.partitions)
    if (&other != &lend && count_in(other, "PriorityTier") < highest && value_in(other, "PreemptMode") != "OFF")
      lines::add_to(weak, value_in(other, "PartitionName"));
  if (weak.empty() || one.value("PreemptType") != "preempt/partition_prio")
    return ok("jobs of local users", "no partition of local users is preempted by another one");
  return look("jobs of local users", "jobs of partition " + weak + " may be preempted by other partitions",
              "in slurm.conf: PreemptMode=OFF for partitions where that isn't wanted");
}

std::vector<const Record*> nodes_in(const Facts& facts, const std::string& partition) {
  std::vector<const Record*> found;
  for (const Record& node : facts.nodes)
    if (lists(value_in(node, "Partitions"), partition)) found.push_back(&node);
  return found;
}

bool is_name_for_dmm(const std::string& name) {
  return std::ranges::all_of(name, [](unsigned char letter) {
    return std::isalnum(letter) || letter == '.' || letter == '-' || letter == '_';
  });
}

Finding nodes_of(const Case& one) {
  const auto nodes = nodes_in(one.facts, one.settings.partition);
  if (nodes.empty())
    return change("nodes to lend", "partition " + one.settings.partition + " has none",
                  "in slurm.conf: Nodes= of this partition names those that may be lent");
  std::string odd;
  for (const Record* node : nodes)
    if (const std::string name = value_in(*node, "NodeName"); !is_name_for_dmm(name)) lines::add_to(odd, name);
  if (odd.empty()) return ok("nodes to lend", std::to_string(nodes.size()));
  return look("nodes to lend", odd + " can't be held",
              "names may have letters, digits, dots, dashes and underscores");
}

/// The cluster's own nodes: a borrowed one is never lent on. In the short form of a partition that has them all.
std::string own_nodes(const Facts& facts) {
  std::string list;
  std::uint64_t count = 0;
  for (const Record& node : facts.nodes) {
    if (value_in(node, "State").find("DYNAMIC") != std::string::npos) continue;
    lines::add_to(list, value_in(node, "NodeName"), ",");
    ++count;
  }
  if (count == facts.nodes.size())
    for (const Record& partition : facts.partitions)
      if (count_in(partition, "TotalNodes") == count) return value_in(partition, "Nodes");
  return list;
}

Finding without_lend(const Case& one) {
  const std::string& name = one.settings.partition;
  return change("partition of pilots", "there is none called " + name,
                "in slurm.conf: add it, as `dmm slurm configure` shows",
                {{"", "",
                  "PartitionName=" + name + " Nodes=" + own_nodes(one.facts) +
                      " PriorityTier=0 PreemptMode=CANCEL GraceTime=" + grace_text(one.settings) +
                      " AllowGroups=root MaxTime=UNLIMITED State=UP"}});
}

// ---- borrowing ----

Finding selection_of(const Case& one) {
  if (one.value("SelectType") == "select/cons_tres") return ok("nodes that come and go", one.key_is("SelectType"));
  return change("nodes that come and go", one.key_is("SelectType"), "in slurm.conf: SelectType=select/cons_tres",
                {{"", "SelectType", "select/cons_tres"}});
}

Finding room_of(const Case& one) {
  const std::uint64_t wanted = nodes_wanted(one.facts, one.settings);
  if (count_in(one.facts.configuration, "MaxNodeCount") >= wanted)
    return ok("room for nodes", one.key_is("MaxNodeCount"));
  return change("room for nodes", one.key_is("MaxNodeCount"),
                "in slurm.conf: MaxNodeCount=" + std::to_string(wanted) + " or more: own nodes and borrowed ones",
                {{"", "MaxNodeCount", std::to_string(wanted)}});
}

Finding tree_of(const Case& one) {
  const std::uint64_t width = count_in(one.facts.configuration, "TreeWidth");
  const std::uint64_t nodes =
      std::max(count_in(one.facts.configuration, "MaxNodeCount"), nodes_wanted(one.facts, one.settings));
  if (width >= std::min(nodes, tree_width_wanted)) return ok("messages to nodes", one.key_is("TreeWidth"));
  return change("messages to nodes", one.key_is("TreeWidth"),
                "in slurm.conf: TreeWidth=65533; else Slurm passes messages on through borrowed nodes",
                {{"", "TreeWidth", std::to_string(tree_width_wanted)}});
}

Finding port_of(const Case& one) {
  if (count_in(one.facts.configuration, "SlurmdPort") != slurmd_port_of_slurm)
    return ok("port of borrowed nodes", one.key_is("SlurmdPort"));
  return look("port of borrowed nodes", one.key_is("SlurmdPort") + ", Slurm's default",
              "in slurm.conf: another SlurmdPort, if owners use this one: on their nodes it is taken");
}

Finding requeue_of(const Case& one) {
  if (one.value("AuthInfo").find("cred_expire=") != std::string::npos)
    return ok("jobs of returned nodes", one.key_is("AuthInfo"));
  return change("jobs of returned nodes", one.key_is("AuthInfo"),
                "in slurm.conf: add cred_expire=5 to AuthInfo; else they wait two minutes before they run again",
                {{"", "AuthInfo", "cred_expire=5", true}});
}

Finding authentication_of(const Case& one) {
  if (one.value("AuthType") == "auth/munge") return ok("authentication", one.key_is("AuthType"));
  return change("authentication", one.key_is("AuthType"), "borrowed nodes join clusters with auth/munge alone");
}

Finding head_of(const Case& one) {
  const std::string host = one.value("SlurmctldHost[0]");
  if (host.find("127.") != std::string::npos || host.find("localhost") != std::string::npos)
    return look("address of the head", host, "nodes of other hosts can't reach a loopback address");
  if (host.find('(') != std::string::npos) return ok("address of the head", host);
  return look("address of the head", host,
              "in slurm.conf: SlurmctldHost=NAME(ADDRESS), unless owners' nodes know this name");
}

Finding partition_of_all(const Facts& facts, std::string_view configuration) {
  for (const std::string_view line : lines::lines_of(configuration))
    if (line.starts_with("PartitionName=") && line.find(" Nodes=ALL") != std::string_view::npos)
      return ok("partition of borrowed nodes", std::string(lines::split(line, ' ').front()));
  std::vector<Edit> edits;
  for (const Record& partition : facts.partitions)
    if (value_in(partition, "Default") == "YES")
      edits.push_back({value_in(partition, "PartitionName"), "Nodes", "ALL"});
  return change("partition of borrowed nodes", "no partition has Nodes=ALL",
                "in slurm.conf: Nodes=ALL for the partition that borrowed nodes are to be in", std::move(edits));
}

}  // namespace

Duration grace_wanted(const BatchSettings& settings) { return settings.grace + seconds(5); }

std::uint64_t nodes_wanted(const Facts& facts, const BatchSettings& settings) {
  return facts.nodes.size() + settings.borrow.nodes_max;
}

std::vector<Finding> examine_lending(const Facts& facts, const BatchSettings& settings) {
  const Case one{facts, settings};
  std::vector<Finding> all{version_of(one), preemption_of(one), warning_of(one)};
  const Record* const lend = find_partition(facts, settings.partition);
  if (!lend) {
    all.push_back(without_lend(one));
    return all;
  }
  const bool is_up = value_in(*lend, "State") == "UP";
  all.push_back(is_up ? ok("partition of pilots", settings.partition)
                      : change("partition of pilots", settings.partition + " is " + value_in(*lend, "State"),
                               "scontrol update partitionname=" + settings.partition + " state=up"));
  for (auto* examine : {priority_of, mode_of, grace_of, limit_of, groups_of, others_of})
    all.push_back(examine(one, *lend));
  all.push_back(nodes_of(one));
  return all;
}

std::vector<Finding> examine_borrowing(const Facts& facts, const BatchSettings& settings,
                                       std::string_view configuration) {
  const Case one{facts, settings};
  std::vector<Finding> all;
  for (auto* examine : {selection_of, room_of, tree_of, port_of, requeue_of, authentication_of, head_of})
    all.push_back(examine(one));
  all.push_back(partition_of_all(facts, configuration));
  return all;
}

}  // namespace dmm::slurm
