// A job's script, as the file that it becomes where the job runs. The backend names the interpreter itself and doesn't
// leave that to the kernel. The state folder may be mounted without the right to run files, and a missing interpreter
// can be reported by its name.
#pragma once

#include <string>

#include "protocol/messages.hpp"
#include "resmgr/keeper/frames.hpp"

namespace dmm::keeper {

/// Name of the file in the job's directory: that of the script, or `script` if that name could mean something else
/// there or to a shell.
std::string script_name_of(const std::string& name);

/// Makes a job that runs the script of `program` from its file in `directory`: the interpreter with the argument of the
/// first line, the path of the file, and the arguments of the program. `fault_of` must find nothing wrong with
/// `program`.
void carry_script(const Program& program, const std::string& directory, StartJob& job);

}  // namespace dmm::keeper
