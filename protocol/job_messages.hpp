// Messages about jobs: starting and ending them, their output, and questions of people. messages.hpp has the other
// messages, and the rules for all.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/dependency.hpp"
#include "protocol/few.hpp"
#include "protocol/ids.hpp"
#include "protocol/input_files.hpp"
#include "protocol/job_arrays.hpp"
#include "protocol/message_fields.hpp"
#include "protocol/output_files.hpp"
#include "protocol/reasons.hpp"
#include "protocol/resources.hpp"
#include "protocol/time.hpp"

namespace dmm {

// ---- jobs -----------------------------------------------------------------------------------------------------

/// Limits of a job's processes; 0 for none.
struct Limits {
  std::uint64_t cpu_seconds = 0;
  std::uint64_t memory_bytes = 0;  ///< address space of each process
  std::uint64_t open_files = 0;
  std::uint64_t file_bytes = 0;  ///< largest file
  std::uint64_t wall_seconds = 0;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.cpu_seconds, self.memory_bytes, self.open_files, self.file_bytes, self.wall_seconds);
  }
};

/// How often a job's program runs, and where.
enum class Runner : std::uint8_t {
  per_component,  ///< once in each component, on the nodes of its first resource manager
  per_node,       ///< once on each node
  per_processor,  ///< once for each processor
  once,           ///< once in all; agents on all nodes start the programs that it wants there
  mpi,            ///< as `once`, under the MPI launcher of that host
};
constexpr std::size_t runners = 5;
/// "per_component", "per_node", ...
std::string_view to_text(Runner runner);

/// A program to run: no shell in between.
struct Program {
  std::vector<std::string> arguments;    ///< the first names the executable, looked up in PATH where it runs
  ShortText working_directory;           ///< empty for a fresh directory of the job's own
  std::vector<std::string> environment;  ///< NAME=value, added to a minimal environment
  Limits limits;
  ShortText script = {};  ///< the text of the program, which begins with "#!"; the first argument is its name then
  ShortText input = {};   ///< the standard input of the program
  Runner runner = Runner::per_component;
  bool awaits_go = false;    ///< it waits, ready, for a Go; its job manager decides that
  InputFiles inputs = {};    ///< brought to the job's folder first
  OutputFiles outputs = {};  ///< brought home from the job's folder at its end
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.arguments, self.working_directory, self.environment, self.limits, self.script, self.input,
                    self.runner, self.awaits_go, self.inputs, self.outputs);
  }
};

/// Starts one task of a job on leased nodes; answered by Started or Ended. A task is a component of the job. Where the
/// program runs on each node, a task is the nodes of one resource manager in a component. In all messages about tasks,
/// `component` is the task's number from 0.
struct Start {
  LeaseId lease;
  RequestId request;
  std::uint32_t component = 0;
  NodeSet nodes;
  Program program;
  std::string proof;     ///< reserved: proof of the right to start
  bool streams = false;  ///< its output is read while it runs: the job manager is told when there is some
  DMM_MESSAGE(40, self.lease, self.request, self.component, self.nodes, self.program, self.proof, self.streams)
};

/// The task runs; or, if it awaits a Go, is ready.
struct Started {
  RequestId request;
  std::uint32_t component = 0;
  std::int32_t process = 0;  ///< process id where it runs, for people
  ShortText isolation = {};  ///< for people: how the host isolates it, "namespaces, rlimits"; empty: not known
  ShortText contact = {};    ///< of a task that is ready: how the job's other tasks reach it, for its launcher
  DMM_MESSAGE(41, self.request, self.component, self.process, self.isolation, self.contact)
};
/// Of `Started::contact`.
constexpr std::size_t contact_bytes_max = 300;

/// One task of a job, as a Go tells all tasks of it.
struct Part {
  std::uint32_t component = 0;  ///< of the job
  std::uint32_t nodes = 0;
  std::uint32_t processors = 0;  ///< that the job asked for there
  ShortText contact;             ///< as its Started said
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.component, self.nodes, self.processors, self.contact);
  }
};

/// All tasks of the attempt are ready: this one begins. Needs no answer; a repeated Go is ignored.
struct Go {
  RequestId request;
  std::uint32_t component = 0;
  std::vector<Part> parts;  ///< by number of the task
  DMM_MESSAGE(49, self.request, self.component, self.parts)
};

/// A task that was told to go has begun: its program runs.
struct Began {
  RequestId request;
  std::uint32_t component = 0;
  DMM_MESSAGE(50, self.request, self.component)
};

/// The outcome of one component. Sent once, and sent again in answer to a repeated Start.
struct Ended {
  RequestId request;
  std::uint32_t component = 0;
  EndKind kind = EndKind::exited;
  std::int32_t code = 0;  ///< exit status or signal number
  StartFault fault = StartFault::none;
  ShortText text;  ///< for people: why it didn't start
  Duration wall;
  Duration cpu;
  std::uint64_t output_bytes = 0;  ///< of standard output, kept where it ran until fetched
  std::uint64_t error_bytes = 0;   ///< of standard error
  ShortText output;                ///< all of standard output if both together are at most 4 KiB, else empty
  ShortText error;
  bool gave_back = false;    ///< the lease ended with it, and its owner knows: there is nothing to release
  bool keeper_died = false;  ///< lost: the keeper died, and with it all tasks of the resource manager
  LeaseEnd lease_end = LeaseEnd::released;  ///< if the end of the lease ended it: why the lease ended
  bool others_died = false;  ///< keeper_died: tasks of other users were lost as well, and each may be the cause
  DMM_MESSAGE(42, self.request, self.component, self.kind, self.code, self.fault, self.text, self.wall, self.cpu,
              self.output_bytes, self.error_bytes, self.output, self.error, self.gave_back, self.keeper_died,
              self.lease_end, self.others_died)
};

