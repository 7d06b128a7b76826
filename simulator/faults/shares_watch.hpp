// Borrowers share: of several that want nodes of the same owner all the time, none gets less than a third of what
// another gets, by weight. A borrower of narrow jobs gets what is left beside wide ones. Looked at from outside: a
// borrower wants nodes while a job of it waits that the owner could serve, and it gets what its programs use in
// the owner's hosts.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>

#include "simulator/world/world.hpp"

namespace dmm {

class SharesWatch {
 public:
  /// A borrower that wanted for this long without a break must have had its share.
  static constexpr Duration window = seconds(1800);
  /// A program that runs for longer keeps nodes from their turn: then nothing is said of its owner's shares.
  static constexpr Duration longest = seconds(300);
  static constexpr double least_share = 1.0 / 3;
  /// Whether a job that waits at the borrower could be served by the owner, and fits several times.
  using Wants = std::function<bool(const World& world, std::size_t owner, std::size_t borrower)>;

  explicit SharesWatch(Wants wants) : wants_(std::move(wants)) {}

  /// The borrower that had too little; empty if none had. Cheap if called often: it looks each five seconds.
  std::string look(const World& world);
  /// Something went wrong or was changed: what was counted until then counts no longer.
  void excuse(Instant now) { excused_at_ = now; }
  /// How often a borrower was found to have had its share.
  std::uint64_t shares() const { return shares_; }

 private:
  /// What was used while one site wanted, by site.
  struct Stay {
    Instant since{};
    std::map<SiteName, double> used;  ///< processor seconds; of others, of programs that were started meanwhile
  };
  using Key = std::pair<std::size_t, std::size_t>;  ///< owner and borrower, as positions in the topology

  void look_at(const World& world, std::size_t owner);
  std::string fault_of(const TopologySite& owner, const SiteName& borrower, const Stay& stay) const;

  Wants wants_;
  Instant looked_{}, excused_at_{};
  std::uint64_t shares_ = 0;
  std::map<Key, Stay> stays_;
  std::string fault_;
};

}  // namespace dmm
