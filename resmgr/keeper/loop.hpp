// The keeper: parent of all the jobs of one resource manager. It starts them, ends them with everything that they
// started, and ends all of them when the manager is silent for too long (KeepJobs moves that deadline). It decides
// nothing else.
//
// A keeper that doesn't outlive its manager also ends all jobs when the manager is gone (its socket closes), and keeps
// nothing on disk but the jobs' directories.
//
// A keeper that outlives its manager goes on until the deadline. A manager that connects by the door meanwhile gets the
// jobs that run, and those that ended and weren't removed yet. The keeper listens to one manager at a time, the last
// that connected. It ends when there is no manager and no job, and the deadline is over. The outcomes of its jobs stay
// on disk for the next keeper.
//
// The keeper waits for nothing that a user named. Between it and each job is a process of its own, the shim
// (keeper/shim.hpp), which reports events in words. If the disk doesn't answer, the guard kills what is due.
//
// How a job ends: its leader, the process that was started, ends by itself or is killed with its whole group, and then
// the shim ends. In namespaces of its own, nothing of the job is left then. Elsewhere the rest is below children of the
// keeper, see Strays, and has the job's mark, see Marks. The keeper kills these children, which makes their children
// its own, until no child with the mark is left; only then it reports the end. A child that was not waited for keeps
// its number, so no signal ever goes to a stranger.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>

#include <sys/types.h>

#include "resmgr/keeper/cgroups.hpp"
#include "resmgr/keeper/disk.hpp"
#include "resmgr/keeper/door.hpp"
#include "resmgr/keeper/files.hpp"
#include "resmgr/keeper/frames.hpp"
#include "resmgr/keeper/guard.hpp"
#include "resmgr/keeper/isolation.hpp"
#include "resmgr/keeper/launches.hpp"
#include "resmgr/keeper/leftovers.hpp"
#include "resmgr/keeper/spawn.hpp"
#include "resmgr/keeper/strays.hpp"
#include "resmgr/keeper/words.hpp"

namespace dmm::keeper {

class Keeper {
 public:
  struct Settings {
    int socket = -1;     ///< to the manager
    int signals = -1;    ///< a signalfd of SIGCHLD
    std::string state;   ///< the state folder
    Clock keep = 0;      ///< microseconds that jobs go on without a word of the manager, until it orders otherwise
    bool fresh = false;  ///< the manager starts, too: directories of jobs without a known outcome are removed
    bool outlive = false;  ///< jobs go on when the manager is gone; the door and the folder of outcomes are open
  };
  /// The folder must be open.
  Keeper(const Settings& settings, const Marks& marks, JobFolder& folder, Door& door);
  /// Reports that it is ready, and serves until no manager needs it and nothing of the jobs is left.
  void run();

 private:
  struct Job {
    StartJob order;         // without what only the start needed
    std::string text;       // the text that its end will have
    pid_t shim = 0;         // our child
    pid_t leader = 0;       // 0 until its first word
    bool apart = false;     // in namespaces of its own
    std::string isolation;  // its own isolation, even if later jobs get another
    Clock started = 0;
    Clock start_by = endless;  // until its program runs
    Clock wall_end = endless;
    Clock kill_at = endless;  // when all of it is killed; `endless` unless it is being ended
    bool running = false;     // its program was executed
    bool began = false;       // it awaits no Go, or got it
    bool leader_ended = false;
    bool shim_ended = false;
    bool lost_contact = false;  // killed because its manager was not heard
    std::string stuck;          // the last report that it is stuck
    JobEnded outcome;
  };

  bool is_needed() const;
  Clock next_wake() const;
  void wait();
  void let_in();
  std::string obey(const Rules& rules);
  void greet(std::string fault);
  void hang_up();
  bool take_order();
  void carry_out(StartJob& order);
  void carry_out(const GoJob& order);
  void carry_out(const EndJob& order);
  void carry_out(const ReadFile& order);
  void carry_out(const RemoveDirectory& order);
  void carry_out(const KeepJobs& order);
  void carry_out(const EndAll& order);
  void carry_out(const Hello& order);
  void carry_out(const Beat& order);
  pid_t start(const StartJob& order, std::string& fault);
  Isolation isolation_of(const StartJob& order) const;
  std::string isolation_text(const StartJob& order) const;
  void limit_time(std::uint64_t serial, Job& job);
  void keep_until(Clock time);

  void hear_words();
  void heed(const Word& word, pid_t process);
  void hear_launchers();
  bool is_ready(std::uint64_t serial, const Job& job) const;
  void tell_started(std::uint64_t serial, const Job& job);
  void leader_ended(std::uint64_t serial, Job& job, int status, Clock cpu);
  void reap();
  void shim_ended(std::uint64_t serial, int status, bool lost_contact);
  void ring_alarms();
  void ring(std::uint64_t serial, Job& job, Clock time);
  void fail_start(std::uint64_t serial, Job& job, const StartFailure& failure);
  void settle();

  void end(std::uint64_t serial, Job& job, Clock grace);
  void ask_to_end(std::uint64_t serial, const Job& job);
  int kill_stray(pid_t stray, const Job* job) const;
  void look_at_stuck(std::uint64_t serial, Job& job, const std::string& refused);
  void end_all();
  void end_rest();
  void look_at_output();
  void look_at_disk();
  void report_end(Job& job);
  void remember(const std::string& directory, Outcome outcome);
  void keep_unkept();
  void load_outcomes();
  JobEnded with_streams(JobEnded end, const std::string& directory) const;
  void start_remover();
  bool is_expected(pid_t process) const;
  void send(const Report& report) {
    if (channel_) channel_->queue(pack(report));
  }

  Settings settings_;
  Marks marks_;
  JobFolder& folder_;
  Door& door_;
  std::unique_ptr<Channel> channel_;  // null while no manager is there
  Strays strays_;
  Words words_;
  Launches launches_;
  Guard guard_;
  JobCgroups cgroups_;
  DiskWatch disk_;
  Rules rules_;
  Isolation isolation_;
  std::string isolation_text_, limits_text_;
  std::string no_accounts_;  // why jobs can't run under the accounts of the rules; empty if they can
  int null_file_ = -1;
  bool closing_ = false;        // all jobs end, and then the keeper
  Clock deadline_ = 0;          // when all jobs are ended; endless once that was done
  Clock looked_at_ = 0;         // when strays were last looked for
  Clock output_looked_at_ = 0;  // when the sizes of streams were last looked at
  Clock disk_looked_at_ = 0;    // when the last walk over jobs' directories began
  std::uint64_t last_serial_ = 0;
  std::unordered_map<std::uint64_t, Job> jobs_;
  std::map<std::string, Outcome> outcomes_;              // by directory; without streams, which are in it
  std::set<std::string> unkept_;                         // outcomes that didn't fit on the disk
  Clock keep_again_ = 0;                                 // when they are written again
  std::unordered_map<std::uint64_t, StreamSizes> told_;  // how much jobs have written, as reported
  std::unordered_map<pid_t, std::uint64_t> shims_;       // also of jobs that never ran and were reported as ended
  std::set<std::uint64_t> dying_;                        // jobs with an ended shim, or that should be gone by now
  std::multimap<Clock, std::uint64_t> alarms_;  // a superfluous one does no harm: each only checks what is due
  pid_t remover_ = 0;
  bool remove_again_ = false;
};

}  // namespace dmm::keeper
