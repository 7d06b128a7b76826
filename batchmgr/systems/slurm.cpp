// How the commands of Slurm are called, and how their output is read.
#include "batchmgr/systems/slurm.hpp"

#include <algorithm>
#include <optional>

#include "batchmgr/systems/lines.hpp"

namespace dmm {
namespace slurm {
namespace {

/// Fields of a line; the last one may have bars in it.
constexpr std::string_view node_format = "%N|%T|%c|%m|%f|%E";
constexpr std::size_t node_fields = 6;
constexpr std::string_view job_format = "%i|%T|%r|%P|%D|%N|%n|%L|%j";
constexpr std::size_t job_fields = 9;

/// A time as Slurm writes it, "1-02:03:04" or "03:04"; nothing for words such as UNLIMITED.
std::optional<Duration> time_in(std::string_view text) {
  std::uint64_t days = 0, total = 0;
  if (const std::size_t dash = text.find('-'); dash != std::string_view::npos) {
    const auto given = lines::number_in(text.substr(0, dash));
    if (!given) return std::nullopt;
    days = *given;
    text.remove_prefix(dash + 1);
  }
  for (const std::string_view part : lines::split(text, ':')) {
    const auto given = lines::number_in(part);
    if (!given) return std::nullopt;
    total = total * 60 + *given;
  }
  return seconds(static_cast<std::int64_t>(days * 86'400 + total));
}

/// Slurm marks states by a last letter: "down*" doesn't answer, "idle~" is switched off.
NodeUse use_of(std::string_view state) {
  if (state.ends_with('*')) return NodeUse::down;
  if (state == "idle") return NodeUse::idle;
  if (state.starts_with("drain")) return NodeUse::drained;
  const bool is_busy = state.starts_with("alloc") || state.starts_with("mix") || state.starts_with("compl") ||
                       state.starts_with("reserved") || state.starts_with("planned");
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

WhyNot take_job(const BatchSettings& settings, std::string_view line, Snapshot& all) {
  const auto fields = lines::split(line, '|', job_fields);
  const auto nodes =
      fields.size() == job_fields ? lines::number_in(lines::split(fields[4], '-').front()) : std::nullopt;
  if (!nodes) return "squeue said \"" + std::string(line) + "\"";
  const std::string_view state = fields[1];
  if (fields[8] == pilot_name(settings)) {
    const std::string_view node = fields[5].empty() ? fields[6] : fields[5];
    all.pilots.push_back({{std::string(fields[0])},
                          std::string(node),
                          state != "PENDING" && state != "CONFIGURING",
                          time_in(fields[7]).value_or(Duration{})});
  } else if (state == "PENDING" && fields[3] != settings.partition && waits_for_nodes(fields[2])) {
    all.waiting.push_back({std::string(fields[0]),
                           static_cast<std::uint32_t>(std::clamp<std::uint64_t>(*nodes, 1, UINT32_MAX)),
                           std::string(fields[2])});
  }
  return {};
}

std::vector<Command> look(const BatchSettings& settings) {
  return {{{"sinfo", "--noheader", "--Node", "--partition=" + settings.partition,
            "--format=" + std::string(node_format)}},
          {{"squeue", "--noheader", "--all", "--format=" + std::string(job_format)}}};
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
  return all;
}

Command hold(const BatchSettings& settings, const BatchNode& node, const std::string& script) {
  // Before its time limit a pilot is told to leave as if its node were wanted; Slurm counts in whole seconds.
  const auto warning = static_cast<std::int64_t>(settings.grace.in_seconds()) + 5;
  return {{"sbatch", "--parsable", "--partition=" + settings.partition, "--nodelist=" + node.name, "--nodes=1",
           "--exclusive", "--no-requeue", "--time=" + lines::minutes_of(settings.hold),
           "--signal=B:USR1@" + std::to_string(warning), "--job-name=" + pilot_name(settings),
           "--output=/dev/null", "--chdir=/", "--export=NONE"},
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

}  // namespace
}  // namespace slurm

const BatchSystem slurm_system{"slurm",     slurm::look,   slurm::read,     slurm::hold,
                               slurm::held, slurm::recall, slurm::withdraw, slurm::prolong};

}  // namespace dmm
