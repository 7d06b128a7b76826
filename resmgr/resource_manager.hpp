// The resource manager as a state machine: obeys its owner first, runs only what a lease allows, and says what
// became of it. Messages from its site manager and from job managers of any site go in, and reports of the
// backend; orders to the backend, messages and log events come out. Nothing here starts a process or reads a
// clock.
//
// Nodes are under one lease at a time, compared by epoch (slots.hpp). A Start waits, parked, until its lease is
// assigned and its nodes are clean. A node counts as clean when the backend reported the end of what ran on it. A
// lease of which all is here and nothing used goes back to the owner after a while (idle_leases.hpp).
// Who is in contact decides about self-fencing (presence.hpp). Nodes that swallow jobs are set aside
// (black_holes.hpp). Tasks and outcomes are in task_table.hpp; this class decides.
//
// Handlers only record and order what can't wait; `settle` then starts what has become possible, once a batch, and
// writes what changed into the ledger (recovery.cpp). Its configuration may change while it runs (reconfiguring.cpp).
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "manager/contract.hpp"
#include "manager/dispatch.hpp"
#include "manager/lookup.hpp"
#include "resmgr/black_holes.hpp"
#include "resmgr/idle_leases.hpp"
#include "resmgr/marks.hpp"
#include "resmgr/node_numbers.hpp"
#include "resmgr/presence.hpp"
#include "resmgr/records.hpp"
#include "resmgr/settings.hpp"
#include "resmgr/slots.hpp"
#include "resmgr/task_table.hpp"
#include "resmgr/view.hpp"

namespace dmm {

struct ResourceManagerEffects : Effects {
  LedgerChanges<ResourceRecord> ledger;
  std::vector<TaskOrder> tasks;  ///< to be carried out in this order, before the messages are sent
};

class ResourceManager {
 public:
  using Input = std::variant<Received, LinkUp, LinkDown, LinkPressed, LinkStanding, TaskStarted, TaskEnded, OutputRead,
                             OutputGrew>;
  using Effects = ResourceManagerEffects;

  /// `keep`: tasks go on for so long without this manager; 0: for a term.
  explicit ResourceManager(ResourceManagerSettings settings, Duration keep = {});
  // Compiled once, in the .cpp: each file that moved or ended one would compile those of all its members.
  ResourceManager(ResourceManager&&) noexcept;
  ResourceManager& operator=(ResourceManager&&) noexcept;
  ~ResourceManager();

  /// What people are told of a task that was lost with its keeper.
  static constexpr std::string_view keeper_died_text = "the keeper died, and with it all jobs of its resource manager";

  /// Goes on where an earlier start of the manager ended: once, before any event. `living` are the tasks that the
  /// backend still has; `keeper_died`: what is missing there was lost with its keeper. What is to be said and ordered
  /// follows at `settle` and when links come up.
  void restore(Instant now, std::vector<ResourceRecord> rows, const std::vector<LivingTask>& living,
               bool keeper_died = false);
  /// All rows that the ledger must hold after a settle.
  std::vector<ResourceRecord> records() const;

  void receive(Instant now, Input input, Effects& effects);
  /// The same of a message, which is most of what comes.
  void receive(Instant now, Received&& message, Effects& effects);
  void settle(Instant now, Effects& effects);
  Instant next_deadline() const;

  /// Ends everything and starts nothing more, for a shutdown. Whether nothing runs any more; call it again after
  /// reports of the backend until that is so.
  bool stop_all(Instant now, Duration grace, Effects& effects);
  /// Takes other settings, but for its name and site: other nodes are offered, and what is no node any more is left by
  /// its lease, and what runs there is ended. Empty, or why they can't be taken, and then nothing changed.
  std::string reconfigure(Instant now, const ResourceManagerSettings& settings, Effects& effects);

