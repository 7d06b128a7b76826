// What the resource manager asks of its backend, and what the backend reports: the border between deciding and doing.
// A task is one component of one attempt at a job, running as one process group.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "protocol/messages.hpp"

namespace dmm {

struct TaskId {
  RequestId request;
  std::uint32_t component = 0;
  auto operator<=>(const TaskId&) const = default;
  friend std::uint64_t table_hash(const TaskId& id) { return dmm::table_hash(id.request) ^ id.component; }
};

// ---- orders --------------------------------------------------------------------------------------------------------

/// Starts a program in its own process group; answered by TaskStarted and later TaskEnded, or by TaskEnded alone.
struct StartTask {
  TaskId id;
  Program program;
  LeaseId lease = {};  ///< under which it runs
  NodeSet nodes = {};  ///< on which it runs
};
/// A task that awaits its Go begins: its program runs from now on. One that did already takes no notice. No
/// answer.
struct GoTask {
  TaskId id;
  std::vector<Part> parts;
};
/// SIGTERM to everything the task started, SIGKILL after the grace; answered by TaskEnded once nothing of it is left.
struct EndTask {
  TaskId id;
  Duration grace;
};
/// Reads at most 48 KiB of a task's stream; answered by OutputRead.
struct ReadOutput {
  TaskId id;
  Stream stream = Stream::output;
  std::uint64_t offset = 0;
};
/// Removes an ended task's directory. No answer.
struct RemoveTask {
  TaskId id;
};
/// The manager lives: tasks may go on for this long from now, whatever happens to the manager. No answer.
struct KeepTasks {
  Duration length;
};
/// Fetches input files of a job that is to come, into what the cluster keeps. Answered by FilesFetched, unless the
/// fetch is lost with the keeper.
struct FetchFiles {
  RequestId request;
  InputFiles files;
  std::vector<SiteName> path;  ///< of the answer, as in Prefetched
};
using TaskOrder = std::variant<StartTask, GoTask, EndTask, ReadOutput, RemoveTask, KeepTasks, FetchFiles>;

/// A task that an earlier start of the manager ordered and that the backend still has. Its end, also one from before
/// now, is reported as that of any other task.
struct LivingTask {
  TaskId id;
  std::int32_t process = 0;  ///< 0: its TaskEnded follows, or its TaskStarted, where it awaits a Go
};

// ---- reports -------------------------------------------------------------------------------------------------------

struct TaskStarted {
  TaskId id;
  std::int32_t process = 0;
  std::string isolation = {};  ///< what keeps it apart from other tasks and the host, for people
  std::string contact = {};    ///< of one that awaits its Go, and is ready: how the job's other tasks reach it
};
/// The task is over and nothing that it started is left.
struct TaskEnded {
  TaskId id;
  EndKind kind =
      EndKind::exited;    ///< exited, signalled, start_failed, lost_contact (the manager was silent) or lost
  std::int32_t code = 0;  ///< exit status or signal number
  StartFault fault = StartFault::none;
  ShortText text;  ///< for start_failed: what went wrong, naming the file
  Duration wall;
  Duration cpu;
  std::uint64_t output_bytes = 0;
  std::uint64_t error_bytes = 0;
  ShortText output;  ///< all of it, if both streams together are at most 4 KiB
  ShortText error;
  bool keeper_died = false;  ///< lost: the keeper died, and with it all that it kept
};
struct OutputRead {
  TaskId id;
  Stream stream = Stream::output;
  std::uint64_t offset = 0;
  std::string data;
  std::uint64_t size = 0;  ///< of the stream
};
/// A task that runs has written something since this was last said.
struct OutputGrew {
  TaskId id;
  std::uint64_t output_bytes = 0;
  std::uint64_t error_bytes = 0;
};
/// The files of a FetchFiles are there, or can't be brought.
struct FilesFetched {
  RequestId request;
  std::vector<SiteName> path;
  ShortText text = {};  ///< why they can't; empty: they are there
};
using TaskReport = std::variant<TaskStarted, TaskEnded, OutputRead, OutputGrew, FilesFetched>;

}  // namespace dmm
