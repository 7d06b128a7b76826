// The steps of output.hpp.
#include "resmgr/output.hpp"

#include <algorithm>
#include <utility>

#include "manager/assert.hpp"

namespace dmm::resource_steps {

void on(ResourceStep& s, FromUser, const Fetch& fetch) {
  const TaskId id{fetch.request, fetch.component};
  TaskRecord* task = s.parts.tasks.find(id);
  if (task != nullptr && task->state == TaskState::parked) {
    s.effects.send(job_manager_of(id.request), Fault{Fetch::type, "the component hasn't begun"}, fetch.request);
    return;
  }
  if (task != nullptr && task->state == TaskState::ended && task->ordered)
    s.parts.tasks.set_due(*task, s.now + s.parts.settings.keep_output);
  // A question that came twice is answered once.
  const bool is_new = s.parts.reads.begin(id, fetch.stream, fetch.offset, fetch.unkept);
  if (task == nullptr || !task->ordered || fetch.stream > Stream::error) {
    OutputRead nothing{id, fetch.stream, fetch.offset, {}, 0};
    return on(s, nothing);
  }
  if (is_new) s.effects.tasks.push_back(ReadOutput{id, fetch.stream, fetch.offset});
}

void on(ResourceStep& s, OutputRead& report) {
  const auto as_piece = s.parts.reads.take(report.id, report.stream, report.offset);
  if (!as_piece)
    return s.effects.log(Level::debug, "ignore", report.id.request, {{"report", std::string("output_read")}});
  TaskRecord* task = s.parts.tasks.find(report.id);
  const std::uint64_t end = report.offset + report.data.size();
  const bool is_live = task != nullptr && task->is_live();
  const bool last = !is_live && (report.data.empty() || end >= report.size);
  const RequestId& request = report.id.request;
  if (*as_piece)
    s.effects.send(job_manager_of(request),
                   Piece{request, report.id.component, report.stream, report.offset, std::move(report.data), last,
                         report.size},
                   request);
  else
    s.effects.send(
        job_manager_of(request),
        Chunk{request, report.id.component, report.stream, report.offset, std::move(report.data), last, false},
        request);
  if (!is_live || report.stream > Stream::error) return;
  TaskRecord::Growth& growth = task->growth.at(static_cast<std::size_t>(report.stream));
  growth.told = std::max(growth.told, report.size);  // the piece said so
  growth.read = std::max(growth.read, end);
  tell_growth(s, *task);
}

void on(ResourceStep& s, const OutputGrew& report) {
  TaskRecord* task = s.parts.tasks.find(report.id);
  if (task == nullptr || !task->is_live()) return;
  task->growth[0].written = report.output_bytes;
  task->growth[1].written = report.error_bytes;
  tell_growth(s, *task);
}

void tell_growth(ResourceStep& s, TaskRecord& task) {
  DMM_ASSERT(task.is_live());
  if (!task.streams) return;
  bool is_fresh = false;
  for (const TaskRecord::Growth& growth : task.growth) {
    if (growth.told > growth.read) return;
    is_fresh = is_fresh || growth.written > growth.told;
  }
  if (!is_fresh) return;
  for (TaskRecord::Growth& growth : task.growth) growth.told = std::max(growth.told, growth.written);
  Grown grown{task.id.request, task.id.component, task.growth[0].written, task.growth[1].written};
  s.effects.send(job_manager_of(task.id.request), std::move(grown), task.id.request);
}

}  // namespace dmm::resource_steps
