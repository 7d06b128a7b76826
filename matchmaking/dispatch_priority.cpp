// Highest priority first, in order of arrival among equal priorities.
#include "matchmaking/dispatch.hpp"

namespace dmm {
namespace {

OrderKey dispatch_priority_key(const RequestView& request) {
  return {-std::int64_t{request.priority}, 0, request.arrival};
}

}  // namespace

constexpr DispatchPolicy dispatch_priority{.name = "priority", .key = dispatch_priority_key, .scan = true};

}  // namespace dmm
