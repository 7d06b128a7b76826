#include "resmgr/keeper/job_strays.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>

#include <unistd.h>

#include "resmgr/keeper/proc.hpp"
#include "resmgr/keeper/shim_orders.hpp"

namespace dmm::keeper {
namespace {

constexpr Clock look_again = 100'000;  // in case a SIGCHLD was missed

}  // namespace

bool JobStrays::are_due(Clock time) const { return strays_.cheap() || time >= looked_at_ + look_again; }

Clock JobStrays::next_look() const { return looked_at_ + look_again; }

std::map<std::uint64_t, std::string> JobStrays::kill_due(const RunningJobs& jobs, Clock time,
                                                         const Expected& expected) {
  std::map<std::uint64_t, std::string> occupied;
  for (const pid_t stray : strays_.list(expected)) {
    const std::uint64_t serial = marks_.owner_of(stray);
    const auto job = jobs.find(serial);
    if (job == jobs.end()) {
      kill_stray(stray, nullptr);
      continue;
    }
    std::string& refused = occupied[serial];
    if (!job->second.leader_ended || time < job->second.kill_at) continue;
    if (const int error = kill_stray(stray, &job->second))
      refused = "process " + std::to_string(stray) + " (" + status_of(stray).name +
                ") may not be killed: " + std::strerror(error);
  }
  looked_at_ = time;
  return occupied;
}

void JobStrays::ask_to_end(std::uint64_t serial, const RunningJob& job, const Expected& expected) const {
  signal_shim(job.shim, serial, ShimSignal::end);
  if (job.apart || job.order.warns_program_only) return;  // the shim has told all that are to know
  auto processes = descendants_of(job.shim);
  for (const pid_t stray : strays_.list(expected)) {
    const auto below = descendants_of(stray);
    processes.push_back(stray);
    processes.insert(processes.end(), below.begin(), below.end());
  }
  const auto ask = [&](pid_t process, int signal) {
    signal_if(process, signal,
              [&] { return getpgid(process) != job.leader && marks_.owner_of(process) == serial; });
  };
  for (const pid_t process : processes) {
    ask(process, SIGTERM);
    ask(process, SIGCONT);
  }
}

// The group of an unreaped child can't be another one, so it may be killed by number.
int kill_stray(pid_t stray, const RunningJob* job) {
  const pid_t group = getpgid(stray);
  if (group == stray || (job && group == job->leader)) kill(-group, SIGKILL);
  return kill(stray, SIGKILL) == 0 ? 0 : errno;
}

}  // namespace dmm::keeper
