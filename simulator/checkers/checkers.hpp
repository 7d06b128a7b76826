// What must hold of a world whatever happens in it, looked at from outside (docs/architecture.md, lease
// invariants): no node runs work of two leases, a node that its owner thinks free is free, chains are short and
// without repeats, attempts at a job don't overlap, epochs never go back, every accepted job is known until it comes
// to exactly one outcome, and a ledger holds what its manager would write. The managers' own invariants are checked
// along the way, after all that.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "simulator/checkers/program_watch.hpp"
#include "simulator/world/world.hpp"

namespace dmm {

class Checkers {
 public:
  /// Looks at what the last step changed; a whole walk every so often. In a small world a manager that did anything is
  /// looked at as a whole; in a large one, what it wrote and what runs. The more a manager has gathered in its life,
  /// the less often all of that is compared: a step of a long life costs what a step of a short life does. What is
  /// broken, or empty.
  std::string check(const World& world);
  /// Looks at everything.
  std::string check_all(const World& world);
  /// The world should have come to rest: what still isn't home, or empty.
  std::string check_rest(const World& world) const;
  /// See ProgramWatch.
  void excuse(const Party& party) { programs_.excuse(party); }
  /// From now on nothing counts that a manager finds broken of itself when asked: only what is seen from outside.
  void ignore_own_word() { own_word_ignored_ = true; }
  /// How often something was looked at.
  std::uint64_t checks() const { return checks_; }
  /// Counts outcomes; give it everything that happened, once.
  void note(const std::vector<Happening>& happenings);

 private:
  /// When all that a manager keeps is compared: each time, or in proportion to how much it is.
  enum class Life : std::uint8_t { now, now_and_then };
  std::string check_all_parties(const World& world, Life life);
  std::string check(const World& world, const Party& party, Life life);
  std::string check_life(const World& world, const Party& party, Life life);
  std::string check_written(const World& world, const Written& written);
  std::string check_leases(const World& world, const SiteName& site, const std::vector<LeaseId>& ids);
  std::string check_lease(const World& world, const LeaseId& id, const HopLease& lease);
  std::string check_nodes(const World& world, const Party& party, const ResourceManager& nodes);
  std::string check_epochs(const Party& party, const ResourceManagerView& view);
  std::string check_owner(const World& world, const Party& party, const ResourceManagerView& view) const;
  std::string own_word(const World& world, const Party& party) const;
  std::string check_lost(const World& world, const Party& party);

  std::uint64_t since_walk_ = 0, checks_ = 0;
  bool own_word_ignored_ = false;
  ProgramWatch programs_;
  std::map<Party, std::map<std::uint32_t, Epoch>> highest_;  ///< by resource manager and node
  std::map<Party, std::uint64_t> starts_;                    ///< of job managers whose jobs were all found again
  std::map<Party, std::uint64_t> unlooked_;                  ///< looks since all that a manager keeps was compared
  std::map<RequestId, int> outcomes_;                        ///< by job: attempt 0
  std::map<RequestId, std::uint32_t> dttl_;                  ///< of submitted jobs
  std::size_t known_submissions_ = 0;                        ///< so many are in dttl_
  std::string fault_;
};

}  // namespace dmm
