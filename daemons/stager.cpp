// The stager: brings files of a job. The launcher starts it for a job's input files, and again for its output files.
// The keeper starts it for files of a job that comes later. It is a program of its own for the time that its libraries
// take to load: several milliseconds, which jobs without files don't have to wait.
//
//   stager in      Brings input files into this folder. If one can't be brought, standard output says why, in the
//                  line of ready_line.hpp, and the exit status is 1.
//   stager out     Brings output files home from this folder; likewise, with the reasons on standard error.
//   stager fetch   Brings input files into the files that the cluster keeps; likewise.
//
// The files are in the environment: see launch_arguments.hpp.
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <unistd.h>

#include "resmgr/backends/process/launch_arguments.hpp"
#include "resmgr/keeper/ready_line.hpp"
#include "resmgr/staging/download.hpp"
#include "resmgr/staging/kept_files.hpp"
#include "resmgr/staging/upload.hpp"

namespace dmm::staging {
namespace {

constexpr int all_brought = 0, not_brought = 1, usage = 2;

std::optional<LaunchFiles> files_of_environment() {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) variables.emplace_back(*variable);
  return parse_launch_variables(variables);
}

/// Brings the files one after the other, until one can't be brought.
int stage_in(const LaunchFiles& wanted) {
  const KeptFiles kept(wanted.kept);
  for (const InputFile& file : wanted.inputs) {
    TransferFault fault = download(file, ".", {}, &kept);
    if (fault.fault == StartFault::none) continue;
    std::printf("%s\n", ready_line({fault.fault, std::move(fault.text)}).c_str());
    return not_brought;
  }
  return all_brought;
}

/// Brings all files that it can.
int stage_out(const LaunchFiles& wanted) {
  int status = all_brought;
  for (const OutputFile& file : wanted.outputs) {
    const TransferFault fault = upload(file, ".", {});
    if (fault.fault == StartFault::none) continue;
    status = not_brought;
    std::fprintf(stderr, "dmm: %s\n", fault.text.c_str());
  }
  return status;
}

int fetch_kept(const LaunchFiles& wanted) {
  const KeptFiles kept(wanted.kept);
  int status = all_brought;
  for (const InputFile& file : wanted.inputs) {
    if (!kept.is_for(file)) continue;
    const TransferFault fault = kept.fetch(file, {});
    if (fault.fault == StartFault::none) continue;
    status = not_brought;
    std::fprintf(stderr, "%s\n", fault.text.c_str());
  }
  return status;
}

int dispatch(std::string_view word) {
  const std::optional<LaunchFiles> wanted = files_of_environment();
  if (!wanted) return usage;
  if (word == "in") return stage_in(*wanted);
  if (word == "out") return stage_out(*wanted);
  if (word == "fetch") return fetch_kept(*wanted);
  std::fprintf(stderr, "stager: launchers and resource managers start this\n");
  return usage;
}

}  // namespace
}  // namespace dmm::staging

int main(int argc, char** argv) { return dmm::staging::dispatch(argc == 2 ? argv[1] : ""); }
