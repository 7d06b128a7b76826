// The job manager of one user: takes jobs, asks the home site for nodes, starts each job's components on the
// resource managers it was granted, watches them, brings their output back, and releases the nodes. A pure state
// machine (see manager/contract.hpp): no clock, no socket, no file. What it promises:
//   - every accepted job comes to exactly one outcome, and every grant is released once or was ended by the site;
//   - a job runs again only after the end of its old attempt was confirmed, or nobody could confirm it for
//     `confirm_limit` after the nodes were given back;
//   - nodes are released in the step in which the last component is known to be over, before the rest of its output
//     is fetched;
//   - nobody who has output is told to forget it before it is safe here;
//   - what it must find again after a restart is in effects.ledger before anything that follows from it is sent.
//
// The code is divided by what happens to a job: asking.cpp (from submission to grant), attempts.cpp (components
// that start, end, are stopped or lost), output.cpp (bringing output back, while a job runs and after it),
// output_trouble.cpp (output that doesn't come, or can't be written), recovery.cpp (the ledger, and putting right what
// a restart of ours or the site's left behind), job_manager.cpp (the door: gate, links, time).
#pragma once

#include <deque>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "jobmgr/held_leases.hpp"
#include "jobmgr/job_table.hpp"
#include "jobmgr/job_view.hpp"
#include "jobmgr/managers.hpp"
#include "jobmgr/output_paths.hpp"
#include "jobmgr/records.hpp"
#include "jobmgr/reruns.hpp"
#include "jobmgr/settings.hpp"
#include "jobmgr/submissions.hpp"
#include "jobmgr/unwritten.hpp"
#include "manager/contract.hpp"
#include "manager/dispatch.hpp"

namespace dmm {

/// A piece of a job's output, for the shell to write as the user. Pieces of a stream come in order, the next one when
/// the last is written; a stream without any bytes has no pieces unless a path was asked for.
struct OutputPiece {
  std::uint64_t job = 0;
  Stream stream = Stream::output;
  std::uint32_t component = 0;
  std::uint64_t serial = 0;  ///< names it in the answer
  std::uint64_t offset = 0;
  std::string data;
  bool begins = false;  ///< the file is made, or emptied, first
  bool appends = false; ///< both streams, or other jobs too, go to this file: the piece goes to its end, wherever it is
  bool last = false;    ///< the stream is to be safe before it is answered
  std::string path;  ///< where the submitter wants it, for components above 0 with ".<component>" at its end;
                     ///< empty: the shell names a file of the manager's folder by job, component and stream
};

struct JobManagerEffects : Effects {
  LedgerChanges<JobManagerRecord> ledger;
  std::vector<OutputPiece> output;
  std::vector<std::uint64_t> ended;  ///< jobs that came to their outcome
};

/// The shell's answer to a piece, whenever it is written or can't be.
struct OutputWritten {
  std::uint64_t job = 0;
  std::uint32_t component = 0;
  Stream stream = Stream::output;
  std::uint64_t serial = 0;
  std::string error;  ///< why it could not be written; empty if it was
  bool last = true;   ///< as in the piece
};

class JobManager {
 public:
  using Input = std::variant<Received, LinkUp, LinkDown, LinkPressed, LinkStanding, OutputWritten>;
  using Effects = JobManagerEffects;
  static constexpr Duration stop_grace = seconds(5);  ///< between SIGTERM and SIGKILL

  explicit JobManager(JobManagerSettings settings);
  // Compiled once, in the .cpp: each file that moved or ended one would compile those of all its members.
  JobManager(JobManager&&) noexcept;
  JobManager& operator=(JobManager&&) noexcept;
  ~JobManager();

  /// Takes up what the ledger tells of before: once, before any event. Returns why it can't be, or nothing.
  std::string restore(Instant now, std::vector<JobManagerRecord> rows);
  /// All rows that the ledger must hold after a settle.
  std::vector<JobManagerRecord> records() const;

  void receive(Instant now, Input input, Effects& effects);
  /// The same of a message, which is most of what comes.
  void receive(Instant now, Received&& message, Effects& effects);
  void settle(Instant now, Effects& effects);
  Instant next_deadline() const;

  /// Takes other limits; its user and site stay. Empty, or why they can't be taken, and then nothing changed.
  std::string reconfigure(const JobManagerSettings& settings);

