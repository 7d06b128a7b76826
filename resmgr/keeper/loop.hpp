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
// The loop has its jobs in Jobs, and hands what happens to them to the manager.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "resmgr/keeper/door.hpp"
#include "resmgr/keeper/files.hpp"
#include "resmgr/keeper/frames.hpp"
#include "resmgr/keeper/guard.hpp"
#include "resmgr/keeper/helpers.hpp"
#include "resmgr/keeper/jobs.hpp"
#include "resmgr/keeper/leftovers.hpp"
#include "resmgr/keeper/outcomes.hpp"
#include "resmgr/keeper/output_sizes.hpp"

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
  bool is_needed() const;
  Clock next_wake() const;
  void wait();
  void let_in();
  void greet(std::string fault);
  void hang_up();
  bool take_order();
  void carry_out(StartJob& order);
  void carry_out(const GoJob& order) { jobs_.go(order); }
  void carry_out(const EndJob& order) { jobs_.end(order.serial, order.grace, helpers_); }
  void carry_out(const ReadFile& order);
  void carry_out(const RemoveDirectory& order);
  void carry_out(const KeepJobs& order);
  void carry_out(const EndAll& order);
  void carry_out(const Hello& order);
  void carry_out(const Beat& order);
  void reap();
  void pass_on();
  void report_end(OverJob& over);
  void end_all();
  void end_rest();
  void look_at_output();
  void look_at_disk();
  void send(const Report& report) {
    if (channel_) channel_->queue(pack(report));
  }

  Settings settings_;
  JobFolder& folder_;
  Door& door_;
  Jobs jobs_;
  std::unique_ptr<Channel> channel_;  // null while no manager is there
  Helpers helpers_;
  Outcomes outcomes_;
  OutputSizes output_sizes_;
  bool closing_ = false;      // all jobs end, and then the keeper
  Clock disk_looked_at_ = 0;  // when the last walk over jobs' directories began
  std::uint64_t last_serial_ = 0;
};

}  // namespace dmm::keeper
