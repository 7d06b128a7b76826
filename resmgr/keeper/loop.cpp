// The keeper's loop: orders, words of shims, deaths of children, deadlines; then a look at the rest of jobs that end.
#include "resmgr/keeper/loop.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <tuple>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "resmgr/keeper/account.hpp"
#include "resmgr/keeper/proc.hpp"
#include "resmgr/keeper/spawn.hpp"

namespace dmm::keeper {
namespace {

constexpr Clock wall_grace = 5'000'000;   // from SIGTERM to SIGKILL at the end of a job's time
constexpr Clock disk_grace = 5'000'000;   // likewise where it took too much disk
constexpr Clock stuck_after = 2'000'000;  // from SIGKILL until a process that is still there is reported
constexpr Clock look_again = 100'000;     // in case a SIGCHLD was missed: every change among strays sends one
constexpr Clock keep_pause = 500'000;     // until an outcome is written again after the disk had no room
constexpr int orders_a_turn = 16;         // a start takes about 0.3 ms
constexpr Clock output_pause = 500'000;   // until the keeper looks again at what jobs have written
constexpr Clock disk_pause = 5'000'000;   // from the start of one walk over jobs' directories to the next
constexpr std::uint64_t inline_max = 4 * 1024;

}  // namespace

Keeper::Keeper(const Settings& settings, const Marks& marks, JobFolder& folder, Door& door)
    : settings_(settings), marks_(marks), folder_(folder), door_(door) {
  channel_ = std::make_unique<Channel>(settings.socket);
  null_file_ = open("/dev/null", O_RDONLY | O_CLOEXEC);
  keep_until(later(now(), settings_.keep));
  if (settings_.outlive) load_outcomes();
}

void Keeper::run() {
  if (folder_.has_removed()) start_remover();
  while (is_needed()) {
    // With `outlive`, the last orders of a manager that is gone are read first, and its end after them.
    if (channel_ && !channel_->flush() && !settings_.outlive) end_all();
    wait();
    hear_words();
    hear_launchers();
    reap();
    for (int count = 0; count < orders_a_turn && take_order(); ++count) continue;
    ring_alarms();
    look_at_output();
    look_at_disk();
    settle();
    keep_unkept();
  }
  door_.close();
  end_rest();
}

bool Keeper::is_needed() const { return !jobs_.empty() || ((channel_ || !unkept_.empty()) && !closing_); }

// Ends the remover, starts that were given up, and processes that a job hid from its mark. The lock tells that nothing
// is left.
void Keeper::end_rest() {
  remove_again_ = false;
  for (int tries = 0; tries < 1000; ++tries) {
    const auto left = strays_.list([&](pid_t process) { return is_expected(process); });
    if (left.empty() && remover_ == 0 && disk_.child() == 0 && shims_.empty()) return;
    for (const pid_t stray : left) kill_stray(stray, nullptr);
    for (const auto& [shim, serial] : shims_) kill(shim, SIGKILL);
    for (const pid_t helper : {remover_, disk_.child()})
      if (helper != 0) kill(helper, SIGKILL);
    usleep(1000);
    reap();
  }
}

Clock Keeper::next_wake() const {
  if (channel_ && channel_->has_next()) return 0;
  Clock wake = jobs_.empty() && channel_ ? endless : deadline_;
  if (!alarms_.empty()) wake = std::min(wake, alarms_.begin()->first);
  if (!dying_.empty()) wake = std::min(wake, looked_at_ + look_again);
  if (!unkept_.empty()) wake = std::min(wake, keep_again_);
  if (channel_ && folder_.holds_streams()) wake = std::min(wake, output_looked_at_ + output_pause);
  if (rules_.disk_bytes > 0 && !jobs_.empty() && !disk_.is_walking())
    wake = std::min(wake, disk_looked_at_ + disk_pause);
  return std::min(wake, door_.next_deadline());
}

void Keeper::wait() {
  const Clock wake = next_wake();
  int timeout = -1;
  if (wake != endless) timeout = static_cast<int>(std::clamp<Clock>((wake - now() + 999) / 1000, 0, 60'000));
  // The door before the channel: what a manager sent before the next one connected is read, too. poll() ignores a
  // negative descriptor.
  std::vector<pollfd> polled{{settings_.signals, POLLIN, 0},
                             {words_.hearing_end(), POLLIN, 0},
                             {channel_ ? channel_->descriptor() : -1, POLLIN, 0},
                             {disk_.descriptor(), POLLIN, 0}};
  if (channel_ && channel_->wants_to_write()) polled[2].events |= POLLOUT;
  launches_.add_to(polled);
  const std::size_t doors = polled.size();
  for (const int descriptor : door_.descriptors()) polled.push_back({descriptor, POLLIN, 0});
  poll(polled.data(), polled.size(), timeout);
  if (polled[0].revents) {
    signalfd_siginfo signal;
    while (read(settings_.signals, &signal, sizeof signal) > 0) continue;
  }
  const bool spoken = polled[2].revents & (POLLIN | POLLHUP | POLLERR);
  if (spoken && !channel_->receive()) hang_up();
  const bool all_heard = !channel_ || (!spoken && !channel_->has_next());
  const bool knocked = std::any_of(polled.begin() + static_cast<std::ptrdiff_t>(doors), polled.end(),
                                   [](const pollfd& one) { return one.revents != 0; });
  if ((knocked || now() >= door_.next_deadline()) && all_heard && !closing_) let_in();
}

// ---- managers --------------------------------------------------------------------------------------------------

void Keeper::let_in() {
  Rules rules;
  while (auto channel = door_.admit(rules)) {
    if (channel_) {
      send(Replaced{});
      channel_->flush();
      shutdown(channel_->descriptor(), SHUT_RDWR);  // the remover may have a copy of the descriptor
    }
    channel_ = std::move(channel);
    greet(obey(rules));
  }
}

// Takes over the administrator's rules for jobs. Returns what can't be obeyed, or an empty text.
std::string Keeper::obey(const Rules& rules) {
  const std::string before = std::exchange(rules_, rules).cgroup;
  std::string fault;
  if (rules_.cgroup != before) fault = cgroups_.open(rules_.cgroup);
  std::string why;
  isolation_ = rules_.isolate ? find_isolation(settings_.state, why) : Isolation{};
  limits_text_ = cgroups_.is_open() ? cgroups_.text() : "rlimits";
  isolation_text_ = (isolation_.namespaces ? "namespaces, " : "") + limits_text_;
  if (!why.empty()) isolation_text_ += "; no namespaces: " + why;
  no_accounts_.clear();
  if (!rules_.account.is_own())
    no_accounts_ = folder_.let_through() ? why_not(rules_.account, folder_.prefix()) : std::strerror(errno);
  return fault;
}

// Reports everything to a manager that knows nothing yet.
void Keeper::greet(std::string fault) {
  told_.clear();
  Ready ready;
  ready.fault = std::move(fault);
  ready.last_serial = last_serial_;
  ready.isolation = isolation_text_;
  ready.no_accounts = no_accounts_;
  for (const auto& [serial, job] : jobs_)
    ready.jobs.push_back({serial, job.order.name, job.order.awaits_go ? 0 : job.leader});
  for (const auto& [directory, outcome] : outcomes_) ready.jobs.push_back(outcome.job);
  send(ready);
  for (const auto& [serial, job] : jobs_)
    if (!job.stuck.empty()) send(JobStuck{serial, job.stuck});
  for (const auto& [serial, job] : jobs_)
    if (job.order.awaits_go && is_ready(serial, job)) tell_started(serial, job);
  for (const auto& [directory, outcome] : outcomes_) send(with_streams(outcome.end, directory));
}

void Keeper::hang_up() {
  if (!settings_.outlive) return end_all();
  while (take_order()) continue;
  channel_.reset();
}

// ---- ends ------------------------------------------------------------------------------------------------------

void Keeper::hear_words() {
  Word word;
  pid_t process = 0;
  while (words_.hear(word, process)) heed(word, process);
}

void Keeper::heed(const Word& word, pid_t process) {
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
    case Word::Kind::ended:
      if (!job.leader_ended) leader_ended(serial, job, word.status, word.cpu);
      break;
  }
}

void Keeper::leader_ended(std::uint64_t serial, Job& job, int status, Clock cpu) {
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
  if (job.kill_at == endless || job.kill_at <= time) end(serial, job, 0);
}

// Waits for all ended children under the guard's lock, so that the guard kills no number that is free again.
void Keeper::reap() {
  std::vector<std::tuple<std::uint64_t, int, bool>> ended;
  bool removed = false;
  {
    const auto lock = guard_.hold();
    int status = 0;
    pid_t process = 0;
    while ((process = waitpid(-1, &status, WNOHANG)) > 0) {
      removed = removed || process == remover_;
      if (process == disk_.child()) disk_.child_ended();
      const auto shim = shims_.find(process);
      if (shim == shims_.end()) continue;  // a stray
      ended.emplace_back(shim->second, status, guard_.forget(shim->second));
      shims_.erase(shim);
    }
  }
  if (removed) {
    remover_ = 0;
    if (remove_again_) start_remover();
  }
  if (!ended.empty()) hear_words();  // the last words of their shims
  for (const auto& [serial, status, lost_contact] : ended) shim_ended(serial, status, lost_contact);
}

void Keeper::shim_ended(std::uint64_t serial, int status, bool lost_contact) {
  const auto found = jobs_.find(serial);
  if (found == jobs_.end()) return cgroups_.remove(serial);  // it never ran, and its end was reported
  Job& job = found->second;
  job.shim_ended = true;
  job.lost_contact = job.lost_contact || lost_contact;
  if (!job.leader_ended) leader_ended(serial, job, WIFSIGNALED(status) ? status : SIGKILL, 0);
  if (job.lost_contact && job.outcome.kind == EndKind::signalled) {
    job.outcome.kind = EndKind::lost_contact;
    job.text = "its resource manager was silent for too long";
  }
  cgroups_.kill(serial);
  dying_.insert(serial);
}

void Keeper::keep_until(Clock time) {
  deadline_ = time;
  guard_.kill_all_at(time);
}

void Keeper::ring_alarms() {
  const Clock time = now();
  if (time >= deadline_) {
    keep_until(endless);  // until the manager is heard again
    for (auto& [serial, job] : jobs_) {
      job.lost_contact = job.lost_contact || !job.leader_ended;
      end(serial, job, 0);
    }
  }
  while (!alarms_.empty() && alarms_.begin()->first <= time) {
    const auto found = jobs_.find(alarms_.begin()->second);
    alarms_.erase(alarms_.begin());
    if (found != jobs_.end()) ring(found->first, found->second, time);
  }
}

void Keeper::ring(std::uint64_t serial, Job& job, Clock time) {
  if (job.kill_at <= time) {
    end(serial, job, 0);
  } else if (!job.running && !job.leader_ended && time >= job.start_by) {
    fail_start(serial, job, failure_of_silence(job.order, job.leader != 0, rules_.start_max));
  } else if (job.kill_at == endless && time >= job.wall_end) {
    job.text = "its wall clock time was over";
    end(serial, job, wall_grace);
  }
}

void Keeper::fail_start(std::uint64_t serial, Job& job, const StartFailure& failure) {
  job.outcome.kind = EndKind::start_failed;
  job.outcome.fault = failure.fault;
  job.text = failure.text;
  job.leader_ended = true;
  end(serial, job, 0);
}

void Keeper::end(std::uint64_t serial, Job& job, Clock grace) {
  const Clock kill_at = later(now(), grace);
  if (grace > 0) {
    if (kill_at >= job.kill_at) return;  // it is ended sooner already
    if (job.kill_at == endless) ask_to_end(serial, job);
  } else if (!job.shim_ended) {
    // The shim reports how the leader ended, so it stays for that if it can.
    kill(job.shim, job.running && !job.leader_ended ? SIGUSR1 : SIGKILL);
    dying_.insert(serial);
  }
  job.kill_at = std::min(job.kill_at, kill_at);
  if (grace > 0) alarms_.emplace(kill_at, serial);
  guard_.kill_at(serial, job.kill_at);
}

void Keeper::ask_to_end(std::uint64_t serial, const Job& job) {
  kill(job.shim, SIGTERM);
  if (job.apart) return;  // ending its namespaces ends all of them
  auto processes = descendants_of(job.shim);
  for (const pid_t stray : strays_.list([&](pid_t process) { return is_expected(process); })) {
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

void Keeper::end_all() {
  closing_ = true;
  channel_.reset();
  door_.close();
  for (auto& [serial, job] : jobs_) end(serial, job, 0);
}

// 0 or an errno. The group of an unreaped child can't be another one, so it may be killed by number.
int Keeper::kill_stray(pid_t stray, const Job* job) const {
  const pid_t group = getpgid(stray);
  if (group == stray || (job && group == job->leader)) kill(-group, SIGKILL);
  return kill(stray, SIGKILL) == 0 ? 0 : errno;
}

void Keeper::settle() {
  if (dying_.empty()) return;
  const Clock time = now();
  if (!strays_.cheap() && time < looked_at_ + look_again) return;
  std::map<std::uint64_t, std::string> occupied;  // with the stray that can't be killed
  for (const pid_t stray : strays_.list([&](pid_t process) { return is_expected(process); })) {
    const std::uint64_t serial = marks_.owner_of(stray);
    const auto job = jobs_.find(serial);
    if (job == jobs_.end()) {
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
  for (auto next = dying_.begin(); next != dying_.end();) {
    const std::uint64_t serial = *next;
    Job& job = jobs_.at(serial);
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
    report_end(job);
    cgroups_.remove(serial);
    launches_.close(serial);
    jobs_.erase(serial);
  }
}

// Something doesn't end although it was killed. It waits for a file system that doesn't answer, is traced, or may not
// be killed by this account. The keeper goes on trying, and reports it once.
void Keeper::look_at_stuck(std::uint64_t serial, Job& job, const std::string& refused) {
  if (!job.shim_ended) kill(job.shim, SIGKILL);
  cgroups_.kill(serial);
  std::string text = refused;
  if (text.empty()) {
    const ProcessStatus leader = status_of(job.leader);
    text = "process " + std::to_string(job.leader) + " (" + leader.name +
           "), or one that it started, was killed and is still there; its state is " + leader.state;
  }
  if (text == job.stuck) return;
  job.stuck = text;
  send(JobStuck{serial, text});
}

// Reports what jobs wrote since the last report.
void Keeper::look_at_output() {
  if (!channel_ || !folder_.holds_streams() || now() < output_looked_at_ + output_pause) return;
  output_looked_at_ = now();
  for (const auto& [serial, job] : jobs_) {
    const auto sizes = folder_.stream_sizes(job.order.directory);
    StreamSizes& told = told_[serial];
    if (sizes == told) continue;
    told = sizes;
    send(OutputSize{serial, sizes.output, sizes.error});
  }
}

// A job that takes more disk space than it may is asked to end, and killed soon after.
void Keeper::look_at_disk() {
  for (const auto& [serial, bytes] : disk_.take()) {
    const auto found = jobs_.find(serial);
    if (found == jobs_.end() || rules_.disk_bytes == 0 || bytes <= rules_.disk_bytes) continue;
    Job& job = found->second;
    if (job.leader_ended || job.kill_at != endless) continue;
    job.text = "its directory took " + std::to_string(bytes) + " bytes of disk; this resource manager allows " +
               std::to_string(rules_.disk_bytes);
    end(serial, job, disk_grace);
  }
  if (rules_.disk_bytes == 0 || jobs_.empty() || disk_.is_walking() || now() < disk_looked_at_ + disk_pause)
    return;
  disk_looked_at_ = now();
  std::vector<DiskWatch::Directory> directories;
  for (const auto& [serial, job] : jobs_)
    if (!job.leader_ended) directories.push_back({serial, folder_.prefix() + job.order.directory});
  disk_.walk(directories);
}

void Keeper::report_end(Job& job) {
  folder_.release_streams(job.order.directory);
  told_.erase(job.order.serial);
  job.outcome.serial = job.order.serial;
  job.outcome.text = job.text;
  const std::string& directory = job.order.directory;
  remember(directory, {.job = {job.order.serial, job.order.name, 0}, .end = job.outcome});
  send(with_streams(std::move(job.outcome), directory));
}

JobEnded Keeper::with_streams(JobEnded end, const std::string& directory) const {
  FilePart output = folder_.read(directory, Stream::output, 0, inline_max);
  FilePart error = folder_.read(directory, Stream::error, 0, inline_max);
  end.output_bytes = output.size;
  end.error_bytes = error.size;
  if (output.size + error.size <= inline_max) {
    end.output = std::move(output.data);
    end.error = std::move(error.data);
  }
  return end;
}

// Keeps an outcome for later managers, even if this keeper is killed. While the disk has no room for an outcome, this
// keeper stays: without it the job would seem lost and run again.
void Keeper::remember(const std::string& directory, Outcome outcome) {
  if (!settings_.outlive) return;
  outcomes_.insert_or_assign(directory, std::move(outcome));
  unkept_.insert(directory);
  keep_again_ = 0;
  keep_unkept();
}

void Keeper::keep_unkept() {
  if (unkept_.empty() || now() < keep_again_) return;
  std::erase_if(unkept_, [&](const std::string& directory) {
    std::string bytes;
    pack_value(bytes, outcomes_.at(directory));
    return folder_.keep_outcome(directory, bytes);
  });
  keep_again_ = now() + keep_pause;
}

// Loads the outcomes of an earlier keeper. Incomplete ones and those of another build are removed, as directories
// without an outcome are.
void Keeper::load_outcomes() {
  for (const auto& [directory, bytes] : folder_.outcomes()) {
    Outcome outcome;
    std::string_view rest = bytes;
    if (!unpack_value(rest, outcome) || !rest.empty() || outcome.version != outcome_version) continue;
    last_serial_ = std::max(last_serial_, outcome.job.serial);
    outcomes_.emplace(directory, std::move(outcome));
  }
  if (settings_.fresh) folder_.put_away_old([&](const std::string& name) { return outcomes_.contains(name); });
}

bool Keeper::is_expected(pid_t process) const {
  return process == remover_ || process == disk_.child() || shims_.contains(process);
}

}  // namespace dmm::keeper
