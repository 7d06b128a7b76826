// The host of one simulated resource manager: carries out its orders in virtual time, as its backend
// would. What a program does is said by its arguments:
//   sleep S      runs S seconds, exits with 0; ends at once at SIGTERM
//   stubborn S   the same, but only SIGKILL ends it before
//   hanging S    the same, and SIGKILL takes a while, as in the midst of a system call
//   false        exits with 1 at once
//   print N      writes N bytes to standard output, exits with 0
//   write N S    writes N bytes to standard output while it runs for S seconds, exits with 0
//   missing      there is no such executable
//   poison S     runs S seconds and kills the keeper: all that runs there is lost with it
//   spread S...  runs for as long as the number of owners of its job's nodes says: the first length for one
//                owner, the second for two; beyond the last length the last
// Anything else runs for no time and exits with 0.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "manager/lookup.hpp"
#include "protocol/time.hpp"
#include "resmgr/tasks.hpp"
#include "simulator/world/event_queue.hpp"
#include "simulator/world/site_links.hpp"
#include "workloads/random.hpp"

namespace dmm {

class TaskPerformer {
 public:
  /// A program that is over, as it happened.
  struct End {
    TaskId id;
    EndKind kind = EndKind::exited;
    std::int32_t code = 0;
    bool keeper_died = false;
  };

  /// Files come over these links, which outlive this; else each comes over one about which nothing is said.
  void use_links(const SiteLinks& links) { links_ = &links; }
  /// From now on this host of a site keeps input files with a checksum, for ever.
  void keep_files(SiteName site) { keeps_for_ = std::move(site); }
  void perform(Instant now, TaskOrder order);
  Instant next_report() const;
  /// Adds the reports that are due.
  void take_reports(Instant now, std::vector<TaskReport>& reports);
  /// The manager is dead, and nobody keeps its tasks: nothing runs any more, and nothing is reported.
  void die();
  /// A manager that was started again attaches: what an earlier one ordered and nobody removed yet. The ends among
  /// them are reported once more.
  std::vector<LivingTask> attach(Instant now);
  /// From now on what happens is reported so much later, in order.
  void report_late(Duration late) { late_ = late; }
  /// From now on no program starts on these nodes, and this fraction of the starts on the others fails: a fault of
  /// the host.
  void fail_starts(NodeSet broken, double share, std::uint64_t seed);
  /// The keeper is killed: what it kept dies with it, and nobody knows how.
  void lose_all(Instant now);
  /// Remembers every end from now on.
  void remember_ends() { remembers_ = true; }
  const std::vector<End>& ends() const { return ends_; }

  struct Program {
    TaskId id;
    LeaseId lease;  ///< under which it was started
    NodeSet nodes;  ///< and on which nodes
    Instant started{};
    std::int32_t process = 0;
    bool stubborn = false;
    bool poison = false;
    bool ending = false;  ///< by a signal
    bool over = true;     ///< it doesn't run, and is kept until it is removed
    std::int32_t code = 0;
    EndKind end = EndKind::exited;    ///< how it ends, as was planned last
    bool awaits_go = false;           ///< it is ready, and doesn't run yet
    bool staged = false;              ///< it waits for input files before it is ready
    std::uint32_t told_parts = 0;     ///< how many tasks its job has, as its Go said; 0: there was none
    std::vector<Duration> by_owners;  ///< how long it runs where its job's nodes have two owners, three, ...
    Duration length;                  ///< how long it runs from its Go
    Duration hangs;                   ///< that SIGKILL takes
    std::uint64_t life = 0;           ///< names the end that was planned last
    std::uint64_t prints = 0;
    Duration writes_for;  ///< it writes what it prints little by little, for so long
    Duration wall;
  };
  /// The programs that run at this moment, in the order of their tasks.
  std::vector<std::shared_ptr<const Program>> running() const;
  bool runs(const TaskId& id) const {
    const auto program = find(id);
    return program && !program->over;
  }
  bool runs_anything() const { return running_ > 0; }
  /// Grows whenever a program starts or ends.
  std::uint64_t changes() const { return changes_; }
  /// How often tasks were ended since nobody said for too long that their manager lives.
  std::uint64_t deadlines() const { return deadlines_; }

