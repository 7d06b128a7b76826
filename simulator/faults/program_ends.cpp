#include "simulator/faults/program_ends.hpp"

namespace dmm {

std::map<RequestId, std::vector<TaskPerformer::End>> program_ends(const World& world) {
  std::map<TaskId, TaskPerformer::End> last;
  for (const Party& party : world.parties())
    if (party.role == Role::resource_manager)
      for (const TaskPerformer::End& end : world.performer(party).ends()) last[end.id] = end;
  std::map<RequestId, std::vector<TaskPerformer::End>> ends;
  for (const auto& [id, end] : last) ends[id.request].push_back(end);
  return ends;
}

std::set<RequestId> attempts_that_died_with_a_keeper(const World& world) {
  std::set<RequestId> attempts;
  for (const Party& party : world.parties())
    if (party.role == Role::resource_manager)
      for (const TaskPerformer::End& end : world.performer(party).ends())
        if (end.keeper_died) attempts.insert(end.id.request);
  return attempts;
}

}  // namespace dmm
