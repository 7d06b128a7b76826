// Programs in virtual time; see task_performer.hpp.
#include "simulator/world/task_performer.hpp"

#include <algorithm>
#include <charconv>
#include <set>
#include <string_view>
#include <utility>

namespace dmm {
namespace {

constexpr std::uint64_t piece_bytes = 48 * 1024;
constexpr std::uint64_t inline_bytes = 4 * 1024;
constexpr std::int32_t sigterm = 15, sigkill = 9;

double number(const std::vector<std::string>& arguments, std::size_t index = 1) {
  double value = 0;
  if (arguments.size() > index)
    std::from_chars(arguments[index].data(), arguments[index].data() + arguments[index].size(), value);
  return value;
}

/// Bytes that a program has written after this run time.
std::uint64_t output_bytes(const TaskPerformer::Program& program, Duration length) {
  if (program.habits->writes_for > Duration{}) {
    const double share = length.in_seconds() / program.habits->writes_for.in_seconds();
    return static_cast<std::uint64_t>(static_cast<double>(program.habits->prints) * std::clamp(share, 0.0, 1.0));
  }
  return program.over && program.end == EndKind::exited ? program.habits->prints : 0;
}

/// The contact that a task gives to the other tasks of its job before its Go. It names the owner if the run time
/// depends on owners.
std::string contact_of(const TaskPerformer::Program& program) {
  if (!program.awaits_go) return {};
  if (!program.habits->by_owners.empty()) return std::string(program.lease.owner.text);
  return "host " + std::to_string(program.process);
}

std::size_t owners_of(const std::vector<Part>& parts) {
  std::set<std::string_view> owners;
  for (const Part& part : parts) owners.insert(part.contact.view());
  return owners.size();
}

bool names_lost_file(const InputFiles& files) {
  return std::ranges::any_of(
      files, [](const InputFile& file) { return file.replicas.at(0).url.view() == TaskPerformer::lost_file_url; });
}

/// Of a program that is over.
TaskEnded report_of(const TaskPerformer::Program& program) {
  TaskEnded ended;
  ended.id = program.id;
  ended.kind = program.end;
  if (ended.kind == EndKind::start_failed) {
    ended.fault = StartFault::executable_missing;
    ended.text = "missing: no such program";
    return ended;
  }
  ended.code = program.code;
  ended.keeper_died = ended.kind == EndKind::lost;
  ended.wall = program.wall;
  ended.cpu = ended.wall;
  ended.output_bytes = output_bytes(program, program.wall);
  if (ended.output_bytes <= inline_bytes) ended.output = std::string(ended.output_bytes, 'x');
  return ended;
}

}  // namespace

void TaskPerformer::perform(Instant now, TaskOrder order) {
  if (const auto* starts = std::get_if<StartTask>(&order)) start(now, *starts);
  if (const auto* goes = std::get_if<GoTask>(&order)) go(now, *goes);
  if (const auto* ends = std::get_if<EndTask>(&order)) end(now, *ends);
  if (const auto* reads = std::get_if<ReadOutput>(&order)) read(now, *reads);
  if (const auto* removes = std::get_if<RemoveTask>(&order))
    if (const auto program = find(removes->id); program && program->over) {
      program->life = removed;
      programs_.erase(removes->id);
    }
  if (const auto* keeps = std::get_if<KeepTasks>(&order)) keep_until_ = now + keeps->length;
  if (auto* fetches = std::get_if<FetchFiles>(&order))
    planned_.push(bring(now, fetches->files, keeps_for_),
                  std::make_unique<FilesFetched>(fetches->request, std::move(fetches->path)));
}

void TaskPerformer::fail_starts(NodeSet broken, double share, std::uint64_t seed) {
  broken_ = std::move(broken);
  failing_share_ = share;
  chance_ = Random(seed);
}

bool TaskPerformer::fails(const StartTask& order) {
  if (!intersect(order.nodes, broken_).empty()) return true;
  return failing_share_ > 0 && chance_.chance(failing_share_);
}

/// The program of a task; created if missing.
std::shared_ptr<TaskPerformer::Program> TaskPerformer::program_of(const TaskId& id) {
  auto& program = programs_[id];
  if (!program) program = std::make_shared<Program>();
  program->id = id;
  return program;
}

std::shared_ptr<TaskPerformer::Program> TaskPerformer::find(const TaskId& id) const {
  const auto* program = programs_.find(id);
  return program ? *program : nullptr;
}

std::vector<std::shared_ptr<const TaskPerformer::Program>> TaskPerformer::running() const {
  std::vector<std::shared_ptr<const Program>> running;
  for (const TaskId& id : programs_.keys())
    if (const auto& program = programs_.at(id); !program->over) running.push_back(program);
  return running;
}

Instant TaskPerformer::bring(Instant now, const InputFiles& files, const SiteName& owner) {
  Instant there = now;
  for (const InputFile& file : files) {
    const SiteName from = file.replicas.empty() ? SiteName{} : file.replicas[0].site;
    if (!from.empty() && from == owner) continue;
    const Duration takes =
        time_to_carry(file.bytes, links_ ? links_->file_bandwidth(from, owner) : file_bandwidth_unsaid);
    if (keeps_for_.empty() || !can_be_kept(file))
      there = there + takes;
    else
      there = std::max(there, kept_.try_emplace(file.sha256, there + takes).first->second);
  }
  return there;
}

void TaskPerformer::start(Instant now, const StartTask& order) {
  const auto& arguments = order.program.arguments;
  const std::string verb = arguments.empty() ? "" : arguments.front();
  const Instant begin = bring(now, order.program.inputs, order.lease.owner) + start_takes;
  if (verb == "missing" || names_lost_file(order.program.inputs))
    return planned_.push(begin, Missing{std::make_unique<TaskId>(order.id),
                                        verb == "missing" ? StartFault::executable_missing : StartFault::staging});
  if (fails(order))
    return planned_.push(begin, Missing{std::make_unique<TaskId>(order.id), StartFault::resources});
  const auto runs = program_of(order.id);
  Program& program = *runs;
  running_ += std::exchange(program.over, false);
  ++changes_;
  program.ending = false;
  program.started = begin;
  program.process = ++last_process_;
  program.lease = order.lease;
  program.nodes = order.nodes;
  program.stubborn = verb == "stubborn" || verb == "hanging";
  program.poison = verb == "poison";
  Habits habits;
  habits.hangs = verb == "hanging" ? hang_takes : Duration{};
  habits.prints = verb == "print" || verb == "write" ? static_cast<std::uint64_t>(number(arguments)) : 0;
  habits.writes_for = verb == "write" ? from_seconds(number(arguments, 2)) : Duration{};
  planned_.push(begin, PlannedStart{runs, program.process});
  const bool runs_on = verb == "sleep" || verb == "spread" || program.stubborn || program.poison;
  for (std::size_t i = 2; verb == "spread" && i < arguments.size(); ++i)
    habits.by_owners.push_back(from_seconds(number(arguments, i)));
  const Duration length = runs_on ? from_seconds(number(arguments)) : habits.writes_for;
  program.habits = std::move(habits);
  program.code = verb == "false" ? 1 : 0;
  program.length = length;
  program.told_parts = 0;
  program.awaits_go = order.program.awaits_go;
  program.staged = !order.program.inputs.empty();
  if (program.awaits_go)
    program.life = ++lives_;  // no end is planned yet
  else
    run(begin, runs);
}

/// Begins the program's run and plans its end.
void TaskPerformer::run(Instant begin, const std::shared_ptr<Program>& program) {
  if (program->habits->writes_for > Duration{})
    planned_.push(begin + growth_interval, PlannedGrowth{program, program->process});
  plan_end(begin + program->length, program, EndKind::exited, program->code);
}

void TaskPerformer::go(Instant now, const GoTask& order) {
  const auto program = find(order.id);
  if (!program || program->over || program->ending || !std::exchange(program->awaits_go, false)) return;
  ++changes_;
  program->told_parts = static_cast<std::uint32_t>(order.parts.size());
  program->started = std::max(now, program->started);
  if (const std::size_t owners = owners_of(order.parts); owners > 1 && !program->habits->by_owners.empty())
    program->length = program->habits->by_owners[std::min(owners - 2, program->habits->by_owners.size() - 1)];
  run(program->started, program);
}

void TaskPerformer::plan_end(Instant at, const std::shared_ptr<Program>& program, EndKind kind,
                             std::int32_t code) {
  program->end = kind;
  program->code = code;
  program->wall = at > program->started && !program->awaits_go ? at - program->started : Duration{};
  program->life = ++lives_;
  planned_.push(at, PlannedEnd{program, program->life});
}

void TaskPerformer::end(Instant now, const EndTask& order) {
  const auto program = find(order.id);
  if (!program || program->over) return;  // it has ended and reports that
  const bool kill = program->stubborn || order.grace == Duration{};
  // A program that doesn't exist yet ends when it would start, unless it waits for its files.
  const Instant begin = program->staged ? now : std::max(now, program->started);
  const Instant at = begin + (kill ? std::max(order.grace, start_takes) + program->habits->hangs : start_takes);
  program->ending = true;
  plan_end(at, program, EndKind::signalled, kill ? sigkill : sigterm);
}

void TaskPerformer::read(Instant now, const ReadOutput& order) {
  const auto program = find(order.id);
  const bool is_empty = !program || order.stream == Stream::error;
  const Duration length = is_empty ? Duration{} : program->over ? program->wall : now - program->started;
  const std::uint64_t bytes = is_empty ? 0 : output_bytes(*program, length);
  const std::uint64_t left = bytes > order.offset ? bytes - order.offset : 0;
  auto report = std::make_unique<OutputRead>(order.id, order.stream, order.offset);
  report->data.assign(std::min(left, piece_bytes), 'x');
  report->size = bytes;
  planned_.push(now, std::move(report));
}

Instant TaskPerformer::next_report() const {
  const Instant held = held_.empty() ? never : held_.front().first;
  return std::min({planned_.next(), held, runs_anything() ? keep_until_ : never});
}

void TaskPerformer::take_reports(Instant now, std::vector<TaskReport>& reports) {
  if (late_ == Duration{} && held_.empty()) return take_due(now, reports);
  std::vector<TaskReport> due;
  take_due(now, due);
  for (TaskReport& report : due)
    held_.emplace_back(std::max(now + late_, held_.empty() ? now : held_.back().first), std::move(report));
  for (; !held_.empty() && held_.front().first <= now; held_.pop_front())
    reports.push_back(std::move(held_.front().second));
}

void TaskPerformer::take_due(Instant now, std::vector<TaskReport>& reports) {
  if (runs_anything() && now >= keep_until_) {
    keep_until_ = never;
    ++deadlines_;
    end_all(now, EndKind::lost_contact);
  }
  while (planned_.next() <= now) {
    Planned planned = planned_.pop();
    const auto* started = std::get_if<PlannedStart>(&planned);
    if (started && started->program->process == started->process && !started->program->over)
      reports.emplace_back(TaskStarted{started->program->id, started->process, {}, contact_of(*started->program)});
    if (const auto* read = std::get_if<std::unique_ptr<OutputRead>>(&planned))
      reports.emplace_back(std::move(**read));
    if (const auto* files = std::get_if<PlannedFiles>(&planned)) reports.emplace_back(std::move(**files));
    if (const auto* growth = std::get_if<PlannedGrowth>(&planned)) tell_growth(now, *growth, reports);
    if (const auto* ended = std::get_if<PlannedEnd>(&planned); ended != nullptr && come_true(now, *ended))
      reports.emplace_back(report_of(*ended->program));
    if (const auto* missing = std::get_if<Missing>(&planned)) {
      const auto program = program_of(*missing->id);
      program->end = EndKind::start_failed;
      if (remembers_) ends_.push_back({program->id, program->end, 0});
      TaskEnded ended = report_of(*program);
      ended.fault = missing->fault;
      if (ended.fault == StartFault::resources) ended.text = "the host failed";
      reports.emplace_back(std::move(ended));
    }
  }
}

void TaskPerformer::tell_growth(Instant now, const PlannedGrowth& growth, std::vector<TaskReport>& reports) {
  const Program& program = *growth.program;
  if (program.over || program.process != growth.process) return;
  reports.emplace_back(OutputGrew{program.id, output_bytes(program, now - program.started), 0});
  planned_.push(now + growth_interval, growth);
}

bool TaskPerformer::come_true(Instant now, const PlannedEnd& end) {
  Program& program = *end.program;
  if (program.life != end.life) return false;  // it ended in another way, or was removed
  if (end.again) return program.over;
  if (program.over) return false;
  program.over = true;
  --running_;
  ++changes_;
  if (program.poison && program.end == EndKind::exited) {
    program.end = EndKind::lost;
    program.code = sigkill;
    lose_all(now);
  }
  if (remembers_) ends_.push_back({program.id, program.end, program.code, program.end == EndKind::lost});
  return true;
}

void TaskPerformer::lose_all(Instant now) { end_all(now, EndKind::lost); }

void TaskPerformer::end_all(Instant now, EndKind kind) {
  for (const TaskId& id : programs_.keys()) {
    const auto& program = programs_.at(id);
    if (program->over) continue;
    program->ending = true;
    const Duration takes = kind == EndKind::lost_contact ? program->habits->hangs : Duration{};
    plan_end(std::max(now, program->started) + takes, program, kind, sigkill);
  }
}

void TaskPerformer::die() {
  TaskPerformer next;
  next.changes_ = changes_ + 1;
  next.deadlines_ = deadlines_;
  next.late_ = late_;
  next.remembers_ = remembers_;
  next.links_ = links_;
  next.keeps_for_ = std::move(keeps_for_);
  next.kept_ = std::move(kept_);
  next.broken_ = std::move(broken_);
  next.failing_share_ = failing_share_;
  next.chance_ = chance_;
  next.ends_ = std::move(ends_);
  if (remembers_)
    for (const auto& program : running()) next.ends_.push_back({program->id, EndKind::lost, 0});
  *this = std::move(next);
}

std::vector<LivingTask> TaskPerformer::attach(Instant now) {
  held_.clear();  // reports to an earlier manager
  std::vector<LivingTask> living;
  for (const TaskId& id : programs_.keys()) {
    const auto& program = programs_.at(id);
    living.push_back({program->id, program->over ? 0 : program->process});
    if (program->over) planned_.push(now, PlannedEnd{program, program->life, true});
  }
  return living;
}

}  // namespace dmm
