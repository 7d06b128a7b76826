// Derives the daemons' files. Everything goes through the structs that the daemons read. So there is one way to start a
// site, and derived files always match what daemons understand.
#include "topologies/derive.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "keys/endpoint_key.hpp"
#include "topologies/daemon_config.hpp"
#include "topologies/text_rules.hpp"

namespace dmm {

namespace {

/// The IPv4 address `count` after the first; empty if there is none.
std::string address_after(const std::string& first, std::size_t count) {
  std::uint64_t number = 0;
  const char* at = first.data();
  const char* const end = at + first.size();
  for (int part = 0; part < 4; ++part) {
    std::uint8_t value = 0;
    const auto [next, error] = std::from_chars(at, end, value);
    if (error != std::errc{} || (part < 3 ? next == end || *next != '.' : next != end)) return {};
    number = number << 8 | value;
    at = next + (part < 3 ? 1 : 0);
  }
  number += count;
  std::string text;
  for (int shift = 24; shift >= 0; shift -= 8)
    text += (text.empty() ? "" : ".") + std::to_string(number >> shift & 255);
  return text;
}

class Deriver {
 public:
  Deriver(const Topology& topology, const DeriveOptions& options) : topology_(topology), options_(options) {}

  OrFault<Deployment, ConfigError> run() {
    if (options_.directory.empty()) return ConfigError{"derive: expected a directory, found nothing"};
    if (!(options_.speedup > 0)) return ConfigError{"derive: speedup: expected a number above 0"};
    for (std::size_t i = 0; i < topology_.sites.size(); ++i) positions_[topology_.sites[i].name] = i;
    for (const TopologySite& site : topology_.sites)
      if (options_.tcp && !options_.keys.contains(site.name))
        return ConfigError{"derive: keys: site " + std::string(site.name.text) + " has none"};
    const std::string& root = options_.directory;
    deployment_.directories = {root, root + "/config", root + "/logs", root + "/s"};
    for (const TopologySite& site : topology_.sites) add(site_manager_of(site.name));
    add_sites();
    for (const TopologySite& site : topology_.sites) add_resource_managers(site);
    for (const TopologySite& site : topology_.sites) add_job_managers(site);
    if (!fault_.empty()) return ConfigError{fault_};
    return std::move(deployment_);
  }

 private:
  /// Adds a daemon without its text: its place in the list decides its endpoint.
  DaemonFile& add(const Party& party) {
    const bool is_site = party.role == Role::site_manager;
    const bool is_job_manager = party.role == Role::job_manager;
    const std::string party_name = party.site.text + (is_site ? "" : "-" + party.name);
    DaemonFile daemon;
    daemon.kind = is_site ? DaemonKind::sitemgr : is_job_manager ? DaemonKind::jobmgr : DaemonKind::resmgr;
    daemon.party = party;
    const std::string name = std::string(to_text(daemon.kind)) + "-" + party_name;
    if (!names_.insert(name).second)
      complain("two daemons would have files called \"" + name + "\"; rename a site, a user or a cluster");
    daemon.config_file = options_.directory + "/config/" + name + ".json";
    daemon.log_file = options_.directory + "/logs/" + name + ".jsonl";
    daemon.directory = options_.directory +
                       (is_site          ? "/site-"
                        : is_job_manager ? "/jobs-"
                                         : "/run-") +
                       party_name;
    deployment_.directories.push_back(daemon.directory);
    const std::size_t n = deployment_.daemons.size();
    daemon.endpoint = "ipc://" + options_.directory + "/s/" + std::to_string(n) + ".ipc";
    daemon.place = options_.tcp ? port_of(n, positions_.at(party.site)) : daemon.endpoint;
    for (const std::string& listened : {daemon.endpoint, daemon.place})
      if (std::string fault = fault_of_listen(listened); !fault.empty()) complain("endpoint: " + fault);
    return deployment_.daemons.emplace_back(std::move(daemon));
  }

  /// Of daemon `n`, which is one of site `site`.
  std::string port_of(std::size_t n, std::size_t site) {
    return "tcp://" + host(site) + ":" + std::to_string(options_.first_port + static_cast<long>(n));
  }

  /// One address for each resource manager, so that programs can tell their hosts apart, although it is one host.
  static std::string loopback_address(std::size_t n) {
    return "127.1." + std::to_string(n / 250 % 256) + '.' + std::to_string(1 + n % 250);
  }

  std::string host(std::size_t site) {
    if (options_.first_host.empty()) return "127.0.0.1";
    const std::string text = address_after(options_.first_host, site);
    if (text.empty()) complain("hosts: expected an IPv4 address, found \"" + options_.first_host + "\"");
    return text;
  }

  void complain(const std::string& text) {
    if (fault_.empty()) fault_ = "derive: " + text;
  }

