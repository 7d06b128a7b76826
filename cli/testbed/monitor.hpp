// The progress of a run, asked of the managers about twice a second: their counts are cheap. Each manager has one open
// question at a time; busy processors are asked about less often.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cli/managers/registry.hpp"
#include "cli/terminal/progress.hpp"
#include "runtime/client.hpp"
#include "topologies/topology.hpp"

namespace dmm {

class Monitor {
 public:
  /// Connects to every site manager and job manager of the testbed.
  Monitor(ClientPool& pool, const Testbed& testbed, const Topology& topology);

  /// Which manager could not be reached; empty if all were.
  const std::string& fault() const { return fault_; }
  /// The pool's number of a manager.
  std::size_t number_of(const Party& party) const { return numbers_.at(party); }

  /// Sends the questions that are due.
  void ask_due(Instant now);
  /// Takes an answer; false if it answers no question of this monitor.
  bool take(const Reply& reply, Instant now);

  /// Fills in the grids and the number of jobs that ended.
  void fill(RunProgress& progress, Instant now) const;
  /// Whether every manager has answered once.
  bool heard_all() const { return heard_ == questions_.size(); }
  /// Jobs that have ended, as last heard.
  std::uint64_t ended() const;
  /// A number that grows with every start and every end of a job.
  std::uint64_t activity() const;

 private:
  struct Site {
    std::size_t grid = 0;
    std::uint64_t processors = 0;
    std::uint64_t busy = 0;
    std::uint64_t grants_local = 0;
    Instant heard{};
  };
  struct Jobs {
    std::size_t grid = 0;
    std::uint64_t waiting = 0, running = 0, ended = 0, finished = 0, granted = 0;
  };
  struct Question {
    bool open = false;
    bool answered = false;  ///< ever
    Instant due{};
  };

  std::map<Party, std::size_t> numbers_;
  std::map<std::size_t, Site> sites_;  ///< by number in the pool
  std::map<std::size_t, Jobs> jobs_;
  std::map<std::size_t, Question> questions_;
  std::map<std::uint64_t, std::size_t> open_;  ///< token -> number
  std::vector<std::string> roots_;             ///< of the grids
  ClientPool& pool_;
  std::size_t heard_ = 0;
  std::string fault_;
};

}  // namespace dmm
