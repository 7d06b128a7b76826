// A script that came with its job, as the file that it becomes where the job runs. The backend names its
// interpreter itself and doesn't leave that to the kernel: the state folder may be mounted without the right to
// run files, and a missing interpreter can be told by its name.
#pragma once

#include <string>

#include "protocol/messages.hpp"
#include "resmgr/keeper/frames.hpp"

namespace dmm::keeper {

/// Name of the file in the job's directory: that of the script, or `script` where that name could mean something
/// else there or to a shell.
std::string script_name_of(const std::string& name);

/// Makes a job that runs the script of `program`, of which fault_of has nothing to say, from its file in
/// `directory`: the interpreter with the argument of the first line, the path of the file, and the arguments of
/// the program.
void carry_script(const Program& program, const std::string& directory, StartJob& job);

}  // namespace dmm::keeper
