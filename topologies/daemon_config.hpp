// The file that a daemon reads when it starts: one JSON file for each daemon. There is one way to start a daemon, by
// hand or by a testbed, which derives these files from a topology (derive.hpp). topologies/README.md has the keys.
//
// Reading checks everything that can be checked without a network: a daemon that starts at all has a sound file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "batchmgr/settings.hpp"
#include "jobmgr/settings.hpp"
#include "protocol/or_fault.hpp"
#include "resmgr/settings.hpp"
#include "sitemgr/settings.hpp"
#include "topologies/config_error.hpp"
#include "topologies/policy_names.hpp"

namespace dmm {

/// Where a daemon's log goes.
struct LogSettings {
  std::string file;                      ///< JSON lines; empty: no file
  std::string level = "info";            ///< trace, debug, info, warn, error, off
  bool terminal = true;                  ///< also writes text to standard error
  std::uint32_t rotate_megabytes = 100;  ///< a file that is larger is moved to FILE.1.jsonl; 0: any size
  std::uint32_t rotated_files = 5;       ///< moved files that are kept; older ones are removed
};

/// A neighbour and how it is reached.
struct LinkConfig {
  SiteName site;
  Relation relation = Relation::sibling;
  std::string connect;   ///< its endpoint; empty: the neighbour dials us
  std::string key = {};  ///< of the site: its managers prove themselves by it over tcp; empty: they can't
  NeighbourLimits limits = {};
  std::vector<std::string> accounts = {};  ///< of this host, under which its site manager may dial us over `ipc`
};

struct SiteConfig {
  SiteSettings settings;            ///< its neighbours are those of `links`, in that order
  std::vector<std::string> listen;  ///< endpoints for neighbours, job managers, resource managers and clients
  std::vector<LinkConfig> links;
  std::vector<std::string> users;                      ///< names of the job managers that are let in; empty: any
  std::vector<std::string> resource_managers;          ///< names of those that are let in; empty: any
  std::vector<std::string> resource_manager_accounts;  ///< of this host, under which they may dial us over `ipc`
  std::vector<std::string> revoked;                    ///< revoked link keys, whatever their certificates say
  std::vector<std::string> administrators;  ///< accounts of this host that may give the owner's orders over `ipc`
  std::string directory;                    ///< for state; empty: nothing is kept
  std::string ledger = "graded";            ///< one of ledger_modes()
  LogSettings log;
  double beat_seconds = 1;                 ///< a silent link sends a Beat after this time
  double silence_seconds = 3;              ///< a link that was not heard for this long is down
  bool count_messages_by_request = false;  ///< for experiments: costs memory for every request
};

struct JobManagerConfig {
  JobManagerSettings settings;
  std::string site_endpoint;        ///< of the site manager, which it dials
  std::vector<std::string> listen;  ///< for clients
  std::string directory;            ///< for outputs and state
  std::string files_listen;         ///< "HOST:PORT" for files at home; empty: they don't travel
  std::string files_host;           ///< by which nodes reach it; empty: that of files_listen, or the host's name
  std::uint64_t files_bytes_max = 10ULL * 1024 * 1024 * 1024;  ///< no output file that is brought home is longer
  std::string ledger = "graded";                               ///< one of ledger_modes()
  LogSettings log;
  double beat_seconds = 1;
  double silence_seconds = 3;
  bool count_messages_by_request = false;
};

struct ResourceManagerConfig {
  ResourceManagerSettings settings;
  std::string site_endpoint;        ///< of the site manager, which it dials
  std::vector<std::string> listen;  ///< for job managers (the direct route) and clients
  std::string directory;            ///< for jobs' directories and state
  std::string ledger = "graded";    ///< one of ledger_modes()
  std::string backend = "process";  ///< what runs the jobs
  bool in_pilot = false;            ///< a batch system may end it: then its nodes are given back at any signal
  LogSettings log;
  double beat_seconds = 1;
  double silence_seconds = 3;
  bool count_messages_by_request = false;
};

struct BatchManagerConfig {
  BatchSettings settings;
  std::vector<std::string> listen;  ///< for clients
  std::string directory;            ///< it works there
  LogSettings log;
  double beat_seconds = 1;
  double silence_seconds = 3;
  bool count_messages_by_request = false;
};

/// How a file is read.
struct ReadOptions {
  PolicyNames policies = known_policies();
  std::vector<std::string> overrides = {};  ///< "key.key=value", from the command line; the last one wins
  std::string folder = {};                  ///< where relative paths begin; empty: they stay as they are
  SiteSettings site_defaults =
      {};  ///< what a topology's sites have where neither it nor an override says anything
};

using SiteConfigOrError = OrFault<SiteConfig, ConfigError>;
using JobManagerConfigOrError = OrFault<JobManagerConfig, ConfigError>;
using ResourceManagerConfigOrError = OrFault<ResourceManagerConfig, ConfigError>;
using BatchManagerConfigOrError = OrFault<BatchManagerConfig, ConfigError>;

SiteConfigOrError read_site_config(const std::string& path, const ReadOptions& options = {});
JobManagerConfigOrError read_job_manager_config(const std::string& path, const ReadOptions& options = {});
ResourceManagerConfigOrError read_resource_manager_config(const std::string& path,
                                                          const ReadOptions& options = {});

BatchManagerConfigOrError read_batch_manager_config(const std::string& path, const ReadOptions& options = {});

/// The same from text; `file` is only named in errors.
SiteConfigOrError parse_site_config(const std::string& text, const std::string& file,
                                    const ReadOptions& options = {});
JobManagerConfigOrError parse_job_manager_config(const std::string& text, const std::string& file,
                                                 const ReadOptions& options = {});
ResourceManagerConfigOrError parse_resource_manager_config(const std::string& text, const std::string& file,
                                                           const ReadOptions& options = {});

BatchManagerConfigOrError parse_batch_manager_config(const std::string& text, const std::string& file,
                                                     const ReadOptions& options = {});

/// "parent", "child" or "sibling"; nothing for any other word.
std::optional<Relation> parse_relation(const std::string& word);

/// The keys that differ and that only a start reads; the others may be changed while the daemon runs.
std::vector<std::string> keys_for_next_start(const SiteConfig& now, const SiteConfig& wanted);
std::vector<std::string> keys_for_next_start(const JobManagerConfig& now, const JobManagerConfig& wanted);
std::vector<std::string> keys_for_next_start(const ResourceManagerConfig& now,
                                             const ResourceManagerConfig& wanted);
std::vector<std::string> keys_for_next_start(const BatchManagerConfig& now, const BatchManagerConfig& wanted);
/// The other keys that differ between two configurations, as write_config writes them: a running daemon takes these.
std::vector<std::string> keys_taken_at_once(const std::string& before, const std::string& after);

/// JSON text with every key, which reads back equal. Values of a preset are written out; the preset's name isn't kept.
std::string write_config(const SiteConfig& config);
std::string write_config(const JobManagerConfig& config);
std::string write_config(const ResourceManagerConfig& config);
std::string write_config(const BatchManagerConfig& config);

}  // namespace dmm
