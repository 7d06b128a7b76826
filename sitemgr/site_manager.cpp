// The gate of the site manager, the order of its steps, and when it wants the next one.
#include "sitemgr/site_manager.hpp"

#include <algorithm>

#include "sitemgr/comparing.hpp"
#include "sitemgr/delegating.hpp"
#include "sitemgr/experience.hpp"
#include "sitemgr/gathering.hpp"
#include "sitemgr/hinting.hpp"
#include "sitemgr/holding.hpp"
#include "sitemgr/job_managers.hpp"
#include "sitemgr/leasing.hpp"
#include "sitemgr/links.hpp"
#include "sitemgr/orders.hpp"
#include "sitemgr/owning.hpp"
#include "sitemgr/passing_on.hpp"
#include "sitemgr/pool.hpp"
#include "sitemgr/prefetching.hpp"
#include "sitemgr/reclaiming.hpp"
#include "sitemgr/reconciling.hpp"
#include "sitemgr/reconfiguring.hpp"
#include "sitemgr/recovery.hpp"
#include "sitemgr/refusing.hpp"
#include "sitemgr/renewing.hpp"
#include "sitemgr/serving.hpp"
#include "sitemgr/surveying.hpp"
#include "sitemgr/views.hpp"
#include "sitemgr/waiting.hpp"

