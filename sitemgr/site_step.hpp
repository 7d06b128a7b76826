// The parts of a site manager, and one step over them. Each part owns its state and is changed by its public
// functions alone. What happens over several parts in one step is in files of free functions beside this one, by
// subject (docs/architecture.md section 3.2 has the tables).
#pragma once

#include "manager/dispatch.hpp"
#include "sitemgr/accounts.hpp"
#include "sitemgr/cluster_board.hpp"
#include "sitemgr/cluster_errors.hpp"
#include "sitemgr/co_allocator.hpp"
#include "sitemgr/communication.hpp"
#include "sitemgr/drains.hpp"
#include "sitemgr/ended_leases.hpp"
#include "sitemgr/feasibility.hpp"
#include "sitemgr/hint_board.hpp"
#include "sitemgr/holds.hpp"
#include "sitemgr/home_search.hpp"
#include "sitemgr/kept_replicas.hpp"
#include "sitemgr/lease_book.hpp"
#include "sitemgr/lending.hpp"
#include "sitemgr/link_speeds.hpp"
#include "sitemgr/matcher.hpp"
#include "sitemgr/neighbours.hpp"
#include "sitemgr/owned_nodes.hpp"
#include "sitemgr/placer.hpp"
#include "sitemgr/providers.hpp"
#include "sitemgr/reconciliation.hpp"
#include "sitemgr/relays.hpp"
#include "sitemgr/renewals.hpp"
#include "sitemgr/request_queue.hpp"
#include "sitemgr/reservation.hpp"
#include "sitemgr/settings.hpp"
#include "sitemgr/site_view.hpp"
#include "sitemgr/targets.hpp"
#include "sitemgr/transfer_rates.hpp"
#include "sitemgr/transit.hpp"
#include "sitemgr/users.hpp"

namespace dmm {

struct SiteManagerEffects : Effects {
  LedgerChanges<SiteRecord> ledger;
};

struct SiteParts {
  /// `incarnation` is greater at each start.
  SiteParts(SiteSettings all_settings, std::uint64_t number);

  SiteSettings settings;
  std::uint64_t incarnation;
  Placer placer;
  OwnedNodes owned;
  Providers providers;
  RequestQueue queue;
  Neighbours neighbours;
  Feasibility feasibility;
  Targets targets;
  Transit transit;
  Reservation reservation;
  Matcher matcher;
  Drains drains;
  Lending lending;
  HomeSearch search;
  ClusterBoard board;
  LinkSpeeds speeds;
  TransferRates transfer_rates;
  ClusterErrors cluster_errors;
  KeptReplicas kept_replicas;
  Communication communication;
  CoAllocator co_allocator;
  Holds holds;
  LeaseBook leases;
  EndedLeases ended;
  Relays relays;
  Reconciliation reconciliation;
  HintBoard hints;
  Renewals renewals;
  Accounts accounts;
  Users users;
  Ignored ignored;

  // ---- what parts look at ----
  Feasibility::Site capacity() const { return {settings, owned, neighbours, placer}; }
  Lending::Site lending_site() const {
    return {settings, owned, queue, neighbours, leases, placer, reservation, transit, drains};
  }
  HomeSearch::Site search_site() const {
    return {settings, owned, neighbours, matcher, reservation, drains, feasibility, capacity()};
  }
  HintBoard::Sources hint_sources() const {
    return {owned.changes(),  queue.totals().claim_changes(), reservation.changes(), lending.changes(),
            drains.changes(), neighbours.revision()};
  }

  Party party(std::size_t n) const { return site_manager_of(neighbours[n].site); }
  /// Counts what a neighbour said that is refused, cut short or not believed.
  void refuse(std::size_t n, std::string_view what) { ++neighbours[n].refused[what]; }
  /// Counts a message that is let pass.
  void ignore(std::string_view reason) { ++ignored[reason]; }
};

/// One step of a site manager: its parts, the moment, and where its effects go.
struct SiteStep {
  SiteParts& parts;
  Instant now;
  SiteManagerEffects& effects;
};

namespace site_steps {

/// To a neighbour. What we say carries what there is to tell of our capacity.
void send(SiteStep& s, std::size_t n, Message message, const RequestId& trace);

}  // namespace site_steps
}  // namespace dmm
