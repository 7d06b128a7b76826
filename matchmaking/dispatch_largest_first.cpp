// Largest first: requests that are hard to place are tried while most nodes are free; small ones fill the rest.
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
