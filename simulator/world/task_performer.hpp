// The host of one simulated resource manager: carries out its orders in virtual time, as its backend would. The
// arguments of a program say what it does:
//   sleep S      Runs S seconds, exits with 0; ends at once at SIGTERM.
//   stubborn S   The same, but only SIGKILL ends it before.
//   hanging S    The same, and SIGKILL takes a while, as in the midst of a system call.
//   false        Exits with 1 at once.
//   print N      Writes N bytes to standard output, exits with 0.
//   write N S    Writes N bytes to standard output while it runs for S seconds, exits with 0.
//   missing      There is no such executable.
//   poison S     Runs S seconds and kills the keeper; all programs of the keeper are lost with it.
//   spread S...  Runs for the first length if the nodes of its job have one owner, for the second if they have
//                two, and so on; the last length is also for more owners.
// Any other program runs for no time and exits with 0.
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
  /// The real end of a program.
  struct End {
    TaskId id;
    EndKind kind = EndKind::exited;
    std::int32_t code = 0;
    bool keeper_died = false;
  };

  /// Files come over these links, which must outlive this object. Without them, files come over links without an
  /// entry.
  void use_links(const SiteLinks& links) { links_ = &links; }
  /// From now on this host of a site keeps input files with a checksum for ever.
  void keep_files(SiteName site) { keeps_for_ = std::move(site); }
  void perform(Instant now, TaskOrder order);
  Instant next_report() const;
  /// Adds the reports that are due.
  void take_reports(Instant now, std::vector<TaskReport>& reports);
  /// The manager is dead, and its tasks have no keeper: nothing runs any more, and nothing is reported.
  void die();
  /// A restarted manager attaches. Returns the tasks that an earlier one ordered and that weren't removed yet; their
  /// ends are reported once more.
  std::vector<LivingTask> attach(Instant now);
  /// From now on reports come later by this time, in order.
  void report_late(Duration late) { late_ = late; }
  /// From now on no program starts on these nodes, and this share of the starts on other nodes fails: a fault of the
  /// host.
  void fail_starts(NodeSet broken, double share, std::uint64_t seed);
  /// The keeper is killed: its programs die with it, and how they ended is unknown.
  void lose_all(Instant now);
  /// Remembers every end from now on.
  void remember_ends() { remembers_ = true; }
  const std::vector<End>& ends() const { return ends_; }

  /// What few programs do.
  struct Habits {
    std::vector<Duration> by_owners;  ///< run times where the job's nodes have two owners, three, ...
    Duration hangs;                   ///< time that SIGKILL takes
    std::uint64_t prints = 0;         ///< bytes
    Duration writes_for;              ///< prints little by little over this time
    bool operator==(const Habits&) const = default;
  };
  struct Program {
    TaskId id;
    LeaseId lease;  ///< under which the program was started
    NodeSet nodes;  ///< on which the program was started
    Instant started{};
    std::int32_t process = 0;
    bool stubborn = false;
    bool poison = false;
    bool ending = false;  ///< by a signal
    bool over = true;     ///< not running; kept until it is removed
    std::int32_t code = 0;
    EndKind end = EndKind::exited;  ///< as planned last
    bool awaits_go = false;         ///< ready, but not running yet
    bool staged = false;            ///< waits for input files before it is ready
    std::uint32_t told_parts = 0;   ///< tasks of its job, from its Go; 0: no Go yet
    Duration length;                ///< run time from its Go
    std::uint64_t life = 0;         ///< names the end that was planned last
    Duration wall;
    RareValue<Habits> habits;
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
  /// How often tasks were ended because their manager gave the keeper no sign of life for too long.
  std::uint64_t deadlines() const { return deadlines_; }

  /// An input file without any copy: the job fails.
  static constexpr std::string_view lost_file_url = "http://nowhere/lost";
  /// Value of `life` for a removed program.
  static constexpr std::uint64_t removed = UINT64_MAX;
  /// Time to start a program, and to end one with a signal.
  static constexpr Duration start_takes = milliseconds(1);
  /// How often the growth of a program's output is reported.
  static constexpr Duration growth_interval = seconds(1);
  /// Time to kill a hanging program.
  static constexpr Duration hang_takes = seconds(8);

 private:
  /// The program begins to run.
  struct PlannedStart {
    std::shared_ptr<const Program> program;
    std::int32_t process = 0;
  };
  /// A planned end. It comes true only if `life` is still the program's.
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
  /// The output of a program so far is reported.
  struct PlannedGrowth {
    std::shared_ptr<const Program> program;
    std::int32_t process = 0;
  };
  /// Files for a job that comes later have arrived.
  using PlannedFiles = std::unique_ptr<FilesFetched>;
  /// Kept small, since there is an end for each running program.
  using Planned =
      std::variant<PlannedStart, PlannedEnd, Missing, PlannedGrowth, std::unique_ptr<OutputRead>, PlannedFiles>;

  std::shared_ptr<Program> program_of(const TaskId& id);
  std::shared_ptr<Program> find(const TaskId& id) const;
  void start(Instant now, const StartTask& order);
  void go(Instant now, const GoTask& order);
  void run(Instant begin, const std::shared_ptr<Program>& program);
  /// Whether the host fails to start it.
  bool fails(const StartTask& order);
  /// When these files have arrived, one after the other; files at the owner of the nodes take no time.
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
  SiteName keeps_for_;                   ///< the site that input files are kept for; empty: none are kept
  std::map<std::string, Instant> kept_;  ///< by SHA-256: when the file arrived or will arrive
  NodeSet broken_;                       ///< nodes on which no program starts
  double failing_share_ = 0;             ///< of starts on other nodes
  Random chance_{0};                     ///< decides which starts fail
  Instant keep_until_ = never;  ///< the keeper's deadline: without word from the manager it ends everything
  Duration late_;
  std::list<std::pair<Instant, TaskReport>> held_;  ///< reports that come late, and when
  bool remembers_ = false;
  std::vector<End> ends_;
};

}  // namespace dmm
