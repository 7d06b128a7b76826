// Borrowers share: of several borrowers that constantly want nodes of the same owner, none gets less than a third of
// what another gets, by weight. Seen from outside: a borrower wants nodes while one of its jobs waits that the owner
// could serve. It gets what its programs use in the owner's hosts.
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
  /// A longer program keeps nodes for too long: then the shares of its owner aren't checked.
  static constexpr Duration longest = seconds(300);
  static constexpr double least_share = 1.0 / 3;
  /// Whether the owner could serve a job that waits at the borrower, and has room for several like it.
  using Wants = std::function<bool(const World& world, std::size_t owner, std::size_t borrower)>;

  explicit SharesWatch(Wants wants) : wants_(std::move(wants)) {}

  /// The borrower that had too little; empty if there is none. Cheap if called often: it looks every five seconds.
  std::string look(const World& world);
  /// A fault or a change happened: forget what was counted so far.
  void excuse(Instant now) { excused_at_ = now; }
  /// How often a borrower was found to have had its share.
  std::uint64_t shares() const { return shares_; }

 private:
  /// What each site used while one site wanted nodes.
  struct Stay {
    Instant since{};
    std::map<SiteName, double> used;  ///< processor seconds; for other sites, only of programs started since
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
