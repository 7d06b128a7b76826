// A thread that sleeps until the earliest of its times.
#include "resmgr/keeper/guard.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <ctime>

namespace dmm::keeper {

Clock now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1'000'000 + time.tv_nsec / 1000;
}

Clock later(Clock from, Clock length) {
  return length > endless - from ? endless : from + std::max<Clock>(length, 0);
}

Guard::Guard(Clock margin) : margin_(margin), thread_([this] { watch(); }) {}

Guard::~Guard() {
  {
    const auto lock = hold();
    over_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Guard::add(std::uint64_t serial, pid_t process) {
  const auto lock = hold();
  victims_[serial].process = process;
}

void Guard::kill_at(std::uint64_t serial, Clock time) {
  const auto lock = hold();
  const auto victim = victims_.find(serial);
  if (victim == victims_.end()) return;
  victim->second.kill_at = std::min(victim->second.kill_at, later(time, margin_));
  if (victim->second.kill_at < wake_at_) changed_.notify_one();
}

// Most calls set a later time, which needs no waking.
void Guard::kill_all_at(Clock time) {
  const auto lock = hold();
  all_at_ = later(time, margin_);
  if (all_at_ < wake_at_) changed_.notify_one();
}

bool Guard::forget(std::uint64_t serial) {
  const auto victim = victims_.find(serial);
  if (victim == victims_.end()) return false;
  const bool lost_contact = victim->second.lost_contact;
  victims_.erase(victim);
  return lost_contact;
}

bool Guard::forget_unless_killed(std::uint64_t serial) {
  const auto lock = hold();
  const auto victim = victims_.find(serial);
  if (victim == victims_.end() || victim->second.killed) return false;
  victims_.erase(victim);
  return true;
}

void Guard::watch() {
  auto lock = hold();
  while (!over_) {
    wake_at_ = kill_what_is_due(now());
    if (wake_at_ == endless)
      changed_.wait(lock);
    else
      changed_.wait_for(lock, std::chrono::microseconds(std::max<Clock>(wake_at_ - now(), 0)));
  }
}

// Kills what is due. Returns when there is something to do again.
Clock Guard::kill_what_is_due(Clock time) {
  const bool all = time >= all_at_;
  Clock next = endless;
  for (auto& [serial, victim] : victims_) {
    if (all || time >= victim.kill_at) {
      victim.lost_contact = victim.lost_contact || (all && !victim.killed);
      victim.killed = true;
      kill(victim.process, SIGKILL);
      victim.kill_at = endless;
    }
    next = std::min(next, victim.kill_at);
  }
  if (all) all_at_ = endless;
  return std::min(next, all_at_);
}

}  // namespace dmm::keeper
