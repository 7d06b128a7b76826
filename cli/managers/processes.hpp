// Processes of a testbed. They start detached from the terminal. A process is known by its id and start time, so that a
// later process with the same id is never touched.
#pragma once

#include <csignal>
#include <cstdint>
#include <string>
#include <vector>

#include "protocol/or_fault.hpp"
#include "protocol/time.hpp"

namespace dmm {

/// Identifies a process, also if its id was used again later.
struct ProcessKey {
  int id = 0;
  std::uint64_t start_time = 0;  ///< in clock ticks since boot, as in /proc/ID/stat

  bool operator==(const ProcessKey&) const = default;
};

/// The start time of a living process that is no zombie; 0 if there is none.
std::uint64_t start_time_of(int id);
bool is_alive(const ProcessKey& process);
/// This process.
ProcessKey own_process();

struct SpawnOptions {
  std::string program;
  std::vector<std::string> arguments;  ///< without the program
  std::string output_file;             ///< standard output and error are appended to it
  int ready_descriptor = -1;           ///< the child's DMM_READY_FD; -1 for none
};
/// Starts a program in a session of its own, without input and with default signals. Or says why it could not.
OrFault<ProcessKey> spawn(const SpawnOptions& options);

/// Runs a program to its end, started as by `spawn`. Returns its exit status, or why it could not be started or was
/// killed.
OrFault<int> run_program(const SpawnOptions& options);

struct Ending {
  std::size_t ended = 0;   ///< by themselves, after the signal
  std::size_t killed = 0;  ///< by SIGKILL
  std::size_t left = 0;    ///< neither signal ended these
};
/// Signals all living processes; kills those that don't end within `patience`. Reaps children of this process. On
/// SIGINT a resource manager ends its jobs first; on SIGTERM it leaves them to its restart.
Ending end_processes(const std::vector<ProcessKey>& processes, Duration patience, int signal = SIGINT);

/// Processes of DMM in these folders: our programs with an argument inside one of the folders, and processes without a
/// terminal that work inside one. These are daemons without a record, their keepers, and the jobs that they run. Never
/// this process.
std::vector<ProcessKey> processes_in(std::vector<std::string> folders);

/// The folder of the running program; the daemons are beside it.
std::string own_folder();

}  // namespace dmm
