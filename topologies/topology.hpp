// A whole grid: sites with their parents and siblings, clusters and users. It is read from one JSON file, or built in
// code and completed with link_sites. The simulator runs a topology as it is; a testbed derives the daemons' files from
// it (derive.hpp). topologies/README.md has the keys of the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "jobmgr/settings.hpp"
#include "protocol/or_fault.hpp"
#include "protocol/resources.hpp"
#include "resmgr/settings.hpp"
#include "sitemgr/settings.hpp"
#include "topologies/config_error.hpp"
#include "topologies/daemon_config.hpp"

namespace dmm {

struct TopologyCluster {
  ClusterName name = {};
  std::uint32_t nodes = 1;  ///< 1 to 1,000,000, divided over the resource managers
  std::uint32_t processors_per_node = 1;
  std::uint64_t memory_bytes = 0;  ///< per node, as offered
  Attributes attributes = {};
  double quota = 1.0;  ///< the fraction of its processors that requests may fill
  std::uint32_t resource_managers = 1;
  bool isolate_jobs = true;
  std::uint64_t kept_files_bytes_max = 0;  ///< of input files that are kept for later jobs; 0: none are
};

struct TopologySite {
  SiteName name;
  std::optional<std::uint32_t> number;  ///< its number in a publication's figure, for people
  SiteName parent;                      ///< empty: a root
  std::vector<SiteName> siblings;       ///< link_sites adds those that name this site, in the order of sites
  std::vector<TopologyCluster> clusters;
  std::vector<std::string> users;
  std::vector<NeighbourSettings> limits;  ///< limits of some of its neighbours; their relation is as linked
  SiteSettings settings;                  ///< its behaviour as read; the rest of it comes from link_sites
  bool direct_routes = true;              ///< its resource managers publish an endpoint
};

/// The link between two sites in the simulator.
struct LinkQuality {
  std::vector<SiteName> sites;  ///< both
  Duration latency;             ///< of a frame, one way
  std::uint64_t bandwidth = 0;  ///< bytes a second; above 0
};

struct Topology {
  std::string name;
  std::string description;
  std::string ledger = "graded";  ///< how a testbed's daemons keep theirs
  std::vector<TopologySite> sites;
  std::vector<LinkQuality> link_qualities = {};  ///< of some links; unknown for the others
};

using TopologyOrError = OrFault<Topology, ConfigError>;

/// A topology from its file.
TopologyOrError read_topology(const std::string& path, const ReadOptions& options = {});
/// The same from text; `file` is only named in errors.
TopologyOrError parse_topology(const std::string& text, const std::string& file, const ReadOptions& options = {});

/// Checks a topology that was built in code, and completes each site's settings: name, ancestors, clusters, and
/// neighbours from near to far (children, siblings, then the parent). Topologies from files are complete.
std::optional<ConfigError> link_sites(Topology& topology, const std::string& file = "topology");

/// One link, by the positions of its sites in Topology::sites.
struct TopologyLink {
  std::size_t dialler = 0;               ///< the child, or the later one of two siblings
  std::size_t listener = 0;              ///< the parent, or the earlier one
  Relation relation = Relation::parent;  ///< what the listener is to the dialler: parent or sibling
};
/// Every link once, ordered by dialler.
std::vector<TopologyLink> links_of(const Topology& topology);

/// The site that a workload's partition is submitted to. Clusters are numbered from 0 in the order of the file. The
/// first user of the site submits the stream of a cluster.
struct WorkloadHome {
  std::size_t site = 0;     ///< position in Topology::sites
  std::size_t cluster = 0;  ///< position in the site's clusters
  SiteName site_name;
  std::string user;  ///< empty: the site has no user
};
/// The home of each cluster's stream; the index is the cluster's number.
std::vector<WorkloadHome> workload_homes(const Topology& topology);

/// The resource managers of a site: as many as its clusters say, each with its share of the nodes. They are named after
/// the cluster, and numbered from 0 if the cluster has several. Without endpoints.
std::vector<ResourceManagerSettings> resource_managers_of(const TopologySite& site);
/// The job managers of a site: one for each user.
std::vector<JobManagerSettings> job_managers_of(const TopologySite& site);

/// The position of a site, if there is one of that name.
std::optional<std::size_t> find_site(const Topology& topology, const SiteName& name);
std::uint64_t processors_of(const TopologyCluster& cluster);
std::uint64_t processors_of(const TopologySite& site);
std::uint64_t processors_of(const Topology& topology);
std::uint64_t nodes_of(const Topology& topology);

}  // namespace dmm
