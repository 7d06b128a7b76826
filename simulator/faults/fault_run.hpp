// One random run with faults. It plays what was drawn from its seed, with every checker after every step. Then all
// faults are healed: every job must end and every node come home within a bounded time.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "simulator/checkers/checkers.hpp"
#include "simulator/checkers/hold_watch.hpp"
#include "simulator/faults/capacity.hpp"
#include "simulator/faults/idle_watch.hpp"
#include "simulator/faults/random_grid.hpp"
#include "simulator/faults/shares_watch.hpp"
#include "simulator/faults/sometimes.hpp"

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
  void set_trace(std::function<void(const std::string&)> trace) { trace_ = std::move(trace); }
  /// Sets a function that is called now and then, and aborts the run by returning true; then `play` returns
  /// "interrupted".
  void set_stop(std::function<bool()> stop) { stop_ = std::move(stop); }
  /// See Checkers.
  void ignore_own_word() { checkers_.ignore_own_word(); }
  /// The last lines about what is broken, then the last of all lines.
  std::vector<std::string> story(const std::string& fault) const;

  World& world() { return *world_; }
  const World& world() const { return *world_; }
  const RandomRun& drawn() const { return run_; }
  const Checkers& checkers() const { return checkers_; }
  const Sometimes& sometimes() const { return sometimes_; }
  /// How often a borrower was found to have had its share.
  std::uint64_t shares() const { return shares_watch_.shares(); }

 private:
  using JobOfUser = std::pair<Party, std::uint64_t>;

  /// Whether waiting jobs have something to wait for: a running job, or nodes set aside for a while.
  bool anything_to_wait_for() const;
  std::size_t open_jobs() const;
  bool advance(Instant until);
  bool step();
  std::string check_homecoming();
  void look_around();
  void crash_the_doomed();
  void bring_back();
  void tell();
  void note(std::string line);
  void perform(const Act& act);
  void perform_on(const Act& act);
  void excuse(const Act& act);
  void watch_isolation(const Act& act);
  void submit(const Act& act);
  void cancel(const Act& act);
  void connect(const Act& act, bool connected);
  void configure_sizes(const SiteName& name);
  void mend();

  // ---- what is within reach (reach.cpp) ----
  std::uint32_t nodes_of_late(const Party& manager, std::uint32_t nodes) const;
  std::vector<Room> rooms_for(const TopologySite& site, const JobDescription& job, bool is_home) const;
  bool could_hold(const TopologySite& site, const JobDescription& job, bool is_home) const;
  bool could_hold_together(const Party& user, const JobDescription& job) const;
  std::vector<std::size_t> reach_of(const Party& user, std::uint32_t dttl) const;
  bool changed_of_late(const SiteName& a, const SiteName& b) const;
  std::vector<std::size_t> sites_that_could_serve(const Party& user, const JobDescription& job) const;
  bool searches_all(const Party& user) const;
  bool is_watched(const Party& user, const ResourceNeed& need) const;
  bool wants_share(std::size_t owner, std::size_t borrower) const;
  void check_refusal(const Happening& refused);
  void cancel_hopeless();

  // ---- what users are told (outcomes.cpp) ----
  std::map<RequestId, std::vector<TaskPerformer::End>> program_ends() const;
  std::set<RequestId> attempts_that_died_with_a_keeper() const;
  std::string check_outcomes() const;
  bool was_refused(const JobOfUser& job, const JobView& view) const;
  std::string fault_of_outcome(const JobOfUser& job, const JobView& view, const JobDescription& description,
                               const std::vector<TaskPerformer::End>& programs) const;
  std::string fault_of_charges(const JobView& view, const std::set<RequestId>& died) const;
  /// Whether the effects of recent acts may still end leases.
  bool is_trouble_felt() const;
  void check_rerun(const Happening& rerun);
  void note_act(const Act& act);
  void note(const Happening& happening);
  void note_started(const Happening& started);

  RandomRun run_;
  std::unique_ptr<World> world_;
  Checkers checkers_;
  Sometimes sometimes_;
  std::string fault_;
  std::function<void(const std::string&)> trace_;
  std::function<bool()> stop_;
  std::uint64_t steps_ = 0;
  std::deque<Happening> past_;                 ///< the latest happenings, for the story
  std::deque<std::string> acts_;               ///< the latest acts
  std::map<JobOfUser, JobDescription> asked_;  ///< accepted jobs, as far as users were told
  std::set<JobOfUser> cancelled_;              ///< by their users
  std::vector<RequestId> hopeless_;            ///< cancelled at the end of the run
  std::set<RequestId> refused_;
  std::set<RequestId> started_;  ///< attempts with a component that ran, until the job runs again
  std::map<RequestId, std::vector<std::string>> handed_out_;  ///< the leases that each request got
  std::set<std::string> explained_;  ///< leases that owners took back, or that ended while trouble was felt
  bool has_chances_ = false;         ///< faults may happen at any time
  Instant last_trouble_{};           ///< the last act that may interrupt jobs
  std::map<Party, std::vector<std::pair<Instant, std::uint32_t>>>
      sizes_;                                                       ///< of resource managers, by configuration
  std::map<std::pair<SiteName, SiteName>, Instant> links_changed_;  ///< by configuration
  HoldWatch hold_watch_;
  IdleWatch idle_watch_;
  SharesWatch shares_watch_;
  std::map<Party, Duration> doomed_;       ///< managers that crash in their next commit, and for how long
  std::map<Party, Instant> back_at_;       ///< when crashed managers are started again
  Instant ran_{};                          ///< since mending: when there last was something to wait for
  Instant ended_{};                        ///< since mending: when the last job ended
  std::size_t open_ = 0;                   ///< jobs that hadn't ended at the last look
  Instant idle_since_{};                   ///< no job has been under way since, or everything at home
  std::map<Party, Instant> isolated_;      ///< isolated resource managers, and since when
  std::string late_fault_;                 ///< found while an act was performed
  std::map<Party, Instant> frozen_;        ///< frozen managers, and since when
  std::map<Party, Duration> out_of_time_;  ///< time frozen and jumped, in all
};

}  // namespace dmm
