// Stories about a grid as text files: commands, a line `----`, and the exact timeline that they must give. A file holds
// any number of such pairs, with empty lines between them. The commands (a `#` begins a comment):
//
//   topology FILE               A file of topologies/; or the grid line by line:
//   site NAME KEY=VALUE...      Keys are nodes=8 (or 4x2: 4 nodes of 2 processors), cluster:NAME=8, users=u,v,
//                               parent=, siblings=a,b and direct=no. For the cluster before it: attribute=KEY:VALUE
//                               and keeps=MEGABYTES (of input files). Also any setting of a site: lend=false.
//   link A B MEGABITS           What the link between two sites carries a second.
//   set KEY VALUE               A setting of every site; or, in seconds, latency, jitter, beat, silence, confirm;
//                               or ledgers yes: managers continue from their ledgers.
//   watch all|sites             Which events are told; by default those of the sites and the ends of jobs.
//   submit SITE/USER N PROGRAM...  A job of N processors (8+8: two components). Before the program dttl=3,
//                               reruns=0, priority=1, out=FILE, sends=MEGABITS (a second, each processor),
//                               file=SITE:MEGABYTES (an input file there),
//                               known-file=SITE:MEGABYTES (with a checksum), x5 (five such jobs).
//                               Programs are in simulator/world/task_performer.hpp.
//   run-until SECONDS
//   stabilize [SECONDS]         Until nothing is left to do, for at most this time.
//   cut A B, heal A B           Frames between two parties: alpha, alpha/u (a user), alpha:nodes.
//   drop A B N, duplicate A B N
//   cut-one-way A B             Frames from A don't reach B.
//   crash P, restart P, pause P, resume P, unreachable P, reachable P
//   crash-host P                What wasn't synced is lost, too.
//   cancel SITE/USER JOB
//   drain SITE [SITE]           The owner's order: nothing new starts on its nodes, or nothing more is lent to
//                               the second site.
//   end-drains                  Of all sites.
//   show queue|leases|usage SITE, show chain|why SITE/USER/JOB, show jobs, show messages TYPE...
//
// The world warms up for one second before the first command that is not about the grid itself. Every step is checked
// (simulator/checkers/checkers.hpp).
#pragma once

#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "simulator/checkers/checkers.hpp"

namespace dmm {

class Scenario {
 public:
  Scenario();
  /// Carries out a block of commands and returns the resulting timeline. `number` is that of the block's first line. If
  /// a command can't be carried out, throws std::runtime_error, which names the line and the fault.
  std::string run(const std::string& commands, int number = 1);
  /// Runs all blocks of a file's text; returns the same text with the real timelines.
  std::string replay(const std::string& text);

 private:
  using Words = std::vector<std::string>;

  void command(const Words& words);
  bool describe(const Words& words);
  void add_site(const Words& words);
  void set(const std::string& key, const std::string& value);
  void build();
  static ResourceNeed need_of(const std::string& text);
  void submit(const Words& words);
  void run_until(Instant until);
  void stabilize(Duration limit);
  Party named(const std::string& name) const;
  Party named(const std::string& name, Role role) const;
  bool order(const Words& words);
  void fault(const Words& words);
  void step();
  void tell();
  void line(const std::string& text) { out_ << text << "\n"; }

  void show(const Words& words);
  void show_queue(const SiteManager& site);
  void show_leases(const SiteManager& site);
  void show_usage(const SiteManager& site);
  void show_job(const std::string& verb, const std::string& request);
  void show_jobs();
  void show_messages(const Words& words);
  Instant from_text(const std::string& seconds_text) const;

  nlohmann::json grid_;
  std::string file_;  ///< of topologies/
  std::vector<std::string> overrides_;
  WorldSettings settings_;
  bool watch_all_ = false;
  std::unique_ptr<World> world_;
  Checkers checkers_;
  std::ostringstream out_;
};

}  // namespace dmm
