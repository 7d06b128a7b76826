// What resource managers register; see providers.hpp.
#include "sitemgr/providers.hpp"

#include <algorithm>
#include <utility>

#include "manager/assert.hpp"
#include "protocol/inventory.hpp"
#include "protocol/text.hpp"

namespace dmm {
namespace {

/// Ranges of nodes that a part of an offer lists: those that are leased, and those that aren't clean.
std::size_t ranges_of(const Register& part) {
  std::size_t ranges = part.dirty.size() + part.leased.size();
  for (const NodeSet& nodes : part.leased) ranges += nodes.size();
  return ranges;
}

/// Why what a resource manager says about its nodes makes no sense; empty if it does.
WhyNot fault_of_leases(const Register& offer) {
  if (offer.leases.size() != offer.leased.size()) return "each lease needs its nodes";
  NodeSet all;
  for (const NodeSet& nodes : offer.leased) {
    if (!is_well_formed(nodes) || nodes.empty()) return "the nodes of a lease are malformed";
    if (overlap(nodes, all)) return "a node is under two leases";
    all = unite(all, nodes);
  }
  if (!is_well_formed(offer.dirty) || overlap(offer.dirty, all)) return "the dirty nodes are malformed";
  all = unite(all, offer.dirty);
  if (!all.empty() && all.back().last >= offer.nodes) return "a node is beyond the last one";
  return {};
}

}  // namespace

Providers::Heard Providers::hear(const Party& provider, Register& part) {
  DMM_ASSERT(provider.role == Role::resource_manager);
  Register& so_far = registering_[provider];
  // Leases share no node, so there are no more leases, nor ranges of nodes, than nodes.
  const std::size_t most = std::min(part.nodes, nodes_per_manager_max);
  std::string fault;
  if (so_far.leases.size() + part.leases.size() > most) fault = "there are more leases than nodes";
  if (fault.empty() && ranges_of(so_far) + ranges_of(part) > most * 2) fault = "it names more nodes than it has";
  if (fault.empty() && !assemble(so_far, part)) {
    DMM_ASSERT(so_far.leases.size() <= most);  // what is kept of it is bounded
    return std::monostate{};
  }
  registering_.erase(provider);
  if (fault.empty()) fault = fault_of_leases(part);
  if (!fault.empty()) return fault;
  return std::move(part);
}

WhyNot Providers::fault_of(const Register& offer, const NodeOffer& nodes, const OwnedNodes& owned,
                           const SiteName& site, Epoch latest) {
  DMM_ASSERT(nodes.nodes == offer.nodes && nodes.cluster == offer.cluster);  // both say the same
  if (std::string fault = owned.fault_of(nodes); !fault.empty()) return fault;
  // A lease that we have yet to make can't be assigned: our clock or our directory was put back, or the resource
  // manager errs. Either way its nodes would obey nothing that we say.
  for (const LeaseId& id : offer.leases)
    if (id.owner != site || latest < id.epoch)
      return "it names the lease " + to_text(id) +
             ", which this site manager has not made: is the directory of one of the two " + "an older copy?";
  return {};
}

std::optional<Party> Providers::take_lost(Instant now) {
  Party lost;
  if (!lost_at_.take(now, lost)) return std::nullopt;
  DMM_ASSERT(!lost_at_.contains(lost));  // it is lost once
  return lost;
}

void Providers::write(const OwnedNodes& owned, LedgerChanges<SiteRecord>& ledger) {
  if (changed_.empty()) return;
  for (const Party& provider : std::exchange(changed_, {})) {
    const NodeOffer* offer = owned.find_offer(provider);
    DMM_ASSERT(!offer || offer->manager == provider);
    if (offer)
      ledger.put(OfferRecord{*offer});
    else
      ledger.erase(OfferRecord{{.manager = provider, .cluster = {}, .properties = {}, .absent = {}}});
  }
}

void Providers::add_records(const OwnedNodes& owned, std::vector<SiteRecord>& rows) {
  for (NodeOffer& offer : owned.offers()) rows.emplace_back(OfferRecord{std::move(offer)});
}

}  // namespace dmm
