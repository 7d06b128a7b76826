// How much each user used of one site, where older use counts less: fair sharing sorts users by it. It is Condor's
// real user priority (condor_userprio), the processors in use smoothed exponentially. After one half-life the value
// has moved half of the way to the present use.
#pragma once

#include <cstdint>
#include <map>

#include "protocol/time.hpp"

namespace dmm {

class FairShare {
 public:
  /// 0: no memory.
  explicit FairShare(Duration half_life) : half_life_(half_life) {}

  void began(Instant now, std::uint32_t user, std::uint32_t processors);
  void ended(Instant now, std::uint32_t user, std::uint32_t processors);
  /// In processors; 0 for a user that was never here.
  double usage(Instant now, std::uint32_t user) const;

 private:
  struct Usage {
    double smoothed = 0;  ///< processors, when it was last changed
    std::uint64_t in_use = 0;
    Instant changed{};
  };
  double at(Instant now, const Usage& usage) const;

  Duration half_life_;
  std::map<std::uint32_t, Usage> users_;
};

}  // namespace dmm
