// The keeper: parent of all the jobs of one resource manager. It starts them, ends them with everything that they
// started, and ends all of them when the manager is gone (its socket closes) or silent for too long (the deadline
// that KeepJobs moves on). It decides nothing else and keeps nothing on disk but the jobs' directories.
//
// How a job ends: its leader, the process that was started, ends by itself or is killed with its whole group. What
// is left of the job then is below children of the keeper, see Strays, and carries the job's mark, see Marks.
// Children are killed, which makes their children the keeper's, until no child with the mark is left; only then is
// the end reported. A child that was not waited for keeps its number, so no signal ever goes to a stranger.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>

#include <sys/resource.h>
#include <sys/types.h>

#include "resmgr/backends/frames.hpp"
#include "resmgr/backends/keeper_files.hpp"
#include "resmgr/backends/keeper_strays.hpp"

namespace dmm::keeper {

/// Microseconds of the monotonic clock.
using Clock = std::int64_t;

class Keeper {
 public:
  struct Settings {
    int socket = -1;      ///< to the manager
    int signals = -1;     ///< a signalfd of SIGCHLD
    Clock keep = 0;       ///< microseconds that jobs go on without word of the manager, until it says otherwise
  };
  /// The folder must be open.
  Keeper(const Settings& settings, const Marks& marks, JobFolder& folder);
  /// Says that it is ready and serves until the manager is gone and nothing of the jobs is left.
  void run();

 private:
  struct Job {
    std::string directory;
    std::string text;       // what its end will say
    pid_t leader = 0;
    Clock started = 0;
    Clock kill_at = 0;      // when all of it is killed; `endless` unless it is being ended
    bool leader_ended = false;
    JobEnded outcome;
  };

  void wait();
  void take_orders();
  void carry_out(const StartJob& order);
  void carry_out(const EndJob& order);
  void carry_out(const ReadFile& order);
  void carry_out(const RemoveDirectory& order);
  void carry_out(const KeepJobs& order);
  void reap();
  void leader_ended(std::uint64_t serial, int status, const rusage& usage);
  void ring_alarms();
  void settle();

  void end(std::uint64_t serial, Job& job, Clock grace);
  void ask_to_end(std::uint64_t serial, const Job& job);
  void kill_stray(pid_t stray, const Job* job) const;
  void end_all();
  void end_rest();
  void report_end(std::uint64_t serial, Job& job);
  void start_remover();
  bool is_expected(pid_t process) const;
  void send(const Report& report) { channel_.queue(pack(report)); }

  Settings settings_;
  Marks marks_;
  JobFolder& folder_;
  Channel channel_;
  Strays strays_;
  int null_file_ = -1;
  bool manager_gone_ = false;
  Clock deadline_ = 0;    // when all jobs are ended; endless once that was done
  Clock looked_at_ = 0;   // when strays were last looked for
  std::unordered_map<std::uint64_t, Job> jobs_;
  std::unordered_map<pid_t, std::uint64_t> leaders_;
  std::set<std::uint64_t> ending_;  // jobs whose leader ended
  std::multimap<Clock, std::uint64_t> alarms_;  // one too many does no harm: each looks at what is due
  pid_t remover_ = 0;
  bool remove_again_ = false;
};

}  // namespace dmm::keeper