  ResourceManagerView view() const;
  const ResourceManagerSettings& settings() const { return settings_; }
  const Ignored& ignored() const { return ignored_; }
  /// Recounts the whole state; `settle` itself only checks what changed. For tests and the simulator's checkers.
  void check_invariants() const;

 private:
  struct Lease {
    SiteName holder;
    ShortText user;       ///< who alone may start jobs under it; empty: any user of the holder
    NodeSet nodes;        ///< never empty
    Duration patience;    ///< what travels between the holder and here takes so long
    bool alone = false;   ///< all of it is here
    bool once = false;    ///< it ends with its one task; not known any more after a restart, then it is taken back
    bool fenced = false;  ///< ended here for silence or idleness: no Start under it, until the site takes it back
  };
  /// An Unassign whose nodes aren't clean yet.
  struct PendingClean {
    LeaseId lease;
    NodeSet nodes;
    std::size_t tasks = 0;  ///< that have to end first; strays count as one
  };
  /// What is to be done with a parked Start now.
  enum class Readiness : std::uint8_t { start, await_lease, await_nodes, no_lease, not_theirs, nodes_busy };
  using ReadKey = std::tuple<TaskId, Stream, std::uint64_t>;

  // ---- inputs
  void on(Instant now, Received& received, Effects& effects);
  void on(Instant now, const LinkUp& change, Effects& effects);
  void on(Instant now, const LinkDown& change, Effects& effects);
  /// What is said here is asked for by others, or bounded by the nodes: nothing of it can wait.
  void on(Instant, const LinkPressed&, Effects&) {}
  void on(Instant, const LinkStanding&, Effects&) {}
  void on(Instant now, const TaskStarted& report, Effects& effects);
  void on(Instant now, TaskEnded& report, Effects& effects);
  void on(Instant now, OutputRead& report, Effects& effects);
  void on(Instant now, const OutputGrew& report, Effects& effects);
  void tell_growth(TaskRecord& task, Effects& effects);

  // ---- messages
  bool hand(Instant now, Received& received, Effects& effects);
  void on(Instant now, FromSite, const Assign& assign, Effects& effects);
  void on(Instant now, FromSite, const Unassign& unassign, Effects& effects);
  void on(Instant now, FromUser, Start& start, Effects& effects);
  void on(Instant now, FromUser, const Stop& stop, Effects& effects);
  void on(Instant now, FromUser, const Fetch& fetch, Effects& effects);
  void on(Instant now, FromUser, const Forget& forget, Effects& effects);

  // ---- leases
  Lease* find_lease(const LeaseId& lease);
  void refuse(Level level, const Assign& assign, std::string why, Effects& effects);
  void shut_beyond(Instant now, const Assign& assign);
  void supersede(Instant now, const NodeSet& nodes, Epoch newer, Effects& effects);
  void take_from_lease(Epoch lease, const NodeSet& nodes);
  std::set<std::uint64_t> to_be_clean(const Unassign& unassign) const;
  void count_down(std::uint64_t number, Effects& effects);
  void say_clean(const LeaseId& lease, const NodeSet& nodes, Effects& effects);
  void register_if_due(Effects& effects);
  void note_growth(const NodeSet& nodes, Epoch epoch, const Effects& effects);
  void fence(Instant now, std::uint64_t number, Effects& effects);
  bool end_with_task(const TaskRecord& task, Effects& effects);
  void watch_idle(Instant now);
  void end_idle(Instant now, Epoch lease, Effects& effects);
  bool keeps_outcome(Epoch lease) const;
  NodeGroup group_of(const NodeSet& nodes) const;

  // ---- other nodes (reconfiguring.cpp)
  void number_nodes();
  void leave_removed(Instant now, const NodeSet& removed, Effects& effects);

