// The manager's side of the `process` backend: tasks by name here, jobs by number at the keeper.
#include "resmgr/backends/process/backend.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>

#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "protocol/text.hpp"
#include "resmgr/backends/process/go_text.hpp"
#include "resmgr/backends/process/job.hpp"
#include "resmgr/backends/process/start.hpp"
#include "resmgr/keeper/address.hpp"
#include "resmgr/keeper/frames.hpp"
#include "resmgr/keeper/leftovers.hpp"

namespace dmm {
namespace {

constexpr const char* path_default = "/usr/local/bin:/usr/bin:/bin";
constexpr int ready_milliseconds = 7'000;  // beyond the wait for the lock; ending leftovers may take 5 s
constexpr int end_milliseconds = 5'000;
constexpr int leave_milliseconds = 1'000;
constexpr int unanswered_max = 3;  // the most beats that a live keeper leaves unanswered
constexpr std::size_t fetches_max = 8;
constexpr int losing_max = 5;  // beats that a keeper with a closed socket has to end

constexpr std::size_t fetch_text_max = 1'000;  // of the log text of a fetch

using Clock = std::chrono::steady_clock;

int milliseconds_until(Clock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return static_cast<int>(std::max<std::int64_t>(left, 0));
}

void watch_in(int poll_set, int descriptor) {
  epoll_event event{};
  event.events = EPOLLIN;
  epoll_ctl(poll_set, EPOLL_CTL_ADD, descriptor, &event);
}

// Safe if the process has ended.
void signal_through(int handle, int signal) { syscall(SYS_pidfd_send_signal, handle, signal, nullptr, 0); }

TaskEnded lost_with_its_keeper(const TaskId& id) {
  TaskEnded end;
  end.id = id;
  end.kind = EndKind::lost;
  end.code = SIGKILL;
  end.keeper_died = true;
  return end;
}

}  // namespace

// ---- the keeper ------------------------------------------------------------------------------------------------

ProcessBackend::ProcessBackend(ProcessBackendSettings settings)
    : settings_(std::move(settings)), keep_(settings_.keep) {
  const char* const path = std::getenv("PATH");
  path_ = path && *path ? path : path_default;
  poll_set_ = epoll_create1(EPOLL_CLOEXEC);
  bell_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  timer_ = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  const timespec beat{settings_.beat.microseconds / 1'000'000, settings_.beat.microseconds % 1'000'000 * 1000};
  const itimerspec beats{beat, beat};
  timerfd_settime(timer_, 0, &beats, nullptr);
  for (const int descriptor : {bell_, timer_}) watch_in(poll_set_, descriptor);
}

std::variant<std::unique_ptr<ProcessBackend>, std::string> ProcessBackend::open(
    const ProcessBackendSettings& settings) {
  ProcessBackendSettings found = settings;
  std::string fault = keeper::find_paths(found.directory, found.keeper_executable);
  if (!fault.empty()) return fault;
  std::unique_ptr<ProcessBackend> backend(new ProcessBackend(std::move(found)));
  fault = backend->accounts_.open(settings.jobs.accounts, settings.site, backend->settings_.directory);
  if (!fault.empty()) return fault;
  fault = settings.outlive ? backend->find_keeper() : backend->start_first_keeper();
  if (!fault.empty()) return fault;
  return backend;
}

ProcessBackend::~ProcessBackend() {
  if (settings_.outlive) {
    send(keeper::EndAll{});
    drain(end_milliseconds);
  }
  channel_.reset();
  end_keeper();
  for (const int descriptor : {poll_set_, bell_, timer_})
    if (descriptor >= 0) close(descriptor);
}

std::string ProcessBackend::start_first_keeper() {
  if (const std::string fault = start_keeper(true, settings_.lock_wait); !fault.empty()) return fault;
  const auto patience = settings_.lock_wait.microseconds / 1000 + ready_milliseconds;
  const auto ready = await_ready(static_cast<int>(patience));
  return ready ? begin(*ready) : settings_.keeper_executable + " gave no sign of life, or ended at once";
}

// Takes over the keeper that lives in the folder or, if there is none, starts one. Tries again while an earlier keeper
// is about to end, and if another manager is quicker.
std::string ProcessBackend::find_keeper() {
  const Clock::time_point deadline = Clock::now() + std::chrono::microseconds(settings_.lock_wait.microseconds);
  do {
    const keeper::KeeperLink link = keeper::connect_to(settings_.directory);
    if (!link.fault.empty()) return link.fault;
    if (link.socket >= 0) {
      link_to(link);
      keeper_is_new_ = false;
      if (const auto ready = await_ready(milliseconds_until(deadline))) return begin(*ready);
      keeper_is_new_ = true;
      part();  // it ended just now, or doesn't answer
    } else if (!keeper::is_locked(settings_.directory)) {
      if (const std::string fault = start_keeper(true, Duration{}); !fault.empty()) return fault;
      const auto ready = await_ready(ready_milliseconds);
      if (!ready) return settings_.keeper_executable + " gave no sign of life, or ended at once";
      if (!ready->locked) return begin(*ready);
      channel_.reset();
      end_keeper();
    }
    usleep(10'000);
  } while (Clock::now() < deadline);
  const std::string process = keeper::holder_of(settings_.directory);
  return "the keeper of the jobs in " + settings_.directory + " (process " + process + ") did not answer within " +
         std::to_string(settings_.lock_wait.microseconds / 1000) + " ms: if it is stopped, \"kill -CONT " +
         process + "\" lets it go on; \"kill -KILL " + process + "\" ends it and its jobs";
}

std::string ProcessBackend::start_keeper(bool fresh, Duration lock_wait) {
  const auto started = keeper::start(
      {settings_.keeper_executable, settings_.directory, keep_, lock_wait, fresh, settings_.outlive});
  if (!started.fault.empty()) return started.fault;
  link_to(started);
  say_hello();
  return {};
}

void ProcessBackend::link_to(const keeper::KeeperLink& link) {
  ready_ = false;
  watches_write_ = false;
  unanswered_ = 0;
  state_.keeper = link.process;
  state_.keeper_silent = false;
  keeper_handle_ = link.handle;
  secret_ = link.secret;
  channel_ = std::make_unique<keeper::Channel>(link.socket);
  watch_in(poll_set_, link.socket);
}

keeper::Rules ProcessBackend::rules() const {
  const JobRules& jobs = settings_.jobs;
  return {jobs.isolate,        jobs.cgroup,         jobs.start_max.microseconds, jobs.processes_max,
          jobs.file_bytes_max, jobs.disk_bytes_max, accounts_.example()};
}

void ProcessBackend::say_hello() { send(keeper::Hello{secret_, rules()}); }

// The keeper's next frame; nothing if it doesn't come in time, or the keeper is gone.
std::optional<std::string_view> ProcessBackend::await_frame(int milliseconds) {
  const Clock::time_point deadline = Clock::now() + std::chrono::milliseconds(milliseconds);
  bool alive = true;
  while (!channel_->has_next()) {
    if (!alive || !keeper::wait_readable(channel_->descriptor(), milliseconds_until(deadline)))
      return std::nullopt;
    alive = channel_->receive();
  }
  return channel_->next();
}

// The keeper's first frames; nothing if they don't come in time. A keeper that was there already asks for our Hello
// first.
std::optional<keeper::Ready> ProcessBackend::await_ready(int milliseconds) {
  const Clock::time_point deadline = Clock::now() + std::chrono::milliseconds(milliseconds);
  while (const auto frame = await_frame(milliseconds_until(deadline))) {
    auto report = keeper::unpack<keeper::Report>(*frame);
    if (auto* const ready = report ? std::get_if<keeper::Ready>(&*report) : nullptr) return std::move(*ready);
    const auto* const challenge = report ? std::get_if<keeper::Challenge>(&*report) : nullptr;
    if (!challenge || challenge->version != keeper::frames_version) {
      keeper::Ready refusal;
      refusal.fault = "the keeper in " + settings_.directory + " (process " + std::to_string(state_.keeper) +
                      ") is of another build: start the manager of that build, or end the keeper and its jobs";
      return refusal;
    }
    say_hello();
  }
  return std::nullopt;
}

std::string ProcessBackend::begin(const keeper::Ready& ready) {
  if (!ready.fault.empty()) {
    if (settings_.outlive) part();  // it isn't ours to end
    return ready.fault;
  }
  ready_ = true;
  serial_ = ready.last_serial;
  state_.isolation = ready.isolation;
  log(Level::info, "keeper_ready", state_.isolation);
  tell_accounts(ready.no_accounts);
  for (const keeper::FoundJob& job : ready.jobs) find(job);
  if (channel_->has_next()) raise();  // they came along, so the socket may not wake us again
  return {};
}

void ProcessBackend::tell_accounts(const std::string& why_not) {
  accounts_.set_why_not(why_not);
  state_.accounts = accounts_.text();
  state_.users_apart = accounts_.users_apart();
  log(why_not.empty() ? Level::info : Level::warning, "accounts", state_.accounts);
}

void ProcessBackend::find(const keeper::FoundJob& job) {
  const TaskId id{{SiteName(job.name.site), job.name.user, job.name.job, job.name.attempt}, job.name.component};
  if (id.component == keeper::fetch_component) {
    fetches_[job.serial] = {id, {}};
    return;
  }
  tasks_[id] = {job.serial, false};
  names_[job.serial] = id;
  living_.push_back({id, job.process});
}

void ProcessBackend::leave() {
  left_ = true;
  if (!settings_.outlive) return channel_.reset();
  drain(leave_milliseconds);
  part();
}

// Sends waiting frames.
void ProcessBackend::drain(int milliseconds) {
  const Clock::time_point deadline = Clock::now() + std::chrono::milliseconds(milliseconds);
  while (channel_ && channel_->flush() && channel_->wants_to_write()) {
    pollfd polled{channel_->descriptor(), POLLOUT, 0};
    if (poll(&polled, 1, milliseconds_until(deadline)) <= 0) return;
  }
}

// Disconnects from a keeper that lives on.
void ProcessBackend::part() {
  channel_.reset();  // also takes it out of the poll set
  if (keeper_handle_ >= 0) close(keeper_handle_);
  keeper_handle_ = -1;
  state_.keeper = 0;
  state_.keeper_silent = false;
  ready_ = false;
  losing_ = false;
}

void ProcessBackend::end_keeper() {
  if (state_.keeper) keeper::wait_for_end(state_.keeper, keeper_handle_, end_milliseconds);
  state_.keeper = 0;
  state_.keeper_silent = false;
  keeper_handle_ = -1;
  losing_ = false;
}

// ---- its silence and its end -----------------------------------------------------------------------------------

void ProcessBackend::log(Level level, std::string_view event, const std::string& text, const TaskId& id) {
  events_.push_back({level, event, id.request, {{"process", std::int64_t{state_.keeper}}, {"text", text}}});
}

std::vector<LogEvent> ProcessBackend::take_events() { return std::exchange(events_, {}); }

void ProcessBackend::tick() {
  if (losing_) {
    ++losing_beats_;
    return see_whether_it_ended();
  }
  if (!channel_ || !ready_) return;
  if (unanswered_ < unanswered_max) {
    ++unanswered_;
    return send(keeper::Beat{});
  }
  if (!state_.keeper_silent)
    log(Level::error, "keeper_silent",
        "no job can be started or ended while it is; if it was stopped, it is continued");
  state_.keeper_silent = true;
  signal_through(keeper_handle_, SIGCONT);
}

void ProcessBackend::note_heard() {
  unanswered_ = 0;
  if (std::exchange(state_.keeper_silent, false)) log(Level::warning, "keeper_heard", "the keeper goes on");
}

// The keeper's socket is closed: the keeper is about to end, or another manager has it.
void ProcessBackend::lose_keeper() {
  channel_.reset();  // also takes it out of the poll set
  losing_ = true;
  losing_beats_ = 0;
  if (keeper_handle_ >= 0) watch_in(poll_set_, keeper_handle_);
  see_whether_it_ended();
}

void ProcessBackend::see_whether_it_ended() {
  if (keeper_handle_ < 0 || keeper::wait_readable(keeper_handle_, 0)) return keeper_ended();
  if (losing_beats_ < losing_max) return;
  if (settings_.outlive) return be_replaced();  // it lives, but couldn't send us its last frame
  signal_through(keeper_handle_, SIGKILL);
}

void ProcessBackend::keeper_ended() {
  log(Level::error, "keeper_lost", "its jobs are over; another keeper is started");
  end_keeper();
  for (auto& [id, task] : tasks_) {
    if (task.ended) continue;
    task.ended = true;
    lost_.push_back(lost_with_its_keeper(id));
  }
  names_.clear();
  fetches_.clear();
  state_.stuck.clear();
  if (ready_) {
    restart_keeper();
  } else {
    // The keeper didn't start. The next start of a task tries again, to avoid a loop.
    if (fault_.empty()) fault_ = settings_.keeper_executable + " ended at once";
    for (const auto& read : reads_) reports_.push_back(OutputRead{read.id, read.stream, read.offset, {}, 0});
    reads_.clear();
    deliver_lost();
  }
  for (const TaskOrder& order : std::exchange(held_, {})) perform(order);
}

void ProcessBackend::restart_keeper() {
  if (left_ || replaced_ || losing_) return;
  fault_ = start_keeper(false, settings_.lock_wait);
  if (!fault_.empty()) {
    ready_ = false;
    return deliver_lost();
  }
  const std::deque<ReadOutput> reads = std::exchange(reads_, {});
  for (const auto& read : reads) carry_out(read);
}

// The next keeper ends the rest of these tasks before it is ready. Without a next keeper, this kills the rest.
void ProcessBackend::deliver_lost() {
  if (!ready_ && !lost_.empty()) keeper::kill_leftovers(settings_.directory, keeper::Marks(settings_.directory));
  reports_.insert(reports_.end(), lost_.begin(), lost_.end());
  lost_.clear();
  raise();
}

// ---- orders ----------------------------------------------------------------------------------------------------

void ProcessBackend::perform(const TaskOrder& order) {
  if (losing_) return held_.push_back(order);
  std::visit([&](const auto& body) { carry_out(body); }, order);
}

template <class Order>
void ProcessBackend::send(const Order& order) {
  if (!channel_) return;
  channel_->queue(keeper::pack(keeper::Order(order)));
  flush();
}

void ProcessBackend::flush() {
  // take_reports notices a socket that fails, and only it replaces the keeper.
  if (!channel_->flush()) return raise();
  watch();
}

// Asks to be woken when the socket takes more, if anything waits.
void ProcessBackend::watch() {
  if (channel_->wants_to_write() == watches_write_) return;
  watches_write_ = !watches_write_;
  epoll_event event{};
  event.events = EPOLLIN;
  if (watches_write_) event.events |= EPOLLOUT;
  epoll_ctl(poll_set_, EPOLL_CTL_MOD, channel_->descriptor(), &event);
}

void ProcessBackend::raise() { eventfd_write(bell_, 1); }

void ProcessBackend::carry_out(const StartTask& order) {
  const auto known = tasks_.find(order.id);
  if (known != tasks_.end() && !known->second.ended) return;
  if (!channel_) restart_keeper();
  if (known != tasks_.end()) carry_out(RemoveTask{order.id});
  if (!channel_) return fail_start(order.id, StartFault::resources, fault_);
  if (order.program.arguments.empty())
    return fail_start(order.id, StartFault::executable_missing, "no program is given");
  const std::string_view folder = order.program.working_directory.view();
  if (!folder.empty() && !folder.starts_with('/'))
    return fail_start(order.id, StartFault::no_directory,
                      "can't enter " + std::string(folder) + ": expected an absolute path");
  const auto account = accounts_.account_for(order.id.request);
  if (const auto* refusal = std::get_if<std::string>(&account))
    return fail_start(order.id, StartFault::no_lease, *refusal);
  Task& task = tasks_[order.id];
  task.serial = ++serial_;
  names_[task.serial] = order.id;
  send(keeper::job_of(order, task.serial, settings_, path_, std::get<keeper::Account>(account)));
}

void ProcessBackend::fail_start(const TaskId& id, StartFault fault, const std::string& text) {
  tasks_[id].ended = true;
  TaskEnded end;
  end.id = id;
  end.kind = EndKind::start_failed;
  end.fault = fault;
  end.text = text;
  reports_.push_back(std::move(end));
  raise();
}

void ProcessBackend::carry_out(const GoTask& order) {
  const auto task = tasks_.find(order.id);
  if (task == tasks_.end() || task->second.ended) return;
  if (order.id.component < order.parts.size())
    send(keeper::GoJob{task->second.serial, to_text(LaunchOrder{order.id.component, order.parts})});
}

void ProcessBackend::carry_out(const EndTask& order) {
  const auto task = tasks_.find(order.id);
  if (task == tasks_.end() || task->second.ended) return;
  send(keeper::EndJob{task->second.serial, std::max<std::int64_t>(order.grace.microseconds, 0)});
}

void ProcessBackend::carry_out(const ReadOutput& order) {
  if (!channel_) restart_keeper();
  if (!channel_) {
    reports_.push_back(OutputRead{order.id, order.stream, order.offset, {}, 0});
    return raise();
  }
  reads_.push_back(order);
  send(keeper::ReadFile{keeper::directory_of(order.id), order.stream, order.offset});
}

void ProcessBackend::carry_out(const RemoveTask& order) {
  const auto task = tasks_.find(order.id);
  if (task == tasks_.end() || !task->second.ended) return;
  tasks_.erase(task);
  send(keeper::RemoveDirectory{keeper::directory_of(order.id)});
}

void ProcessBackend::carry_out(const KeepTasks& order) {
  keep_ = order.length;
  send(keeper::KeepJobs{order.length.microseconds});
}

void ProcessBackend::carry_out(const FetchFiles& order) {
  const TaskId id{order.request, keeper::fetch_component};
  const bool is_known = std::ranges::any_of(fetches_, [&](const auto& one) { return one.second.id == id; });
  const auto leave = [&] { log(Level::info, "prefetch_left", "the files are fetched when the job starts", id); };
  if (!channel_ || is_known || fetches_.size() >= fetches_max) return leave();
  const auto account = accounts_.account_for(order.request);  // may keep a number, on the disk
  if (std::holds_alternative<std::string>(account)) return leave();
  fetches_[++serial_] = {id, order.path};
  send(keeper::fetch_job_of(id, order.files, serial_, settings_, path_, std::get<keeper::Account>(account)));
}

// ---- reports ---------------------------------------------------------------------------------------------------

std::vector<TaskReport> ProcessBackend::take_reports() {
  std::uint64_t times = 0;
  eventfd_read(bell_, &times);
  if (read(timer_, &times, sizeof times) > 0)
    tick();
  else if (losing_)
    see_whether_it_ended();
  if (channel_) take_frames();
  return std::exchange(reports_, {});
}

void ProcessBackend::take_frames() {
  const bool alive = channel_->receive();
  while (channel_) {
    const auto frame = channel_->next();
    if (!frame) break;
    note_heard();
    auto report = keeper::unpack<keeper::Report>(*frame);
    if (report) std::visit([&](auto& body) { take(body); }, *report);
  }
  if (channel_ && (!alive || !channel_->flush())) lose_keeper();
  if (channel_) watch();
  eventfd_t rung = 0;
  eventfd_read(bell_, &rung);
}

// From a keeper in place of one that died. The ends that it reports were reported before.
void ProcessBackend::take(keeper::Ready& report) {
  ready_ = report.fault.empty();
  serial_ = std::max(serial_, report.last_serial);
  fault_ = report.fault;
  state_.isolation = report.isolation;
  if (ready_) tell_accounts(report.no_accounts);
  if (ready_) deliver_lost();  // else the keeper ends, which is noticed next
}

void ProcessBackend::take(keeper::JobStuck& report) {
  const auto name = names_.find(report.serial);
  if (name == names_.end()) return;
  state_.stuck[name->second] = report.text;
  log(Level::error, "task_stuck", report.text, name->second);
}

void ProcessBackend::take(keeper::JobStarted& report) {
  const auto name = names_.find(report.serial);
  if (name == names_.end()) return;
  reports_.push_back(
      TaskStarted{name->second, report.process, std::move(report.isolation), std::move(report.contact)});
}

void ProcessBackend::fetch_ended(Fetch fetch, const keeper::JobEnded& report) {
  send(keeper::RemoveDirectory{keeper::directory_of(fetch.id)});
  if (report.kind == EndKind::exited && report.code == 0)
    reports_.push_back(FilesFetched{fetch.id.request, std::move(fetch.path)});
  else
    log(Level::warning, "prefetch_failed",
        shortened(report.error.empty() ? report.text : report.error, fetch_text_max), fetch.id);
}

void ProcessBackend::take(keeper::JobEnded& report) {
  if (const auto fetch = fetches_.find(report.serial); fetch != fetches_.end()) {
    fetch_ended(std::move(fetch->second), report);
    fetches_.erase(fetch);
    return;
  }
  const auto name = names_.find(report.serial);
  if (name == names_.end()) return;
  const TaskId id = name->second;
  tasks_[id].ended = true;
  names_.erase(name);
  state_.stuck.erase(id);
  reports_.push_back(TaskEnded{id, report.kind, report.code, report.fault, std::move(report.text),
                               microseconds(report.wall), microseconds(report.cpu), report.output_bytes,
                               report.error_bytes, std::move(report.output), std::move(report.error)});
}

void ProcessBackend::take(keeper::FileRead& report) {
  if (reads_.empty()) return;
  const ReadOutput asked = std::move(reads_.front());
  reads_.pop_front();
  reports_.push_back(OutputRead{asked.id, asked.stream, asked.offset, std::move(report.data), report.size});
}

void ProcessBackend::take(keeper::OutputSize& report) {
  if (const auto name = names_.find(report.serial); name != names_.end())
    reports_.push_back(OutputGrew{name->second, report.output_bytes, report.error_bytes});
}

void ProcessBackend::take(keeper::Replaced&) { be_replaced(); }

void ProcessBackend::be_replaced() {
  replaced_ = true;
  fault_ = "another resource manager has taken over the jobs in " + settings_.directory +
           ": end this one, or give each its own directory";
  part();
}

}  // namespace dmm