  /// Takes a job back, at its user's wish; what runs gets the grace between SIGTERM and SIGKILL. Returns why it
  /// can't be, or nothing; asking again changes nothing. Followed by settle, as any event.
  std::string cancel(Instant now, std::uint64_t job, Effects& effects, Duration grace = stop_grace);

  /// Fetches the output of a job once more that couldn't be written, or waits for its file system: all of it, into the
  /// manager's own folder. Returns why it can't be, or nothing. Followed by settle, as any event.
  std::string fetch_again(Instant now, std::uint64_t job, Effects& effects);

  /// Drops the record of an ended job; false if there is none, or it hasn't ended. The next settle tells the ledger.
  bool forget(std::uint64_t job);

  // ---- views, for people and tests ----
  std::optional<JobView> job(std::uint64_t number) const;
  /// The record itself, for shells that look at many; nullptr if there is none.
  const Job* find(std::uint64_t number) const { return jobs_.find(number); }
  std::vector<JobView> jobs(const JobQuery& query = {}) const;
  /// Jobs in a state now; forgotten ones aren't counted.
  std::size_t count(JobState state) const { return jobs_.count(state); }
  /// How often any job came to a state since the start; `waiting` counts submissions and reruns.
  std::uint64_t ever(JobState state) const { return jobs_.ever(state); }
  std::size_t size() const { return jobs_.size(); }
  /// The number that the next accepted job gets.
  std::uint64_t next_job() const { return next_job_; }
  /// Grants that are held and renewed, and starts that wait for an answer.
  std::uint32_t grants() const { return leases_.grants(); }
  std::uint32_t starts() const { return starts_; }
  bool site_up() const { return site_up_; }
  /// The leases that it holds, one for each job that uses them.
  std::vector<Holding> holdings() const;
  const JobManagerSettings& settings() const { return settings_; }
  const Ignored& ignored() const { return ignored_; }
  /// What doesn't hold that must hold; empty if all is well. Walks everything: for tests and checkers.
  std::string broken_invariant() const;

 private:
  /// The moment of an event and where its effects go.
  struct Step {
    Instant now;
    Effects& effects;
  };
  /// What a resource manager speaks about: a component of a job's present attempt, if it is one.
  struct Subject {
    Job* job = nullptr;
    Task* task = nullptr;
  };

  // ---- the door (job_manager.cpp) ----
  void take(Step step, Received& received);
  void take(Step step, const LinkUp& up);
  void take(Step step, const LinkDown& down);
  void take(Step step, const LinkPressed& change);
  void take(Step step, const LinkStanding& change);
  void take(Step step, const OutputWritten& written);
  Step begin(Instant now, Effects& effects);
  void site_came_up(Step step, bool restarted);
  void manager_came_up(Step step, const Party& manager, bool restarted);
  void give_up(Step step, const Party& silent);
  void pass_due(Step step, TaskKey key);
  void ignore(std::string_view reason) { ++ignored_[reason]; }
  void tell_site(Step step, Message message, const RequestId& about = {});

  // ---- the ledger, and after a restart (recovery.cpp) ----
  void restore(Instant now, Job job);
  void resume(Step step);
  void say_again(Step step, Job& job, std::uint32_t component);
  void offer_inventory(Step step);
  void on(Step step, FromSite from, Inventory& part);
  void compare(Step step, const Holding& lent);
  void changed(const Job& job, Grade grade = Grade::committed);
  void write_changes(Step step);

  // ---- from submission to grant (asking.cpp) ----
  void on(Step step, FromClient from, Submit& submit);
  bool is_repeated(const Submit& submit, const Submitted& answer) const;
  std::string take_output_paths(const Submit& submit);
  void on(Step step, FromSite from, const Refuse& refuse);
  void on(Step step, FromSite from, Grant& grant);
  void on(Step step, FromSite from, const LeaseEnded& ended);
  void on(Step step, FromSite from, const Renewed& renewed);
  void accept(Step step, JobDescription description);
  void ask(Step step, const Job& job);
  void ask_waiting(Step step);
  bool may_ask() const { return site_up_ && !site_pressed_ && ask_from_ < next_job_; }
  void ask_again(Step step, Job& job, Duration pause = {});
  void end_pauses(Step step);
  void give_back(Step step, Grant& grant, bool failed);
  void record(Step step, Job& job, Grant& grant);
  void take_back(Step step, Job& job);
  void lose_nodes(Step step, Job& job, const LeaseEnded& ended);
  bool loses(Step step, Job& job, std::uint32_t component, const std::vector<NodeGroup>& hit, const LeaseEnded& ended);
  /// What the site knows already when nodes are released, or must be told beside it.
  enum class Returned : std::uint8_t { used, unused, known };
  void release(Step step, Job& job, Returned how = Returned::used);
  RequestId request_of(const Job& job) const;
  JobView see(const Job& job) const;