  // ---- the life of a task
  void answer_again(TaskRecord& task, const Start& start, Effects& effects);
  void replace_earlier_attempts(Instant now, const TaskId& id, Effects& effects);
  static bool is_for(const Lease& lease, const RequestId& request);
  Readiness judge(const TaskRecord& task) const;
  void consider(Instant now, TaskRecord& task, Effects& effects);
  void launch(Instant now, TaskRecord& task, Effects& effects);
  void order_end(Instant now, TaskRecord& task, Duration grace, EndKind cause, Effects& effects,
                 LeaseEnd lease_end = LeaseEnd::released);
  void detach(Instant now, TaskRecord& task, Duration limit, LeaseEnd reason, Effects& effects);
  void end_stray(const TaskId& id, Effects& effects);
  void leave_nodes(TaskRecord& task, Effects& effects);
  void fail(Instant now, TaskRecord& task, StartFault fault, std::string why, Effects& effects);
  void conclude(Instant now, TaskRecord& task, Ended&& outcome, Effects& effects);
  void record_outcome(Instant now, TaskRecord& task, Ended&& outcome);
  void give_up_or_forget(Instant now, const TaskId& id, Effects& effects);
  void remove(TaskRecord& task, Effects& effects);
  void keep_tasks(Instant now, Effects& effects);

  // ---- nodes that swallow jobs
  void judge_nodes(Instant now, const TaskRecord& task, const TaskEnded& report);
  bool died_with_others(const RequestId& request) const;
  void say_set_aside(Instant now, Effects& effects);

  // ---- the ledger
  void restore_one(AssignmentRecord& row);
  void restore_fences(const std::vector<ResourceRecord>& rows);
  void restore_one(SuspectRecord& row);
  void restore_one(Instant now, TaskRow& row, std::map<TaskId, std::int32_t>& living, bool keeper_died,
                   bool others_died);
  void restore_living(Instant now, TaskRecord& task, const TaskRow& row, std::int32_t process);
  void resume(Instant now, Effects& effects);
  void record_changes(const std::vector<Epoch>& leases, const std::vector<TaskId>& tasks, Effects& effects);

  void check_changes(const std::vector<Epoch>& leases, const std::vector<TaskId>& tasks) const;

  ResourceManagerSettings settings_;
  Party site_;
  NodeNumbers numbers_;
  Slots slots_;
  std::map<std::string, FenceRecord> gone_fences_;  ///< of nodes that aren't configured now, by their rows' keys
  Presence presence_;
  TaskTable tasks_;
  Lookup<Epoch, Lease> leases_;
  std::map<std::uint64_t, PendingClean> cleans_;
  std::uint64_t last_clean_ = 0;
  std::map<ReadKey, bool> reads_;       ///< ReadOutput orders that wait for their answer, and whether as a Piece
  std::set<TaskId> strays_;             ///< living tasks that the ledger didn't know: they end before all else
  std::vector<std::uint64_t> stray_cleans_;  ///< the Clean messages that wait for them too
  BlackHoles black_holes_;
  std::vector<RequestId> died_with_keeper_;  ///< since the last settle
  IdleLeases idle_;
  bool register_due_ = false;
  bool resume_due_ = false;             ///< after `restore`: what it found is still to be ordered
  bool stopping_ = false;
  Duration keep_;                       ///< 0: a term
  Instant keep_due_{};                  ///< when the next KeepTasks is due, if anything runs
  Instant now_{};
  Duration site_round_trip_;            ///< 0: not known
  std::map<std::uint32_t, Epoch> turned_away_;  ///< by node: of leases older than what it has seen, the latest
  TaskCounts counts_;
  Ignored ignored_;

  Marks<Epoch> touched_;                ///< leases whose parked Starts settle looks at again
  Marks<Epoch> perhaps_idle_;           ///< leases that got or lost a job since the last settle, or began
  Marks<Epoch> changed_leases_;         ///< since the last settle
  Marks<TaskId> changed_tasks_;
  std::set<std::uint32_t> changed_fences_;
  std::set<std::uint32_t> changed_numbers_;
};

}  // namespace dmm
