// Messages of a job manager and a resource manager about tasks of a job: starting and ending them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "protocol/ids.hpp"
#include "protocol/input_files.hpp"
#include "protocol/message_fields.hpp"
#include "protocol/output_files.hpp"
#include "protocol/reasons.hpp"
#include "protocol/resources.hpp"
#include "protocol/short_text.hpp"
#include "protocol/time.hpp"

namespace dmm {

/// Limits of a job's processes; 0 for none.
struct Limits {
  std::uint64_t cpu_seconds = 0;
  std::uint64_t memory_bytes = 0;  ///< address space of each process
  std::uint64_t open_files = 0;
  std::uint64_t file_bytes = 0;  ///< largest file
  std::uint64_t wall_seconds = 0;
  bool operator==(const Limits&) const = default;
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
  std::vector<std::string> arguments;  ///< the first names the executable, looked up in PATH where it runs
  ShortText working_directory;         ///< empty for a fresh directory of the job's own
  RareList<std::string> environment;   ///< NAME=value, added to a minimal environment
  RareValue<Limits> limits;
  ShortText script = {};  ///< the text of the program, which begins with "#!"; the first argument is its name then
  ShortText input = {};   ///< the standard input of the program
  Runner runner = Runner::per_component;
  bool awaits_go = false;    ///< it waits, ready, for a Go; its job manager decides that
  InputFiles inputs = {};    ///< brought to the job's folder first
  OutputFiles outputs = {};  ///< brought home from the job's folder at its end
  /// SIGTERM goes to the program, and to nothing that it started. The rest of the job ends when the program does.
  bool warns_program_only = false;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.arguments, self.working_directory, self.environment, self.limits, self.script, self.input,
                    self.runner, self.awaits_go, self.inputs, self.outputs, self.warns_program_only);
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

/// All tasks of the attempt are ready: this one begins. Answered by Began; a repeated Go changes nothing.
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

/// The outcome is recorded and the output fetched: the resource manager may remove the job's directory.
struct Forget {
  RequestId request;
  DMM_MESSAGE(46, self.request)
};

}  // namespace dmm
