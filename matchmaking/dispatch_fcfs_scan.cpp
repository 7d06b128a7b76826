// First come, first served among the requests that fit: FCFS_SCAN (Jones et al. 2004, section 4.1). By itself it may
// starve a wide request; the site manager stops the scan at a request that was overtaken for too long.
#include "matchmaking/dispatch.hpp"

namespace dmm {
namespace {

OrderKey dispatch_fcfs_scan_key(const RequestView& request) { return {0, 0, request.arrival}; }

}  // namespace

constexpr DispatchPolicy dispatch_fcfs_scan{.name = "fcfs_scan", .key = dispatch_fcfs_scan_key, .scan = true};

}  // namespace dmm
