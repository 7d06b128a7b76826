// The `process` backend: tasks are real processes on this host. The backend only talks to the keeper, a small program
// that is the parent of all of them (resmgr/keeper/jobs.hpp says how it starts and ends them). It never waits for the
// keeper: orders that the socket doesn't take are kept and sent later. If the keeper dies, so does everything it
// started; the backend reports that and starts another keeper. With `outlive`, tasks also survive the manager: they go
// on, and the next manager in the same folder takes them over from the keeper.
//
// The two beat each other. If the manager is silent, the keeper ends the tasks (KeepTasks). If the keeper is silent,
// the manager reports it, and continues a keeper that was only stopped.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include <sys/types.h>

#include "manager/effects.hpp"
#include "resmgr/backend_state.hpp"
#include "resmgr/backends/process/account_book.hpp"
#include "resmgr/backends/process/backend_settings.hpp"
#include "resmgr/backends/process/keeper_link.hpp"
#include "resmgr/keeper/frames.hpp"
#include "resmgr/tasks.hpp"

namespace dmm {

class ProcessBackend {
 public:
  /// Starts the keeper and waits until nothing of an earlier manager in the same folder is left: for its keeper's lock
  /// as long as the settings say, then some seconds at most. Its tasks' directories are removed. Returns the backend,
  /// or what went wrong.
  ///
  /// With `outlive`, a keeper that lives in the folder is taken over with its tasks, even from a manager that is still
  /// there. If there is no keeper, everything that an earlier one left running is ended. Only the tasks that the
  /// earlier keeper saw end are kept. Taking over moves no deadline: order KeepTasks soon.
  static std::variant<std::unique_ptr<ProcessBackend>, std::string> open(const ProcessBackendSettings& settings);
  /// Ends all tasks and waits for that, at most 5 s; unless the manager has left or was replaced.
  ~ProcessBackend();
  ProcessBackend(const ProcessBackend&) = delete;
  ProcessBackend& operator=(const ProcessBackend&) = delete;

  /// Poll it for reading; when it is readable, call take_reports.
  int descriptor() const { return link_.descriptor(); }
  /// Hands an order to the keeper; doesn't wait. A StartTask of a running task is ignored; a StartTask of an ended task
  /// removes its directory and starts it again. EndTask and RemoveTask of unknown tasks do nothing. Files are fetched
  /// ahead for at most eight jobs at once; further fetches are dropped.
  void perform(const TaskOrder& order);
  /// The tasks of earlier managers that open() found, in no order: running tasks, and those that ended and were not
  /// removed, with process 0. The backend treats them as its own; their ends are reported soon.
  const std::vector<LivingTask>& living() const { return living_; }
  /// Whether open() had to start a keeper: tasks of an earlier keeper that aren't among the living were lost with it.
  bool keeper_is_new() const { return link_.is_new(); }
  /// The manager leaves and, with `outlive`, the tasks stay. Waits at most a second until earlier orders are handed
  /// over; later orders do nothing. Without `outlive` the tasks end.
  void leave();
  /// Whether another manager has taken the tasks over. This manager gets no more reports of them, and starts none.
  bool replaced() const { return replaced_; }
  /// Why it has no keeper; empty if it has one.
  const std::string& fault() const { return fault_; }
  /// Events since the last call, in order. Also sends waiting frames.
  std::vector<TaskReport> take_reports();
  /// Log events since the last call: of the keeper, and of tasks that can't be ended.
  std::vector<LogEvent> take_events();
  /// What people are told of the backend, at this moment.
  BackendState state() const;
  /// Process id of the keeper, for people and tests; 0 while there is none.
  pid_t keeper_process() const { return link_.process(); }

 private:
  struct Task {
    std::uint64_t serial = 0;
    bool ended = false;
  };

  struct Fetch {
    TaskId id;
    std::vector<SiteName> path;
  };

  explicit ProcessBackend(ProcessBackendSettings settings);
  std::string begin(const keeper::Ready& ready);
  void find(const keeper::FoundJob& job);
  void be_replaced();
  void lose_keeper();
  void see_whether_it_ended();
  void keeper_ended();
  void restart_keeper();
  void deliver_lost();

  void carry_out(const StartTask& order);
  void carry_out(const GoTask& order);
  void carry_out(const EndTask& order);
  void carry_out(const ReadOutput& order);
  void carry_out(const RemoveTask& order);
  void carry_out(const KeepTasks& order);
  void carry_out(const FetchFiles& order);
  void take_frames();
  void take(keeper::Challenge&) {}  // comes before anything else, or not at all
  void take(keeper::Ready& report);
  void take(keeper::JobStuck& report);
  void take(keeper::Beat&) {}  // any frame shows that the keeper lives
  void take(keeper::JobStarted& report);
  void take(keeper::JobEnded& report);
  void fetch_ended(Fetch fetch, const keeper::JobEnded& report);
  void take(keeper::FileRead& report);
  void take(keeper::OutputSize& report);
  void take(keeper::Replaced& report);

  keeper::Rules rules() const;
  void log(Level level, std::string_view event, const std::string& text, const TaskId& id = {});
  void tell_accounts(const std::string& why_not);
  void fail_start(const TaskId& id, StartFault fault, const std::string& text);

  ProcessBackendSettings settings_;
  std::string path_;  // where programs are looked up
  AccountBook accounts_;
  KeeperLink link_;
  bool left_ = false;
  bool replaced_ = false;
  std::string fault_;  // why there is no keeper
  std::uint64_t serial_ = 0;
  std::map<TaskId, Task> tasks_;
  std::vector<LivingTask> living_;  // as found at the start
  std::unordered_map<std::uint64_t, TaskId> names_;
  std::map<std::uint64_t, Fetch> fetches_;  // of files for jobs to come, by serial
  std::deque<ReadOutput> reads_;            // not answered yet, in order
  std::deque<TaskOrder> held_;              // until it is known whether the keeper is lost
  std::vector<TaskReport> reports_;
  std::vector<LogEvent> events_;
  std::vector<TaskReport> lost_;  // ends that are reported once the next keeper has made sure of them
  Duration keep_;                 // as last ordered
  BackendState state_;            // without what link_ knows of the keeper
};

}  // namespace dmm