  /// An input file that lies nowhere: the job fails by it.
  static constexpr std::string_view lost_file_url = "http://nowhere/lost";
  /// The life of a program that was removed.
  static constexpr std::uint64_t removed = UINT64_MAX;
  /// How long it takes to start a program, and to end one with a signal.
  static constexpr Duration start_takes = milliseconds(1);
  /// How often it is told how much a program has written.
  static constexpr Duration growth_interval = seconds(1);
  /// How long it takes to kill one that hangs.
  static constexpr Duration hang_takes = seconds(8);

 private:
  /// It begins to run.
  struct PlannedStart {
    std::shared_ptr<const Program> program;
    std::int32_t process = 0;
  };
  /// An end under way; `life` must still be the program's for it to come true.
  struct PlannedEnd {
    std::shared_ptr<Program> program;
    std::uint64_t life = 0;
    bool again = false;  ///< it was reported to an earlier manager
  };
  /// A program that can't be started.
  struct Missing {
    std::unique_ptr<const TaskId> id;
    StartFault fault = StartFault::executable_missing;
  };
  /// What a program has written so far is told.
  struct PlannedGrowth {
    std::shared_ptr<const Program> program;
    std::int32_t process = 0;
  };
  /// Files for a job that is to come are there.
  using PlannedFiles = std::unique_ptr<FilesFetched>;
  /// Small, since there is an end for each program that runs.
  using Planned =
      std::variant<PlannedStart, PlannedEnd, Missing, PlannedGrowth, std::unique_ptr<OutputRead>, PlannedFiles>;

  std::shared_ptr<Program> program_of(const TaskId& id);
  std::shared_ptr<Program> find(const TaskId& id) const;
  void start(Instant now, const StartTask& order);
  void go(Instant now, const GoTask& order);
  void run(Instant begin, const std::shared_ptr<Program>& program);
  /// Whether its host fails to start it.
  bool fails(const StartTask& order);
  /// When these files are there, one after the other; those at the owner of the nodes take no time.
  Instant bring(Instant now, const InputFiles& files, const SiteName& owner);
  void end(Instant now, const EndTask& order);
  void plan_end(Instant at, const std::shared_ptr<Program>& program, EndKind kind, std::int32_t code);
  /// Whether the end comes true.
  bool come_true(Instant now, const PlannedEnd& end);
  void read(Instant now, const ReadOutput& order);
  void tell_growth(Instant now, const PlannedGrowth& growth, std::vector<TaskReport>& reports);
  void end_all(Instant now, EndKind kind);
  void take_due(Instant now, std::vector<TaskReport>& reports);

  EventQueue<Planned> planned_;
  Lookup<TaskId, std::shared_ptr<Program>> programs_;
  std::size_t running_ = 0;  ///< of them
  std::uint64_t lives_ = 0, changes_ = 0, deadlines_ = 0;
  std::int32_t last_process_ = 1000;
  const SiteLinks* links_ = nullptr;
  SiteName keeps_for_;                   ///< whose input files it keeps; empty: it keeps none
  std::map<std::string, Instant> kept_;  ///< by SHA-256: since when, or from when on
  NodeSet broken_;                       ///< nodes on which no program starts
  double failing_share_ = 0;             ///< of starts on the others
  Random chance_{0};                     ///< of such failures
  Instant keep_until_ = never;           ///< the keeper's deadline: it ends everything when the manager is silent
  Duration late_;
  std::list<std::pair<Instant, TaskReport>> held_;  ///< reports that come late, and when
  bool remembers_ = false;
  std::vector<End> ends_;
};

}  // namespace dmm
