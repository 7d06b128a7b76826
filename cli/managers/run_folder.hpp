// Where runs keep what is worth reading afterwards: logs, jobs, the summary. A run replaces the folder of an earlier
// run of its name, so runs don't fill the disk.
#pragma once

#include <string>

namespace dmm {

/// The folder for the results of a run of that name, unless --output names another.
std::string run_folder(const std::string& name);

/// The folder of the run that ended last; empty if there is none.
std::string last_run_folder();

}  // namespace dmm
