// Each manager's instants are of its own clock, so durations from now on are compared.
#include "simulator/checkers/beliefs.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

#include "protocol/text.hpp"

namespace dmm {
namespace {

/// Slack: a chain that is too long for its term still gets this promise.
constexpr Duration as_good_as_nothing = milliseconds(1);

/// The next site towards the owner; nothing if the site is the owner.
const SiteName* lender_of(const HopLease& lease, const SiteName& holder) {
  const auto at = std::find(lease.chain.begin(), lease.chain.end(), holder);
  return at == lease.chain.end() || at == lease.chain.begin() ? nullptr : &*std::prev(at);
}

/// For how long a borrower relies on a lease if it hears nothing more. Nothing if that can't be told: its Beats are
/// only accounted for at the moment, or it waits for its lender's word.
std::optional<Duration> relied_on(const World& world, const SiteName& holder, const HopLease& lease) {
  if (lease.unsure) return std::nullopt;
  const Instant now = world.clock_of(site_manager_of(holder));
  if (lease.upstream_until != never) return lease.upstream_until - now;
  const Endpoint& endpoint = world.site(holder)->endpoint;
  const auto vouched = endpoint.vouched(site_manager_of(*lender_of(lease, holder)));
  if (!vouched) return std::nullopt;
  return std::max(std::max(*vouched, lease.promised) + lease.term, lease.old_right) - now;
}

/// For how long the lender leaves the lease to the borrower.
std::optional<Duration> left_to(const World& world, const SiteName& lender, const HopLease& lease) {
  const Instant now = world.clock_of(site_manager_of(lender));
  std::optional<Duration> left;
  if (lease.downstream_until != never) left = lease.downstream_until - now;
  if (!lease.upstream) return left;
  const auto right = relied_on(world, lender, lease);
  return right && left ? std::min(*right, *left) : right ? right : left;
}

}  // namespace

std::string relied_on_too_long(const World& world, const SiteName& holder, const HopLease& lease) {
  const SiteName* lender = lender_of(lease, holder);
  if (!lender || lease.state == LeaseState::ending || !world.is_up(site_manager_of(*lender))) return {};
  if (!world.has_right_clock(site_manager_of(*lender)) || !world.has_right_clock(site_manager_of(holder)))
    return {};
  const LeaseBook& table = world.site(*lender)->manager.leases();
  if (!table.contains(lease.id) || table.get(lease.id).state == LeaseState::ending) return {};
  const auto relied = relied_on(world, holder, lease);
  const auto left = left_to(world, *lender, table.get(lease.id));
  if (!relied || !left || *relied <= std::max(*left, as_good_as_nothing)) return {};
  return "relies on " + to_text(lease.id) + " for " + std::to_string(relied->microseconds) + " us, and " +
         lender->text + " leaves it for " + std::to_string(left->microseconds) + " us";
}

}  // namespace dmm
