// The gate of the site manager, links that come and go, and what time calls for.
#include "sitemgr/site_manager.hpp"

#include <algorithm>

#include "manager/assert.hpp"
#include "protocol/text.hpp"

namespace dmm {
namespace {

/// For so long after its last lease a pair may speak through us: output is kept for an hour where it was written.
constexpr Duration relay_memory = seconds(4'000);

}  // namespace

SiteManager::SiteManager(SiteSettings settings, std::uint64_t incarnation)
    : settings_(std::move(settings)),
      incarnation_(incarnation),
      placer_{find_placement(settings_.placement_policy), find_placement(settings_.flexible_policy)},
      owned_(settings_.name, settings_.clusters),
      queue_(*find_dispatch(settings_.dispatching_policy), *find_delegation(settings_.delegation_policy), settings_.neighbours.size()),
      neighbours_(settings_.neighbours),
      feasibility_(settings_.neighbours.size()),
      targets_(find_targets(settings_.target_policy), settings_.neighbours.size(), settings_.window_first),
      transit_(settings_, settings_.neighbours.size()),
      matcher_(*find_dispatch(settings_.dispatching_policy), settings_.matchmaking_cycle),
      lending_(settings_),
      search_(settings_.delegation_cycle),
      leases_(settings_.neighbours.size(), settings_.offer),
      relays_(settings_.name, relay_memory),
      reconciliation_(settings_.name, settings_.neighbours.size()),
      hints_(settings_.neighbours.size()),
      renewals_(settings_.neighbours.size()),
      accounts_(settings_.usage_records_max),
      users_(settings_.name) {
  DMM_ASSERT(placer_.fixed && placer_.flexible);
}

SiteManager::SiteManager(SiteManager&&) noexcept = default;
SiteManager& SiteManager::operator=(SiteManager&&) noexcept = default;
SiteManager::~SiteManager() = default;

void SiteManager::receive(Instant now, Received&& message, Effects& effects) {
  Step s{now, effects};
  on(s, message);
}

void SiteManager::receive(Instant now, Input input, Effects& effects) {
  Step s{now, effects};
  std::visit([&](auto& event) { on(s, event); }, input);
}

void SiteManager::settle(Instant now, Effects& effects) {
  Step s{now, effects};
  run_due(s);
  sweep(s);
  do_chores(s);
  refuse_hopeless(s);
  update_reservation(now);
  if (matcher_.is_due(now)) {
    match_local(s);
    // Who was kept for this pass, and didn't start in it, may ask others now.
    if (settings_.keep_local && settings_.matchmaking_cycle != Duration{}) search_.changed();
    if (!matcher_.is_matching()) match_foreign(s);  // who was first stays first
  }
  match_pool(s);
  if (!matcher_.is_matching() && search_.is_due(now)) {
    for (Foreign& foreign : transit_.take_kept()) pass_on(s, std::move(foreign));
    delegate_local(s);
  }
  reclaim_for_local(s);
  if (lending_.update_turn(now, lending_site())) hints_.changed();
  tell_restated(s);
  tell_wanted(s);
  tell_reach(s);
  send_hints(s);
  write_ledger(s);
  const bool work = cycles_wanted();
  matcher_.want(now, work);
  search_.want(now, work);
}

Instant SiteManager::next_deadline() const {
  const bool goes_on = users_.has_chores() || feasibility_.goes_on() || matcher_.is_matching();
  if (goes_on || (matcher_.makes_way(queue_) && settings_.matchmaking_cycle == Duration{})) return Instant{};
  return std::min({queue_.next_due(), next_due(), hints_.next_deadline(), matcher_.next_deadline(),
                   search_.next_deadline()});
}

bool SiteManager::cycles_wanted() const {
  return queue_.size() > 0 || transit_.has_work();
}

// ---- the gate ------------------------------------------------------------------------------------------------------

void SiteManager::on(Step& s, Received& in) {
  const std::optional<std::size_t> neighbour =
      in.from.role == Role::site_manager ? neighbours_.find(in.from.site) : std::nullopt;
  if (in.from.role == Role::site_manager && !neighbour) return ignore("not_a_neighbour");
  if (neighbour && in.round_trip > Duration{}) neighbours_[*neighbour].round_trip = in.round_trip;
  if (neighbour && !in.hint.empty()) on_hint(s, *neighbour, std::move(in.hint));
  const bool is_own = !std::holds_alternative<Relay>(in.message);
  hand(s, in, neighbour);
  // After the handler: a job manager's first message makes the job manager known.
  if (is_own && in.from.role == Role::job_manager) users_.note_round_trip(in.from, in.round_trip);
}

/// To the handler for this message from a sender of this role (protocol/verbs.hpp has all of them).
void SiteManager::hand(Step& s, Received& in, std::optional<std::size_t> neighbour) {
  const auto handle = [&]<class Sender, class Body>(const Sender& sender, Body& body)
    requires requires { this->on(s, sender, body); }
  { this->on(s, sender, body); };
  const auto give = [&](const auto& sender) {
    if (!dispatch<Role::site_manager>(sender, in.message, handle)) ignore("not_allowed");
  };
  switch (in.from.role) {
    case Role::site_manager: return give(FromSite{in.from, *neighbour, in.proved});
    case Role::job_manager: return give(FromUser{in.from});
    case Role::resource_manager: return give(FromProvider{in.from});
    case Role::client: return give(FromClient{in.from});
  }
}

void SiteManager::on(Step& s, FromSite from, Relay& relay) { pass_relay(s, from, relay); }
void SiteManager::on(Step& s, FromUser from, Relay& relay) { pass_relay(s, from, relay); }
void SiteManager::on(Step& s, FromProvider from, Relay& relay) { pass_relay(s, from, relay); }

template <class Sender>
void SiteManager::pass_relay(Step& s, const Sender& from, Relay& relay) {
  const auto knows = [&](const Party& receiver) {
    return receiver.role == Role::job_manager ? users_.knows(receiver) : owned_.knows(receiver);
  };
  if (!relays_.may(relay, from.party, knows)) {
    if constexpr (std::is_same_v<Sender, FromSite>) refuse(from.neighbour, "relay");
    return;
  }
  const std::uint32_t next = relay.position + 1;
  if (next == relay.path.size()) {
    const Party to = relay.to;
    return s.out.send(to, std::move(relay));
  }
  const auto on = neighbours_.find(relay.path[next]);
  if (!on || !neighbours_[*on].up) return ignore("link_down");
  relay.position = next;
  send(s, *on, std::move(relay), {});
}

// ---- links ---------------------------------------------------------------------------------------------------------

void SiteManager::on(Step& s, LinkUp& up) {
  s.out.log(Level::debug, "link_up", {}, {{"peer", to_text(up.peer)}, {"restarted", up.restarted}});
  switch (up.peer.role) {
    case Role::site_manager:
      if (const auto n = neighbours_.find(up.peer.site)) {
        if (up.round_trip > Duration{}) neighbours_[*n].round_trip = up.round_trip;
        neighbour_up(s, *n, up.restarted);
      }
      break;
    case Role::resource_manager:
      resource_manager_up(s, up.peer, up.restarted);
      break;
    case Role::job_manager:
      job_manager_up(s, up.peer, up.restarted);
      users_.note_round_trip(up.peer, up.round_trip);
      break;
    case Role::client: break;
  }
}

void SiteManager::on(Step& s, LinkDown& down) {
  s.out.log(Level::warning, "link_down", {}, {{"peer", to_text(down.peer)}});
  if (down.peer.role == Role::resource_manager && owned_.knows(down.peer)) {
    owned_.set_up(down.peer, false);
    providers_.silent(down.peer, s.now + settings_.term);
  }
  if (down.peer.role == Role::job_manager) users_.went_down(s.now, down.peer, settings_);
  const auto n = down.peer.role == Role::site_manager ? neighbours_.find(down.peer.site) : std::nullopt;
  if (!n) return;
  neighbour_down(s, *n);
  for (const LeaseId& id : leases_.down(*n)) {
    Lease& lease = *leases_.find(id);
    lease.downstream_until = std::min(lease.downstream_until, promised_until(s.now - down.vouched, lease));
    leases_.watch(lease);
  }
}

void SiteManager::on(Step&, LinkPressed& change) {
  if (change.peer.role != Role::site_manager) return;
  const auto n = neighbours_.find(change.peer.site);
  if (!n) return;
  targets_.set_pressed(*n, change.pressed);
  search_.changed();
}

void SiteManager::neighbour_up(Step& s, std::size_t n, bool restarted) {
  Neighbour& neighbour = neighbours_[n];
  neighbours_.set_up(n, s.now, true);
  for (const LeaseId& id : leases_.down(n)) leases_.find(id)->downstream_until = never;
  hints_.came_up(n);
  targets_.came_up(n);
  hints_.changed();
  search_.changed();
  if (!restarted) return;
  feasibility_.forget_told(n);
  lose_questions(s, n);
  begin_reconciliation(s, n);
}

// A new session: whatever was asked in the old one, nobody will answer.
void SiteManager::lose_questions(Step& s, std::size_t n) {
  neighbour_down(s, n);
  neighbours_.set_up(n, s.now, true);
  for (const Foreign& foreign : transit_.lose(n)) withdraw_passed(s, foreign);
}

void SiteManager::neighbour_down(Step& s, std::size_t n) {
  neighbours_.set_up(n, s.now, false);
  targets_.went_down(n);
  lending_.went_down(s.now, n);
  hints_.changed();
  search_.changed();
  std::vector<LocalRequest*> out;
  for (const auto& [arrival, request] : queue_.out_at(n)) out.push_back(request);
  for (LocalRequest* request : out) {
    withdraw(s, *request);
    on_answer(s, *request, RejectReason::link_down);
  }
  for (Foreign& foreign : transit_.take_passed_to(n)) on_no_answer(s, std::move(foreign), RejectReason::link_down);
}

/// What we say carries what there is to tell of our capacity.
void SiteManager::send(Step& s, std::size_t n, Message message, const RequestId& trace) {
  CapacityHint hint;
  if (settings_.use_hints && hints_.has_news() && neighbours_[n].up)
    hint = hints_.take_along(s.now, n, own_hint(s.now, n), neighbours_, settings_.hint_distance);
  s.out.messages.emplace_back(party(n), std::move(message), trace, std::move(hint));
}

// ---- what time calls for -------------------------------------------------------------------------------------------

void SiteManager::sweep(Step& s) {
  if (s.now < next_due()) return;
  renew_links(s);
  expire_leases(s);
  job_managers_due(s);
  end_unvouched(s);
  while (const std::optional<Party> lost = providers_.take_lost(s.now)) lose_nodes(s, *lost);
  while (std::optional<Foreign> overdue = transit_.take_overdue(s.now))
    on_no_answer(s, std::move(*overdue), RejectReason::no_answer);
  relays_.sweep(s.now);
  if (targets_.take_backoffs(s.now)) search_.changed();
}

Instant SiteManager::next_due() const {
  Instant next = std::min({leases_.next_deadline(), users_.next_deadline(), providers_.next_deadline(),
                           transit_.next_deadline(), relays_.next_deadline(), reconciliation_.next_deadline(),
                           targets_.next_deadline()});
  next = std::min({next, reservation_.next_deadline(), lending_.next_deadline(lending_site())});
  return std::min({next, renewals_.next_deadline(neighbours_, leases_), reclaim_due()});
}

}  // namespace dmm
