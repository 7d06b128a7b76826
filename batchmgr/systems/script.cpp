// What the four programs of a site are called with, and how their lines are read.
#include "batchmgr/systems/script.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "batchmgr/lines.hpp"

namespace dmm {
namespace script {
namespace {

std::string program_of(const BatchSettings& settings, const char* name) { return settings.programs + '/' + name; }

std::uint32_t narrow(std::uint64_t number) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(number, std::numeric_limits<std::uint32_t>::max()));
}

using NamedUse = std::pair<std::string_view, NodeUse>;
constexpr std::array<NamedUse, 5> uses{NamedUse{"idle", NodeUse::idle}, NamedUse{"busy", NodeUse::busy},
                                       NamedUse{"reserved", NodeUse::reserved},
                                       NamedUse{"drained", NodeUse::drained}, NamedUse{"down", NodeUse::down}};

/// node NAME STATE PROCESSORS MEGABYTES FEATURES REASON
bool take_node(std::string_view line, Snapshot& all) {
  const auto words = lines::split(line, ' ', 7);
  if (words.size() < 6) return false;
  const auto use = std::ranges::find(uses, words[2], &NamedUse::first);
  const auto processors = lines::number_in(words[3]), memory = lines::number_in(words[4]);
  if (use == uses.end() || !processors || !memory) return false;
  BatchNode node{std::string(words[1]), use->second, narrow(*processors), *memory * lines::megabyte};
  node.state = words[2];
  if (words[5] != "-")
    for (const std::string_view feature : lines::split(words[5], ',')) node.features.emplace_back(feature);
  if (words.size() == 7) node.reason = words[6];
  all.nodes.push_back(std::move(node));
  return true;
}

/// pilot ID NODE runs|waits SECONDS
bool take_pilot(std::string_view line, Snapshot& all) {
  const auto words = lines::split(line, ' ');
  const auto left = words.size() == 5 ? lines::number_in(words[4]) : std::nullopt;
  if (!left || (words[3] != "runs" && words[3] != "waits")) return false;
  all.pilots.push_back({{std::string(words[1])},
                        std::string(words[2]),
                        words[3] == "runs",
                        seconds(static_cast<std::int64_t>(narrow(*left)))});
  return true;
}

/// waiting ID NODES REASON
bool take_waiting(std::string_view line, Snapshot& all) {
  const auto words = lines::split(line, ' ', 4);
  const auto nodes = words.size() >= 3 ? lines::number_in(words[2]) : std::nullopt;
  if (!nodes || *nodes == 0) return false;
  all.waiting.push_back({std::string(words[1]), narrow(*nodes), std::string(words.size() == 4 ? words[3] : "")});
  return true;
}

/// planned SECONDS
bool take_planned(std::string_view line, Snapshot& all) {
  const auto words = lines::split(line, ' ');
  const auto start = words.size() == 2 ? lines::number_in(words[1]) : std::nullopt;
  if (!start) return false;
  const auto at = static_cast<std::int64_t>(narrow(*start));
  all.planned = std::min(all.planned.value_or(at), at);
  return true;
}

bool take_line(std::string_view line, Snapshot& all) {
  if (line.starts_with("node ")) return take_node(line, all);
  if (line.starts_with("pilot ")) return take_pilot(line, all);
  if (line.starts_with("planned ")) return take_planned(line, all);
  return line.starts_with("waiting ") && take_waiting(line, all);
}

std::vector<Command> look(const BatchSettings& settings) {
  return {{{program_of(settings, "look"), settings.partition, pilot_name(settings)}}};
}

OrFault<Snapshot> read(const BatchSettings&, std::span<const std::string> outputs) {
  Snapshot all;
  for (const std::string_view line : lines::lines_of(outputs[0]))
    if (!take_line(line, all))
      return "the program look said \"" + std::string(line) +
             "\"; expected a line node, pilot, waiting or planned";
  std::ranges::sort(all.nodes, {}, &BatchNode::name);
  return all;
}

Command hold(const BatchSettings& settings, const BatchNode& node, const std::string& script) {
  return {{program_of(settings, "hold"), settings.partition, pilot_name(settings), node.name,
           lines::minutes_of(settings.hold)},
          script};
}

OrFault<PilotId> held(const std::string& output) {
  const auto lines = lines::lines_of(output);
  if (lines.size() != 1) return "the program hold said \"" + output + "\"; expected the id of the pilot";
  return PilotId{std::string(lines.front())};
}

Command recall(const BatchSettings& settings, const Pilot& pilot) {
  return {{program_of(settings, "recall"), pilot.id.text}};
}

Command withdraw(const BatchSettings& settings, const Pilot& pilot) {
  return {{program_of(settings, "withdraw"), pilot.id.text}};
}

constexpr std::array<const char*, 4> programs{"look", "hold", "recall", "withdraw"};

std::vector<Command> questions(const BatchSettings& settings) {
  std::vector<Command> all = look(settings);
  for (const char* name : programs) all.push_back({{"test", "-x", program_of(settings, name)}});
  return all;
}

Finding examine_look(const BatchSettings& settings, const CommandEnded& ended) {
  if (ended.status != 0)
    return {FindingKind::change, "the program look", ended.error.empty() ? "it fails" : ended.error,
            "run it as the batch manager does: " + program_of(settings, "look") + " " + settings.partition + " " +
                pilot_name(settings)};
  const auto all = read(settings, {&ended.output, 1});
  if (const auto* fault = std::get_if<std::string>(&all))
    return {FindingKind::change, "the program look", *fault, "docs/slurm.md, section 8, has the lines"};
  const std::size_t nodes = std::get<Snapshot>(all).nodes.size();
  if (nodes == 0)
    return {FindingKind::change, "nodes to lend", "the program look names none", "a line for each node"};
  return {FindingKind::ok, "nodes to lend", std::to_string(nodes)};
}

std::vector<Finding> examine(const BatchSettings& settings, std::span<const CommandEnded> ends) {
  std::vector<Finding> all;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    const std::string path = program_of(settings, programs[i]);
    const bool is_there = ends[i + 1].status == 0;
    all.push_back({is_there ? FindingKind::ok : FindingKind::change, std::string("the program ") + programs[i],
                   path, is_there ? "" : "a program has to be there that this account may run"});
  }
  all.push_back(examine_look(settings, ends[0]));
  return all;
}

}  // namespace
}  // namespace script

const BatchSystem script_system{"script",          script::look,     script::read, script::hold, script::held,
                                script::recall,    script::withdraw, nullptr,      nullptr,      nullptr,
                                script::questions, script::examine,  nullptr};

}  // namespace dmm
