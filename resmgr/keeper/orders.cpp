// Orders of the keeper's manager, and lines of the launchers that it started.
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>
#include <utility>

#include <sys/prctl.h>
#include <unistd.h>

#include "resmgr/keeper/loop.hpp"
#include "resmgr/keeper/spawn.hpp"

namespace dmm::keeper {
namespace {

constexpr std::size_t piece_max = 48 * 1024;

}  // namespace

// False if there is none.
bool Keeper::take_order() {
  const auto frame = channel_ ? channel_->next() : std::nullopt;
  if (!frame) return false;
  if (auto order = unpack<Order>(*frame)) {
    std::visit([&](auto& body) { carry_out(body); }, *order);
  } else {
    end_all();  // not our manager
  }
  return true;
}

// The shim's number; or 0, and what went wrong.
pid_t Keeper::start(const StartJob& order, std::string& fault) {
  const auto failed = [&](const std::string& what) {
    fault = "can't make " + what + ": " + std::strerror(errno);
    return 0;
  };
  JobFiles files;
  const JobTexts texts{order.script_name, order.script, order.input};
  if (const int error = folder_.make(order.directory, texts, {order.account.uid, order.account.group}, files)) {
    errno = error;
    return failed(folder_.prefix() + order.directory);
  }
  int cgroup = -1;
  if (cgroups_.is_open()) {
    cgroup = cgroups_.make(order.serial, {order.memory_bytes, order.processors, rules_.processes});
    if (cgroup < 0) return failed("a cgroup in " + rules_.cgroup);
  }
  const int launcher = order.awaits_go ? launches_.open(order.serial) : -1;
  pid_t shim = 0;
  if (launcher >= 0 || !order.awaits_go)
    shim = spawn(order, {settings_.state, files, rules_, isolation_of(order), marks_.of(order.serial), null_file_,
                         words_.saying_end(), cgroup, launcher});
  const int error = errno;
  for (const int descriptor : {cgroup, launcher})
    if (descriptor >= 0) close(descriptor);
  errno = error;
  return shim != 0 ? shim : failed("a process");
}

// A user namespace has no account but the keeper's own.
Isolation Keeper::isolation_of(const StartJob& order) const {
  return isolation_.user && !order.account.is_own() ? Isolation{} : isolation_;
}

std::string Keeper::isolation_text(const StartJob& order) const {
  const Account& account = order.account;
  if (account.is_own()) return isolation_text_;
  const std::string uid = std::to_string(account.uid);
  const std::string name = account.name == uid ? uid : account.name + " (uid " + uid + ')';
  const std::string rest = isolation_of(order).namespaces == isolation_.namespaces
                               ? isolation_text_
                               : limits_text_ + "; no namespaces: they take privileges that the keeper lacks";
  return "account " + name + ", " + rest;
}

void Keeper::carry_out(StartJob& order) {
  const Clock time = now();
  last_serial_ = std::max(last_serial_, order.serial);
  std::string fault;
  const pid_t shim = start(order, fault);
  if (shim == 0) {
    cgroups_.remove(order.serial);
    launches_.close(order.serial);
    Job failed;
    failed.outcome.kind = EndKind::start_failed;
    failed.outcome.fault = StartFault::resources;
    failed.text = fault;
    failed.order = std::move(order);
    return report_end(failed);
  }
  if (deadline_ == endless) keep_until(later(time, settings_.keep));  // the manager lives: it ordered this
  guard_.add(order.serial, shim);
  shims_[shim] = order.serial;
  Job& job = jobs_[order.serial];
  job.shim = shim;
  job.apart = isolation_of(order).namespaces;
  job.isolation = isolation_text(order);
  job.started = time;
  job.start_by = later(time, rules_.start_max);
  alarms_.emplace(job.start_by, order.serial);
  job.began = !order.awaits_go;
  order.paths.clear();
  order.environment.clear();
  for (std::string* const text : {&order.script, &order.input}) std::string().swap(*text);
  order.arguments.resize(std::min<std::size_t>(order.arguments.size(), 1));
  job.order = std::move(order);
  if (job.began) limit_time(job.order.serial, job);
}

void Keeper::limit_time(std::uint64_t serial, Job& job) {
  const auto limit = job.order.limits.wall_seconds;
  if (limit == 0 || limit >= 1'000'000'000) return;
  job.wall_end = later(job.started, static_cast<Clock>(limit) * 1'000'000);
  alarms_.emplace(job.wall_end, serial);
}

// The job's time counts from now on: the wait for the job's other tasks was not its own.
void Keeper::carry_out(const GoJob& order) {
  const auto found = jobs_.find(order.serial);
  if (found == jobs_.end() || !launches_.go(order.serial, order.text)) return;
  Job& job = found->second;
  job.began = true;
  job.started = now();
  limit_time(found->first, job);
}

void Keeper::carry_out(const EndJob& order) {
  if (const auto job = jobs_.find(order.serial); job != jobs_.end()) end(job->first, job->second, order.grace);
}

void Keeper::carry_out(const ReadFile& order) {
  FilePart part = folder_.read(order.directory, order.stream, order.offset, piece_max);
  send(FileRead{std::move(part.data), part.size});
}

void Keeper::carry_out(const RemoveDirectory& order) {
  unkept_.erase(order.directory);
  if (outcomes_.erase(order.directory)) folder_.remove_outcome(order.directory);
  if (folder_.remove(order.directory)) start_remover();
}

void Keeper::carry_out(const KeepJobs& order) { keep_until(later(now(), order.length)); }

void Keeper::carry_out(const EndAll&) { end_all(); }

// From the manager that started this keeper. A manager that comes by the door sends its Hello there.
void Keeper::carry_out(const Hello& order) { greet(obey(order.rules)); }

void Keeper::carry_out(const Beat&) { send(Beat{}); }

void Keeper::start_remover() {
  remove_again_ = remover_ != 0;
  if (remove_again_) return;
  const pid_t process = fork();
  if (process == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    folder_.empty_removed();
    _exit(0);
  }
  remover_ = std::max(process, 0);  // if there is none, the next remover removes it
}

// ---- launchers ---------------------------------------------------------------------------------------------

void Keeper::hear_launchers() {
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
bool Keeper::is_ready(std::uint64_t serial, const Job& job) const {
  return job.running && !launches_.awaits(serial);
}

void Keeper::tell_started(std::uint64_t serial, const Job& job) {
  send(JobStarted{serial, job.leader, job.isolation, launches_.contact_of(serial)});
}

}  // namespace dmm::keeper
