// The file of a batch manager: its keys, and the rules between them.
#include <string_view>
#include <utility>

#include "batchmgr/batch_system.hpp"
#include "batchmgr/lending.hpp"
#include "topologies/daemon_config.hpp"
#include "topologies/daemon_file.hpp"
#include "topologies/daemon_keys.hpp"
#include "topologies/settings_fields.hpp"

namespace dmm {

namespace {

/// Of a folder on other hosts.
std::string fault_of_path(const std::string& path) {
  return path.starts_with('/') ? std::string() : "expected an absolute path, found \"" + path + '"';
}

/// A text that must be there and not be empty.
std::string fault_of_text(const std::string& text) {
  return text.empty() ? std::string("expected a text, found nothing") : std::string();
}

const std::vector<std::string>& batch_system_names() {
  static const std::vector<std::string> words = [] {
    std::vector<std::string> names;
    for (const BatchSystem& system : batch_systems()) names.emplace_back(system.name);
    return names;
  }();
  return words;
}

std::string fault_of_cluster_place(const std::string& place) {
  const std::size_t slash = place.find('/');
  const bool has_both = slash != std::string::npos && slash > 0 && slash + 1 < place.size();
  return has_both ? std::string() : "expected SITE/CLUSTER, found \"" + place + '"';
}

template <class Settings, class Visitor>
void visit_borrow(Settings& s, Visitor& v) {
  v.texts("from", s.from, fault_of_cluster_place);
  v.text("trust", s.trust);
  v.text("jobmgr", s.jobmgr);
  v.integer("nodes_max", s.nodes_max, 1, 1'000);
  v.integer("processors", s.processors, 1, processors_per_node_max);
  v.integer("memory_megabytes", s.memory_megabytes, 1);
  v.duration("after_seconds", s.after, 0, seconds_max);
  v.duration("idle_for_seconds", s.idle_for, 0, seconds_max);
  v.text("slurm_conf", s.configuration);
  v.text("munge_key", s.key);
}

template <class Config, class Visitor>
void visit_batch_manager_keys(Config& c, Visitor& v) {
  v.require(
      {"site", "name", "system", "cluster", "sitemgr", "node_endpoint", "node_folder", "listen", "directory"});
  auto& s = c.settings;
  v.name("site", s.site);
  v.text("name", s.name, [](const std::string& name) { return fault_of_name(name, manager_name_length_max); });
  v.choice("system", s.system, batch_system_names());
  v.name("cluster", s.cluster);
  v.text("partition", s.partition, fault_of_text);
  v.text("programs", s.programs);
  v.integer("nodes_max", s.nodes_max, 0, nodes_max);
  v.integer("reserve", s.reserve, 0, nodes_max);
  v.duration("idle_for_seconds", s.idle_for, 0, seconds_max);
  v.texts("features", s.features, fault_of_text);
  v.text("hours", s.hours, [](const std::string& hours) {
    const auto read = parse_hours(hours);
    const auto* const fault = std::get_if<std::string>(&read);
    return hours.empty() || !fault ? std::string() : *fault;
  });
  v.duration("hold_seconds", s.hold, 60, seconds_max);
  v.duration("grace_seconds", s.grace, 0, hand_back_grace_max);
  v.duration("recall_after_seconds", s.recall_after, 0, seconds_max);
  v.boolean("lend_between", s.lend_between);
  v.duration("retry_after_seconds", s.retry_after, 0, 3600);
  v.duration("look_every_seconds", s.look_every, 0.1, seconds_max);
  v.duration("command_max_seconds", s.command_max, 0.1, seconds_max);
  v.text("sitemgr", s.sitemgr, fault_of_connect);
  v.text("node_endpoint", s.node_endpoint, fault_of_place);
  v.text("node_folder", s.node_folder, fault_of_path);
  v.texts("node_settings", s.node_settings, [](const std::string& setting) {
    return setting.find('=') != std::string::npos ? std::string() : "expected KEY=VALUE, found \"" + setting + '"';
  });
  v.text("node_programs", s.node_programs,
         [](const std::string& path) { return path.empty() ? path : fault_of_path(path); });
  v.object("borrow", [&](auto& borrow) { visit_borrow(s.borrow, borrow); });
  v.texts("listen", c.listen, fault_of_listen);
  v.text("directory", c.directory, fault_of_text);
  visit_log(c, v);
}

void read_batch_manager_keys(JsonReader& reader, BatchManagerConfig& config, const ReadOptions&) {
  visit_batch_manager_keys(config, reader);
  reader.finish();
  const bool has_programs = !config.settings.programs.empty();
  if (has_programs != (config.settings.system == "script"))
    reader.refuse("programs", has_programs
                                  ? "only system \"script\" has programs"
                                  : "expected the folder with the programs look, hold, recall and withdraw");
  const BorrowSettings& borrow = config.settings.borrow;
  if (!borrow.is_on()) return;
  if (config.settings.system != "slurm") reader.refuse("borrow", "only system \"slurm\" borrows nodes");
  if (borrow.trust != "full")
    reader.refuse("borrow.trust",
                  "root of each of these sites can act as root of this cluster; expected \"full\"");
  const std::pair<const char*, const std::string*> wanted[] = {{"borrow.jobmgr", &borrow.jobmgr},
                                                               {"borrow.slurm_conf", &borrow.configuration},
                                                               {"borrow.munge_key", &borrow.key}};
  for (const auto& [key, value] : wanted)
    if (value->empty()) reader.refuse(key, "it is missing, and nothing can be borrowed without it");
}

}  // namespace

BatchManagerConfigOrError parse_batch_manager_config(const std::string& text, const std::string& file,
                                                     const ReadOptions& options) {
  return config_from_json<BatchManagerConfig>(parse_json(text, file), file, options, read_batch_manager_keys);
}
BatchManagerConfigOrError read_batch_manager_config(const std::string& path, const ReadOptions& options) {
  return config_from_json<BatchManagerConfig>(read_json_file(path), path, options, read_batch_manager_keys);
}

std::vector<std::string> keys_for_next_start(const BatchManagerConfig& now, const BatchManagerConfig& wanted) {
  return start_keys_that_differ(write_config(now), write_config(wanted));
}

std::string write_config(const BatchManagerConfig& config) {
  return text_of_keys([&](JsonWriter& writer) { visit_batch_manager_keys(config, writer); });
}

}  // namespace dmm
