// The manager's side of the `process` backend: tasks by name here, jobs by number at the keeper.
#include "resmgr/backends/process/backend.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>

#include "protocol/text.hpp"
#include "resmgr/backends/process/go_text.hpp"
#include "resmgr/backends/process/start_order.hpp"
#include "resmgr/keeper/leftovers.hpp"

namespace dmm {
namespace {

constexpr const char* path_default = "/usr/local/bin:/usr/bin:/bin";
constexpr int drain_milliseconds = 5'000;
constexpr int leave_milliseconds = 1'000;
constexpr std::size_t fetches_max = 8;
constexpr std::size_t fetch_text_max = 1'000;  // of the log text of a fetch

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
    : settings_(std::move(settings)), link_(settings_), keep_(settings_.keep) {
  const char* const path = std::getenv("PATH");
  path_ = path && *path ? path : path_default;
}

std::variant<std::unique_ptr<ProcessBackend>, std::string> ProcessBackend::open(
    const ProcessBackendSettings& settings) {
  ProcessBackendSettings found = settings;
  std::string fault = keeper::find_paths(found.directory, found.keeper_executable);
  if (!fault.empty()) return fault;
  std::unique_ptr<ProcessBackend> backend(new ProcessBackend(std::move(found)));
  fault = backend->accounts_.open(settings.jobs.accounts, settings.site, backend->settings_.directory);
  if (!fault.empty()) return fault;
  const keeper::Rules rules = backend->rules();
  const KeeperLink::Found first = settings.outlive ? backend->link_.find(backend->keep_, rules)
                                                   : backend->link_.start_first(backend->keep_, rules);
  if (const auto* const why_not = std::get_if<std::string>(&first)) return *why_not;
  fault = backend->begin(std::get<keeper::Ready>(first));
  if (!fault.empty()) return fault;
  return backend;
}

ProcessBackend::~ProcessBackend() {
  if (settings_.outlive) {
    link_.send(keeper::EndAll{});
    link_.drain(drain_milliseconds);
  }
  link_.close_socket();
  link_.end();
}

BackendState ProcessBackend::state() const {
  BackendState state = state_;
  state.keeper = link_.process();
  state.keeper_silent = link_.is_silent();
  return state;
}

keeper::Rules ProcessBackend::rules() const {
  const JobRules& jobs = settings_.jobs;
  return {jobs.isolate,        jobs.cgroup,         jobs.start_max.microseconds, jobs.processes_max,
          jobs.file_bytes_max, jobs.disk_bytes_max, accounts_.example()};
}

std::string ProcessBackend::begin(const keeper::Ready& ready) {
  if (!ready.fault.empty()) {
    if (settings_.outlive) link_.part();  // it isn't ours to end
    return ready.fault;
  }
  link_.set_ready(true);
  serial_ = ready.last_serial;
  state_.isolation = ready.isolation;
  log(Level::info, "keeper_ready", state_.isolation);
  tell_accounts(ready.no_accounts);
  for (const keeper::FoundJob& job : ready.jobs) find(job);
  if (link_.has_next()) link_.ring();  // they came along, so the socket may not wake us again
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
  if (!settings_.outlive) return link_.close_socket();
  link_.drain(leave_milliseconds);
  link_.part();
}

// ---- the end of the keeper -------------------------------------------------------------------------------------

void ProcessBackend::log(Level level, std::string_view event, const std::string& text, const TaskId& id) {
  events_.push_back({level, event, id.request, {{"process", std::int64_t{link_.process()}}, {"text", text}}});
}

std::vector<LogEvent> ProcessBackend::take_events() { return std::exchange(events_, {}); }

// The keeper's socket is closed: the keeper is about to end, or another manager has it.
void ProcessBackend::lose_keeper() {
  link_.lose();
  see_whether_it_ended();
}

void ProcessBackend::see_whether_it_ended() {
  switch (link_.look_for_end()) {
    case KeeperLink::Loss::unknown: return;
    case KeeperLink::Loss::ended: return keeper_ended();
    case KeeperLink::Loss::replaced: return be_replaced();
  }
}

void ProcessBackend::keeper_ended() {
  const bool served = link_.is_ready();
  const KeeperLink::End end = link_.end();
  if (!served && fault_.empty()) fault_ = link_.text_of(end);
  log(Level::error, "keeper_lost", served ? "its jobs are over; another keeper is started" : fault_);
  for (auto& [id, task] : tasks_) {
    if (task.ended) continue;
    if (!served) {
      fail_start(id, StartFault::resources, fault_);
      continue;
    }
    task.ended = true;
    lost_.push_back(lost_with_its_keeper(id));
  }
  names_.clear();
  fetches_.clear();
  state_.stuck.clear();
  if (served) {
    restart_keeper();
  } else {
    // The next start of a task tries again, to avoid a loop.
    for (const auto& read : reads_) reports_.push_back(OutputRead{read.id, read.stream, read.offset, {}, 0});
    reads_.clear();
    deliver_lost();
  }
  for (const TaskOrder& order : std::exchange(held_, {})) perform(order);
}

void ProcessBackend::restart_keeper() {
  if (left_ || replaced_ || link_.is_losing()) return;
  fault_ = link_.start(false, settings_.lock_wait, keep_, rules());
  if (!fault_.empty()) {
    link_.set_ready(false);
    return deliver_lost();
  }
  const std::deque<ReadOutput> reads = std::exchange(reads_, {});
  for (const auto& read : reads) carry_out(read);
}

// The next keeper ends the rest of these tasks before it is ready. Without a next keeper, this kills the rest.
void ProcessBackend::deliver_lost() {
  if (!link_.is_ready() && !lost_.empty())
    keeper::kill_leftovers(settings_.directory, keeper::Marks(settings_.directory));
  reports_.insert(reports_.end(), lost_.begin(), lost_.end());
  lost_.clear();
  link_.ring();
}

// ---- orders ----------------------------------------------------------------------------------------------------

void ProcessBackend::perform(const TaskOrder& order) {
  if (link_.is_losing()) return held_.push_back(order);
  std::visit([&](const auto& body) { carry_out(body); }, order);
}

void ProcessBackend::carry_out(const StartTask& order) {
  const auto known = tasks_.find(order.id);
  if (known != tasks_.end() && !known->second.ended) return;
  if (!link_.is_connected()) restart_keeper();
  if (known != tasks_.end()) carry_out(RemoveTask{order.id});
  if (!link_.is_connected()) return fail_start(order.id, StartFault::resources, fault_);
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
  link_.send(keeper::job_of(order, task.serial, settings_, path_, std::get<keeper::Account>(account)));
}

void ProcessBackend::fail_start(const TaskId& id, StartFault fault, const std::string& text) {
  tasks_[id].ended = true;
  TaskEnded end;
  end.id = id;
  end.kind = EndKind::start_failed;
  end.fault = fault;
  end.text = text;
  reports_.push_back(std::move(end));
  link_.ring();
}

void ProcessBackend::carry_out(const GoTask& order) {
  const auto task = tasks_.find(order.id);
  if (task == tasks_.end() || task->second.ended) return;
  if (order.id.component < order.parts.size())
    link_.send(keeper::GoJob{task->second.serial, to_text(LaunchOrder{order.id.component, order.parts})});
}

void ProcessBackend::carry_out(const EndTask& order) {
  const auto task = tasks_.find(order.id);
  if (task == tasks_.end() || task->second.ended) return;
  link_.send(keeper::EndJob{task->second.serial, std::max<std::int64_t>(order.grace.microseconds, 0)});
}

void ProcessBackend::carry_out(const ReadOutput& order) {
  if (!link_.is_connected()) restart_keeper();
  if (!link_.is_connected()) {
    reports_.push_back(OutputRead{order.id, order.stream, order.offset, {}, 0});
    return link_.ring();
  }
  reads_.push_back(order);
  link_.send(keeper::ReadFile{keeper::directory_of(order.id), order.stream, order.offset});
}

void ProcessBackend::carry_out(const RemoveTask& order) {
  const auto task = tasks_.find(order.id);
  if (task == tasks_.end() || !task->second.ended) return;
  tasks_.erase(task);
  link_.send(keeper::RemoveDirectory{keeper::directory_of(order.id)});
}

void ProcessBackend::carry_out(const KeepTasks& order) {
  keep_ = order.length;
  link_.send(keeper::KeepJobs{order.length.microseconds});
}

void ProcessBackend::carry_out(const FetchFiles& order) {
  const TaskId id{order.request, keeper::fetch_component};
  const bool is_known = std::ranges::any_of(fetches_, [&](const auto& one) { return one.second.id == id; });
  const auto leave = [&] { log(Level::info, "prefetch_left", "the files are fetched when the job starts", id); };
  if (!link_.is_connected() || is_known || fetches_.size() >= fetches_max) return leave();
  const auto account = accounts_.account_for(order.request);  // may keep a number, on the disk
  if (const auto* fault = std::get_if<std::string>(&account)) {
    reports_.push_back(FilesFetched{order.request, order.path, ShortText(*fault)});
    return link_.ring();
  }
  fetches_[++serial_] = {id, order.path};
  link_.send(keeper::fetch_job_of(id, order.files, serial_, settings_, path_, std::get<keeper::Account>(account)));
}

// ---- reports ---------------------------------------------------------------------------------------------------

std::vector<TaskReport> ProcessBackend::take_reports() {
  link_.quiet();
  if (link_.beat())
    log(Level::error, "keeper_silent",
        "no job can be started or ended while it is; if it was stopped, it is continued");
  if (link_.is_losing()) see_whether_it_ended();
  if (link_.is_connected()) take_frames();
  return std::exchange(reports_, {});
}

void ProcessBackend::take_frames() {
  const bool alive = link_.receive();
  while (const auto frame = link_.next()) {
    if (link_.note_heard()) log(Level::warning, "keeper_heard", "the keeper goes on");
    auto report = keeper::unpack<keeper::Report>(*frame);
    if (report) std::visit([&](auto& body) { take(body); }, *report);
  }
  if (link_.is_connected() && (!alive || !link_.write_waiting())) lose_keeper();
  link_.watch();
  link_.quiet();
}

// From a keeper in place of one that died. The ends that it reports were reported before.
void ProcessBackend::take(keeper::Ready& report) {
  link_.set_ready(report.fault.empty());
  serial_ = std::max(serial_, report.last_serial);
  fault_ = report.fault;
  state_.isolation = report.isolation;
  if (link_.is_ready()) tell_accounts(report.no_accounts);
  if (link_.is_ready()) deliver_lost();  // else the keeper ends, which is noticed next
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
  link_.send(keeper::RemoveDirectory{keeper::directory_of(fetch.id)});
  std::string text;
  if (report.kind != EndKind::exited || report.code != 0) {
    text = shortened(report.error.empty() ? report.text : report.error, fetch_text_max);
    if (text.empty()) text = "the fetch ended as " + std::string(to_text(report.kind));
  }
  reports_.push_back(FilesFetched{fetch.id.request, std::move(fetch.path), ShortText(text)});
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
  link_.part();
}

}  // namespace dmm
