#include "resmgr/launcher/mpi_command.hpp"

#include <algorithm>

namespace dmm {
namespace {

/// As in a testbed on one host.
bool is_loopback(const HostSlots& host) { return host.host.starts_with("127."); }

void append(std::vector<std::string>& words, std::initializer_list<std::string> more) {
  words.insert(words.end(), more);
}

/// Open MPI ignores the loopback interface, and pins the ranks of each host to the same processors.
void append_loopback(std::vector<std::string>& words) {
  for (const char* layer : {"btl_tcp_if_include", "oob_tcp_if_include"}) append(words, {"--mca", layer, "lo"});
  append(words, {"--mca", "btl", "tcp,self", "--mca", "mpi_yield_when_idle", "1", "--bind-to", "none"});
}

std::vector<std::string> open_mpi_command(const MpiHost& host, const LaunchOrder& order) {
  std::vector<std::string> words{host.mpirun,
                                 "--mca",
                                 "plm_rsh_agent",
                                 host.launcher + " remote",
                                 "--hostfile",
                                 host.node_file,
                                 "-n",
                                 std::to_string(order.ranks(Runner::per_processor))};
  if (std::ranges::all_of(hosts_of(order), is_loopback)) append_loopback(words);
  return words;
}

std::vector<std::string> mpich_command(const MpiHost& host, const LaunchOrder& order) {
  std::string hosts;
  for (const HostSlots& one : hosts_of(order))
    hosts += (hosts.empty() ? "" : ",") + one.host + ':' + std::to_string(one.slots);
  // Each rank has the environment of the agent that started it, which knows its component.
  return {host.mpirun,   "-genvnone", "-launcher", "ssh", "-launcher-exec",
          host.launcher, "-hosts",    hosts,       "-n",  std::to_string(order.ranks(Runner::per_processor))};
}

}  // namespace

MpiKind mpi_kind(std::string_view program_bytes, std::string_view real_mpirun) {
  const auto names = [&](std::string_view library) {
    return program_bytes.find(library) != std::string_view::npos;
  };
  if (names("libmpich.so")) return MpiKind::mpich;
  if (names("libmpi.so")) return MpiKind::open_mpi;
  const bool is_hydra =
      real_mpirun.find("hydra") != std::string_view::npos || real_mpirun.find("mpich") != std::string_view::npos;
  return is_hydra ? MpiKind::mpich : MpiKind::open_mpi;
}

std::vector<std::string> mpirun_names(MpiKind kind) {
  if (kind == MpiKind::mpich) return {"mpiexec.hydra", "mpiexec.mpich", "mpiexec"};
  return {"mpirun.openmpi", "mpirun"};
}

std::vector<std::string> mpi_command(MpiKind kind, const MpiHost& host, const LaunchOrder& order,
                                     const std::vector<std::string>& program) {
  std::vector<std::string> words =
      kind == MpiKind::mpich ? mpich_command(host, order) : open_mpi_command(host, order);
  words.insert(words.end(), program.begin(), program.end());
  return words;
}

}  // namespace dmm
