#include "topologies/daemon_file.hpp"

#include <set>
#include <string_view>

#include "topologies/daemon_config.hpp"

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

namespace {

/// The keys that a daemon reads only when it starts: those of places, of the shell, of its server of files, and of what
/// a resource manager lays down for jobs.
bool is_read_at_start(const std::string& key) {
  static constexpr std::string_view keys =
      " listen directory ledger log beat_seconds silence_seconds count_messages_by_request site_endpoint endpoint"
      " address backend in_pilot relay_after_seconds files_listen files_host files_bytes_max isolate_jobs "
      "job_cgroup"
      " job_start_seconds job_processes_max job_file_bytes_max job_disk_bytes_max kept_files kept_files_bytes_max"
      " kept_files_seconds accounts ";
  return keys.find(" " + key + " ") != std::string_view::npos;
}

std::vector<std::string> keys_that_differ(const std::string& before, const std::string& after, bool at_start) {
  const SortedJson old = SortedJson::parse(before), now = SortedJson::parse(after);
  std::set<std::string> keys;
  for (const SortedJson* json : {&old, &now})
    for (const auto& [key, value] : json->items())
      if (is_read_at_start(key) == at_start && old.value(key, SortedJson()) != now.value(key, SortedJson()))
        keys.insert(key);
  return {keys.begin(), keys.end()};
}

}  // namespace

std::vector<std::string> start_keys_that_differ(const std::string& before, const std::string& after) {
  return keys_that_differ(before, after, true);
}

std::vector<std::string> keys_taken_at_once(const std::string& before, const std::string& after) {
  return keys_that_differ(before, after, false);
}

}  // namespace dmm
