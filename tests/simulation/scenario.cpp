// The commands of a scenario; see scenario.hpp. What `show` prints is in scenario_show.cpp.
#include "scenario.hpp"

#include <algorithm>
#include <stdexcept>

#include "protocol/programs.hpp"
#include "protocol/text.hpp"
#include "simulator/checkers/timeline.hpp"
#include "topologies/topology.hpp"

namespace dmm {
namespace {

using Json = nlohmann::json;

[[noreturn]] void refuse(const std::string& why) { throw std::runtime_error(why); }

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);)
    if (!part.empty()) parts.push_back(part);
  return parts;
}

std::vector<std::string> words_of(std::string line) {
  line = line.substr(0, line.find('#'));
  return split(line, ' ');
}

/// A JSON value, or the text itself if it isn't JSON.
Json value_of(const std::string& text) {
  Json value = Json::parse(text, nullptr, false);
  return value.is_discarded() ? Json(text) : value;
}

/// Puts a value at a path like "policies.target".
void put(Json& at, const std::string& key, const std::string& value) {
  Json* target = &at;
  for (const std::string& part : split(key, '.')) target = &(*target)[part];
  *target = value_of(value);
}

Json cluster_of(const std::string& name, const std::string& size) {
  const auto parts = split(size, 'x');
  Json cluster{{"name", name}, {"nodes", value_of(parts.at(0))}};
  if (parts.size() > 1) cluster["processors_per_node"] = value_of(parts[1]);
  return cluster;
}

bool is_break(const std::string& line) { return line == "----"; }

}  // namespace

Scenario::Scenario() {
  grid_ = {{"name", "scenario"}, {"sites", Json::array()}};
  settings_.network.latency = milliseconds(10);
}

std::string Scenario::replay(const std::string& text) {
  std::istringstream in(text);
  std::ostringstream out;
  std::string commands;
  bool answering = false;
  int number = 0, first = 1;  // of the line, and of the first line of the block
  for (std::string one; std::getline(in, one);) {
    ++number;
    if (answering) {  // the file's expectation is replaced by what happens
      answering = !one.empty();
      if (!answering) out << "\n";
      continue;
    }
    out << one << "\n";
    if (!is_break(one)) {
      if (commands.empty()) first = number;
      commands += one + "\n";
      continue;
    }
    out << run(std::exchange(commands, {}), first);
    answering = true;
  }
  if (!words_of(commands).empty() && commands.find_first_not_of(" \n") != std::string::npos)
    refuse("the last commands have no \"----\" behind them");
  return out.str();
}

std::string Scenario::run(const std::string& commands, int number) {
  out_.str({});
  std::istringstream in(commands);
  for (std::string text; std::getline(in, text); ++number) {
    const Words words = words_of(text);
    if (words.empty()) continue;
    const auto refuse_line = [&](const std::string& why) {
      refuse("line " + std::to_string(number) + ", \"" + text + "\": " + why);
    };
    try {
      command(words);
    } catch (const std::out_of_range&) {  // of `words`, or of a number
      refuse_line("a word is missing, or a number is too large; scenario.hpp lists the commands");
    } catch (const std::invalid_argument&) {
      refuse_line("expected a number; scenario.hpp lists the commands");
    } catch (const std::exception& error) {
      refuse_line(error.what());
    }
  }
  tell();
  return out_.str();
}

void Scenario::command(const Words& words) {
  if (describe(words)) return;
  if (!world_) build();
  const std::string& verb = words[0];
  if (verb == "submit") return submit(words);
  if (verb == "run-until") return run_until(from_text(words.at(1)));
  if (verb == "stabilize") return stabilize(words.size() > 1 ? from_seconds(std::stod(words[1])) : seconds(1000));
  if (verb == "show") return show(words);
  if (!order(words)) fault(words);
  tell();
}

/// The party with this name; a fault if there is none.
Party Scenario::named(const std::string& name) const {
  Party party = parse_short_name(name);
  if (!world_->has(party)) refuse("there is no " + name);
  return party;
}

/// As `named`; a fault if the party has another role.
Party Scenario::named(const std::string& name, Role role) const {
  Party party = named(name);
  if (party.role != role) refuse(name + " is no " + std::string(dmm::to_text(role)));
  return party;
}

