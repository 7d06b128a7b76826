// Stories about a grid as text files: commands, a line `----`, and the exact timeline that they must give; a file
// holds any number of such pairs, with empty lines between them. The commands (a `#` begins a comment):
//
//   topology FILE               a file of topologies/; or the grid line by line:
//   site NAME KEY=VALUE...      nodes=8 (or 4x2: 4 nodes of 2 processors), cluster:NAME=8, users=u,v, parent=,
//                               siblings=a,b, direct=no; of the cluster before it attribute=KEY:VALUE and
//                               keeps=MEGABYTES (of input files); and any setting of a site: lend=false
//   link A B MEGABITS           what the link between two sites carries a second
//   set KEY VALUE               a setting of every site; or, in seconds, latency, jitter, beat, silence, confirm;
//                               or ledgers yes: managers go on from theirs
//   watch all|sites             which events are told: of the sites and the ends of jobs if nothing is said
//   submit SITE/USER N PROGRAM...  a job of N processors (8+8: two components); before the program dttl=3,
//                               reruns=0, priority=1, out=FILE, sends=MEGABITS (a second, each processor),
//                               file=SITE:MEGABYTES (an input file there),
//                               known-file=SITE:MEGABYTES (with a checksum), x5 (so many of them);
//                               programs: simulator/world/task_performer.hpp
//   run-until SECONDS
//   stabilize [SECONDS]         until nothing is left to do, at most so long
//   cut A B, heal A B           frames between two parties: alpha, alpha/u (a user), alpha:nodes
//   drop A B N, duplicate A B N
//   cut-one-way A B             what A sends doesn't reach B
//   crash P, restart P, pause P, resume P, unreachable P, reachable P
//   crash-host P                what wasn't synced is lost, too
//   cancel SITE/USER JOB
//   drain SITE [SITE]           as the owner orders it: nothing new starts on its nodes, or nothing more is lent
//   to
//                               one
//   end-drains                  of all sites
//   show queue|leases|usage SITE, show chain|why SITE/USER/JOB, show jobs, show messages TYPE...
//
// The world warms up for one second before the first command that is not about the grid itself, and every step is
// checked (simulator/checkers/checkers.hpp).
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
  /// Carries out a block of commands and returns the timeline that it gave. `number` is that of its first line. A
  /// command that can't be carried out throws std::runtime_error, which names the line and what is wrong.
  std::string run(const std::string& commands, int number = 1);
  /// Runs all blocks of a file's text; the same text with what each really gave.
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
