// How the commands of Slurm are called, and how their output is read.
#include "batchmgr/systems/slurm.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "batchmgr/lines.hpp"
#include "batchmgr/systems/slurm_guest.hpp"
#include "batchmgr/systems/slurm_questions.hpp"

namespace dmm {
namespace slurm {
namespace {

/// Fields of a line; the last one may have bars in it.
constexpr std::string_view node_format = "%N|%T|%c|%m|%f|%E";
constexpr std::size_t node_fields = 6;
constexpr std::string_view job_format = "%i|%T|%r|%P|%D|%N|%n|%L|%S|%j";
constexpr std::size_t job_fields = 10;

/// Slurm marks states by a last letter: "down*" doesn't answer, "idle~" is switched off.
NodeUse use_of(std::string_view state) {
  if (state.ends_with('*')) return NodeUse::down;
  if (state == "idle") return NodeUse::idle;
  if (state.starts_with("drain")) return NodeUse::drained;
  if (state.starts_with("compl") || state.starts_with("planned")) return NodeUse::planned;
  if (state.starts_with("reserved") || state.starts_with("maint")) return NodeUse::reserved;
  const bool is_busy = state.starts_with("alloc") || state.starts_with("mix");
  return is_busy ? NodeUse::busy : NodeUse::down;
}

OrFault<BatchNode> node_in(std::string_view line) {
  const auto fields = lines::split(line, '|', node_fields);
  if (fields.size() != node_fields) return "sinfo said \"" + std::string(line) + "\"";
  BatchNode node;
  node.name = fields[0];
  node.state = fields[1];
  node.use = use_of(fields[1]);
  const auto processors = lines::number_in(fields[2]), memory = lines::number_in(fields[3]);
  if (!processors || !memory) return "sinfo said \"" + std::string(line) + "\"";
  node.processors = static_cast<std::uint32_t>(std::min<std::uint64_t>(*processors, UINT32_MAX));
  node.memory_bytes = *memory * lines::megabyte;
  if (fields[4] != "(null)")
    for (const std::string_view feature : lines::split(fields[4], ',')) node.features.emplace_back(feature);
  if (fields[5] != "none") node.reason = fields[5];
  return node;
}

/// Whether more nodes may let a job start that waits for this. Others wait for a time, for another job, for
/// their administrator, or for ever. A job that Slurm hasn't looked at yet has no reason.
bool waits_for_nodes(std::string_view reason) {
  return reason == "None" || reason == "Resources" || reason == "Priority" || reason.starts_with("Nodes_required");
}

bool waits_for_more_nodes(std::string_view reason) {
  return reason == "PartitionConfig" || reason == "PartitionNodeLimit";
}

WhyNot take_job(const BatchSettings& settings, std::string_view line, Snapshot& all) {
  const auto fields = lines::split(line, '|', job_fields);
  const auto nodes =
      fields.size() == job_fields ? lines::number_in(lines::split(fields[4], '-').front()) : std::nullopt;
  if (!nodes) return "squeue said \"" + std::string(line) + "\"";
  const std::string_view state = fields[1];
  if (fields[9] == pilot_name(settings)) {
    const std::string_view node = fields[5].empty() ? fields[6] : fields[5];
    all.pilots.push_back({{std::string(fields[0])},
                          std::string(node),
                          state != "PENDING" && state != "CONFIGURING",
                          time_in(fields[7]).value_or(Duration{})});
    return {};
  }
  if (state != "PENDING" || fields[3] == settings.partition) return {};
  if (const auto start = lines::number_in(fields[8])) {
    const auto at = static_cast<std::int64_t>(std::min<std::uint64_t>(*start, UINT32_MAX));
    all.planned = std::min(all.planned.value_or(at), at);
  }
  if (waits_for_nodes(fields[2]) || waits_for_more_nodes(fields[2]))
    all.waiting.push_back({std::string(fields[0]),
                           static_cast<std::uint32_t>(std::clamp<std::uint64_t>(*nodes, 1, UINT32_MAX)),
                           std::string(fields[2]), waits_for_more_nodes(fields[2])});
  return {};
}

std::vector<Command> look(const BatchSettings& settings) {
  const std::string nodes = "--format=" + std::string(node_format);
  std::vector<Command> commands{
      {{"sinfo", "--noheader", "--Node", "--partition=" + settings.partition, nodes}},
      {{"env", "SLURM_TIME_FORMAT=%s", "squeue", "--noheader", "--all", "--format=" + std::string(job_format)}}};
  if (settings.borrow.is_on()) commands.push_back({{"sinfo", "--noheader", "--Node", nodes}});
  return commands;
}

/// A node is listed once for each of its partitions.
WhyNot take_guests(const BatchSettings& settings, std::string_view text, Snapshot& all) {
  const std::vector<std::string> all_names = guest_names(settings.borrow);
  std::set<std::string> names(all_names.begin(), all_names.end());
  for (const std::string_view line : lines::lines_of(text)) {
    auto node = node_in(line);
    if (auto* fault = std::get_if<std::string>(&node)) return std::move(*fault);
    BatchNode& one = std::get<BatchNode>(node);
    if (names.erase(one.name) > 0) all.guests.push_back(std::move(one));
  }
  std::ranges::sort(all.guests, {}, &BatchNode::name);
  return {};
}

OrFault<Snapshot> read(const BatchSettings& settings, std::span<const std::string> outputs) {
  Snapshot all;
  for (const std::string_view line : lines::lines_of(outputs[0])) {
    auto node = node_in(line);
    if (auto* fault = std::get_if<std::string>(&node)) return std::move(*fault);
    all.nodes.push_back(std::move(std::get<BatchNode>(node)));
  }
  for (const std::string_view line : lines::lines_of(outputs[1]))
    if (WhyNot fault = take_job(settings, line, all); !fault.empty()) return fault;
  std::ranges::sort(all.nodes, {}, &BatchNode::name);
  if (outputs.size() > 2)
    if (WhyNot fault = take_guests(settings, outputs[2], all); !fault.empty()) return fault;
  return all;
}

Command hold(const BatchSettings& settings, const BatchNode& node, const std::string& script) {
  // Before its time limit a pilot is told to leave as if its node were wanted; Slurm counts in whole seconds.
  const auto warning = static_cast<std::int64_t>(settings.grace.in_seconds()) + 5;
  // With --export=NONE Slurm would start the account's login shell, which takes seconds for some.
  return {
      {"sh", "-c", "exec env -i PATH=\"$PATH\" ${SLURM_CONF:+SLURM_CONF=\"$SLURM_CONF\"} \"$@\"", "hold", "sbatch",
       "--parsable", "--partition=" + settings.partition, "--nodelist=" + node.name, "--nodes=1", "--exclusive",
       "--no-requeue", "--time=" + lines::minutes_of(settings.hold), "--signal=B:USR1@" + std::to_string(warning),
       "--job-name=" + pilot_name(settings), "--output=/dev/null", "--chdir=/", "--export=ALL"},
      script};
}

/// "123", or "123;cluster".
OrFault<PilotId> held(const std::string& output) {
  const std::string_view id = std::string_view(output).substr(0, output.find_first_of(";\n"));
  if (!lines::number_in(id)) return "sbatch said \"" + output + "\"";
  return PilotId{std::string(id)};
}

Command recall(const BatchSettings&, const Pilot& pilot) {
  return {{"scancel", "--batch", "--signal=USR1", pilot.id.text}};
}

Command withdraw(const BatchSettings&, const Pilot& pilot) { return {{"scancel", pilot.id.text}}; }

Command prolong(const BatchSettings& settings, const Pilot& pilot) {
  const Duration more = std::max(settings.hold - pilot.left, Duration{});
  return {{"scontrol", "update", "jobid=" + pilot.id.text, "timelimit=+" + lines::minutes_of(more)}};
}

// ---- borrowed nodes ----

/// Slurm asks the node of a job that it puts back to end the job there, for some ten seconds at the node's address. No
/// process is left there to hear it. So the address is one where nothing listens: another borrowed node may be there by
/// then, and the job again on it.
Command evict(const BatchSettings&, const std::string& node) {
  return {{"sh", "-c",
           "scontrol update nodename=\"$1\" nodeaddr=127.0.0.2; "
           "scontrol update nodename=\"$1\" state=down reason=\"its lease is over\" && scontrol delete "
           "nodename=\"$1\"",
           "evict", node}};
}

}  // namespace
}  // namespace slurm

const BatchSystem slurm_system{
    "slurm",          slurm::look,     slurm::read,    slurm::hold,         slurm::held,
    slurm::recall,    slurm::withdraw, slurm::prolong, slurm::guest_script, slurm::evict,
    slurm::questions, slurm::examine,  slurm::try_on};

}  // namespace dmm
