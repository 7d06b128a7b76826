// Programs in virtual time; see task_performer.hpp.
#include "simulator/task_performer.hpp"

#include <algorithm>
#include <cstdlib>

namespace dmm {
namespace {

constexpr std::uint64_t piece_bytes = 48 * 1024;
constexpr std::uint64_t inline_bytes = 4 * 1024;
constexpr std::int32_t sigterm = 15, sigkill = 9;

double number(const std::vector<std::string>& arguments) {
  return arguments.size() < 2 ? 0 : std::strtod(arguments[1].c_str(), nullptr);
}

}  // namespace

void TaskPerformer::perform(Instant now, TaskOrder order) {
  if (const auto* starts = std::get_if<StartTask>(&order)) start(now, *starts);
  if (const auto* ends = std::get_if<EndTask>(&order)) end(now, *ends);
  if (const auto* reads = std::get_if<ReadOutput>(&order)) read(now, *reads);
  if (const auto* removes = std::get_if<RemoveTask>(&order)) outcomes_.erase(removes->id);
  if (const auto* keeps = std::get_if<KeepTasks>(&order)) keep_until_ = now + keeps->length;
}

void TaskPerformer::start(Instant now, const StartTask& order) {
  const auto& arguments = order.program.arguments;
  const std::string verb = arguments.empty() ? "" : arguments.front();
  const Instant begin = now + start_takes;
  if (verb == "missing") {
    TaskEnded failed;
    failed.id = order.id;
    failed.kind = EndKind::start_failed;
    failed.fault = StartFault::executable_missing;
    failed.text = "missing: no such program";
    planned_.push(begin, {std::move(failed)});
    return;
  }
  Program& program = programs_[order.id];
  ++changes_;
  program.started = begin;
  program.process = ++last_process_;
  program.stubborn = verb == "stubborn";
  program.prints = verb == "print" ? static_cast<std::uint64_t>(number(arguments)) : 0;
  planned_.push(begin, {TaskStarted{order.id, program.process}});
  const Duration runs = verb == "sleep" || verb == "stubborn" ? from_seconds(number(arguments)) : Duration{};
  plan_end(begin + runs, order.id, program, EndKind::exited, verb == "false" ? 1 : 0);
}

void TaskPerformer::plan_end(Instant at, const TaskId& id, Program& program, EndKind kind, std::int32_t code) {
  TaskEnded ended;
  ended.id = id;
  ended.kind = kind;
  ended.code = code;
  ended.wall = at > program.started ? at - program.started : Duration{};
  ended.cpu = ended.wall;
  ended.output_bytes = kind == EndKind::exited ? program.prints : 0;
  if (ended.output_bytes <= inline_bytes) ended.output.assign(ended.output_bytes, 'x');
  program.life = ++lives_;
  planned_.push(at, {std::move(ended), program.life});
}

void TaskPerformer::end(Instant now, const EndTask& order) {
  const auto it = programs_.find(order.id);
  if (it == programs_.end()) return;  // it has ended, and says so
  const bool kill = it->second.stubborn || order.grace == Duration{};
  // A program that doesn't exist yet ends as soon as it does.
  const Instant begin = std::max(now, it->second.started);
  const Instant at = begin + (kill ? std::max(order.grace, start_takes) : start_takes);
  it->second.ending = true;
  plan_end(at, order.id, it->second, EndKind::signalled, kill ? sigkill : sigterm);
}

void TaskPerformer::read(Instant now, const ReadOutput& order) {
  const auto it = outcomes_.find(order.id);
  const std::uint64_t bytes =
      it == outcomes_.end() || order.stream == Stream::error ? 0 : it->second.output_bytes;
  const std::uint64_t left = bytes > order.offset ? bytes - order.offset : 0;
  OutputRead report{order.id, order.stream, order.offset, std::string(std::min(left, piece_bytes), 'x')};
  report.last = left <= piece_bytes;
  planned_.push(now, {std::move(report)});
}

Instant TaskPerformer::next_report() const {
  return std::min(planned_.next(), programs_.empty() ? never : keep_until_);
}

std::vector<TaskReport> TaskPerformer::take_reports(Instant now) {
  if (!programs_.empty() && now >= keep_until_) end_all(now);
  std::vector<TaskReport> reports;
  while (planned_.next() <= now) {
    Planned planned = planned_.pop();
    if (const auto* ended = std::get_if<TaskEnded>(&planned.report)) {
      if (planned.again && !outcomes_.contains(ended->id)) continue;  // it was removed meanwhile
      const auto it = programs_.find(ended->id);
      if (planned.life > 0 && (it == programs_.end() || it->second.life != planned.life))
        continue;  // it was ended in another way
      outcomes_[ended->id] = *ended;
      changes_ += programs_.erase(ended->id);
    }
    reports.push_back(std::move(planned.report));
  }
  return reports;
}

void TaskPerformer::end_all(Instant now) {
  keep_until_ = never;
  ++deadlines_;
  for (auto& [id, program] : programs_) {
    program.ending = true;
    plan_end(std::max(now, program.started), id, program, EndKind::signalled, sigkill);
  }
}

void TaskPerformer::die() {
  const std::uint64_t changes = changes_ + 1, deadlines = deadlines_;
  *this = TaskPerformer{};
  changes_ = changes;
  deadlines_ = deadlines;
}

std::vector<LivingTask> TaskPerformer::attach(Instant now) {
  std::vector<LivingTask> living;
  for (const auto& [id, ended] : outcomes_) {
    living.push_back({id, 0});
    planned_.push(now, {ended, 0, true});
  }
  for (const auto& [id, program] : programs_) living.push_back({id, program.process});
  return living;
}

}  // namespace dmm
