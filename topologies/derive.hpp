// From a topology to the files of a testbed: one configuration for each daemon, with every endpoint chosen, all on this
// machine. Nothing is written here: the caller writes the texts to their files, and starts each daemon with its file.
//
// One side dials each link: the child dials its parent, and the later of two siblings (in the order of the topology)
// the earlier. Job managers and resource managers dial their site. A site's one endpoint serves neighbours, managers
// and clients alike.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "keys/key.hpp"
#include "protocol/ids.hpp"
#include "protocol/or_fault.hpp"
#include "topologies/config_error.hpp"
#include "topologies/topology.hpp"

namespace dmm {

/// The public keys of a site and its manager.
struct SitePublicKeys {
  SiteKey site;
  LinkKey link;
};

struct DeriveOptions {
  std::string directory;  ///< of the testbed, with all its files and sockets. Its path must be short
  bool tcp = false;       ///< managers speak over tcp://<host>:<port>; else over ipc, as clients do
  int first_port = 7700;  ///< with tcp: the first daemon's; one more for each that follows
  std::map<SiteName, SitePublicKeys> keys = {};  ///< with tcp: of each site
  std::string first_host = {};  ///< with tcp: the first site's IPv4 address, then the next ones; empty: 127.0.0.1
  double speedup = 1.0;         ///< divides the cycles of the sites; terms, retries and offers stay real
  std::string log_level = "info";
  bool log_terminal = false;  ///< log on standard error too
  double beat_seconds = 1;
  double silence_seconds = 3;
  bool count_messages_by_request = false;
};

enum class DaemonKind { sitemgr, jobmgr, resmgr };
/// The name of the daemon's program: "sitemgr", "jobmgr", "resmgr".
std::string_view to_text(DaemonKind kind);

/// One daemon: its party and its configuration.
struct DaemonFile {
  DaemonKind kind = DaemonKind::sitemgr;
  Party party;
  std::string config_file;  ///< <directory>/config/<kind>-<site>[-<name>].json
  std::string text;         ///< the content of that file
  std::string endpoint;     ///< where it listens for clients
  std::string place;        ///< where it listens for managers
  std::string log_file;     ///< <directory>/logs/<kind>-<site>[-<name>].jsonl
  std::string directory;    ///< its own: <directory>/site-<site>, jobs-<site>-<user> or run-<site>-<name>
};

struct Deployment {
  std::vector<std::string> directories;  ///< to be made first, parents before children
  std::vector<DaemonFile> daemons;       ///< site managers, then resource managers, then job managers
};

/// All daemons of a topology that link_sites (or read_topology) completed.
OrFault<Deployment, ConfigError> derive(const Topology& topology, const DeriveOptions& options);

}  // namespace dmm
