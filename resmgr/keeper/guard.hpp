// Keeps deadlines and orders to kill, whatever delays the keeper's loop: a thread that touches no file and needs hardly
// any time. The loop kills first, since it knows what is still to be reported of each job. If the disk doesn't answer,
// and the loop is a second late, this thread kills.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <thread>

#include <sys/types.h>

namespace dmm::keeper {

/// Microseconds of the monotonic clock.
using Clock = std::int64_t;
constexpr Clock endless = INT64_MAX;
Clock now();
Clock later(Clock from, Clock length);

class Guard {
 public:
  /// `margin`: how long the loop has.
  explicit Guard(Clock margin = 1'000'000);
  ~Guard();
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

  /// Adds a child of the keeper that was not waited for: all of a job ends with it.
  void add(std::uint64_t serial, pid_t process);
  void kill_at(std::uint64_t serial, Clock time);
  /// All are killed at that time.
  void kill_all_at(Clock time);
  /// Hold it while children are waited for, and drop it after `forget`: another process may get the number of a child
  /// that was waited for.
  std::unique_lock<std::mutex> hold() { return std::unique_lock(mutex_); }
  /// With the lock held. Returns whether the guard killed it since all were to be killed.
  bool forget(std::uint64_t serial);
  /// Forgets it unless the guard has killed it; whether it did.
  bool forget_unless_killed(std::uint64_t serial);

 private:
  struct Victim {
    pid_t process = 0;
    Clock kill_at = endless;
    bool killed = false;
    bool lost_contact = false;
  };
  void watch();
  Clock kill_what_is_due(Clock time);

  const Clock margin_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::uint64_t, Victim> victims_;
  Clock all_at_ = endless;
  Clock wake_at_ = endless;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace dmm::keeper
