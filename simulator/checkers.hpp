// What must hold of a world whatever happens in it, looked at from outside (docs/architecture.md, lease
// invariants): no node runs work of two leases, a node that its owner thinks free is free, chains are short and
// without repeats, attempts at a job don't overlap, and every accepted job comes to exactly one outcome. The
// managers' own invariants are checked along the way.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "simulator/world.hpp"

namespace dmm {

class Checkers {
 public:
  /// Looks at what the last step changed; a whole walk every so often. What is broken, or empty.
  std::string check(const World& world);
  /// Looks at everything.
  std::string check_all(const World& world);
  /// The world should have come to rest: what still isn't home, or empty.
  std::string check_rest(const World& world) const;
  /// Counts outcomes; give it everything that happened, once.
  void note(const std::vector<Happening>& happenings);

 private:
  std::string check(const World& world, const Party& party);
  std::string check_site(const World& world, const SiteManager& site) const;
  std::string check_nodes(const World& world, const Party& party, const ResourceManager& nodes) const;
  std::string check_attempts(const World& world) const;

  std::uint64_t steps_ = 0;
  std::map<RequestId, int> outcomes_;  ///< by job: attempt 0
  std::string fault_;
};

}  // namespace dmm