/// Carries out an order of a user or an owner; false if the words are no order.
bool Scenario::order(const Words& words) {
  const std::string& verb = words[0];
  if (verb == "cancel") {
    const std::string why = world_->cancel(named(words.at(1), Role::job_manager), std::stoull(words.at(2)));
    if (!why.empty()) line("not cancelled: " + why);
  } else if (verb == "drain") {
    const SiteName owner = named(words.at(1), Role::site_manager).site;
    world_->drain(owner, words.size() > 2 ? named(words[2], Role::site_manager).site : owner);
  } else if (verb == "end-drains") {
    world_->end_drains();
  } else {
    return false;
  }
  return true;
}

bool Scenario::describe(const Words& words) {
  const std::string& verb = words[0];
  if (verb == "topology")
    file_ = words.at(1);
  else if (verb == "site")
    add_site(words);
  else if (verb == "link")
    grid_["links"].push_back({{"sites", {words.at(1), words.at(2)}},
                              {"megabits", std::stod(words.at(3))},
                              {"latency_seconds", settings_.network.latency.in_seconds()}});
  else if (verb == "set")
    set(words.at(1), words.at(2));
  else if (verb == "watch")
    watch_all_ = words.at(1) == "all";
  else
    return false;
  if (world_ && verb != "watch") refuse("the grid is described before anything happens in it");
  return true;
}

void Scenario::add_site(const Words& words) {
  Json site{{"name", words.at(1)}};
  for (std::size_t i = 2; i < words.size(); ++i) {
    const auto pair = split(words[i], '=');
    const std::string key = pair.at(0), value = pair.size() > 1 ? pair[1] : "";
    if (key == "nodes")
      site["clusters"].push_back(cluster_of("nodes", value));
    else if (key.starts_with("cluster:"))
      site["clusters"].push_back(cluster_of(key.substr(8), value));
    else if (key == "users" || key == "siblings")
      site[key] = split(value, ',');
    else if (key == "parent")
      site[key] = value;
    else if (key == "direct")
      site["direct_routes"] = value != "no";
    else if (key == "managers")
      site["clusters"].back()["resource_managers"] = value_of(value);
    else if (key == "keeps")  // of the cluster before it
      site["clusters"].back()["kept_files_bytes_max"] = std::stoull(value) * 1'000'000;
    else if (key == "attribute")  // of the nodes of the cluster before it
      site["clusters"].back()["attributes"][value.substr(0, value.find(':'))] = value.substr(value.find(':') + 1);
    else
      put(site["settings"], key, value);
  }
  grid_["sites"].push_back(std::move(site));
}

void Scenario::set(const std::string& key, const std::string& value) {
  const auto length = [&] { return from_seconds(std::stod(value)); };
  if (key == "latency")
    settings_.network.latency = length();
  else if (key == "jitter")
    settings_.network.jitter = length();
  else if (key == "beat")
    settings_.sessions.beat = length();
  else if (key == "silence")
    settings_.sessions.silence = length();
  else if (key == "confirm")
    settings_.confirm_limit = length();
  else if (key == "seed")
    settings_.seed = std::stoull(value);
  else if (key == "ledgers")
    settings_.ledgers = value == "yes";
  else
    overrides_.push_back("defaults." + key + "=" + value);
}

void Scenario::build() {
  ReadOptions options;
  options.overrides = overrides_;
  auto read = file_.empty() ? parse_topology(grid_.dump(), "scenario", options)
                            : read_topology(std::string(DMM_SOURCE_DIR) + "/topologies/" + file_, options);
  if (const auto* error = std::get_if<ConfigError>(&read)) refuse(error->text);
  world_ = std::make_unique<World>(std::move(std::get<Topology>(read)), settings_);
  world_->run_until(Instant{1'000'000});
  world_->take_happenings();
}

/// "8+8": two components; "8@beta/c+8@alpha/c": where each runs; "~24": a total that may be divided.
ResourceNeed Scenario::need_of(const std::string& text) {
  ResourceNeed need;
  if (text.starts_with('~')) need.kind = RequestKind::flexible;
  for (const std::string& part : split(text.substr(text.starts_with('~') ? 1 : 0), '+')) {
    const Words at = split(part, '@');
    Component& component = need.components.emplace_back();
    component.processors = static_cast<std::uint32_t>(std::stoul(at.at(0)));
    if (at.size() < 2) continue;
    const Words place = split(at[1], '/');
    need.kind = RequestKind::fixed;
    component.site = SiteName(place.at(0));
    component.cluster = ClusterName(place.at(1));
  }
  return need;
}

