// What really runs in the hosts, seen from outside and remembered over restarts of the managers: on which nodes,
// under which lease, and for which attempt at which job. All facts are those of the program's start, not its
// manager's view.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "simulator/world/world.hpp"

namespace dmm {

/// The job of a request: attempt 0.
inline RequestId job_of(const RequestId& request) { return {request.site, request.user, request.job, 0}; }

class ProgramWatch {
 public:
  /// Checks a host if a program started or ended there. Returns what is broken, or empty.
  std::string look(const World& world, const Party& manager);
  /// The owner has these nodes under a lease: it is a fault if programs of earlier leases still run there and weren't
  /// told to end.
  std::string check_leased(const World& world, const LeaseId& lease, const std::vector<NodeGroup>& nodes) const;
  /// Two attempts at a job may overlap if the older ran at this resource manager, which was frozen for long. They may
  /// also overlap if the clock of this party, the job's job manager, jumped far.
  void excuse(const Party& party) { excused_.insert(party); }

 private:
  struct Seen {
    Epoch lease;
    NodeSet nodes;
  };
  struct Room {
    std::uint64_t changes = 0;
    std::map<TaskId, Seen> running;
    std::map<std::uint32_t, Epoch> highest;  ///< by node: the latest lease with a program
  };
  struct Attempt {
    std::uint32_t number = 0;
    Party where;
    auto operator<=>(const Attempt&) const = default;
  };

  void forget_ended(const World& world, const Party& manager, Room& room);
  std::string note_started(const World& world, const Party& manager, Room& room,
                           const TaskPerformer::Program& program);
  /// No task of a job begins before all of them are ready.
  std::string check_together(const World& world, const TaskPerformer::Program& task);
  std::string note_attempt(const World& world, const RequestId& request, const Party& where);

  std::map<Party, Room> rooms_;
  std::map<RequestId, std::set<Attempt>> attempts_;     ///< by job (attempt 0): attempts that were seen running
  std::map<RequestId, std::set<std::uint32_t>> ready_;  ///< ready tasks, by request
  std::set<Party> excused_;
};

}  // namespace dmm