/// Ends a job: SIGTERM first, and SIGKILL after the grace.
struct Stop {
  RequestId request;
  Duration grace;
  DMM_MESSAGE(43, self.request, self.grace)
};

enum class Stream : std::uint8_t { output, error };
inline constexpr std::array both_streams{Stream::output, Stream::error};
std::string_view to_text(Stream stream);

/// Asks for the next piece of a component's output.
struct Fetch {
  RequestId request;
  std::uint32_t component = 0;
  Stream stream = Stream::output;
  std::uint64_t offset = 0;
  bool unkept = false;  ///< the answer is to be a Piece
  DMM_MESSAGE(44, self.request, self.component, self.stream, self.offset, self.unkept)
};

/// At most 48 KiB of output.
struct Chunk {
  RequestId request;
  std::uint32_t component = 0;
  Stream stream = Stream::output;
  std::uint64_t offset = 0;
  std::string data;
  bool last = false;  ///< the stream ends here
  bool cut = false;   ///< the stream was longer than the part that is kept
  DMM_MESSAGE(45, self.request, self.component, self.stream, self.offset, self.data, self.last, self.cut)
};

/// At most 48 KiB of output, as a Chunk. It isn't kept to be sent again: a reader that misses it asks again.
struct Piece {
  RequestId request;
  std::uint32_t component = 0;
  Stream stream = Stream::output;
  std::uint64_t offset = 0;
  std::string data;
  bool last = false;       ///< nothing comes after this
  std::uint64_t size = 0;  ///< of the stream, as far as it was written
  DMM_MESSAGE(47, self.request, self.component, self.stream, self.offset, self.data, self.last, self.size)
};

/// A running component has written more output than was fetched or reported before.
struct Grown {
  RequestId request;
  std::uint32_t component = 0;
  std::uint64_t output_bytes = 0;
  std::uint64_t error_bytes = 0;
  DMM_MESSAGE(48, self.request, self.component, self.output_bytes, self.error_bytes)
};

/// The outcome is recorded and the output fetched: the resource manager may remove the job's directory.
struct Forget {
  RequestId request;
  DMM_MESSAGE(46, self.request)
};

// ---- people ---------------------------------------------------------------------------------------------------

/// What a user submits.
struct JobDescription {
  ShortText name;
  Program program;
  ResourceNeed need;
  std::uint32_t dttl = 5;
  std::int32_t priority = 0;
  std::uint32_t reruns_max = 3;     ///< how often it is run again after a lost node
  std::uint32_t begin_seconds = 0;  ///< seconds after the job manager took it, before which no nodes are asked for
  ShortText output_path;  ///< where standard output goes at the submitter; empty for the job manager's folder
  ShortText error_path;
  bool keep_output = true;            ///< false: output is discarded where the job runs
  bool append = false;                ///< output is added to the files, which other jobs may write to as well
  bool hold = false;                  ///< nodes are asked for only after its user has released it
  RareList<Dependency> dependencies;  ///< nodes are asked for only when all of them are met
  bool goes_on = false;  ///< runs on without a component that its owner reclaims, instead of being run again
  std::uint32_t communication = 0;  ///< kilobits a second that each processor sends to the others; 0: not said
  ArrayIndices array;               ///< it is run once for each index; empty: once
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.name, self.program, self.need, self.dttl, self.priority, self.reruns_max,
                    self.output_path, self.error_path, self.keep_output, self.append, self.hold,
                    self.begin_seconds, self.dependencies, self.array, self.goes_on, self.communication);
  }
};

/// Hands jobs to a job manager; answered by Submitted.
struct Submit {
  std::uint64_t token = 0;  ///< names the question; a repeated token submits nothing twice
  std::vector<JobDescription> jobs;
  DMM_MESSAGE(60, self.token, self.jobs)
};

struct Submitted {
  std::uint64_t token = 0;
  std::uint64_t first_job = 0;  ///< the jobs have consecutive numbers from this one
  std::uint32_t jobs = 0;
  std::string fault;  ///< why nothing was accepted; empty if all was
  DMM_MESSAGE(61, self.token, self.first_job, self.jobs, self.fault)
};

/// A person's question or order to a manager; answered by Answer.
struct Ask {
  std::uint64_t token = 0;
  std::string verb;      ///< docs/protocol.md section 9 lists them
  std::string argument;  ///< JSON
  DMM_MESSAGE(62, self.token, self.verb, self.argument)
};

struct Answer {
  std::uint64_t token = 0;
  std::string fault;  ///< empty if the question was answered
  std::string text;   ///< JSON
  DMM_MESSAGE(63, self.token, self.fault, self.text)
};

}  // namespace dmm
