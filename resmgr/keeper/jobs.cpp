#include "resmgr/keeper/jobs.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <tuple>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "resmgr/keeper/proc.hpp"

namespace dmm::keeper {
namespace {

constexpr Clock wall_grace = 5'000'000;   // from SIGTERM to SIGKILL at the end of a job's time
constexpr Clock disk_grace = 5'000'000;   // likewise where it took too much disk
constexpr Clock stuck_after = 2'000'000;  // from SIGKILL until a process that is still there is reported

}  // namespace

Jobs::Jobs(const std::string& state, const Marks& marks) : state_(state), marks_(marks), strays_(marks) {
  null_file_ = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

std::string Jobs::obey(const Rules& rules, const JobFolder& folder) {
  return confinement_.obey(rules, state_, folder);
}

// ---- starts ----------------------------------------------------------------------------------------------------

// The shim's number; or 0, and what went wrong.
pid_t Jobs::start_shim(const StartJob& order, JobFolder& folder, std::string& fault) {
  const auto failed = [&](const std::string& what) {
    fault = "can't make " + what + ": " + std::strerror(errno);
    return 0;
  };
  JobFiles files;
  const JobTexts texts{order.script_name, order.script, order.input};
  if (const int error = folder.make(order.directory, texts, {order.account.uid, order.account.group}, files)) {
    errno = error;
    return failed(folder.prefix() + order.directory);
  }
  const Rules& rules = confinement_.rules;
  JobCgroups& cgroups = confinement_.cgroups;
  int cgroup = -1;
  if (cgroups.is_open()) {
    cgroup = cgroups.make(order.serial, {order.memory_bytes, order.processors, rules.processes});
    if (cgroup < 0) return failed("a cgroup in " + rules.cgroup);
  }
  const int launcher = order.awaits_go ? launches_.open(order.serial) : -1;
  pid_t shim = 0;
  if (launcher >= 0 || !order.awaits_go)
    shim = spawn(order,
                 {state_,
                  rules,
                  confinement_.isolation_of(order),
                  marks_.of(order.serial),
                  {files.input < 0 ? null_file_ : files.input, files.output, files.error, cgroup, launcher},
                  words_.saying_end()},
                 shims_);
  const int error = errno;
  for (const int descriptor : {cgroup, launcher})
    if (descriptor >= 0) close(descriptor);
  errno = error;
  return shim != 0 ? shim : failed("a process");
}

bool Jobs::start(StartJob& order, JobFolder& folder) {
  const Clock time = now();
  std::string fault;
  const pid_t shim = start_shim(order, folder, fault);
  if (shim == 0) {
    confinement_.cgroups.remove(order.serial);
    launches_.close(order.serial);
    RunningJob failed;
    failed.outcome.kind = EndKind::start_failed;
    failed.outcome.fault = StartFault::resources;
    failed.text = fault;
    failed.order = std::move(order);
    tell_end(failed);
    return false;
  }
  guard_.add(order.serial, shim);
  RunningJob& job = jobs_[order.serial];
  job.shim = shim;
  job.apart = confinement_.isolation_of(order).namespaces;
  job.isolation = confinement_.text_of(order);
  job.started = time;
  job.start_by = later(time, confinement_.rules.start_max);
  alarms_.emplace(job.start_by, order.serial);
  job.began = !order.awaits_go;
  order.paths.clear();
  order.environment.clear();
  for (std::string* const text : {&order.script, &order.input}) std::string().swap(*text);
  order.arguments.resize(std::min<std::size_t>(order.arguments.size(), 1));
  job.order = std::move(order);
  if (job.began) limit_time(job.order.serial, job);
  return true;
}

void Jobs::limit_time(std::uint64_t serial, RunningJob& job) {
  const auto limit = job.order.limits.wall_seconds;
  if (limit == 0 || limit >= 1'000'000'000) return;
  job.wall_end = later(job.started, static_cast<Clock>(limit) * 1'000'000);
  alarms_.emplace(job.wall_end, serial);
}

void Jobs::go(const GoJob& order) {
  const auto found = jobs_.find(order.serial);
  if (found == jobs_.end() || !launches_.go(order.serial, order.text)) return;
  RunningJob& job = found->second;
  job.began = true;
  job.started = now();
  limit_time(found->first, job);
}

void Jobs::hear_launchers() {
  LauncherWord word;
  while (launches_.hear(word)) {
    const auto found = jobs_.find(word.serial);
    if (found == jobs_.end() || found->second.leader_ended) continue;
    auto& [serial, job] = *found;
    if (word.fault != StartFault::none)
      fail_start(serial, job, {word.fault, word.text});
    else if (is_ready(serial, job))
      tell_started(serial, job);
  }
}

// A launcher is ready when it says so, which may be heard before the shim reports that it runs.
bool Jobs::is_ready(std::uint64_t serial, const RunningJob& job) const {
  return job.running && !launches_.awaits(serial);
}

JobStarted Jobs::start_of(std::uint64_t serial, const RunningJob& job) const {
  return {serial, job.leader, job.isolation, launches_.contact_of(serial)};
}

void Jobs::tell_started(std::uint64_t serial, const RunningJob& job) {
  events_.emplace_back(start_of(serial, job));
}

// ---- ends ------------------------------------------------------------------------------------------------------

void Jobs::hear_words() {
  Word word;
  pid_t process = 0;
  while (words_.hear(word, process)) heed(word, process);
}

void Jobs::heed(const Word& word, pid_t process) {
  const auto found = jobs_.find(word.serial);
  if (found == jobs_.end()) return;  // it never ran, and its end was reported
  auto& [serial, job] = *found;
  switch (word.kind) {
    case Word::Kind::entered: job.leader = process; break;
    case Word::Kind::started:
      job.running = true;
      if (std::exchange(job.leader_ended, false)) job.text = "it took too long to start";  // it was just given up
      if (is_ready(serial, job)) tell_started(serial, job);
      break;
    case Word::Kind::failed:
      if (!job.leader_ended) fail_start(serial, job, failure_of(job.order, word.step, word.error));
      break;
    case Word::Kind::ended: {
      const bool rests = word.rests && rest_shim(serial, job);
      if (!job.leader_ended) leader_ended(serial, job, word.status, word.cpu);
      if (rests) shim_ended(serial, 0, false);
      break;
    }
  }
}

// False if the shim was killed: its end is still to come.
bool Jobs::rest_shim(std::uint64_t serial, RunningJob& job) {
  if (job.shim_killed || !guard_.forget_unless_killed(serial)) return false;
  shims_.rest(job.shim);
  job.shim_ended = true;
  return true;
}

void Jobs::leader_ended(std::uint64_t serial, RunningJob& job, int status, Clock cpu) {
  hear_launchers();  // the launcher's last line counts
  if (job.leader_ended) return;
  const Clock time = now();
  job.leader_ended = true;
  job.outcome.kind = WIFSIGNALED(status) ? EndKind::signalled : EndKind::exited;
  job.outcome.code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
  job.outcome.wall = job.began ? time - job.started : 0;
  job.outcome.cpu = cpu;
  // It ended by itself: what it left behind ends at once. A job that was asked to end may use the time that it has
  // left.
  if (job.kill_at == endless || job.kill_at <= time || job.order.warns_program_only) kill_now(serial, job);
}

// Waits under the guard's lock, so that the guard kills no number that is free again.
std::vector<pid_t> Jobs::reap() {
  std::vector<std::tuple<std::uint64_t, int, bool>> ended;
  std::vector<pid_t> others;
  shims_.end_idle(now());
  {
    const auto lock = guard_.hold();
    int status = 0;
    pid_t process = 0;
    while ((process = waitpid(-1, &status, WNOHANG)) > 0) {
      const auto serial = shims_.ended(process);
      if (!serial)
        others.push_back(process);  // a stray, or a helper
      else if (*serial != 0)
        ended.emplace_back(*serial, status, guard_.forget(*serial));
    }
  }
  if (!ended.empty()) hear_words();  // the last words of their shims
  for (const auto& [serial, status, lost_contact] : ended) shim_ended(serial, status, lost_contact);
  return others;
}

void Jobs::shim_ended(std::uint64_t serial, int status, bool lost_contact) {
  const auto found = jobs_.find(serial);
  if (found == jobs_.end()) return confinement_.cgroups.remove(serial);  // it never ran, its end was reported
  RunningJob& job = found->second;
  job.shim_ended = true;
  job.lost_contact = job.lost_contact || lost_contact;
  const bool was_asked = job.shim_killed || job.lost_contact;
  if (!job.leader_ended && job.leader == 0 && !was_asked)
    fail_start(serial, job, {StartFault::resources, "the process that was to start it was killed"});
  if (!job.leader_ended) leader_ended(serial, job, WIFSIGNALED(status) ? status : SIGKILL, 0);
  if (job.lost_contact && job.outcome.kind == EndKind::signalled) {
    job.outcome.kind = EndKind::lost_contact;
    job.text = "its resource manager was silent for too long";
  }
  confinement_.cgroups.kill(serial);
  dying_.insert(serial);
}

void Jobs::fail_start(std::uint64_t serial, RunningJob& job, const StartFailure& failure) {
  job.outcome.kind = EndKind::start_failed;
  job.outcome.fault = failure.fault;
  job.text = failure.text;
  job.leader_ended = true;
  kill_now(serial, job);
}

void Jobs::tell_end(RunningJob& job) {
  job.outcome.serial = job.order.serial;
  job.outcome.text = job.text;
  events_.emplace_back(
      OverJob{{job.order.serial, job.order.name, 0}, job.order.directory, std::move(job.outcome)});
}

// ---- deadlines -------------------------------------------------------------------------------------------------

void Jobs::keep_until(Clock time) {
  deadline_ = time;
  guard_.kill_all_at(time);
}

Clock Jobs::next_wake() const {
  Clock wake = endless;
  if (!alarms_.empty()) wake = std::min(wake, alarms_.begin()->first);
  if (!dying_.empty()) wake = std::min(wake, strays_.next_look());
  return std::min(wake, shims_.next_wake());
}

void Jobs::ring_alarms(const Helpers& helpers) {
  const Clock time = now();
  if (time >= deadline_) {
    keep_until(endless);  // until the manager is heard again
    for (auto& [serial, job] : jobs_) {
      job.lost_contact = job.lost_contact || !job.leader_ended;
      kill_now(serial, job);
    }
  }
  while (!alarms_.empty() && alarms_.begin()->first <= time) {
    const auto found = jobs_.find(alarms_.begin()->second);
    alarms_.erase(alarms_.begin());
    if (found != jobs_.end()) ring(found->first, found->second, time, helpers);
  }
}

void Jobs::ring(std::uint64_t serial, RunningJob& job, Clock time, const Helpers& helpers) {
  if (job.kill_at <= time) {
    kill_now(serial, job);
  } else if (!job.running && !job.leader_ended && time >= job.start_by) {
    fail_start(serial, job, failure_of_silence(job.order, job.leader != 0, confinement_.rules.start_max));
  } else if (job.kill_at == endless && time >= job.wall_end) {
    job.text = "its wall clock time was over";
    ask_to_end(serial, job, wall_grace, helpers);
  }
}

void Jobs::note_disk(std::uint64_t serial, std::uint64_t bytes, const Helpers& helpers) {
  const std::uint64_t disk_bytes = confinement_.rules.disk_bytes;
  const auto found = jobs_.find(serial);
  if (found == jobs_.end() || disk_bytes == 0 || bytes <= disk_bytes) return;
  RunningJob& job = found->second;
  if (job.leader_ended || job.kill_at != endless) return;
  job.text = "its directory took " + std::to_string(bytes) + " bytes of disk; this resource manager allows " +
             std::to_string(disk_bytes);
  ask_to_end(serial, job, disk_grace, helpers);
}

void Jobs::end(std::uint64_t serial, Clock grace, const Helpers& helpers) {
  const auto job = jobs_.find(serial);
  if (job == jobs_.end()) return;
  if (grace > 0)
    ask_to_end(serial, job->second, grace, helpers);
  else
    kill_now(serial, job->second);
}

void Jobs::kill_all() {
  for (auto& [serial, job] : jobs_) kill_now(serial, job);
}

void Jobs::ask_to_end(std::uint64_t serial, RunningJob& job, Clock grace, const Helpers& helpers) {
  const Clock kill_at = later(now(), grace);
  if (kill_at >= job.kill_at) return;  // it is ended sooner already
  if (job.kill_at == endless) strays_.ask_to_end(serial, job, expected(helpers));
  job.kill_at = kill_at;
  alarms_.emplace(kill_at, serial);
  guard_.kill_at(serial, kill_at);
}

void Jobs::kill_now(std::uint64_t serial, RunningJob& job) {
  const Clock time = now();
  if (!job.shim_ended) {
    // The shim reports how the leader ended, so it stays for that if it can.
    if (job.running && !job.leader_ended)
      signal_shim(job.shim, serial, ShimSignal::kill);
    else
      kill_shim(job);
    dying_.insert(serial);
  }
  job.kill_at = std::min(job.kill_at, time);
  guard_.kill_at(serial, job.kill_at);
}

// ---- the rest of jobs that end ---------------------------------------------------------------------------------

void Jobs::settle(const Helpers& helpers) {
  if (dying_.empty()) return;
  const Clock time = now();
  if (!strays_.are_due(time)) return;
  const auto occupied = strays_.kill_due(jobs_, time, expected(helpers));
  for (auto next = dying_.begin(); next != dying_.end();) {
    const std::uint64_t serial = *next;
    RunningJob& job = jobs_.at(serial);
    const auto stray = occupied.find(serial);
    if (!job.shim_ended || stray != occupied.end()) {
      const bool stuck = time >= later(job.kill_at, stuck_after);
      if (stuck) look_at_stuck(serial, job, stray != occupied.end() ? stray->second : std::string());
      // A stuck shim that never executed the program is harmless: it is blocked in a file operation and dies when that
      // returns. So report the end now.
      if (!stuck || job.running) {
        ++next;
        continue;
      }
    }
    next = dying_.erase(next);
    tell_end(job);
    confinement_.cgroups.remove(serial);
    launches_.close(serial);
    jobs_.erase(serial);
  }
}

// Something doesn't end although it was killed. It waits for a file system that doesn't answer, is traced, or may not
// be killed by this account. The keeper goes on trying, and reports it once.
void Jobs::look_at_stuck(std::uint64_t serial, RunningJob& job, const std::string& refused) {
  if (!job.shim_ended) kill_shim(job);
  confinement_.cgroups.kill(serial);
  std::string text = refused;
  if (text.empty()) {
    const ProcessStatus leader = status_of(job.leader);
    text = "process " + std::to_string(job.leader) + " (" + leader.name +
           "), or one that it started, was killed and is still there; its state is " + leader.state;
  }
  if (text == job.stuck) return;
  job.stuck = text;
  events_.emplace_back(JobStuck{serial, text});
}

bool Jobs::kill_rest(const Helpers& helpers) {
  const auto left = strays_.list(expected(helpers));
  for (const pid_t stray : left) kill_stray(stray, nullptr);
  shims_.kill_all();
  return left.empty() && shims_.are_gone();
}

JobStrays::Expected Jobs::expected(const Helpers& helpers) const {
  return [&](pid_t process) { return helpers.contain(process) || shims_.contain(process); };
}

}  // namespace dmm::keeper
