// Smallest first: many short waits at the price of the wide requests. It scans: the next request may fit by its
// constraints if the smallest does not.
#include "matchmaking/dispatch.hpp"

namespace dmm {
namespace {

OrderKey dispatch_smallest_first_key(const RequestView& request) {
  return {std::int64_t{request.processors}, std::int64_t{request.widest}, request.arrival};
}

}  // namespace

constexpr DispatchPolicy dispatch_smallest_first{
    .name = "smallest_first", .key = dispatch_smallest_first_key, .scan = true};

}  // namespace dmm
