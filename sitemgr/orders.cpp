// What the owner orders: nodes come back before their lease ends, a borrower is lent nothing more. Owners come first:
// what they say holds at once, whatever a lease had promised (docs/operations.md).
#include <algorithm>

#include "protocol/text.hpp"
#include "sitemgr/site_manager.hpp"

namespace dmm {

std::size_t SiteManager::reclaim(Instant now, const std::string& whose, Duration grace, Effects& effects) {
  Step s{now, effects};
  std::size_t taken = 0;
  for (const LeaseId& id : leases_.all()) {
    Lease& lease = *leases_.find(id);
    if (lease.upstream || lease.chain.empty()) continue;
    const bool is_lent = lease.downstream.has_value();
    // A neighbour that passes nodes on answers for them, too.
    const bool is_theirs =
        is_lent && (lease.chain.back().text == whose || neighbours_[*lease.downstream].site.text == whose);
    const bool is_meant = whose.empty() ? is_lent : to_text(id) == whose || is_theirs;
    if (!is_meant) continue;
    reclaim(s, lease, grace, LeaseEnd::reclaimed);
    ++taken;
  }
  return taken;
}

/// The holder hears it at once; the resource managers ask what runs to end, and kill it after the grace.
void SiteManager::reclaim(Step& s, Lease& lease, Duration grace, LeaseEnd reason) {
  s.out.log(Level::info, "reclaim", lease.request,
            {{"lease", to_text(lease.id)},
             {"holder", lease.chain.back().text},
             {"reason", std::string(to_text(reason))},
             {"grace", grace.in_seconds()}});
  if (grace == end_of_job) {
    lease.wanted = true;
    return changed(s, lease);
  }
  if (lease.nodes.empty()) {
    // It is over already, but what runs on it may have been allowed to go on.
    lease.detached = false;
    changed(s, lease);
    each_manager(lease.cleaning, [&](const Party& manager, const NodeSet& nodes) {
      s.out.send(manager, Unassign{lease.id, nodes, grace, {}, reason}, lease.request);
    });
    return;
  }
  // Its nodes don't go to the same users again at once.
  if (lease.downstream) lending_.recalled(s.now, lease.chain.back(), s.now + settings_.reclaimed_rest);
  hints_.changed();
  tell_ended(s, lease, lease.nodes, reason, false, grace);
  clean(s, lease, {}, reason, false, grace);
}

bool SiteManager::drain(Instant now, const SiteName& site, Effects& effects) {
  if (!lending_.drain(site)) return false;
  Step s{now, effects};
  effects.log(Level::info, "drain", {}, {{"site", site.text}});
  // What it holds may end its present job, but nothing further is put on it.
  for (const LeaseId& id : leases_.all()) {
    Lease& lease = *leases_.find(id);
    const bool theirs = lease.downstream && (site == settings_.name || lease.chain.back() == site ||
                                             neighbours_[*lease.downstream].site == site);
    if (lease.upstream || !theirs) continue;
    lease.wanted = true;
    changed(s, lease);
  }
  hints_.changed();
  search_.changed();
  return true;
}

bool SiteManager::may_drain(const SiteName& site) const {
  if (site == settings_.name || neighbours_.find(site)) return true;
  return std::ranges::any_of(leases_.all(), [&](const LeaseId& id) {
    const Lease& lease = leases_.get(id);
    return !lease.upstream && lease.chain.back() == site;
  });
}

bool SiteManager::resume(Instant, const SiteName& site, Effects& effects) {
  if (!lending_.resume(site)) return false;
  effects.log(Level::info, "resume", {}, {{"site", site.text}});
  matcher_.look_again();
  hints_.changed();
  search_.changed();
  return true;
}

}  // namespace dmm
