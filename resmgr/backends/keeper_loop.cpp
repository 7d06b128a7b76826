// The keeper's loop: orders, deaths of children, deadlines; then a look at what is left of the jobs that end.
#include "resmgr/backends/keeper_loop.hpp"

#include <algorithm>
#include <csignal>
#include <ctime>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "resmgr/backends/keeper_spawn.hpp"

namespace dmm::keeper {
namespace {

constexpr Clock endless = INT64_MAX;
constexpr Clock wall_grace = 5'000'000;     // from SIGTERM to SIGKILL at the end of a job's time
constexpr Clock look_again = 100'000;       // a net: a change among strays comes with a SIGCHLD
constexpr Clock keep_pause = 500'000;       // until an outcome is written again that there was no room for
constexpr int orders_a_turn = 16;           // a start takes about 0.3 ms
constexpr std::size_t piece_max = 48 * 1024;
constexpr std::uint64_t stream_max = 16 * 1024 * 1024;
constexpr std::uint64_t inline_max = 4 * 1024;

Clock now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1'000'000 + time.tv_nsec / 1000;
}

Clock later(Clock from, Clock length) {
  return length > endless - from ? endless : from + std::max<Clock>(length, 0);
}

Clock microseconds_of(const timeval& time) { return time.tv_sec * 1'000'000 + time.tv_usec; }

}  // namespace

Keeper::Keeper(const Settings& settings, const Marks& marks, JobFolder& folder, Door& door)
    : settings_(settings), marks_(marks), folder_(folder), door_(door) {
  channel_ = std::make_unique<Channel>(settings.socket);
  null_file_ = open("/dev/null", O_RDONLY | O_CLOEXEC);
  deadline_ = later(now(), settings_.keep);
  if (settings_.outlive) load_outcomes();
}

void Keeper::run() {
  greet();
  if (folder_.has_removed()) start_remover();
  while (is_needed()) {
    // With `outlive`, what a manager that is gone still ordered is read first, and the end after it.
    if (channel_ && !channel_->flush() && !settings_.outlive) end_all();
    wait();
    reap();
    for (int count = 0; count < orders_a_turn && take_order(); ++count) continue;
    ring_alarms();
    settle();
    keep_unkept();
  }
  door_.close();
  end_rest();
}

bool Keeper::is_needed() const {
  return !jobs_.empty() || ((channel_ || !unkept_.empty()) && !closing_);
}

// Ends the remover and what some job hid from its mark; the lock tells that nothing is left.
void Keeper::end_rest() {
  remove_again_ = false;
  for (int tries = 0; tries < 1000; ++tries) {
    const auto left = strays_.list([&](pid_t process) { return process == remover_; });
    if (left.empty() && remover_ == 0) return;
    for (const pid_t stray : left) kill_stray(stray, nullptr);
    if (remover_ != 0) kill(remover_, SIGKILL);
    usleep(1000);
    reap();
  }
}

