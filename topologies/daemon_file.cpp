#include "topologies/daemon_file.hpp"

#include <algorithm>
#include <array>
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

/// The keys that a daemon reads only when it starts: those of places, of the shell and of its server of files.
/// A resource manager adds what it lays down for jobs, a batch manager what it borrows.
constexpr std::array<std::string_view, 27> read_at_start{"accounts",
                                                         "address",
                                                         "backend",
                                                         "beat_seconds",
                                                         "borrow",
                                                         "count_messages_by_request",
                                                         "directory",
                                                         "endpoint",
                                                         "files_bytes_max",
                                                         "files_host",
                                                         "files_listen",
                                                         "in_pilot",
                                                         "isolate_jobs",
                                                         "job_cgroup",
                                                         "job_disk_bytes_max",
                                                         "job_file_bytes_max",
                                                         "job_processes_max",
                                                         "job_start_seconds",
                                                         "kept_files",
                                                         "kept_files_bytes_max",
                                                         "kept_files_seconds",
                                                         "ledger",
                                                         "listen",
                                                         "log",
                                                         "relay_after_seconds",
                                                         "silence_seconds",
                                                         "site_endpoint"};

bool is_read_at_start(std::string_view key) {
  return std::ranges::find(read_at_start, key) != read_at_start.end();
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
