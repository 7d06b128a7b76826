// First come, first served, strictly: the policy of the paper's experiments (Iosup et al. 2007, section
// 5.2.3).
#include "matchmaking/dispatch.hpp"

namespace dmm {
namespace {

OrderKey dispatch_fcfs_key(const RequestView& request) { return {0, 0, request.arrival}; }

}  // namespace

constexpr DispatchPolicy dispatch_fcfs{.name = "fcfs", .key = dispatch_fcfs_key, .scan = false};

}  // namespace dmm
