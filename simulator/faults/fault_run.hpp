// One random run with faults: plays what was drawn from its seed, with every checker after every step; then all faults
// are healed, and every job must end and every node come home within a bounded time.
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

  /// What is broken; empty if nothing is.
  std::string play();
  /// A request that nobody within reach could serve may wait for ever; all others run. What was kept waiting without a
  /// reason; empty if nothing was.
  std::string check_served() const;
  /// The acts alone, without looking whether anything is broken: for networks that lie.
  void play_unchecked();

  /// Called with a line for everything that happens and is done.
  void set_trace(std::function<void(const std::string&)> trace) { trace_ = std::move(trace); }
  /// Asked now and then whether to give up; then `play` says "interrupted".
  void set_stop(std::function<bool()> stop) { stop_ = std::move(stop); }
  /// See Checkers.
  void ignore_own_word() { checkers_.ignore_own_word(); }
  /// The last lines that speak of what is broken, then the last of all.
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

  /// Whether a job runs, or nodes are set aside for a while, that others wait for.
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
  std::vector<std::size_t> who_could(const Party& user, const JobDescription& job) const;
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
  /// Whether what was done last may still end leases.
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
  std::deque<Happening> past_;                 ///< the last things that happened, for the story
  std::deque<std::string> acts_;               ///< the same of what was done
  std::map<JobOfUser, JobDescription> asked_;  ///< what users were told is accepted
  std::set<JobOfUser> cancelled_;              ///< by their users
  std::vector<RequestId> hopeless_;            ///< cancelled in the end
  std::set<RequestId> refused_;
  std::set<RequestId> started_;  ///< attempts of which a component ran, until they are run again
  std::map<RequestId, std::vector<std::string>> handed_out_;  ///< the leases that requests were served with
  std::set<std::string> explained_;  ///< leases that their owners took back, or that ended while trouble was felt
  bool has_chances_ = false;         ///< anything may go wrong at any time
  Instant last_trouble_{};           ///< when something was done that may interrupt jobs
  std::map<Party, std::vector<std::pair<Instant, std::uint32_t>>>
      sizes_;                                                       ///< of resource managers, by configuration
  std::map<std::pair<SiteName, SiteName>, Instant> links_changed_;  ///< by configuration
  HoldWatch hold_watch_;
  IdleWatch idle_watch_;
  SharesWatch shares_watch_;
  std::map<Party, Duration> doomed_;       ///< they crash during their next commit, for so long
  std::map<Party, Instant> back_at_;       ///< and are started again then
  Instant ran_{};                          ///< when there was anything to wait for last, since all was mended
  Instant ended_{};                        ///< when a job ended last, since all was mended
  std::size_t open_ = 0;                   ///< jobs that hadn't ended at the last look
  Instant idle_since_{};                   ///< no job was under way, or everything was at home
  std::map<Party, Instant> isolated_;      ///< resource managers that hear nobody, and since when
  std::string late_fault_;                 ///< found while something was done
  std::map<Party, Instant> frozen_;        ///< and since when
  std::map<Party, Duration> out_of_time_;  ///< how long frozen, and how far jumped, in all
};

}  // namespace dmm
