// Largest first: what is hardest to place is tried while the most is free; the small ones fill what is left.
#include "matchmaking/dispatch.hpp"

namespace dmm {
namespace {

OrderKey key(const RequestView& request) {
  return {-std::int64_t{request.processors}, -std::int64_t{request.widest}, request.arrival};
}

}  // namespace

constexpr DispatchPolicy dispatch_largest_first{.name = "largest_first", .key = key, .scan = true};

}  // namespace dmm
