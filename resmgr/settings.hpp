// What an administrator decides about a resource manager: which nodes it offers, and when it ends what lost
// contact.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "protocol/ids.hpp"
#include "protocol/resources.hpp"
#include "protocol/time.hpp"

namespace dmm {

/// An account of the host that jobs of a site run under, or those of one of its users.
struct MappedAccount {
  std::string site;
  std::string user = {};     ///< empty: all users of the site
  std::string account = {};  ///< its name
  std::string trust = {};    ///< "full": it may be root, so that the site's jobs may do everything here
  bool is_root() const { return trust == "full" && account == "root"; }
  bool operator==(const MappedAccount&) const = default;
};

/// Under which accounts of the host jobs run. Without a range and a map all run under the manager's own.
struct JobAccountRules {
  std::uint32_t first = 0;  ///< uids that nothing else uses, one for each site; 0: there is no range
  std::uint32_t last = 0;
  std::vector<MappedAccount> map = {};  ///< goes over the range
  bool required = false;                ///< no job of another site runs under the manager's own account
  bool are_given() const { return first > 0 || !map.empty(); }
  bool operator==(const JobAccountRules&) const = default;
};

/// Which input files of jobs a cluster keeps for later ones.
struct KeptFilesRules {
  std::string folder = {};                    ///< that all hosts of the cluster share; empty: none are kept
  std::uint64_t bytes_max = 100'000'000'000;  ///< of all of them, for each account that jobs run under
  Duration life = seconds(86'400);            ///< of what no job has used
  bool operator==(const KeptFilesRules&) const = default;
};

/// How far jobs are kept apart from one another and from the host. For the backend: the manager itself decides
/// nothing by it.
struct JobRules {
  bool isolate = true;      ///< in pid and mount namespaces of their own, where the kernel permits that
  std::string cgroup = {};  ///< a folder of cgroup v2 that is the manager's alone, to hold jobs to their share
  Duration start_max = seconds(30);  ///< a program that isn't running by then is given up
  std::uint32_t processes_max = 0;   ///< of a job; 0: any number
  std::uint64_t file_bytes_max = 0;  ///< the largest file that a job may write; 0: any
  std::uint64_t disk_bytes_max = 0;  ///< of all files in a job's directory; 0: any number
  JobAccountRules accounts = {};
  KeptFilesRules kept_files = {};
  bool operator==(const JobRules&) const = default;
};

struct ResourceManagerSettings {
  SiteName site;     ///< its owner
  std::string name;  ///< unique within the site
  ClusterName cluster;
  std::uint32_t nodes = 1;
  std::vector<std::string> node_names = {};  ///< of all, or of none: a name keeps its number and what it saw
  std::uint32_t processors_per_node = 1;
  std::uint64_t memory_bytes = 0;  ///< per node, as offered
  Attributes attributes;
  std::string endpoint;  ///< published for the direct route; empty: reached along the chain only
  /// A name or address of this host at which programs of one job reach one another; empty: they can't.
  std::string address = {};
  Duration term = seconds(30);  ///< the site's lease term
  /// A Start waits this long for its Assign: a link that was cut for less than a term brings it yet.
  Duration park = seconds(30);
  /// A lease without a job for so long goes back to its owner, if all of its nodes are here; 0: never.
  Duration idle_lease_max = seconds(10);
  Duration keep_output = seconds(3600);  ///< an ended job's directory stays this long unless fetched
  std::uint32_t outcomes_max = 100'000;  ///< ended jobs that are kept; beyond that the oldest go sooner
  std::uint32_t parked_max = 1'000;      ///< Starts of one job manager that wait for their leases
  std::uint64_t parked_bytes_max = 64 * 1024 * 1024;  ///< of all of them together
  std::uint32_t set_aside_after = 3;  ///< users in a row that lose jobs on a node, or can't start them; 0: never
  JobRules jobs = {};
  /// Found out at the start: the backend runs jobs of different sites under different accounts.
  bool users_apart = false;
  bool stages_files = false;  ///< it can bring input files to jobs
  /// Of the manager's nodes, given back at SIGUSR1: what runs there has so long to end by itself.
  Duration hand_back_grace = seconds(5);
  Duration set_aside_for = seconds(600);  ///< the first time; twice as long each time after, up to a day
};

}  // namespace dmm
