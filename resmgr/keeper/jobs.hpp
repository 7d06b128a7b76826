// The jobs of the keeper: their starts, the words of their shims and launchers, their deadlines and their ends. What
// the manager is to hear of them comes out as events, in order.
//
// Nothing here waits for what a user named. Between the keeper and each job is a process, the shim
// (resmgr/keeper/shim.hpp), which reports events in words. If the disk doesn't answer, the guard kills what is due.
//
// How a job ends: its leader, the process that was started, ends by itself or is killed with its whole group, and then
// the shim ends, or rests. In namespaces of its own, nothing of the job is left then. Elsewhere the rest is below
// children of the keeper, see Strays, and has the job's mark, see Marks. The keeper kills these children, which makes
// their children its own, until no child with the mark is left; only then it reports the end. A child that was not
// waited for keeps its number, so no signal ever goes to a stranger.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include <poll.h>
#include <sys/types.h>

#include "resmgr/keeper/confinement.hpp"
#include "resmgr/keeper/files.hpp"
#include "resmgr/keeper/frames.hpp"
#include "resmgr/keeper/guard.hpp"
#include "resmgr/keeper/helpers.hpp"
#include "resmgr/keeper/job_strays.hpp"
#include "resmgr/keeper/launcher_sockets.hpp"
#include "resmgr/keeper/leftovers.hpp"
#include "resmgr/keeper/running_job.hpp"
#include "resmgr/keeper/shims.hpp"
#include "resmgr/keeper/spawn.hpp"
#include "resmgr/keeper/words.hpp"

namespace dmm::keeper {

/// A job that is over, and nothing of it is left but its directory.
struct OverJob {
  FoundJob job;
  std::string directory;
  JobEnded end;  ///< without streams
};

class Jobs {
 public:
  /// `state`: the state folder. Make it in the thread that starts the jobs.
  Jobs(const std::string& state, const Marks& marks);

  const RunningJobs& all() const { return jobs_; }
  bool are_none() const { return jobs_.empty(); }
  using Event = std::variant<JobStarted, JobStuck, OverJob>;
  /// What happened since the last call, in order.
  std::vector<Event> take_events() { return std::exchange(events_, {}); }
  /// Whether a job's program runs and, if it is a launcher, has said that it is ready.
  bool is_ready(std::uint64_t serial, const RunningJob& job) const;
  JobStarted start_of(std::uint64_t serial, const RunningJob& job) const;

  const Confinement& confinement() const { return confinement_; }
  /// Takes over the administrator's rules for jobs. Returns what can't be obeyed, or an empty text.
  std::string obey(const Rules& rules, const JobFolder& folder);

  /// Starts a job; false if it can't, which is an event.
  bool start(StartJob& order, JobFolder& folder);
  /// Tells a job's launcher to begin. The job's time counts from now on: the wait for the job's other tasks was not its
  /// own.
  void go(const GoJob& order);
  /// Asks a job to end, and kills it after the grace.
  void end(std::uint64_t serial, Clock grace, const Helpers& helpers);
  /// A job's directory takes so much disk. A job that takes more than it may is asked to end, and killed soon after.
  void note_disk(std::uint64_t serial, std::uint64_t bytes, const Helpers& helpers);
  void kill_all();

  /// When all jobs are ended; endless once that was done.
  Clock deadline() const { return deadline_; }
  void keep_until(Clock time);
  /// When to call `ring_alarms` or `settle`, whatever happens.
  Clock next_wake() const;

  /// Readable when a shim has said a word.
  int words_descriptor() const { return words_.hearing_end(); }
  /// Adds the sockets of launchers to poll for reading.
  void add_launchers_to(std::vector<pollfd>& polled) const { launches_.add_to(polled); }
  void hear_words();
  void hear_launchers();
  /// Lets go of shims that are not needed, and waits for all ended children of the keeper. Returns those that are no
  /// shims.
  std::vector<pid_t> reap();
  /// Does what is due by now.
  void ring_alarms(const Helpers& helpers);
  /// Kills the rest of jobs that end, and reports jobs with no rest as over.
  void settle(const Helpers& helpers);
  /// Kills starts that were given up, and processes that a job hid from its mark. Returns whether there were none.
  bool kill_rest(const Helpers& helpers);

 private:
  pid_t start_shim(const StartJob& order, JobFolder& folder, std::string& fault);
  void limit_time(std::uint64_t serial, RunningJob& job);
  void heed(const Word& word, pid_t process);
  void tell_started(std::uint64_t serial, const RunningJob& job);
  bool rest_shim(std::uint64_t serial, RunningJob& job);
  void leader_ended(std::uint64_t serial, RunningJob& job, int status, Clock cpu);
  void shim_ended(std::uint64_t serial, int status, bool lost_contact);
  void ring(std::uint64_t serial, RunningJob& job, Clock time, const Helpers& helpers);
  void fail_start(std::uint64_t serial, RunningJob& job, const StartFailure& failure);
  void kill_now(std::uint64_t serial, RunningJob& job);
  void ask_to_end(std::uint64_t serial, RunningJob& job, Clock grace, const Helpers& helpers);
  void look_at_stuck(std::uint64_t serial, RunningJob& job, const std::string& refused);
  void tell_end(RunningJob& job);
  JobStrays::Expected expected(const Helpers& helpers) const;

  const std::string state_;
  const Marks marks_;
  JobStrays strays_;
  Words words_;
  Launches launches_;
  Guard guard_;
  Confinement confinement_;
  int null_file_ = -1;
  Clock deadline_ = 0;
  RunningJobs jobs_;
  Shims shims_;
  std::set<std::uint64_t> dying_;               // jobs with an ended shim, or that should be gone by now
  std::multimap<Clock, std::uint64_t> alarms_;  // a superfluous one does no harm: each only checks what is due
  std::vector<Event> events_;
};

}  // namespace dmm::keeper
