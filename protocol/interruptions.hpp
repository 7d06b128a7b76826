// The interruptions of a job so far, as its next request tells owners (docs/protocol.md, S138e and S138f).
#pragma once

#include <cstdint>
#include <tuple>

#include "protocol/ids.hpp"
#include "protocol/time.hpp"

namespace dmm {

/// How owners interrupted earlier attempts at the same job, by their right: they reclaimed nodes or took them out of
/// service, or a lease reached the longest length.
struct Interruptions {
  std::uint32_t times = 0;
  Duration ran;      ///< the longest that one of these attempts had its nodes
  SiteNames owners;  ///< the latest last; interrupting_owners_max at most
  bool operator==(const Interruptions&) const = default;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.times, self.ran, self.owners);
  }
};
constexpr std::size_t interrupting_owners_max = 4;

}  // namespace dmm
