// The steps of links.hpp.
#include "sitemgr/links.hpp"

#include <algorithm>

#include "protocol/text.hpp"
#include "sitemgr/delegating.hpp"
#include "sitemgr/gathering.hpp"
#include "sitemgr/job_managers.hpp"
#include "sitemgr/owning.hpp"
#include "sitemgr/passing_on.hpp"
#include "sitemgr/reclaiming.hpp"
#include "sitemgr/reconciling.hpp"
#include "sitemgr/renewing.hpp"

namespace dmm::site_steps {

static void neighbour_up(SiteStep& s, std::size_t n, bool restarted);

void on(SiteStep& s, LinkUp& up) {
  s.effects.log(Level::debug, "link_up", {}, {{"peer", to_text(up.peer)}, {"restarted", up.restarted}});
  switch (up.peer.role) {
    case Role::site_manager:
      if (const auto n = s.parts.neighbours.find(up.peer.site)) {
        if (up.round_trip > Duration{}) s.parts.neighbours[*n].round_trip = up.round_trip;
        neighbour_up(s, *n, up.restarted);
      }
      break;
    case Role::resource_manager: resource_manager_up(s, up.peer, up.restarted); break;
    case Role::job_manager:
      job_manager_up(s, up.peer, up.restarted);
      s.parts.users.note_round_trip(up.peer, up.round_trip);
      break;
    case Role::client: break;
  }
}

void on(SiteStep& s, LinkDown& down) {
  s.effects.log(Level::warning, "link_down", {}, {{"peer", to_text(down.peer)}});
  if (down.peer.role == Role::resource_manager && s.parts.owned.knows(down.peer)) {
    s.parts.owned.set_up(down.peer, false);
    s.parts.providers.silent(down.peer, s.now + s.parts.settings.term);
  }
  if (down.peer.role == Role::job_manager) s.parts.users.went_down(s.now, down.peer, s.parts.settings);
  const auto n = down.peer.role == Role::site_manager ? s.parts.neighbours.find(down.peer.site) : std::nullopt;
  if (!n) return;
  neighbour_down(s, *n);
  for (const LeaseId& id : s.parts.leases.down(*n)) {
    HopLease& lease = *s.parts.leases.find(id);
    const Instant vouched = std::max(s.now - down.vouched, lease.granted);
    lease.downstream_until = std::min(lease.downstream_until, promised_until(s.parts, vouched, lease));
    s.parts.leases.watch(lease);
  }
}

void on(SiteStep& s, LinkPressed& change) {
  if (change.peer.role != Role::site_manager) return;
  const auto n = s.parts.neighbours.find(change.peer.site);
  if (!n) return;
  s.parts.targets.set_pressed(*n, change.pressed);
}

void neighbour_up(SiteStep& s, std::size_t n, bool restarted) {
  s.parts.neighbours.set_up(n, s.now, true);
  for (const LeaseId& id : s.parts.leases.down(n)) s.parts.leases.find(id)->downstream_until = never;
  s.parts.hints.came_up(n);
  s.parts.targets.came_up(n);
  s.parts.feasibility.came_up(n, restarted);
  if (!restarted) return;
  lose_questions(s, n);
  begin_reconciliation(s, n);
}

void lose_questions(SiteStep& s, std::size_t n) {
  neighbour_down(s, n);
  s.parts.neighbours.set_up(n, s.now, true);
  for (const Foreign& foreign : s.parts.transit.lose(n)) withdraw_passed(s, foreign);
}

void neighbour_down(SiteStep& s, std::size_t n) {
  s.parts.neighbours.set_up(n, s.now, false);
  s.parts.targets.went_down(n);
  s.parts.lending.went_down(s.now, n);
  std::vector<LocalRequest*> out;
  for (const auto& [arrival, request] : s.parts.queue.out_at(n)) out.push_back(request);
  for (LocalRequest* request : out) {
    withdraw(s, *request);
    on_answer(s, *request, RejectReason::link_down);
  }
  parts_unreachable(s, n);
  s.parts.speeds.lose(n);
  for (Foreign& foreign : s.parts.transit.take_passed_to(n))
    on_no_answer(s, std::move(foreign), RejectReason::link_down);
}

// ---- relays --------------------------------------------------------------------------------------------------------

template <class Sender>
void pass_relay(SiteStep& s, const Sender& from, Relay& relay) {
  const auto knows = [&](const Party& receiver) {
    return receiver.role == Role::job_manager ? s.parts.users.knows(receiver) : s.parts.owned.knows(receiver);
  };
  if (!s.parts.relays.may(relay, from.party, knows)) {
    if constexpr (std::is_same_v<Sender, FromSite>) s.parts.refuse(from.neighbour, "relay");
    return;
  }
  const std::uint32_t next = relay.position + 1;
  if (next == relay.path.size()) {
    const Party to = relay.to;
    return s.effects.send(to, std::move(relay));
  }
  const auto on = s.parts.neighbours.find(relay.path[next]);
  if (!on || !s.parts.neighbours[*on].up) return s.parts.ignore("link_down");
  relay.position = next;
  send(s, *on, std::move(relay), {});
}

void on(SiteStep& s, FromSite from, Relay& relay) { pass_relay(s, from, relay); }
void on(SiteStep& s, FromUser from, Relay& relay) { pass_relay(s, from, relay); }
void on(SiteStep& s, FromProvider from, Relay& relay) { pass_relay(s, from, relay); }

}  // namespace dmm::site_steps
