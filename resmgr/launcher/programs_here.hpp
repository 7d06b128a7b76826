// The programs of this host: where one is, why it can't be run, and the start and the end of one.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

#include "resmgr/keeper/ready_line.hpp"

namespace dmm {

/// Where a program is, looked up in PATH as a shell does; empty, with errno, if it can't be run.
std::string find_program(const std::string& name);
/// Why the program can't be run here, as its launcher reports it; StartFault::none if it can.
ReadyLine fault_of_program(const std::string& name);

/// What a started program reads and writes.
struct ProgramFiles {
  int input = 0, output = 1, error = 2;
};
/// Starts a program in the launcher's working directory, with these variables beside the environment of the launcher.
/// `apart`: in a process group of its own. 0 with errno if it can't be started. A program that can't be run ends with
/// exit status 127.
pid_t start_program(const std::vector<std::string>& arguments, const std::vector<std::string>& variables,
                    const ProgramFiles& files, bool apart);

/// The status, as of waitpid, if a program could not be started: an exit status of 71 (EX_OSERR).
constexpr int could_not_start = 71 << 8;

/// Ends this process as a program with this status of waitpid ended: with its exit status, or by its signal.
[[noreturn]] void end_as(int status);

}  // namespace dmm
