// Processes of a testbed: started apart from the terminal, known by their id and start time together so that a
// process that got a dead one's id is never touched, ended for sure.
#pragma once

#include <csignal>
#include <cstdint>
#include <string>
#include <vector>

#include "protocol/outcome.hpp"
#include "protocol/time.hpp"

namespace dmm {

/// A process that can't be mistaken for a later one of the same id.
struct ProcessKey {
  int id = 0;
  std::uint64_t start_time = 0;  ///< in clock ticks since boot, as in /proc/ID/stat

  bool operator==(const ProcessKey&) const = default;
};

/// The start time of a process that is there and no zombie; 0 if there is none.
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
/// Starts a program in a session of its own, with nothing to read and default signals. Or why it could not.
OrFault<ProcessKey> spawn(const SpawnOptions& options);

/// Runs a program to its end, as `spawn` starts it: its exit status, or why it could not be started or was killed.
OrFault<int> run_program(const SpawnOptions& options);

struct Ending {
  std::size_t ended = 0;   ///< by themselves, after the signal
  std::size_t killed = 0;  ///< by SIGKILL
  std::size_t left = 0;    ///< nothing helped
};
/// A signal to all that live; SIGKILL to those that don't end within `patience`. Reaps those that are our children.
/// By SIGINT a resource manager ends its jobs first, by SIGTERM it leaves them to be found again.
Ending end_processes(const std::vector<ProcessKey>& processes, Duration patience, int signal = SIGINT);

/// Our programs that were called with something inside one of the folders, and whatever works inside one without a
/// terminal: daemons whose start was not recorded any more, their keepers, the jobs they run. Never this process.
std::vector<ProcessKey> processes_in(std::vector<std::string> folders);

/// The folder of the program that runs now: the daemons are beside it.
std::string own_folder();

}  // namespace dmm
