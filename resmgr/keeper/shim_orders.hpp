// What the keeper says to a shim: a new job over a socket, with the descriptors of its files; and, while the job runs,
// signals that name it. A signal that comes when the shim has another job already is ignored.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <sys/types.h>

namespace dmm::keeper {

/// The descriptors of a job's files, in the keeper or in its shim; -1 for none. In order: its input, output and error,
/// the file that takes its processes into its cgroup, and a launcher's socket to the keeper.
using ShimFiles = std::array<int, 5>;
constexpr std::size_t cgroup_index = 3;

/// Tells a shim to begin with the plan in its page; false with errno if the shim is gone. The caller keeps its
/// descriptors.
bool order_job(int socket, const ShimFiles& files);
/// Waits for such an order; false if the keeper is gone or needs the shim no more. System calls only.
bool await_job(int socket, ShimFiles& files);

enum class ShimSignal : std::uint8_t {
  end,   ///< the job is asked to end
  kill,  ///< the leader's group is killed; the shim reports how the leader ended
};
void signal_shim(pid_t shim, std::uint64_t serial, ShimSignal signal);
/// Waits for a signal of the keeper's about this job, or the end of a child: then false. System calls only. `keeper`:
/// its number as the shim sees it.
bool await_signal(std::uint64_t serial, pid_t keeper, ShimSignal& signal);

}  // namespace dmm::keeper
