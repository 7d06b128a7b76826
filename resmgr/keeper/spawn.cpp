// A job's order as a plan for its shim, and its failures in words for people.
#include "resmgr/keeper/spawn.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include <unistd.h>

#include "resmgr/keeper/address.hpp"
#include "resmgr/keeper/shim_plan.hpp"

namespace dmm::keeper {
namespace {

void add_limit(ShimPlan& plan, int resource, rlim_t soft, rlim_t hard) {
  rlimit present{};
  getrlimit(static_cast<__rlimit_resource_t>(resource), &present);
  hard = std::min(hard, present.rlim_max);  // no process may raise it
  plan.limits[plan.limit_count++] = {resource, {std::min(soft, hard), hard}};
}

// The smaller of two limits, where 0 is no limit.
std::uint64_t lower(std::uint64_t one, std::uint64_t other) {
  return one == 0 || other == 0 ? std::max(one, other) : std::min(one, other);
}

void add_limits(ShimPlan& plan, const Limits& limits, const Rules& rules) {
  add_limit(plan, RLIMIT_CORE, 0, 0);
  // SIGXCPU first, so that the outcome tells why; SIGKILL if the job ignores it.
  if (limits.cpu_seconds) add_limit(plan, RLIMIT_CPU, limits.cpu_seconds, limits.cpu_seconds + 5);
  if (limits.memory_bytes) add_limit(plan, RLIMIT_AS, limits.memory_bytes, limits.memory_bytes);
  if (limits.open_files) add_limit(plan, RLIMIT_NOFILE, limits.open_files, limits.open_files);
  if (const auto bytes = lower(limits.file_bytes, rules.file_bytes)) add_limit(plan, RLIMIT_FSIZE, bytes, bytes);
  // The kernel counts processes of the whole account, except in a user namespace: only there the count is the job's
  // own.
  if (plan.isolation.user && rules.processes) add_limit(plan, RLIMIT_NPROC, rules.processes, rules.processes);
}

// The host lacks something, for every job.
bool is_of_machine(int error) {
  return error == EAGAIN || error == ENOMEM || error == EMFILE || error == ENFILE || error == ENOSPC ||
         error == EDQUOT;
}

// The fault behind a failed step. `resources` is blamed on the nodes, and the job runs elsewhere. Other faults are
// about what the user named, and would also occur elsewhere. Reading errors of a program that the host itself looked up
// are blamed on the nodes, too.
StartFault fault_of(const StartJob& job, Step step, int error) {
  const bool is_own_step = step == Step::set_up || (step == Step::directory && job.working_directory.empty());
  if (is_own_step || job.arguments.empty() || is_of_machine(error)) return StartFault::resources;
  const bool is_looked_up = step == Step::execute && job.arguments.front().find('/') == std::string::npos;
  if (is_looked_up && (error == EIO || error == ESTALE)) return StartFault::resources;
  if (error == ENOENT || error == ENOTDIR || error == ELOOP || error == ENAMETOOLONG)
    return step == Step::directory ? StartFault::no_directory : StartFault::executable_missing;
  return StartFault::not_permitted;
}

// The name for people: of a script the first argument is its interpreter.
std::string name_of(const StartJob& job) {
  if (job.arguments.empty()) return "nothing";
  return job.script_name.empty() ? job.arguments.front()
                                 : job.script_name + " with the interpreter " + job.arguments.front();
}

// False if the page has too little room: then `bytes` is enough.
bool write_plan(const StartJob& job, const SpawnContext& context, const std::string& directory,
                const PlanPage& page, std::size_t& bytes) {
  PlanWriter writer(page);
  ShimPlan plan;
  plan.serial = job.serial;
  plan.isolation = context.isolation;
  plan.account = {job.account.uid, job.account.group, writer.numbers(job.account.groups)};
  plan.paths = writer.list(job.paths);
  plan.arguments = writer.list(job.arguments);
  plan.environment = writer.list(job.environment);
  plan.directory =
      writer.text(job.working_directory.empty() ? directory + '/' + work_name : job.working_directory);
  plan.mark = {context.mark, context.mark};
  plan.warns_all = !job.warns_program_only;
  add_limits(plan, job.limits, context.rules);
  bytes = writer.bytes();
  return writer.finish(plan);
}

}  // namespace

pid_t spawn(const StartJob& job, const SpawnContext& context, Shims& shims) {
  const std::string directory = context.state + "/jobs/" + job.directory;
  std::size_t bytes = 0;
  const bool may_rest = !context.isolation.namespaces;
  while (const PlanPage* const page = may_rest ? shims.resting_page() : nullptr) {
    if (!write_plan(job, context, directory, *page, bytes)) break;
    if (const pid_t shim = shims.order_resting(context.files)) return shim;
  }
  while (true) {
    PlanPage page(bytes);
    if (!page.is_made()) return 0;
    if (write_plan(job, context, directory, page, bytes))
      return shims.start(std::move(page), hiding_of(context.state, directory), context.words, context.files);
  }
}

StartFailure failure_of(const StartJob& job, Step step, int error) {
  StartFailure failure;
  const std::string why = std::string(": ") + std::strerror(error);
  if (step == Step::directory)
    failure.text = "can't enter " + job.working_directory + why;
  else
    failure.text = (step == Step::execute ? "can't run " : "can't start ") + name_of(job) + why;
  failure.fault = fault_of(job, step, error);
  return failure;
}

StartFailure failure_of_silence(const StartJob& job, bool entered, std::int64_t microseconds) {
  const std::string after = " within " + std::to_string(microseconds / 1000) + " ms";
  if (!entered) return {StartFault::resources, "can't start " + name_of(job) + after};
  const std::string where = job.working_directory.empty() ? "" : " in " + job.working_directory;
  return {StartFault::hung, "hung while it was started: " + name_of(job) + where +
                                ": its file system did not answer" + after + ", or it was stopped as it began"};
}

}  // namespace dmm::keeper
