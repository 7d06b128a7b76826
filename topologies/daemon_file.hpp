// A daemon's file as a whole, for every kind of daemon: from JSON to a configuration and back, with overrides from the
// command line and with relative paths. Internal to topologies/.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "topologies/daemon_config.hpp"
#include "topologies/json_reader.hpp"
#include "topologies/json_writer.hpp"

namespace dmm {

/// Lets a relative path begin at `folder`.
void begin_at(const std::string& folder, std::string& path);
/// The same for the path of an endpoint; other endpoints stay as they are.
void begin_endpoint_at(const std::string& folder, std::string& endpoint);

/// Lets all paths of a configuration begin at `folder`.
template <class Config>
void begin_paths_at(const std::string& folder, Config& config) {
  begin_at(folder, config.directory);
  begin_at(folder, config.log.file);
  for (std::string& endpoint : config.listen) begin_endpoint_at(folder, endpoint);
  if constexpr (requires { config.settings.programs; }) begin_at(folder, config.settings.programs);
  if constexpr (requires { config.settings.sitemgr; }) begin_endpoint_at(folder, config.settings.sitemgr);
  if constexpr (requires { config.site_endpoint; }) begin_endpoint_at(folder, config.site_endpoint);
  if constexpr (requires { config.settings.endpoint; }) begin_endpoint_at(folder, config.settings.endpoint);
  if constexpr (requires { config.links; })
    for (LinkConfig& link : config.links) begin_endpoint_at(folder, link.connect);
}

/// The configuration that `read_keys(reader, config, options)` finds in the JSON; `file` is only named in errors.
template <class Config, class ReadKeys>
OrFault<Config, ConfigError> config_from_json(OrFault<SortedJson, ConfigError> read, const std::string& file,
                                              const ReadOptions& options, ReadKeys&& read_keys) {
  if (const auto* error = std::get_if<ConfigError>(&read)) return *error;
  SortedJson& json = std::get<SortedJson>(read);
  std::string fault = apply_overrides(json, options.overrides);
  if (!fault.empty()) return ConfigError{fault};
  Config config;
  fault = read_whole(json, file, [&](JsonReader& reader) { read_keys(reader, config, options); });
  if (!fault.empty()) return ConfigError{fault};
  if (!options.folder.empty()) begin_paths_at(options.folder, config);
  return config;
}

/// JSON text with the keys that `write(writer)` writes.
template <class Write>
std::string text_of_keys(Write&& write) {
  OrderedJson json;
  JsonWriter writer(json);
  write(writer);
  return json.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

/// The keys that only a start reads and that differ between two files as write_config writes them.
std::vector<std::string> start_keys_that_differ(const std::string& before, const std::string& after);

}  // namespace dmm
