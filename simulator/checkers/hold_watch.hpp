// Watches parts of co-allocated requests from outside: what home sites log of held and handed-out parts, and what
// owners know of these leases. An attempt that ended holds nothing. A job gets all parts of its request together, and
// their owners know each part as claimed.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "simulator/world/world.hpp"

namespace dmm {

class HoldWatch {
 public:
  /// Must get every happening of a step exactly once.
  void note(const std::vector<Happening>& happenings);
  /// What is wrong after that step; empty if nothing is.
  std::string look(const World& world);

 private:
  /// A request that got its parts in this step.
  struct Together {
    std::int64_t parts = 0;
    std::vector<std::string> leases;  ///< handed out in this step
  };
  void note(const Happening& happening);
  std::string fault_of(const World& world, const RequestId& request, const Together& together) const;

  std::map<RequestId, std::set<std::string>> held_;  ///< leases of parts at their home sites
  std::set<RequestId> ended_;                        ///< requests with an attempt that ended in this step
  std::map<RequestId, Together> together_;           ///< requests that got all parts in this step
};

}  // namespace dmm
