// What a resource manager knows of one task: a component of a job, from its Start until its outcome is forgotten.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "protocol/messages.hpp"
#include "resmgr/tasks.hpp"

namespace dmm {

enum class TaskState : std::uint8_t {
  parked,    ///< its lease isn't assigned yet, or its nodes aren't clean yet
  starting,  ///< ordered, not confirmed
  running,
  ending,  ///< its end was ordered, not confirmed
  ended,   ///< only the outcome is left, and perhaps its directory
};
std::string_view to_text(TaskState state);

/// Members of one size lie together, so that none is padded: large simulations have tens of thousands of tasks.
struct TaskRecord {
  TaskId id;
  std::uint64_t number = 0;
  Epoch lease;
  NodeSet nodes;
  Instant since{};  ///< when it came into this state
  /// Parked: given up then; ended: forgotten then; else, if not never, detached and ended then.
  Instant due = never;
  Instant kill_at = never;  ///< when the ordered end becomes a SIGKILL
  ShortText isolation;      ///< as the backend said when it started
  ShortText contact;        ///< likewise
  std::int32_t process = 0;
  TaskState state = TaskState::parked;
  bool ordered = false;        ///< the backend was told to start it, so there is something to remove
  bool started = false;        ///< the backend said so
  bool own_directory = false;  ///< runs in a directory that is made for it: the node is to blame if it isn't there
  std::optional<EndKind> cause;             ///< why its end was ordered
  LeaseEnd lease_end = LeaseEnd::released;  ///< why its nodes were taken from it, if they were
  bool warned = false;                      ///< it got a SIGTERM, which an exit may be the answer to
  bool streams = false;                     ///< its job manager takes output while it runs
  RareList<std::uint64_t> cleans;           ///< the Clean messages that wait for its end
  /// For each stream, how many bytes were written, told to the job manager, and read by the job manager.
  struct Growth {
    std::uint64_t written = 0, told = 0, read = 0;
  };
  std::array<Growth, 2> growth;      ///< by Stream
  std::unique_ptr<Program> program;  ///< while parked
  std::unique_ptr<Ended> outcome;    ///< once ended

  /// Whether it holds its nodes.
  bool is_live() const { return state != TaskState::parked && state != TaskState::ended; }
};

}  // namespace dmm