void Keeper::wait() {
  Clock wake = jobs_.empty() && channel_ ? endless : deadline_;
  if (!alarms_.empty()) wake = std::min(wake, alarms_.begin()->first);
  if (!ending_.empty()) wake = std::min(wake, looked_at_ + look_again);
  if (!unkept_.empty()) wake = std::min(wake, keep_again_);
  if (channel_ && channel_->has_next()) wake = 0;
  int timeout = -1;
  if (wake != endless) timeout = static_cast<int>(std::clamp<Clock>((wake - now() + 999) / 1000, 0, 60'000));
  // The door before the channel: what a manager said before the next one came is seen too. A negative descriptor is
  // passed over.
  pollfd polled[] = {{settings_.signals, POLLIN, 0},
                     {door_.descriptor(), POLLIN, 0},
                     {channel_ ? channel_->descriptor() : -1, POLLIN, 0}};
  if (channel_ && channel_->wants_to_write()) polled[2].events |= POLLOUT;
  poll(polled, 3, timeout);
  if (polled[0].revents) {
    signalfd_siginfo signal;
    while (read(settings_.signals, &signal, sizeof signal) > 0) continue;
  }
  const bool spoken = polled[2].revents & (POLLIN | POLLHUP | POLLERR);
  if (spoken && !channel_->receive()) hang_up();
  const bool all_heard = !channel_ || (!spoken && !channel_->has_next());
  if (polled[1].revents && all_heard && !closing_) let_in();
}

// ---- managers --------------------------------------------------------------------------------------------------

void Keeper::let_in() {
  int socket = -1;
  while ((socket = door_.admit()) >= 0) {
    if (channel_) {
      send(Replaced{});
      channel_->flush();
      shutdown(channel_->descriptor(), SHUT_RDWR);  // the remover may have a copy of the descriptor
    }
    channel_ = std::make_unique<Channel>(socket);
    greet();
  }
}

// Says what there is to a manager that knows nothing yet.
void Keeper::greet() {
  Ready ready;
  ready.last_serial = last_serial_;
  for (const auto& [serial, job] : jobs_) ready.jobs.push_back({serial, job.name, job.leader});
  for (const auto& [directory, outcome] : outcomes_) ready.jobs.push_back(outcome.job);
  send(ready);
  for (const auto& [directory, outcome] : outcomes_) send(with_streams(outcome.end, directory));
}

void Keeper::hang_up() {
  if (!settings_.outlive) return end_all();
  while (take_order()) continue;
  channel_.reset();
}

// ---- orders ----------------------------------------------------------------------------------------------------

// False if there is none.
bool Keeper::take_order() {
  const auto frame = channel_ ? channel_->next() : std::nullopt;
  if (!frame) return false;
  if (const auto order = unpack<Order>(*frame)) {
    std::visit([&](const auto& body) { carry_out(body); }, *order);
  } else {
    end_all();  // not our manager
  }
  return true;
}

void Keeper::carry_out(const StartJob& order) {
  JobFiles files;
  Spawned spawned;
  const Clock start = now();
  last_serial_ = std::max(last_serial_, order.serial);
  if (const int error = folder_.make(order.directory, files)) {
    spawned = directory_fault(folder_.prefix() + order.directory, error);
  } else {
    spawned = spawn(order, files, null_file_, marks_.of(order.serial));
  }
  if (!spawned.process) {
    JobEnded end;
    end.serial = order.serial;
    end.kind = EndKind::start_failed;
    end.fault = spawned.fault;
    end.text = spawned.text;
    remember(order.directory, {.job = {order.serial, order.name, 0}, .end = end});
    return send(end);
  }
  if (deadline_ == endless) deadline_ = later(start, settings_.keep);  // it lives, or it would not order anything
  Job& job = jobs_[order.serial];
  job.name = order.name;
  job.directory = order.directory;
  job.leader = spawned.process;
  job.started = start;
  job.kill_at = endless;
  leaders_[spawned.process] = order.serial;
  if (const auto limit = order.limits.wall_seconds; limit && limit < 1'000'000'000)
    alarms_.emplace(later(start, static_cast<Clock>(limit) * 1'000'000), order.serial);
  send(JobStarted{order.serial, spawned.process});
}

void Keeper::carry_out(const EndJob& order) {
  if (const auto job = jobs_.find(order.serial); job != jobs_.end()) end(job->first, job->second, order.grace);
}

void Keeper::carry_out(const ReadFile& order) {
  const std::uint64_t left = order.offset < stream_max ? stream_max - order.offset : 0;
  const std::size_t length = std::min<std::uint64_t>(piece_max, left);
  Piece piece = folder_.read(order.directory, order.stream, order.offset, length);
  const std::uint64_t end = order.offset + piece.data.size();
  const bool last = piece.data.empty() || end >= std::min(piece.size, stream_max);
  send(FileRead{std::move(piece.data), last, piece.size > stream_max});
}

void Keeper::carry_out(const RemoveDirectory& order) {
  unkept_.erase(order.directory);
  if (outcomes_.erase(order.directory)) folder_.remove_outcome(order.directory);
  if (folder_.remove(order.directory)) start_remover();
}

void Keeper::carry_out(const KeepJobs& order) { deadline_ = later(now(), order.length); }

void Keeper::carry_out(const EndAll&) { end_all(); }

void Keeper::start_remover() {
  remove_again_ = remover_ != 0;
  if (remove_again_) return;
  const pid_t process = fork();
  if (process == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    folder_.empty_removed();
    _exit(0);
  }
  remover_ = std::max(process, 0);  // if there is none, the next one removes it
}

// ---- ends ------------------------------------------------------------------------------------------------------

void Keeper::reap() {
  int status = 0;
  rusage usage{};
  pid_t process = 0;
  while ((process = wait4(-1, &status, WNOHANG, &usage)) > 0) {
    if (process == remover_) {
      remover_ = 0;
      if (remove_again_) start_remover();
    }
    const auto leader = leaders_.find(process);
    if (leader == leaders_.end()) continue;  // a stray
    const std::uint64_t serial = leader->second;
    leaders_.erase(leader);
    leader_ended(serial, status, usage);
  }
}

void Keeper::leader_ended(std::uint64_t serial, int status, const rusage& usage) {
  Job& job = jobs_.at(serial);
  const Clock time = now();
  job.leader_ended = true;
  job.outcome.serial = serial;
  job.outcome.kind = WIFSIGNALED(status) ? EndKind::signalled : EndKind::exited;
  if (job.fenced && WIFSIGNALED(status)) {
    job.outcome.kind = EndKind::fenced;
    job.text = "its resource manager was silent for too long";
  }
  job.outcome.code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
  job.outcome.wall = time - job.started;
  job.outcome.cpu = microseconds_of(usage.ru_utime) + microseconds_of(usage.ru_stime);
  if (job.kill_at == endless) job.kill_at = time;  // it ended by itself: what it left behind ends at once
  ending_.insert(serial);
}

void Keeper::ring_alarms() {
  const Clock time = now();
  if (time >= deadline_) {
    deadline_ = endless;  // until the manager is heard again
    for (auto& [serial, job] : jobs_) {
      job.fenced = !job.leader_ended;
      end(serial, job, 0);
    }
  }
  while (!alarms_.empty() && alarms_.begin()->first <= time) {
    const auto found = jobs_.find(alarms_.begin()->second);
    alarms_.erase(alarms_.begin());
    if (found == jobs_.end()) continue;
    auto& [serial, job] = *found;
    if (job.kill_at == endless) {
      job.text = "its wall clock time was over";
      end(serial, job, wall_grace);
    } else if (job.kill_at <= time) {
      end(serial, job, 0);
    }
  }
}

void Keeper::end(std::uint64_t serial, Job& job, Clock grace) {
  const Clock kill_at = later(now(), grace);
  if (grace > 0) {
    if (kill_at >= job.kill_at) return;  // it is ended sooner already
    if (job.kill_at == endless) ask_to_end(serial, job);
    alarms_.emplace(kill_at, serial);
  } else if (!job.leader_ended) {
    kill(-job.leader, SIGKILL);
  }
  job.kill_at = std::min(job.kill_at, kill_at);
}

void Keeper::ask_to_end(std::uint64_t serial, const Job& job) {
  auto processes = descendants_of(job.leader);
  for (const pid_t stray : strays_.list([&](pid_t process) { return is_expected(process); })) {
    if (marks_.owner_of(stray) != serial) continue;
    const auto below = descendants_of(stray);
    processes.push_back(stray);
    processes.insert(processes.end(), below.begin(), below.end());
  }
  std::erase_if(processes, [&](pid_t process) {
    return getpgid(process) == job.leader || marks_.owner_of(process) != serial;
  });
  kill(-job.leader, SIGTERM);
  kill(-job.leader, SIGCONT);  // a stopped job could not heed it
  for (const pid_t process : processes) {
    kill(process, SIGTERM);
    kill(process, SIGCONT);
  }
}

void Keeper::end_all() {
  closing_ = true;
  channel_.reset();
  door_.close();
  for (auto& [serial, job] : jobs_) end(serial, job, 0);
}

// The group of an unreaped child is still that group, so it may be killed by number.
void Keeper::kill_stray(pid_t stray, const Job* job) const {
  const pid_t group = getpgid(stray);
  if (group == stray || (job && group == job->leader)) kill(-group, SIGKILL);
  kill(stray, SIGKILL);
}

void Keeper::settle() {
  if (ending_.empty()) return;
  const Clock time = now();
  if (!strays_.cheap() && time < looked_at_ + look_again) return;
  std::set<std::uint64_t> occupied;
  for (const pid_t stray : strays_.list([&](pid_t process) { return is_expected(process); })) {
    const std::uint64_t serial = marks_.owner_of(stray);
    const auto job = jobs_.find(serial);
    if (job == jobs_.end()) {
      kill_stray(stray, nullptr);
      continue;
    }
    occupied.insert(serial);
    if (job->second.leader_ended && time >= job->second.kill_at) kill_stray(stray, &job->second);
  }
  looked_at_ = time;
  for (auto next = ending_.begin(); next != ending_.end();) {
    const std::uint64_t serial = *next;
    if (occupied.contains(serial)) {
      ++next;
      continue;
    }
    report_end(serial, jobs_.at(serial));
    jobs_.erase(serial);
    next = ending_.erase(next);
  }
}

void Keeper::report_end(std::uint64_t serial, Job& job) {
  job.outcome.serial = serial;
  job.outcome.text = job.text;
  remember(job.directory, {.job = {serial, job.name, 0}, .end = job.outcome});
  send(with_streams(std::move(job.outcome), job.directory));
}

JobEnded Keeper::with_streams(JobEnded end, const std::string& directory) const {
  Piece output = folder_.read(directory, Stream::output, 0, inline_max);
  Piece error = folder_.read(directory, Stream::error, 0, inline_max);
  end.output_bytes = output.size;
  end.error_bytes = error.size;
  if (output.size + error.size <= inline_max) {
    end.output = std::move(output.data);
    end.error = std::move(error.data);
  }
  return end;
}

// Keeps an outcome for managers that come later, also if this keeper is killed. While the disk has no room for it this
// keeper stays, since without it the job would seem lost and run again.
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

// What an earlier keeper kept. What isn't whole or is of another build goes with the directories that have none.
void Keeper::load_outcomes() {
  for (const auto& [directory, bytes] : folder_.outcomes()) {
    Outcome outcome;
    std::string_view rest = bytes;
    if (!unpack_value(rest, outcome) || !rest.empty() || outcome.version != frames_version) continue;
    last_serial_ = std::max(last_serial_, outcome.job.serial);
    outcomes_.emplace(directory, std::move(outcome));
  }
  if (settings_.fresh) folder_.put_away_old([&](const std::string& name) { return outcomes_.contains(name); });
}

bool Keeper::is_expected(pid_t process) const { return process == remover_ || leaders_.contains(process); }

}  // namespace dmm::keeper
