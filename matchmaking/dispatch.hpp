// Local requests dispatching policies: the order in which a site serves its waiting requests (Iosup et al. 2007,
// section 4.4). A policy is a key function and not a sort. So the queue can be an index that is kept up to date, and
// need not be sorted at every event. A key must not change while the request waits.
#pragma once

#include <compare>
#include <cstdint>
#include <string_view>

namespace dmm {

/// A waiting request as the policies see it.
struct RequestView {
  std::uint64_t arrival = 0;             ///< rank in the order of arrival at the site; unique
  std::uint32_t processors = 0;          ///< asked for in all
  std::uint32_t widest = 0;              ///< processors it must find in one cluster (widest_component)
  std::int32_t priority = 0;             ///< greater is more urgent
  std::int64_t waited_microseconds = 0;  ///< since it arrived; grows, so no key may use it alone
};

/// The key that requests are sorted by, least first. Unique, since arrivals are.
struct OrderKey {
  std::int64_t major = 0;
  std::int64_t minor = 0;
  std::uint64_t arrival = 0;

  auto operator<=>(const OrderKey&) const = default;
};

/// A named order of serving.
struct DispatchPolicy {
  std::string_view name;
  OrderKey (*key)(const RequestView&);
  bool scan;  ///< true: a request that fits starts although an earlier one does not (FCFS_SCAN of Jones et al.
              ///< 2004, section 4.1); false: the first that does not fit blocks the rest
};

extern const DispatchPolicy dispatch_fcfs;            ///< in order of arrival, strict: the paper's own
extern const DispatchPolicy dispatch_fcfs_scan;       ///< in order of arrival, passing over what does not fit
extern const DispatchPolicy dispatch_smallest_first;  ///< fewest processors first, scanning
extern const DispatchPolicy dispatch_largest_first;   ///< most processors first, scanning
extern const DispatchPolicy dispatch_priority;        ///< highest priority first, then arrival, scanning

}  // namespace dmm
