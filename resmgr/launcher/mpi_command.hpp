// The command line that runs an MPI program over the nodes of a job: the MPI launcher of the program's own kind. It
// starts its daemons by this launcher instead of by ssh.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "resmgr/backends/process/go_text.hpp"

namespace dmm {

enum class MpiKind : std::uint8_t { open_mpi, mpich };

/// The known properties of the host where the program begins.
struct MpiHost {
  std::string launcher;   ///< path of this launcher
  std::string mpirun;     ///< path of the MPI launcher
  std::string node_file;  ///< for Open MPI
};

/// By the library that the program names. If it names none, as a script does, by the file that `mpirun` really is.
MpiKind mpi_kind(std::string_view program_bytes, std::string_view real_mpirun);
/// The names of the MPI launcher, the most exact first.
std::vector<std::string> mpirun_names(MpiKind kind);
/// `program` with its arguments under the MPI launcher.
std::vector<std::string> mpi_command(MpiKind kind, const MpiHost& host, const LaunchOrder& order,
                                     const std::vector<std::string>& program);

}  // namespace dmm
