// The pairs that may speak through this site; see relays.hpp.
#include "sitemgr/relays.hpp"

#include "manager/assert.hpp"
#include "protocol/hints.hpp"
#include "protocol/text.hpp"

namespace dmm {
namespace {

/// A lease that stays at this site needs no relay: its user and its resource managers have links to us.
bool is_carried(const HopLease& lease) { return lease.upstream || lease.downstream; }

}  // namespace

void Relays::carry(const HopLease& lease) {
  for (const Party& manager : lease.managers) carry(lease, manager);
}

void Relays::carry(const HopLease& lease, const Party& manager) {
  if (!is_carried(lease)) return;
  DMM_ASSERT(!lease.chain.empty());
  const RelayPair pair{lease.chain.back(), manager};
  const auto [known, is_new] = pairs_.try_emplace(pair);
  ++known->second.leases;
  set_over(pair, known->second, never);
  DMM_ASSERT(known->second.leases > 0 && over_.size() < pairs_.size());  // this pair has no end now
  if (is_new) changed_.emplace_back(pair, true);
}

void Relays::drop(Instant now, const HopLease& lease) {
  if (!is_carried(lease)) return;
  DMM_ASSERT(!lease.chain.empty());
  for (const Party& manager : lease.managers) drop(now, RelayPair{lease.chain.back(), manager});
}

void Relays::drop(Instant now, const RelayPair& pair) {
  const auto known = pairs_.find(pair);
  DMM_ASSERT(known != pairs_.end() && known->second.leases > 0);
  if (--known->second.leases == 0) set_over(pair, known->second, now + memory_);
  DMM_ASSERT((known->second.leases == 0) == (known->second.over != never));
}

/// The sink and the resource manager that these two parties stand for; nothing if two such never speak.
std::optional<RelayPair> Relays::pair_of(const Party& from, const Party& to) {
  if (from.role == Role::job_manager && to.role == Role::resource_manager) return RelayPair{from.site, to};
  if (from.role == Role::resource_manager && to.role == Role::job_manager) return RelayPair{to.site, from};
  return std::nullopt;
}

/// Whether the path leads from the sender's site to the receiver's, has us at the frame's position, and is the way that
/// the frame came: from its sender, or from the site manager before us.
bool Relays::came_its_way(const Relay& relay, const Party& from) const {
  const SiteNames& path = relay.path;
  if (!leads(path, relay.from.site, relay.to.site, dttl_max + 1)) return false;
  if (relay.position >= path.size() || path[relay.position] != self_) return false;
  return from == (relay.position == 0 ? relay.from : site_manager_of(path[relay.position - 1]));
}

void Relays::set_over(const RelayPair& pair, Right& right, Instant over) {
  DMM_ASSERT(over == never || right.leases == 0);
  over_.set(right.over, pair, over);
}

void Relays::sweep(Instant now) {
  while (const std::optional<RelayPair> pair = over_.due(now)) {
    const auto known = pairs_.find(*pair);
    DMM_ASSERT(known != pairs_.end() && known->second.leases == 0);
    set_over(*pair, known->second, never);
    pairs_.erase(known);
    DMM_ASSERT(over_.size() <= pairs_.size());
    changed_.emplace_back(*pair, false);
  }
}

void Relays::restore(Instant now, const RelayRecord& row) {
  const auto [known, is_new] = pairs_.try_emplace(row.pair);
  if (is_new) set_over(row.pair, known->second, now + memory_);
  DMM_ASSERT(known->second.leases > 0 || known->second.over != never);  // it is forgotten some day
}

void Relays::write(LedgerChanges<SiteRecord>& ledger) {
  if (changed_.empty()) return;
  for (auto& [pair, may] : std::exchange(changed_, {})) {
    if (may)
      ledger.put(RelayRecord{std::move(pair)});
    else
      ledger.erase(RelayRecord{std::move(pair)});
  }
}

void Relays::add_records(std::vector<SiteRecord>& rows) const {
  for (const auto& [pair, right] : pairs_) rows.emplace_back(RelayRecord{pair});
  DMM_ASSERT(rows.size() >= pairs_.size());
}

}  // namespace dmm