/// "beta:100": an input file of 100 megabytes at beta. With a checksum, a cluster can keep it.
static void add_file(JobDescription& job, const std::string& text, bool has_checksum) {
  InputFiles files = job.program.inputs;
  const std::string name = "file" + std::to_string(files.size() + 1);
  const std::size_t colon = text.find(':');
  const SiteName site(text.substr(0, colon));
  const std::string checksum = has_checksum ? std::string(63, '0') + std::to_string(files.size() + 1) : "";
  files.push_back({name,
                   {{"http://" + site.text + "/" + name, site}},
                   std::stoull(text.substr(colon + 1)) * 1'000'000,
                   checksum});
  set_inputs(job, std::move(files));
}

void Scenario::submit(const Words& words) {
  const Party job_manager = named(words.at(1), Role::job_manager);
  JobDescription job;
  job.name = "job";
  std::uint32_t copies = 1;
  job.need = need_of(words.at(2));
  for (std::size_t i = 3; i < words.size(); ++i) {
    const auto pair = split(words[i], '=');
    if (!job.program.arguments.empty() || (pair.size() < 2 && words[i][0] != 'x'))
      job.program.arguments.push_back(words[i]);
    else if (pair[0] == "dttl")
      job.dttl = static_cast<std::uint32_t>(std::stoul(pair[1]));
    else if (pair[0] == "reruns")
      job.reruns_max = static_cast<std::uint32_t>(std::stoul(pair[1]));
    else if (pair[0] == "sends")
      job.communication = static_cast<std::uint32_t>(std::stod(pair[1]) * 1000);
    else if (pair[0] == "priority")
      job.priority = std::stoi(pair[1]);
    else if (pair[0] == "file" || pair[0] == "known-file")
      add_file(job, pair[1], pair[0] == "known-file");
    else if (pair[0] == "out")
      job.output_path = pair[1];
    else
      copies = static_cast<std::uint32_t>(std::stoul(words[i].substr(1)));
  }
  if (world_->submit(job_manager, job, copies) == 0) line("not accepted");
  tell();
}

Instant Scenario::from_text(const std::string& seconds_text) const {
  return Instant{} + from_seconds(std::stod(seconds_text));
}

void Scenario::run_until(Instant until) {
  while (world_->next_instant() <= until) step();
  world_->run_until(until);
}

void Scenario::stabilize(Duration limit) {
  const Instant until = world_->now() + limit;
  while (!world_->quiet() && world_->next_instant() <= until) step();
  tell();
  const std::string fault = checkers_.check_all(*world_);
  const std::string rest = checkers_.check_rest(*world_);
  if (!fault.empty()) line("BROKEN: " + fault);
  line(stamp(world_->now()) + (rest.empty() ? " everything is home" : " not home: " + rest));
}

void Scenario::fault(const Words& words) {
  const std::string& verb = words[0];
  const Party a = named(words.at(1));
  const Party b = words.size() > 2 ? named(words[2]) : a;
  const auto nth = [&] { return static_cast<std::uint32_t>(std::stoul(words.at(3))); };
  if (verb == "cut")
    world_->cut(a, b);
  else if (verb == "heal")
    world_->heal(a, b);
  else if (verb == "drop")
    world_->network().drop(world_->address_of(a), world_->address_of(b), nth());
  else if (verb == "duplicate")
    world_->network().duplicate(world_->address_of(a), world_->address_of(b), nth());
  else if (verb == "cut-one-way")
    world_->cut_one_way(a, b);
  else if (verb == "crash")
    world_->crash(a);
  else if (verb == "crash-host")
    world_->crash(a, Crash::host);
  else if (verb == "restart")
    world_->restart(a);
  else if (verb == "pause")
    world_->pause(a);
  else if (verb == "resume")
    world_->resume(a);
  else if (verb == "unreachable" || verb == "reachable")
    world_->set_reachable(a, verb == "reachable");
  else
    refuse("unknown command");
}

void Scenario::step() {
  world_->step();
  if (const std::string fault = checkers_.check(*world_); !fault.empty()) line("BROKEN: " + fault);
  tell();
}

void Scenario::tell() {
  if (!world_) return;
  const auto happenings = world_->take_happenings();
  checkers_.note(happenings);
  for (const Happening& happening : happenings) {
    const std::string_view name = happening.event.name;
    const Role role = happening.party.role;
    const bool is_end = role == Role::job_manager && (name.starts_with("job_") || name == "rerun");
    if (watch_all_ || role == Role::site_manager || is_end) line(line_of(happening));
  }
}

}  // namespace dmm
