// The machine room of one simulated resource manager: carries out its orders in virtual time, as its backend
// would. What a program does is said by its arguments:
//   sleep S      runs S seconds, exits with 0; ends at once at SIGTERM
//   stubborn S   the same, but only SIGKILL ends it before
//   false        exits with 1 at once
//   print N      writes N bytes to standard output, exits with 0
//   missing      there is no such executable
// Anything else runs for no time and exits with 0.
#pragma once

#include <map>
#include <vector>

#include "protocol/time.hpp"
#include "resmgr/tasks.hpp"
#include "simulator/event_queue.hpp"

namespace dmm {

class TaskPerformer {
 public:
  void perform(Instant now, TaskOrder order);
  Instant next_report() const;
  /// Reports that are due.
  std::vector<TaskReport> take_reports(Instant now);
  /// The manager is dead, and nobody keeps its tasks: nothing runs any more, and nothing is reported.
  void die();
  /// A manager that was started again attaches: what an earlier one ordered and nobody removed yet. The ends among
  /// them are reported once more.
  std::vector<LivingTask> attach(Instant now);

  struct Program {
    Instant started{};
    std::int32_t process = 0;
    bool stubborn = false;
    bool ending = false;     ///< by a signal
    std::uint64_t life = 0;  ///< names the end that was planned last
    std::uint64_t prints = 0;
  };
  /// The tasks whose programs run at this moment.
  const std::map<TaskId, Program>& running() const { return programs_; }
  /// Grows whenever a program starts or ends.
  std::uint64_t changes() const { return changes_; }
  /// How often tasks were ended since nobody said for too long that their manager lives.
  std::uint64_t deadlines() const { return deadlines_; }

  /// How long it takes to start a program, and to end one with a signal.
  static constexpr Duration start_takes = milliseconds(1);

 private:
  /// A report under way; `life` must still be the program's for an end to come true.
  struct Planned {
    TaskReport report;
    std::uint64_t life = 0;
    bool again = false;  ///< the end was reported to an earlier manager
  };

  void start(Instant now, const StartTask& order);
  void end(Instant now, const EndTask& order);
  void plan_end(Instant at, const TaskId& id, Program& program, EndKind kind, std::int32_t code);
  void read(Instant now, const ReadOutput& order);
  void end_all(Instant now);

  EventQueue<Planned> planned_;
  std::map<TaskId, Program> programs_;
  std::map<TaskId, TaskEnded> outcomes_;  ///< of ended tasks, until they are removed
  std::uint64_t lives_ = 0, changes_ = 0, deadlines_ = 0;
  std::int32_t last_process_ = 1000;
  Instant keep_until_ = never;  ///< the keeper's deadline: it ends everything when the manager is silent
};

}  // namespace dmm
