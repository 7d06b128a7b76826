#include "resmgr/keeper/shims.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>

#include <sys/socket.h>
#include <unistd.h>

#include "resmgr/keeper/shim.hpp"

namespace dmm::keeper {
namespace {

constexpr Clock rest_max = 10'000'000;
constexpr std::size_t resting_max = 32;  // a shim that rests takes some 140 kB

}  // namespace

Shims::~Shims() {
  for (auto& [process, shim] : shims_) let_go(shim);
}

// A shim ends when it has no job and its socket is closed.
void Shims::let_go(Shim& shim) {
  if (shim.orders >= 0) close(std::exchange(shim.orders, -1));
}

const PlanPage* Shims::resting_page() const {
  return resting_.empty() ? nullptr : &shims_.at(resting_.back().shim).page;
}

pid_t Shims::order_resting(const ShimFiles& files) {
  const pid_t process = resting_.back().shim;
  resting_.pop_back();
  Shim& shim = shims_.at(process);
  if (order_job(shim.orders, files)) {
    shim.serial = shim.page.plan().serial;
    return process;
  }
  let_go(shim);
  return 0;
}

pid_t Shims::start(PlanPage page, const Hiding& hiding, int words, const ShimFiles& files) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return 0;
  const ShimPlan& plan = page.plan();
  const pid_t process = fork_into(plan.isolation);
  if (process == 0) run_shim(plan, hiding, words, ends[1]);
  const int error = errno;
  close(ends[1]);
  if (process < 0) {
    close(ends[0]);
    errno = error;
    return 0;
  }
  page.keep_from_later_children();
  order_job(ends[0], files);  // a shim that is gone already has said why, or its end tells
  const std::uint64_t serial = plan.serial;
  shims_.emplace(process, Shim{std::move(page), ends[0], serial});
  return process;
}

void Shims::rest(pid_t process) {
  Shim& shim = shims_.at(process);
  shim.serial = 0;
  if (resting_.size() < resting_max)
    resting_.push_back({process, now()});
  else
    let_go(shim);
}

std::optional<std::uint64_t> Shims::ended(pid_t process) {
  const auto found = shims_.find(process);
  if (found == shims_.end()) return std::nullopt;
  const std::uint64_t serial = found->second.serial;
  let_go(found->second);
  shims_.erase(found);
  std::erase_if(resting_, [&](const Resting& one) { return one.shim == process; });
  return serial;
}

void Shims::kill_all() const {
  for (const auto& [process, shim] : shims_) kill(process, SIGKILL);
}

Clock Shims::next_wake() const { return resting_.empty() ? endless : later(resting_.front().since, rest_max); }

void Shims::end_idle(Clock time) {
  while (next_wake() <= time) {
    let_go(shims_.at(resting_.front().shim));
    resting_.pop_front();
  }
}

}  // namespace dmm::keeper
