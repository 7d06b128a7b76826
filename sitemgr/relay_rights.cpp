// Counting the leases of each pair; see relay_rights.hpp.
#include "sitemgr/relay_rights.hpp"

#include "manager/assert.hpp"

namespace dmm {

void RelayRights::set_over(const RelayPair& pair, Right& right, Instant over) {
  if (right.over != never) over_.erase({right.over, pair});
  right.over = over;
  if (over != never) over_.emplace(over, pair);
}

bool RelayRights::carry(const RelayPair& pair) {
  const auto [it, is_new] = pairs_.try_emplace(pair);
  ++it->second.leases;
  set_over(pair, it->second, never);
  return is_new;
}

void RelayRights::drop(Instant now, const RelayPair& pair) {
  const auto it = pairs_.find(pair);
  DMM_ASSERT(it != pairs_.end() && it->second.leases > 0);
  if (--it->second.leases == 0) set_over(pair, it->second, now + memory_);
}

void RelayRights::restore(Instant now, const RelayPair& pair) {
  const auto [it, is_new] = pairs_.try_emplace(pair);
  if (is_new) set_over(pair, it->second, now + memory_);
}

std::vector<RelayPair> RelayRights::take_over(Instant now) {
  std::vector<RelayPair> gone;
  while (next_over() <= now) {
    gone.push_back(over_.begin()->second);
    over_.erase(over_.begin());
    pairs_.erase(gone.back());
  }
  return gone;
}

std::vector<RelayPair> RelayRights::all() const {
  std::vector<RelayPair> all;
  for (const auto& [pair, right] : pairs_) all.push_back(pair);
  return all;
}

std::optional<RelayPair> pair_of(const Party& from, const Party& to) {
  if (from.role == Role::job_manager && to.role == Role::resource_manager) return RelayPair{from.site, to};
  if (from.role == Role::resource_manager && to.role == Role::job_manager) return RelayPair{to.site, from};
  return std::nullopt;
}

}  // namespace dmm
