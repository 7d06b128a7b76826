// The file of a job manager: its keys, and defaults that follow from others.
#include "protocol/host_port.hpp"
#include "topologies/daemon_config.hpp"
#include "topologies/daemon_file.hpp"
#include "topologies/daemon_keys.hpp"
#include "topologies/settings_fields.hpp"

namespace dmm {

namespace {

/// Empty, or an address and a port.
std::string fault_of_files_listen(const std::string& listen) {
  return listen.empty() || parse_host_and_port(listen)
             ? std::string()
             : "expected HOST:PORT, as in 0.0.0.0:0; found \"" + listen + '"';
}

template <class Config, class Visitor>
void visit_job_manager_keys(Config& c, Visitor& v) {
  v.require({"site", "user", "site_endpoint", "listen", "directory"});
  visit_job_manager(c.settings, v);
  visit_places(c, v);
  v.text("files_listen", c.files_listen, fault_of_files_listen);
  v.text("files_host", c.files_host);
  v.integer("files_bytes_max", c.files_bytes_max, 1);
  visit_shell(c, v);
}

void read_job_manager_keys(JsonReader& reader, JobManagerConfig& config, const ReadOptions&) {
  visit_job_manager_keys(config, reader);
  reader.finish();
  constexpr std::int64_t terms_to_confirm = 4;
  JobManagerSettings& settings = config.settings;
  if (!reader.has("confirm_limit_seconds")) settings.confirm_limit = settings.term * terms_to_confirm;
  if (!reader.has("start_limit_seconds")) settings.start_limit = settings.term * terms_to_confirm;
  check_shell(reader, config);
}

}  // namespace

std::vector<std::string> keys_for_next_start(const JobManagerConfig& now, const JobManagerConfig& wanted) {
  return start_keys_that_differ(write_config(now), write_config(wanted));
}

JobManagerConfigOrError parse_job_manager_config(const std::string& text, const std::string& file,
                                                 const ReadOptions& options) {
  return config_from_json<JobManagerConfig>(parse_json(text, file), file, options, read_job_manager_keys);
}
JobManagerConfigOrError read_job_manager_config(const std::string& path, const ReadOptions& options) {
  return config_from_json<JobManagerConfig>(read_json_file(path), path, options, read_job_manager_keys);
}

std::string write_config(const JobManagerConfig& config) {
  return text_of_keys([&](JsonWriter& writer) { visit_job_manager_keys(config, writer); });
}

}  // namespace dmm
