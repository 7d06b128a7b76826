// The keys that the files of several daemons share, and the rule between them. Internal to topologies/. A visitor is a
// JsonReader or a JsonWriter.
#pragma once

#include <string>
#include <vector>

#include "topologies/json_reader.hpp"
#include "topologies/settings_fields.hpp"
#include "topologies/text_rules.hpp"

namespace dmm {

inline const std::vector<std::string>& log_levels() {
  static const std::vector<std::string> words = {"trace", "debug", "info", "warn", "error", "off"};
  return words;
}

/// Keys of all daemons.
template <class Config, class Visitor>
void visit_log(Config& c, Visitor& v) {
  v.object("log", [&](auto& log) {
    log.text("file", c.log.file);
    log.choice("level", c.log.level, log_levels());
    log.boolean("terminal", c.log.terminal);
    log.integer("rotate_megabytes", c.log.rotate_megabytes, 0, 100'000);
    log.integer("rotated_files", c.log.rotated_files, 0, 1'000);
  });
}

/// Keys of all daemons with a ledger and neighbours.
template <class Config, class Visitor>
void visit_shell(Config& c, Visitor& v) {
  visit_log(c, v);
  v.choice("ledger", c.ledger, ledger_modes());
  v.number("beat_seconds", c.beat_seconds, 0.01, 3600);
  v.number("silence_seconds", c.silence_seconds, 0.01, 3600);
  v.boolean("count_messages_by_request", c.count_messages_by_request);
}

/// The connections of a job manager or a resource manager.
template <class Config, class Visitor>
void visit_places(Config& c, Visitor& v) {
  v.text("site_endpoint", c.site_endpoint, fault_of_connect);
  v.texts("listen", c.listen, fault_of_listen);
  v.text("directory", c.directory, [](const std::string& directory) {
    return directory.empty() ? std::string("expected the path of a directory, found nothing") : std::string();
  });
}

/// A link must not be down before it beats.
template <class Config>
void check_shell(JsonReader& reader, const Config& config) {
  if (config.silence_seconds <= config.beat_seconds)
    reader.refuse(reader.has("silence_seconds") ? "silence_seconds" : "beat_seconds",
                  "a link would be down before it beats; expected silence_seconds > beat_seconds");
}

}  // namespace dmm