  /// Keys of all daemons.
  template <class Config>
  void fill_shell(Config& config, const DaemonFile& daemon) const {
    config.listen = {daemon.endpoint};
    if (options_.tcp) config.listen.push_back(daemon.place);
    config.directory = daemon.directory;
    config.ledger = topology_.ledger;
    config.log = {daemon.log_file, options_.log_level, options_.log_terminal};
    config.log.rotate_megabytes = 0;  // a testbed's log is its recording, and goes with it
    config.beat_seconds = options_.beat_seconds;
    config.silence_seconds = options_.silence_seconds;
    config.count_messages_by_request = options_.count_messages_by_request;
  }

  /// The endpoint that other managers dial.
  std::string endpoint_of(const SiteName& site) const {
    const std::string& place = deployment_.daemons[positions_.at(site)].place;  // the site managers come first
    return options_.tcp ? place + key_mark + to_text(options_.keys.at(site).link) : place;
  }

  Duration faster(Duration cycle) const { return from_seconds(cycle.in_seconds() / options_.speedup); }

  void add_sites() {
    for (std::size_t i = 0; i < topology_.sites.size(); ++i) {
      const TopologySite& site = topology_.sites[i];
      SiteConfig config;
      config.settings = site.settings;
      config.settings.matchmaking_cycle = faster(site.settings.matchmaking_cycle);
      config.settings.delegation_cycle = faster(site.settings.delegation_cycle);
      config.users = site.users;
      for (const NeighbourSettings& neighbour : site.settings.neighbours)
        config.links.push_back(
            {.site = neighbour.site,
             .relation = neighbour.relation,
             .connect = dialled(i, neighbour),
             .key = options_.tcp ? to_text(options_.keys.at(neighbour.site).site) : std::string(),
             .limits = neighbour.limits});
      fill_shell(config, deployment_.daemons[i]);
      deployment_.daemons[i].text = write_config(config);
    }
  }

  /// Whether each site has a host of its own; else all sites share one host.
  bool has_hosts() const { return options_.tcp && !options_.first_host.empty(); }

  /// The endpoint of a neighbour that site `i` dials; empty if the neighbour dials.
  std::string dialled(std::size_t i, const NeighbourSettings& neighbour) const {
    const bool earlier = positions_.at(neighbour.site) < i;
    const bool dials =
        neighbour.relation == Relation::parent || (neighbour.relation == Relation::sibling && earlier);
    return dials ? endpoint_of(neighbour.site) : std::string();
  }

  void add_resource_managers(const TopologySite& site) {
    for (ResourceManagerSettings& settings : resource_managers_of(site)) {
      DaemonFile& daemon = add(resource_manager_of(site.name, settings.name));
      ResourceManagerConfig config;
      config.settings = std::move(settings);
      place_kept_files(config.settings.jobs.kept_files.folder);
      if (site.direct_routes) {
        config.settings.endpoint = daemon.place;
        config.settings.address = has_hosts() ? host(positions_.at(site.name)) : loopback_address(addresses_++);
      }
      config.site_endpoint = endpoint_of(site.name);
      fill_shell(config, daemon);
      daemon.text = write_config(config);
    }
  }

  /// The folders of the clusters are siblings, below the testbed's folder.
  void place_kept_files(std::string& folder) {
    if (folder.empty()) return;
    folder.insert(0, options_.directory + "/kept");
    if (std::ranges::find(deployment_.directories, folder) == deployment_.directories.end())
      deployment_.directories.push_back(folder);
  }

  void add_job_managers(const TopologySite& site) {
    for (JobManagerSettings& settings : job_managers_of(site)) {
      DaemonFile& daemon = add(job_manager_of(site.name, settings.user));
      JobManagerConfig config;
      config.settings = std::move(settings);
      config.site_endpoint = endpoint_of(site.name);
      config.files_listen = (has_hosts() ? host(positions_.at(site.name)) : "127.0.0.1") + ":0";
      fill_shell(config, daemon);
      daemon.text = write_config(config);
    }
  }

  const Topology& topology_;
  const DeriveOptions& options_;
  Deployment deployment_;
  std::map<SiteName, std::size_t> positions_;
  std::set<std::string> names_;
  std::size_t addresses_ = 0;  ///< given to resource managers
  std::string fault_;
};

}  // namespace

std::string_view to_text(DaemonKind kind) {
  switch (kind) {
    case DaemonKind::sitemgr: return "sitemgr";
    case DaemonKind::jobmgr: return "jobmgr";
    case DaemonKind::resmgr: return "resmgr";
  }
  return "?";
}

OrFault<Deployment, ConfigError> derive(const Topology& topology, const DeriveOptions& options) {
  return Deriver(topology, options).run();
}

}  // namespace dmm
