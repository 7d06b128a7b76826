// One random run with faults. It plays what was drawn from its seed, with every checker after every step. Then all
// faults are healed: every job must end and every node come home within a bounded time.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "simulator/checkers/checkers.hpp"
#include "simulator/checkers/hold_watch.hpp"
#include "simulator/faults/commit_crashes.hpp"
#include "simulator/faults/idle_watch.hpp"
#include "simulator/faults/interruption_watch.hpp"
#include "simulator/faults/isolation_watch.hpp"
#include "simulator/faults/lost_time.hpp"
#include "simulator/faults/outcomes.hpp"
#include "simulator/faults/random_grid.hpp"
#include "simulator/faults/rest_watch.hpp"
#include "simulator/faults/run_story.hpp"
#include "simulator/faults/shares_watch.hpp"
#include "simulator/faults/sometimes.hpp"
#include "simulator/faults/within_reach.hpp"

namespace dmm {

class FaultRun {
 public:
  explicit FaultRun(std::uint64_t seed, RandomOptions options = {}, Level level = Level::info);

  /// Plays the run. Returns what is broken; empty if nothing is.
  std::string play();
  /// A request may wait for ever only if no site within reach could serve it. Returns requests that waited without a
  /// reason; empty if there were none.
  std::string check_served() const;
  /// Plays the acts without checking anything: for networks that lie.
  void play_unchecked();

  /// Sets a function that gets a line for every happening and act.
  void set_trace(std::function<void(const std::string&)> trace) { story_.set_trace(std::move(trace)); }
  /// Sets a function that is called now and then, and aborts the run by returning true; then `play` returns
  /// "interrupted".
  void set_stop(std::function<bool()> stop) { stop_ = std::move(stop); }
  /// See Checkers.
  void ignore_own_word() { checkers_.ignore_own_word(); }
  /// The last lines about what is broken, then the last of all lines.
  std::vector<std::string> story(const std::string& fault) const { return story_.told(fault); }

  World& world() { return *world_; }
  const World& world() const { return *world_; }
  const RandomRun& drawn() const { return run_; }
  const Checkers& checkers() const { return checkers_; }
  const Sometimes& sometimes() const { return sometimes_; }
  /// How often a borrower was found to have had its share.
  std::uint64_t shares() const { return shares_watch_.shares(); }

 private:
  bool advance(Instant until);
  bool step();
  /// Like `step`: false if something is wrong.
  bool look_around();
  void crash_the_doomed();
  void bring_back();
  void tell();
  void note(std::string line) { story_.add(std::move(line)); }
  void note(const Happening& happening);
  void mend();
  bool wants_share(std::size_t owner, std::size_t borrower) const;
  void check_refusal(const Happening& refused);
  void cancel_hopeless();

  // ---- acts (fault_acts.cpp) ----
  void perform(const Act& act);
  void note_act(const Act& act);
  void perform_on(const Act& act);
  void submit(const Act& act);
  void cancel(const Act& act);
  void connect(const Act& act, bool connected);
  void configure_sizes(const SiteName& name);

  RandomRun run_;
  std::unique_ptr<World> world_;
  Checkers checkers_;
  Sometimes sometimes_;
  std::string fault_;
  std::string late_fault_;  ///< found while an act was performed
  std::function<bool()> stop_;
  std::uint64_t steps_ = 0;
  bool has_chances_ = false;  ///< faults may happen at any time
  RunStory story_;
  WithinReach reach_;
  Outcomes outcomes_;
  InterruptionWatch interruption_watch_;
  HoldWatch hold_watch_;
  IdleWatch idle_watch_;
  SharesWatch shares_watch_;
  IsolationWatch isolation_watch_;
  LostTime lost_time_;
  CommitCrashes commit_crashes_;
  RestWatch rest_watch_;
};

}  // namespace dmm