namespace dmm {

using namespace site_steps;

namespace {

/// When time alone calls for what `sweep` does.
Instant next_sweep(const SiteParts& parts) {
  return std::min({parts.leases.next_deadline(), parts.users.next_deadline(), parts.providers.next_deadline(),
                   parts.transit.next_deadline(), parts.relays.next_deadline(),
                   parts.reconciliation.next_deadline(), parts.targets.next_deadline(),
                   parts.renewals.next_deadline(parts.neighbours, parts.leases)});
}

/// What time calls for, part by part.
void sweep(SiteStep& s) {
  if (s.now < next_sweep(s.parts)) return;
  renew_links(s);
  expire_leases(s);
  job_managers_due(s);
  end_unvouched(s);
  while (const std::optional<Party> lost = s.parts.providers.take_lost(s.now)) lose_nodes(s, *lost);
  while (std::optional<Foreign> overdue = s.parts.transit.take_overdue(s.now))
    on_no_answer(s, std::move(*overdue), RejectReason::no_answer);
  s.parts.transit.end_parking(s.now);
  s.parts.relays.sweep(s.now);
  s.parts.targets.end_backoffs(s.now);
}

}  // namespace

SiteManager::SiteManager(SiteSettings settings, std::uint64_t incarnation)
    : parts_(std::move(settings), incarnation) {}

SiteManager::SiteManager(SiteManager&&) noexcept = default;
SiteManager& SiteManager::operator=(SiteManager&&) noexcept = default;
SiteManager::~SiteManager() = default;

// ---- a step ---------------------------------------------------------------------------------------------------------

void SiteManager::receive(Instant now, Received&& message, Effects& effects) {
  SiteStep s{parts_, now, effects};
  take(s, message);
}

void SiteManager::receive(Instant now, Input input, Effects& effects) {
  SiteStep s{parts_, now, effects};
  std::visit(
      [&](auto& event) {
        if constexpr (std::is_same_v<std::decay_t<decltype(event)>, Received>)
          take(s, event);
        else
          on(s, event);
      },
      input);
}

// Matchmaking runs before delegation, so what can start here isn't sent away; local requests come before foreign ones;
// hints come after all that changes what is free; the ledger has what the whole step changed.
void SiteManager::settle(Instant now, Effects& effects) {
  SiteStep s{parts_, now, effects};
  SiteParts& parts = parts_;
  run_due(s);
  sweep(s);
  end_broken(s);
  do_chores(s);
  refuse_hopeless(s);
  update_reservation(parts, now);
  if (parts.matcher.is_due(now)) {
    match_local(s);
    if (!parts.matcher.is_matching()) match_foreign(s);
  }
  match_pool(s);
  if (!parts.matcher.is_matching() && parts.search.is_due(now)) {
    for (Foreign& foreign : parts.transit.take_kept()) pass_on(s, std::move(foreign));
    delegate_local(s);
  }
  if (!parts.matcher.is_matching()) gather(s);
  reclaim_for_local(s);
  end_broken(s);
  parts.lending.update_turn(now, parts.lending_site());
  tell_restated(s);
  tell_wanted(s);
  tell_reach(s);
  send_hints(s);
  write_ledger(s);
  parts.transit.unpark(parts.owned.freed());
  const bool work = parts.queue.size() > 0 || parts.transit.has_work();
  parts.matcher.want(now, work);
  parts.search.want(now, work);
}

Instant SiteManager::next_deadline() const {
  const SiteParts& parts = parts_;
  const bool is_open = parts.matcher.makes_way(parts.queue) && parts.settings.matchmaking_cycle == Duration{};
  if (parts.users.has_chores() || parts.feasibility.goes_on() || parts.matcher.is_matching() || is_open)
    return Instant{};
  return std::min({parts.queue.next_due(), next_sweep(parts), parts.reservation.next_deadline(),
                   reclaim_due(parts), parts.lending.next_deadline(parts.lending_site()),
                   parts.hints.next_deadline(), parts.matcher.next_deadline(), parts.search.next_deadline(),
                   parts.co_allocator.next_deadline()});
}

// ---- the gate -------------------------------------------------------------------------------------------------------

void SiteManager::take(SiteStep& s, Received& in) {
  const bool is_site = in.from.role == Role::site_manager;
  const std::optional<std::size_t> neighbour = is_site ? parts_.neighbours.find(in.from.site) : std::nullopt;
  if (is_site && !neighbour) return parts_.ignore("not_a_neighbour");
  if (neighbour && in.round_trip > Duration{}) parts_.neighbours[*neighbour].round_trip = in.round_trip;
  if (neighbour && !in.hint.empty()) on_hint(s, *neighbour, std::move(in.hint));
  const bool is_own = !std::holds_alternative<Relay>(in.message);
  if (!hand(s, in, neighbour)) parts_.ignore("not_allowed");
  // After the handler: a job manager's first message makes the job manager known.
  if (is_own && in.from.role == Role::job_manager) parts_.users.note_round_trip(in.from, in.round_trip);
}

/// To the handler for this message from a sender of this role; false: protocol/verbs.hpp has none.
bool SiteManager::hand(SiteStep& s, Received& in, std::optional<std::size_t> neighbour) {
  const auto handle = [&]<class Sender, class Body>(const Sender& sender, Body& body) requires requires {
    on(s, sender, body);
  }
  { on(s, sender, body); };
  const FromSite sender{in.from, neighbour.value_or(0), in.proved};
  return dispatch_by_role<Role::site_manager>(sender, in.message, handle);
}

// ---- the public face ------------------------------------------------------------------------------------------------

void SiteManager::restore(Instant now, std::vector<SiteRecord> rows) {
  site_steps::restore(parts_, now, std::move(rows));
}
std::vector<SiteRecord> SiteManager::records() const { return records_of(parts_); }

std::size_t SiteManager::reclaim(Instant now, const std::string& lease_or_site, Duration grace, Effects& effects) {
  SiteStep s{parts_, now, effects};
  return site_steps::reclaim(s, lease_or_site, grace);
}
bool SiteManager::drain(Instant now, const SiteName& site, Effects& effects) {
  SiteStep s{parts_, now, effects};
  return site_steps::drain(s, site);
}
bool SiteManager::may_drain(const SiteName& site) const { return site_steps::may_drain(parts_, site); }
bool SiteManager::resume(Instant now, const SiteName& site, Effects& effects) {
  SiteStep s{parts_, now, effects};
  return site_steps::resume(s, site);
}
WhyNot SiteManager::forget(Instant now, const ShortText& resource_manager, Effects& effects) {
  SiteStep s{parts_, now, effects};
  return site_steps::forget(s, resource_manager);
}
bool SiteManager::expect(const ShortText& resource_manager, Instant until) {
  return parts_.owned.expect(resource_manager_of(parts_.settings.name, resource_manager), until);
}
WhyNot SiteManager::reconfigure(Instant now, const SiteSettings& settings, Effects& effects) {
  SiteStep s{parts_, now, effects};
  return site_steps::reconfigure(s, settings);
}

SiteView SiteManager::view(Instant now) const { return view_of(parts_, now); }
WaitView SiteManager::wait_of(Instant now, const RequestId& request) const {
  return site_steps::wait_of(parts_, now, request);
}
WaitView SiteManager::why(Instant now, const RequestId& request) const {
  return site_steps::why(parts_, now, request);
}
std::vector<NodesView> SiteManager::nodes() const { return nodes_of(parts_); }
bool SiteManager::quiet() const { return is_quiet(parts_); }
void SiteManager::check_invariants() const { site_steps::check_invariants(parts_); }

}  // namespace dmm
