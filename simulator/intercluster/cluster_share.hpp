// What a job has of one cluster.
#pragma once

#include <cstdint>

namespace dmm {

/// Processors of one cluster that a job runs on.
struct ClusterShare {
  std::uint32_t cluster = 0;
  std::uint32_t processors = 0;

  bool operator==(const ClusterShare&) const = default;
};

}  // namespace dmm
