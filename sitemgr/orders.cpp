// The steps of orders.hpp.
#include "sitemgr/orders.hpp"

#include <algorithm>

#include "protocol/text.hpp"
#include "sitemgr/leasing.hpp"
#include "sitemgr/recovery.hpp"

namespace dmm::site_steps {

std::size_t reclaim(SiteStep& s, const std::string& lease_or_site, Duration grace) {
  std::size_t taken = 0;
  for (const LeaseId& id : s.parts.leases.all()) {
    HopLease& lease = *s.parts.leases.find(id);
    if (lease.upstream || lease.chain.empty()) continue;
    const bool is_lent = lease.downstream.has_value();
    // A neighbour that passes nodes on answers for them, too.
    const bool is_theirs = is_lent && (lease.chain.back().text == lease_or_site ||
                                       s.parts.neighbours[*lease.downstream].site.text == lease_or_site);
    const bool is_meant = lease_or_site.empty() ? is_lent : to_text(id) == lease_or_site || is_theirs;
    if (!is_meant) continue;
    reclaim(s, lease, grace, LeaseEnd::reclaimed);
    ++taken;
  }
  return taken;
}

void reclaim(SiteStep& s, HopLease& lease, Duration grace, LeaseEnd reason) {
  s.effects.log(Level::info, "reclaim", lease.request,
                {{"lease", to_text(lease.id)},
                 {"holder", lease.chain.back().text},
                 {"reason", std::string(to_text(reason))},
                 {"grace", grace.in_seconds()}});
  if (grace == end_of_job) {
    s.parts.leases.set_wanted(lease, true);
    return changed(s, lease);
  }
  if (lease.nodes.empty()) {
    // It is over already, but what runs on it may have been allowed to go on.
    lease.detached = false;
    changed(s, lease);
    each_manager(lease.cleaning, [&](const Party& manager, const NodeSet& nodes) {
      s.effects.send(manager, Unassign{lease.id, nodes, grace, {}, reason}, lease.request);
    });
    return;
  }
  // Its nodes don't go to the same users again at once.
  if (lease.downstream && reason != LeaseEnd::preempted)
    s.parts.lending.recalled(s.now, lease.chain.back(), s.now + s.parts.settings.reclaimed_rest);
  tell_ended(s, lease, lease.nodes, reason, false, grace);
  clean(s, lease, {}, reason, false, grace);
}

bool drain(SiteStep& s, const SiteName& site) {
  if (!s.parts.drains.drain(site)) return false;
  s.effects.log(Level::info, "drain", {}, {{"site", site.text}});
  // What it holds may end its present job, but nothing further is put on it.
  for (const LeaseId& id : s.parts.leases.all()) {
    HopLease& lease = *s.parts.leases.find(id);
    const bool theirs = lease.downstream && (site == s.parts.settings.name || lease.chain.back() == site ||
                                             s.parts.neighbours[*lease.downstream].site == site);
    if (lease.upstream || !theirs) continue;
    s.parts.leases.set_wanted(lease, true);
    changed(s, lease);
  }
  return true;
}

bool may_drain(const SiteParts& parts, const SiteName& site) {
  if (site == parts.settings.name || parts.neighbours.find(site)) return true;
  return std::ranges::any_of(parts.leases.all(), [&](const LeaseId& id) {
    const HopLease& lease = parts.leases.get(id);
    return !lease.upstream && lease.chain.back() == site;
  });
}

bool resume(SiteStep& s, const SiteName& site) {
  s.parts.lending.end_cooldown(site);
  if (!s.parts.drains.resume(site)) return false;
  s.effects.log(Level::info, "resume", {}, {{"site", site.text}});
  return true;
}

}  // namespace dmm::site_steps