  // ---- components (attempts.cpp) ----
  void on(Step step, FromProvider from, const Started& started);
  void on(Step step, FromProvider from, Ended& ended);
  Subject subject_of(const Party& from, const RequestId& request, std::uint32_t component);
  void start_queued(Step step);
  void free_places(Instant now);
  void queue_awaited();
  void send_start(Step step, const Job& job, std::uint32_t component);
  void stop(Step step, Job& job, std::uint32_t component, Duration grace);
  void interrupt(Step step, Job& job, std::uint32_t component, bool confirmed, Duration grace = stop_grace,
                 Duration awaited = {});
  void task_over(Job& job, std::uint32_t component);
  void stop_counting(Task& task);
  void wind_down(Step step, Job& job, Duration grace = stop_grace);
  void attempt_over(Step step, Job& job);
  void run_again(Step step, Job& job, Interruption interruption);
  void leave_attempt(Step step, Job& job);
  void rest_if_idle(Step step, const Party& manager);
  void set_due(Task& task, TaskKey key, Instant due);
  /// How long an answer from where the attempt runs may take.
  Duration patience(const Attempt& run) const { return settings_.confirm_limit + run.round_trip * 2; }

  // ---- output (output.cpp) ----
  void on(Step step, FromProvider from, const Grown& grown);
  void on(Step step, FromProvider from, Chunk& chunk);
  void on(Step step, FromProvider from, Piece& piece);
  void take_piece(Step step, const Party& from, Piece& piece, bool cut);
  void collect(Step step, Job& job);
  void advance(Step step, Job& job, std::uint32_t component, Stream stream);
  void ask_piece(Step step, Job& job, std::uint32_t component, Stream stream);
  void hand_over(Step step, Job& job, std::uint32_t component, Stream stream, std::string data);
  void fail_stream(Step step, Job& job, const OutputWritten& written);
  void end_stream(Job& job, StreamState& state, Stream stream);
  void close_if_written(Step step, Job& job);
  void close(Step step, Job& job, JobEvent event);
  // ---- output that doesn't come, or can't be written (output_trouble.cpp)
  void look_later(Step step, Job& job, std::uint32_t component);
  void look(Step step, TaskKey key);
  void fetch_pending(Step step, Job& job, std::uint32_t component);
  void leave_unfetched(Step step, Job& job, std::uint32_t component);
  void give_up_output(Step step, Job& job);
  void drop_attempt(Job& job);
  void set_look(Task& task, TaskKey key, Instant due);

  JobManagerSettings settings_;
  Party site_;
  bool site_up_ = false;
  bool site_seen_ = false;  ///< it was up before; until then nothing is said to it
  bool site_pressed_ = false;  ///< much is kept for it: it is asked for nothing more
  std::uint64_t next_job_ = 1;
  std::uint64_t ask_from_ = 1;  ///< those that wait and are of a lower number were asked for in this session
  JobTable jobs_;
  Submissions submissions_;
  OutputPaths output_paths_;
  HeldLeases leases_;
  Managers managers_;
  std::set<std::pair<Instant, std::uint64_t>> pauses_;  ///< every Job::again_at
  std::deque<std::pair<RequestId, std::uint32_t>> queued_;  ///< components to start; entries may be out of date
  std::deque<std::pair<RequestId, std::uint32_t>> awaiting_;  ///< those whose lease the site must promise anew first
  std::uint32_t starts_ = 0;                                ///< Starts sent of late and not answered
  std::deque<std::pair<Instant, TaskKey>> places_;          ///< until when each of them keeps others waiting
  std::set<std::pair<Instant, TaskKey>> due_;               ///< every Task::due
  std::set<std::pair<Instant, TaskKey>> looks_;             ///< every Task::look_due
  std::uint64_t last_piece_ = 0;                            ///< serial of the last piece that the shell got
  Unwritten unwritten_;                    ///< what the ledger doesn't know yet
  std::vector<std::uint64_t> resuming_;    ///< restored jobs with an attempt, before the first event
  std::set<std::pair<LeaseId, std::uint64_t>> judged_;  ///< what we held, by job, when the site's session began
  Ignored ignored_;
  Inventory inventory_;                                 ///< the site's, as far as it came
};

}  // namespace dmm
