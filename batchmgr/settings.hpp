// What an administrator decides about a batch manager: the batch system, how many of its idle nodes are held, and
// what stays for that system's own users.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "protocol/ids.hpp"
#include "protocol/time.hpp"

namespace dmm {

/// Nodes of other sites that join this batch system as its own. They are had by jobs of DMM that run the batch
/// system's daemon at the owner, as root. So root of each such site is trusted with this batch system's key.
struct BorrowSettings {
  std::vector<std::string> from = {};  ///< sites, as SITE/CLUSTER; empty: nothing is borrowed
  std::string trust = {};              ///< "full", or nothing is borrowed
  std::string jobmgr = {};             ///< endpoint of the job manager that asks for the nodes
  std::uint32_t nodes_max = 1;
  std::uint32_t processors = 1;  ///< of each node
  std::uint32_t memory_megabytes = 1'000;
  Duration after = seconds(5);                         ///< local jobs that waited for so long have nodes borrowed
  Duration idle_for = seconds(60);                     ///< a borrowed node that was idle for so long goes back
  std::string configuration = {};                      ///< of Slurm: the file slurm.conf of this cluster
  std::string key = {};                                ///< of Slurm: the file with its MUNGE key
  std::string configuration_text = {}, key_text = {};  ///< what is in these files
  bool is_on() const { return !from.empty(); }
  bool operator==(const BorrowSettings&) const = default;
};

struct BatchSettings {
  SiteName site;                           ///< to which held nodes are offered
  std::string name;                        ///< unique among the site's resource managers
  std::string system;                      ///< which batch system, by its name in batch_systems()
  ClusterName cluster;                     ///< of the site: held nodes join it
  std::string partition = "lend";          ///< pilots are submitted to it; its nodes are those that may be held
  std::string programs = {};               ///< of system "script": the folder with its four programs
  std::uint32_t nodes_max = 0;             ///< held at once; 0: any number
  std::uint32_t reserve = 0;               ///< idle nodes that stay for local users
  Duration idle_for = seconds(60);         ///< a node is held when it was idle for so long
  std::vector<std::string> features = {};  ///< only nodes that have all of these
  std::string hours = {};  ///< "20:00-06:00" by the clock of this host: no node is held outside; empty: always
  Duration hold = seconds(3'600);  ///< time limit of a pilot; prolonged while no local job waits
  Duration grace = seconds(5);     ///< what runs on a node that is wanted back has so long to end
  /// Local jobs that wait for so long have pilots recalled; before that the batch system may preempt pilots
  /// itself.
  Duration recall_after = seconds(5);
  /// Nodes that no waiting local job can use yet are held as well: too few are idle or held for any of them.
  bool lend_between = false;
  Duration retry_after = seconds(30);  ///< a node that couldn't be held is tried again; twice as late each time
  Duration look_every = seconds(1);
  Duration command_max = seconds(10);  ///< a command that takes longer is ended, and counts as failed
  std::string sitemgr;                 ///< the site manager's endpoint for orders
  std::string node_endpoint;           ///< where nodes reach the site manager: tcp://HOST:PORT
  std::string node_folder;  ///< on a node: keys, jobs and logs of its agent, in a subfolder of the node's name
  BorrowSettings borrow = {};
  std::string dmm = "dmm";  ///< the program by which tokens are made: beside this one
  /// Settings of the resource manager on a node, KEY=VALUE; "%n" is the node's name.
  std::vector<std::string> node_settings = {};
  std::string node_programs = {};  ///< on a node: where DMM's programs are; empty: where they are here
};

}  // namespace dmm
