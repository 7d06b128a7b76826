// Frames that job managers and resource managers send one another through this site. Nothing of them is kept; they are
// passed on only for those who share a lease that is carried here, and only if they come the way that they say they
// came (docs/protocol.md section 5).
#include "sitemgr/site_manager.hpp"

namespace dmm {

void SiteManager::on(Step& s, FromSite from, Relay& relay) { pass_relay(s, from.party, from.neighbour, relay); }
void SiteManager::on(Step& s, FromUser from, Relay& relay) { pass_relay(s, from.party, std::nullopt, relay); }
void SiteManager::on(Step& s, FromProvider from, Relay& relay) { pass_relay(s, from.party, std::nullopt, relay); }

void SiteManager::pass_relay(Step& s, const Party& from, std::optional<std::size_t> n, Relay& relay) {
  if (!may_relay(from, n, relay)) {
    if (n) refuse(*n, "relay");
    return;
  }
  const std::uint32_t next = relay.position + 1;
  if (next == relay.path.size()) {
    const Party to = relay.to;
    return s.out.send(to, std::move(relay));
  }
  const auto on = neighbours_.find(relay.path[next]);
  if (!on || !neighbours_[*on].up) return;
  relay.position = next;
  send(s, *on, std::move(relay), {});
}

bool SiteManager::may_relay(const Party& from, std::optional<std::size_t> n, const Relay& relay) const {
  const SiteNames& path = relay.path;
  if (!leads(path, relay.from.site, relay.to.site, dttl_max + 1)) return false;
  if (relay.position >= path.size() || path[relay.position] != settings_.name) return false;
  // It comes of the site before us, or of who made it.
  if (relay.position == 0 ? from != relay.from : !n || neighbours_[*n].site != path[relay.position - 1]) return false;
  const auto pair = pair_of(relay.from, relay.to);
  if (!pair) return false;
  const bool is_last = relay.position + 1 == path.size();
  if (is_last) {
    const bool is_ours = relay.to.role == Role::job_manager ? job_managers_.contains(relay.to) : owned_.knows(relay.to);
    if (!is_ours) return false;
  }
  const bool is_at_home = pair->sink == settings_.name && pair->manager.site == settings_.name;
  return is_at_home || relays_.may(*pair);
}

/// The lease's holders and resource managers may speak.
void SiteManager::carry(const Lease& lease) {
  if (!lease.upstream && !lease.downstream) return;  // at home nobody needs it
  for (const Party& manager : lease.managers) {
    const RelayPair pair{lease.chain.back(), manager};
    if (relays_.carry(pair)) changed_relays_.emplace_back(pair, true);
  }
}

void SiteManager::stop_carrying(Step& s, const Lease& lease) {
  if (!lease.upstream && !lease.downstream) return;
  for (const Party& manager : lease.managers) relays_.drop(s.now, {lease.chain.back(), manager});
}

}  // namespace dmm
