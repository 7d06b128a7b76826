#include "topologies/daemon_file.hpp"

#include <string_view>

namespace dmm {

void begin_at(const std::string& folder, std::string& path) {
  if (!path.empty() && path.front() != '/') path = folder + "/" + path;
}

void begin_endpoint_at(const std::string& folder, std::string& endpoint) {
  constexpr std::string_view scheme = "ipc://";
  if (!endpoint.starts_with(scheme) || endpoint[scheme.size()] == '@') return;  // an abstract name is no path
  std::string path = endpoint.substr(scheme.size());
  begin_at(folder, path);
  endpoint = std::string(scheme) + path;
}

std::vector<std::string> shell_keys_that_differ(const std::string& now, const std::string& wanted) {
  const SortedJson before = SortedJson::parse(now), after = SortedJson::parse(wanted);
  std::vector<std::string> keys;
  for (const char* key :
       {"listen", "directory", "ledger", "log", "beat_seconds", "silence_seconds", "count_messages_by_request",
        "site_endpoint", "endpoint", "address", "backend", "in_pilot", "relay_after_seconds"})
    if (before.value(key, SortedJson()) != after.value(key, SortedJson())) keys.emplace_back(key);
  return keys;
}

}  // namespace dmm
