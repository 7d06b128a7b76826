// A topology is read once for each stage of replacing. Keys of the file and of --set are read over the stage's
// defaults, so they win without any comparison of values.
#include "cli/simulate/simulation_settings.hpp"
#include "cli/managers/shipped.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "cli/simulate/simulation_choice.hpp"
#include "links/session.hpp"
#include "topologies/settings_fields.hpp"
#include "topologies/site_behaviour.hpp"
#include "topologies/text_rules.hpp"

namespace dmm {
namespace {

/// The stages in their order; each includes those before it.
enum class Stage : std::uint8_t { daemons, simulation, paper, coarse, options };

/// A site's settings where neither the topology nor --set says anything, and how its links beat.
struct Defaults {
  SiteSettings site;
  Duration beat = SessionTimes{}.beat;
  Duration silence = SessionTimes{}.silence;
};

bool is_coarse(const SiteChoice& sites) { return sites.coarse.value_or(sites.paper); }

/// Keep-alives every 300 s are those of Iosup et al. 2007; terms, hints and longest leases are coarse to match.
void make_coarse(Defaults& defaults) {
  defaults.site.term = seconds(3000);
  defaults.site.hint_interval = seconds(600);
  defaults.site.lease_length_max = from_seconds(seconds_max);
  defaults.beat = seconds(300);
  defaults.silence = seconds(900);
}

OrFault<Defaults, CommandFault> defaults_of(const SimulationChoice& choice, Stage stage) {
  Defaults defaults;
  if (!choice.settings_of.empty()) {
    auto read = read_site_config(choice.settings_of);
    if (auto* error = std::get_if<ConfigError>(&read)) return CommandFault{std::move(error->text), 2};
    SiteConfig& config = std::get<SiteConfig>(read);
    defaults = {std::move(config.settings), from_seconds(config.beat_seconds),
                from_seconds(config.silence_seconds)};
    defaults.site.name = {};
    defaults.site.ancestors.clear();
    defaults.site.neighbours.clear();
    defaults.site.clusters.clear();
  }
  // A simulated site isn't asked for its usage, and a record for each lease would grow with the workload.
  if (stage >= Stage::simulation) defaults.site.usage_records_max = 0;
  if (stage >= Stage::paper && choice.sites.paper) apply_paper_preset(defaults.site);
  if (stage >= Stage::coarse && is_coarse(choice.sites)) make_coarse(defaults);
  if (stage >= Stage::options && choice.dmm.beat) {
    defaults.beat = *choice.dmm.beat;
    defaults.silence = *choice.dmm.beat * 3;
  }
  return defaults;
}

/// Whether an assignment of --set sets a key: "defaults.KEY=1" or "defaults={\"KEY\": 1}".
bool sets(const std::string& assignment, const std::string& key) {
  const std::size_t equals = assignment.find('=');
  const std::string path = "." + assignment.substr(0, equals);
  return path.ends_with("." + key) ||
         (equals != std::string::npos && assignment.find("\"" + key + "\"", equals) != std::string::npos);
}

const std::string* override_of(const SimulationChoice& choice, const std::string& key) {
  for (const std::string& assignment : choice.overrides)
    if (sets(assignment, key)) return &assignment;
  return nullptr;
}

/// A fault if an option for all sites and --set name the same key: one of them would be ignored.
std::optional<CommandFault> fault_of_overrides(const SimulationChoice& choice) {
  const SiteChoice& sites = choice.sites;
  const std::tuple<bool, const char*, const char*> options[] = {
      {sites.cycle_seconds.has_value(), "--cycle", "matchmaking_cycle_seconds"},
      {sites.delegation_cycle_seconds.has_value(), "--delegation-cycle", "delegation_cycle_seconds"},
      {sites.delegation_threshold.has_value(), "the delegation threshold", "delegation_threshold"},
      {sites.term_seconds.has_value(), "--term", "term_seconds"},
      {sites.hints.has_value(), "--hints", "use_hints"},
      {sites.keep_local.has_value(), "--keep-local", "keep_local"},
      {sites.owner_first.has_value(), "--owner-first", "owner_first"},
      {!sites.dispatching.empty(), "--dispatching", "policies.dispatching"},
      {!sites.delegation.empty(), "--delegation", "policies.delegation"},
      {!sites.target.empty(), "--target", "policies.target"},
      {!sites.placement.empty(), "--placement", "policies.placement"},
      {!sites.flexible_placement.empty(), "--flexible-placement", "policies.flexible_placement"}};
  for (const auto& [given, option, key] : options)
    if (const std::string* assignment = given ? override_of(choice, key) : nullptr)
      return CommandFault{"--set " + *assignment + ": " + option + " sets " + key + " at all sites; leave one out",
                          2};
  return std::nullopt;
}

std::optional<CommandFault> choose_policy(const std::string& option, const std::string& word,
                                          const std::vector<std::string>& known, std::string& policy) {
  if (word.empty()) return std::nullopt;
  if (std::find(known.begin(), known.end(), word) == known.end())
    return CommandFault{option + ": there is no policy \"" + word + "\"" + suggestion(word, known) +
                            "; expected one of " + list_of(known),
                        2};
  policy = word;
  return std::nullopt;
}

/// The cycle of delegation follows that of matchmaking unless an option sets it.
void apply_durations(const SimulationChoice& choice, SiteSettings& settings) {
  const SiteChoice& sites = choice.sites;
  if (sites.cycle_seconds) {
    settings.matchmaking_cycle = from_seconds(*sites.cycle_seconds);
    if (override_of(choice, "delegation_cycle_seconds") == nullptr)
      settings.delegation_cycle = settings.matchmaking_cycle / 2;
  }
  if (sites.delegation_cycle_seconds) settings.delegation_cycle = from_seconds(*sites.delegation_cycle_seconds);
  if (sites.delegation_threshold) settings.delegation_threshold = *sites.delegation_threshold;
  if (sites.term_seconds) settings.term = from_seconds(*sites.term_seconds);
}

std::optional<CommandFault> apply_options(const SimulationChoice& choice, SiteSettings& settings) {
  const SiteChoice& sites = choice.sites;
  apply_durations(choice, settings);
  if (sites.hints) settings.use_hints = *sites.hints;
  if (sites.keep_local) settings.keep_local = *sites.keep_local;
  if (sites.owner_first) settings.owner_first = *sites.owner_first;
  const PolicyNames known = known_policies();
  for (auto fault :
       {choose_policy("--dispatching", sites.dispatching, known.dispatching, settings.dispatching_policy),
        choose_policy("--delegation", sites.delegation, known.delegation, settings.delegation_policy),
        choose_policy("--target", sites.target, known.target, settings.target_policy),
        choose_policy("--placement", sites.placement, known.placement, settings.placement_policy),
        choose_policy("--flexible-placement", sites.flexible_placement, known.placement,
                      settings.flexible_policy)})
    if (fault) return fault;
  return std::nullopt;
}

TopologyOrError one_cluster(const SimulationChoice& choice, const ReadOptions& reading) {
  return parse_topology(
      "{\"name\": \"one-cluster\", \"sites\": [{\"name\": \"cluster\", \"users\": [\"u0\"], "
      "\"clusters\": [{\"name\": \"nodes\", \"nodes\": " +
          std::to_string(choice.processors) + "}]}]}",
      "--processors", reading);
}

OrFault<Topology, CommandFault> topology_at(const SimulationChoice& choice, const Defaults& defaults,
                                            Stage stage) {
  ReadOptions reading;
  reading.overrides = choice.overrides;
  reading.site_defaults = defaults.site;
  auto read =
      choice.topology.empty() ? one_cluster(choice, reading) : read_topology(shipped(choice.topology), reading);
  if (auto* error = std::get_if<ConfigError>(&read)) return CommandFault{std::move(error->text), 2};
  Topology& topology = std::get<Topology>(read);
  for (TopologySite& site : topology.sites)
    if (stage >= Stage::options)
      if (auto fault = apply_options(choice, site.settings)) return *fault;
  return std::move(topology);
}

/// Every key of a site manager's file with its value, as "policies.target" and JSON.
using KeyValues = std::map<std::string, std::string>;

KeyValues keys_of(const SiteSettings& settings, const Defaults& defaults) {
  SiteConfig config;
  config.settings = settings;
  config.beat_seconds = defaults.beat.in_seconds();
  config.silence_seconds = defaults.silence.in_seconds();
  KeyValues keys;
  const nlohmann::json flat = nlohmann::json::parse(write_config(config)).flatten();
  for (const auto& [path, value] : flat.items()) {
    std::string key = path.substr(1);
    std::replace(key.begin(), key.end(), '/', '.');
    keys[std::move(key)] = value.dump();
  }
  return keys;
}

/// The keys of each site, in the order of the topology.
std::variant<std::vector<KeyValues>, CommandFault> keys_at(const SimulationChoice& choice, Stage stage) {
  auto defaults = defaults_of(choice, stage);
  if (auto* fault = std::get_if<CommandFault>(&defaults)) return *fault;
  auto topology = topology_at(choice, std::get<Defaults>(defaults), stage);
  if (auto* fault = std::get_if<CommandFault>(&topology)) return *fault;
  std::vector<KeyValues> all;
  for (const TopologySite& site : std::get<Topology>(topology).sites)
    all.push_back(keys_of(site.settings, std::get<Defaults>(defaults)));
  return all;
}

/// The stages that may replace a setting, with the names that people are shown.
std::vector<std::pair<Stage, std::string>> stages_of(const SimulationChoice& choice) {
  std::vector<std::pair<Stage, std::string>> stages{{Stage::simulation, "simulation"}};
  if (choice.sites.paper) stages.emplace_back(Stage::paper, "--paper");
  if (is_coarse(choice.sites)) stages.emplace_back(Stage::coarse, choice.sites.coarse ? "--coarse" : "--paper");
  stages.emplace_back(Stage::options, "option");
  return stages;
}

}  // namespace

OrFault<Topology, CommandFault> topology_of(const SimulationChoice& choice) {
  if (choice.topology.empty() == (choice.processors == 0))
    return CommandFault{"choose a system: either --topology FILE or --processors P for one cluster", 2};
  if (auto fault = fault_of_overrides(choice)) return *fault;
  auto defaults = defaults_of(choice, Stage::options);
  if (auto* fault = std::get_if<CommandFault>(&defaults)) return *fault;
  auto topology = topology_at(choice, std::get<Defaults>(defaults), Stage::options);
  if (auto* ready = std::get_if<Topology>(&topology); ready != nullptr && workload_homes(*ready).empty())
    return CommandFault{"the topology " + ready->name + " has no cluster to run jobs on", 2};
  return topology;
}

OrFault<DmmOptions, CommandFault> dmm_options_of(const SimulationChoice& choice) {
  auto defaults = defaults_of(choice, Stage::options);
  if (auto* fault = std::get_if<CommandFault>(&defaults)) return *fault;
  DmmOptions options = choice.dmm;
  options.beat = std::get<Defaults>(defaults).beat;
  options.silence = std::get<Defaults>(defaults).silence;
  return options;
}

std::variant<std::vector<Replacement>, CommandFault> replaced_in(const SimulationChoice& choice) {
  std::vector<Replacement> replaced;
  if (choice.architecture != "dmm") return replaced;
  auto first = keys_at(choice, Stage::daemons);
  if (auto* fault = std::get_if<CommandFault>(&first)) return *fault;
  const auto& daemons = std::get<std::vector<KeyValues>>(first);
  std::vector<KeyValues> used = daemons;
  std::vector<std::map<std::string, std::string>> by(used.size());
  for (const auto& [stage, name] : stages_of(choice)) {
    auto next = keys_at(choice, stage);
    if (auto* fault = std::get_if<CommandFault>(&next)) return *fault;
    auto& keys = std::get<std::vector<KeyValues>>(next);
    for (std::size_t i = 0; i < keys.size(); ++i)
      for (const auto& [key, value] : keys[i])
        if (used[i][key] != value) by[i][key] = name;
    used = std::move(keys);
  }
  std::map<std::tuple<std::string, std::string, std::string, std::string>, std::size_t> counts;
  for (std::size_t i = 0; i < used.size(); ++i)
    for (const auto& [key, value] : used[i])
      if (const std::string& before = daemons[i].at(key); before != value)
        ++counts[{key, before, value, by[i][key]}];
  for (const auto& [what, sites] : counts)
    replaced.push_back({std::get<0>(what), std::get<1>(what), std::get<2>(what), std::get<3>(what), sites});
  return replaced;
}

std::string to_text(const Replacement& replacement, std::size_t sites) {
  return replacement.key + " " + replacement.used + " instead of " + replacement.daemons + " (" + replacement.by +
         (replacement.sites < sites ? ", at " + std::to_string(replacement.sites) + " of " + std::to_string(sites)
                                    : std::string()) +
         ")";
}

nlohmann::ordered_json to_json(const std::vector<Replacement>& replaced) {
  auto rows = nlohmann::ordered_json::array();
  for (const Replacement& one : replaced)
    rows.push_back({{"key", one.key},
                    {"daemon", nlohmann::ordered_json::parse(one.daemons)},
                    {"used", nlohmann::ordered_json::parse(one.used)},
                    {"by", one.by},
                    {"sites", one.sites}});
  return rows;
}

}  // namespace dmm
