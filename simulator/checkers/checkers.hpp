// Invariants of a world under any events, checked from outside (docs/reliability.md section 7): no node runs work of
// two leases. A node that its owner thinks free is free. Chains are short and without repeats. Attempts at a job don't
// overlap. Epochs never go back. Every accepted job is known until it has exactly one outcome. A ledger holds what its
// manager would write. The managers' own invariants are checked last.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "simulator/checkers/program_watch.hpp"
#include "simulator/world/world.hpp"

namespace dmm {

class Checkers {
 public:
  /// Checks what the last step changed, and regularly the whole world. In a small world it checks a manager that did
  /// anything as a whole; in a large one, its writes and the running programs. The more records a manager has, the
  /// less often all of them are compared, so that a step of a long run costs as much as one of a short run. Returns
  /// what is broken, or empty.
  std::string check(const World& world);
  /// Checks everything.
  std::string check_all(const World& world);
  /// For a world that should be at rest: what isn't home yet, or empty.
  std::string check_rest(const World& world) const;
  /// See ProgramWatch.
  void excuse(const Party& party) { programs_.excuse(party); }
  /// From now on ignores the managers' own invariants: only outside checks count.
  void ignore_own_word() { own_word_ignored_ = true; }
  /// Number of checks so far.
  std::uint64_t checks() const { return checks_; }
  /// Counts outcomes. Must get every happening exactly once.
  void note(const std::vector<Happening>& happenings);

 private:
  /// When all records of a manager are compared: each time, or less often the more there are.
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
  std::map<Party, std::uint64_t> starts_;                    ///< of job managers that still had all their jobs
  std::map<Party, std::uint64_t> unlooked_;  ///< checks since all records of a manager were compared
  std::map<RequestId, int> outcomes_;        ///< by job: attempt 0
  std::map<RequestId, std::uint32_t> dttl_;  ///< of submitted jobs
  std::size_t known_submissions_ = 0;        ///< submissions already in dttl_
  std::string fault_;
};

}  // namespace dmm
