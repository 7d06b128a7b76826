// Starting one program: a child that shares the keeper's memory until it has called execve, so that it costs no
// copy of the page tables and can say by a plain variable which step failed.
#pragma once

#include <string>

#include <sys/resource.h>
#include <sys/types.h>

#include "resmgr/backends/frames.hpp"
#include "resmgr/backends/keeper_files.hpp"

namespace dmm::keeper {

struct Spawned {
  pid_t process = 0;  ///< 0 if it didn't start
  StartFault fault = StartFault::none;
  std::string text;  ///< what went wrong, naming the file
};

/// Starts the program in a process group of its own, with `mark` as its limit of file locks, see Marks.
Spawned spawn(const StartJob& job, const JobFiles& files, int null_file, rlim_t mark);

/// For a fault before there is a process.
Spawned directory_fault(const std::string& path, int error);

}  // namespace dmm::keeper
