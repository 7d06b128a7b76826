// Largest first: what is hardest to place is tried while the most is free; the small ones fill what is left.
#include "matchmaking/dispatch.hpp"

namespace dmm {
namespace {

OrderKey dispatch_largest_first_key(const RequestView& request) {
  return {-std::int64_t{request.processors}, -std::int64_t{request.widest}, request.arrival};
}

}  // namespace

constexpr DispatchPolicy dispatch_largest_first{
    .name = "largest_first", .key = dispatch_largest_first_key, .scan = true};

}  // namespace dmm
