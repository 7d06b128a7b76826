#include "simulator/checkers/program_watch.hpp"

#include "protocol/text.hpp"

namespace dmm {
namespace {

bool runs_at(const World& world, const Party& manager, const RequestId& job, std::uint32_t attempt) {
  for (const auto& program : world.performer(manager).running())
    if (job_of(program->id.request) == job && program->id.request.attempt == attempt) return true;
  return false;
}

}  // namespace

std::string ProgramWatch::look(const World& world, const Party& manager) {
  const TaskPerformer& performer = world.performer(manager);
  Room& room = rooms_[manager];
  if (performer.changes() == room.changes) return {};
  room.changes = performer.changes();
  forget_ended(world, manager, room);
  // Count all ready tasks first: a manager may start several tasks of a job between two looks.
  for (const auto& program : performer.running()) ready_[program->id.request].insert(program->id.component);
  for (const auto& program : performer.running()) {
    if (std::string fault = check_together(world, *program); !fault.empty()) return fault;
    if (room.running.contains(program->id)) continue;
    if (std::string fault = note_started(world, manager, room, *program); !fault.empty()) return fault;
  }
  return {};
}

std::string ProgramWatch::check_leased(const World& world, const LeaseId& lease,
                                       const std::vector<NodeGroup>& nodes) const {
  for (const NodeGroup& group : nodes) {
    const auto room = rooms_.find(group.resource_manager);
    if (room == rooms_.end()) continue;
    for (const auto& [id, seen] : room->second.running)
      if (seen.lease < lease.epoch && overlap(seen.nodes, group.nodes) &&
          world.performer(group.resource_manager).runs(id))
        return to_text(id.request) + " runs on nodes of " + to_text(group.resource_manager) +
               " that are leased again as " + to_text(lease);
  }
  return {};
}

void ProgramWatch::forget_ended(const World& world, const Party& manager, Room& room) {
  std::erase_if(room.running, [&](const auto& seen) {
    const RequestId& request = seen.first.request;
    if (world.performer(manager).runs(seen.first)) return false;
    if (runs_at(world, manager, job_of(request), request.attempt)) return true;
    const auto attempts = attempts_.find(job_of(request));
    if (attempts == attempts_.end()) return true;  // another of its components ended at the same time
    attempts->second.erase({request.attempt, manager});
    if (attempts->second.empty()) attempts_.erase(attempts);
    return true;
  });
}

std::string ProgramWatch::note_started(const World& world, const Party& manager, Room& room,
                                       const TaskPerformer::Program& task) {
  for (const auto& [id, other] : room.running)
    if (overlap(other.nodes, task.nodes))
      return to_text(id.request) + " and " + to_text(task.id.request) + " run on the same node of " +
             to_text(manager);
  room.running[task.id] = {task.lease.epoch, task.nodes};
  for (const NodeRange& range : task.nodes)
    for (std::uint32_t node = range.first; node <= range.last; ++node) {
      Epoch& highest = room.highest[node];
      if (task.lease.epoch < highest)
        return to_text(task.id.request) + " was started under " + to_text(task.lease) + " on a node of " +
               to_text(manager) + " that had run work of a later lease";
      highest = task.lease.epoch;
    }
  return note_attempt(world, task.id.request, manager);
}

std::string ProgramWatch::check_together(const World& world, const TaskPerformer::Program& task) {
  std::set<std::uint32_t>& ready = ready_.at(task.id.request);
  if (task.told_parts == 0 || ready.size() >= task.told_parts) return {};
  // A host isn't checked while its manager waits for a slow disk, but programs that came and went there count too.
  for (const Party& party : world.parties()) {
    if (party.role != Role::resource_manager) continue;
    for (const auto& program : world.performer(party).running())
      if (program->id.request == task.id.request) ready.insert(program->id.component);
    for (const TaskPerformer::End& end : world.performer(party).ends())
      if (end.id.request == task.id.request) ready.insert(end.id.component);
  }
  if (ready.size() >= task.told_parts) return {};
  return to_text(task.id.request) + " began while " + std::to_string(task.told_parts - ready.size()) +
         " of its tasks weren't ready";
}

std::string ProgramWatch::note_attempt(const World& world, const RequestId& request, const Party& where) {
  const RequestId job = job_of(request);
  std::set<Attempt>& attempts = attempts_[job];
  attempts.insert({request.attempt, where});
  for (const Attempt& other : attempts) {
    if (other.number == request.attempt || !runs_at(world, other.where, job, other.number)) continue;
    if (excused_.contains(other.where) || excused_.contains(job_manager_of(job.site, job.user))) continue;
    return to_text(request) + " runs while attempt " + std::to_string(other.number) + " still runs at " +
           to_text(other.where);
  }
  return {};
}

}  // namespace dmm
