// The gate of the site manager, and its links, resource managers and job managers coming and going.
#include "sitemgr/site_manager.hpp"

#include <algorithm>

#include "machine/assert.hpp"
#include "protocol/text.hpp"

namespace dmm {
SiteManager::SiteManager(SiteSettings settings, std::uint64_t incarnation)
    : settings_(std::move(settings)),
      incarnation_(incarnation),
      dispatch_(find_dispatch(settings_.dispatching_policy)),
      placement_(find_placement(settings_.placement_policy)),
      flexible_placement_(find_placement(settings_.flexible_policy)),
      targets_(find_targets(settings_.target_policy)),
      owned_(settings_.name, settings_.clusters),
      queue_(*dispatch_, *find_delegation(settings_.delegation_policy)),
      neighbours_(settings_.neighbours, settings_.window_first),
      leases_(settings_.neighbours.size(), settings_.offer),
      seen_(settings_.neighbours.size(), settings_.seen_memory, settings_.seen_max, settings_.seen_counts_dttl),
      usage_(settings_.usage_records_max),
      foreign_(settings_.neighbours.size()),
      match_cycle_(settings_.matchmaking_cycle),
      delegation_cycle_(settings_.delegation_cycle) {
  DMM_ASSERT(dispatch_ && placement_ && flexible_placement_ && targets_);
}

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
  if (match_cycle_.is_due(now)) match(s);
  match_pool(s);
  if (delegation_cycle_.is_due(now)) {
    for (Foreign& foreign : std::exchange(unserved_, {})) pass_on(s, std::move(foreign));
    delegate_local(s);
  }
  reclaim_for_local(s);
  send_hints(s);
  write_ledger(s);
  const bool work = cycles_wanted();
  match_cycle_.want(now, work);
  delegation_cycle_.want(now, work);
}

Instant SiteManager::next_deadline() const {
  // What left the queue after the matchmaking of a step no longer stands in the way of others: they are due at once.
  const bool makes_way = blocked_ && queue_.departures() != departures_seen_;
  if (makes_way && settings_.matchmaking_cycle == Duration{}) return Instant{};
  return std::min({queue_.next_due(), next_sweep_, hints_due_, match_cycle_.next(), delegation_cycle_.next()});
}

bool SiteManager::cycles_wanted() const {
  return queue_.size() > 0 || foreign_waiting_ > 0 || !unserved_.empty();
}

// ---- the gate ------------------------------------------------------------------------------------------------------

void SiteManager::on(Step& s, Received& in) {
  const std::optional<std::size_t> neighbour =
      in.from.role == Role::site_manager ? neighbours_.find(in.from.site) : std::nullopt;
  if (in.from.role == Role::site_manager && !neighbour) return;  // the endpoint admits configured neighbours only
  if (neighbour && !in.hint.empty()) on_hint(s, *neighbour, std::move(in.hint));
  if (auto* relay = std::get_if<Relay>(&in.message)) {
    // Source routed: the next site of the path, or the party itself at the end of it. Nothing is remembered.
    const std::uint32_t next = relay->position + 1;
    if (relay->position >= relay->path.size() || relay->path[relay->position] != settings_.name) return;
    if (next == relay->path.size()) {
      const bool known = relay->to.role == Role::job_manager ? job_managers_.contains(relay->to)
                                                             : relay->to.role == Role::resource_manager &&
                                                                   owned_.knows(relay->to);
      if (known) {
        const Party to = relay->to;
        s.out.send(to, std::move(*relay));
      }
    } else if (const auto n = neighbours_.find(relay->path[next])) {
      relay->position = next;
      send(s, *n, std::move(*relay), {});
    }
    return;
  }
  std::visit(
      [&](auto& message) {
        if constexpr (requires { on(s, *neighbour, message); }) {
          if (neighbour) return on(s, *neighbour, message);
        }
        if constexpr (requires { on(s, in.from, message); }) {
          if (!neighbour) return on(s, in.from, message);
        }
        using M = std::decay_t<decltype(message)>;
        if constexpr (std::is_same_v<M, Release>) on_release(s, neighbour, in.from, message);
        if constexpr (std::is_same_v<M, Renew>) on_renew(s, neighbour, in.from);
      },
      in.message);
}

// ---- links ---------------------------------------------------------------------------------------------------------

void SiteManager::on(Step& s, LinkUp& up) {
  s.out.log(Level::debug, "link_up", {}, {{"peer", to_text(up.peer)}, {"restarted", up.restarted}});
  switch (up.peer.role) {
    case Role::site_manager:
      if (const auto n = neighbours_.find(up.peer.site)) neighbour_up(s, *n, up.restarted);
      break;
    case Role::resource_manager:
      resource_manager_up(s, up.peer, up.restarted);
      break;
    case Role::job_manager:
      job_manager_up(s, up.peer, up.restarted);
      break;
    case Role::client: break;
  }
}

void SiteManager::on(Step& s, LinkDown& down) {
  s.out.log(Level::warning, "link_down", {}, {{"peer", to_text(down.peer)}});
  if (down.peer.role == Role::resource_manager && owned_.knows(down.peer)) {
    owned_.set_up(down.peer, false);
    lost_managers_.emplace(down.peer, s.now);
    sweep_at(s.now + settings_.term);
  }
  if (const auto user = job_managers_.find(down.peer); user != job_managers_.end()) {
    user->second.shelve_at = s.now + settings_.term;
    user->second.nodes_until = s.now + settings_.absent_job_manager;
    sweep_at(std::min(user->second.shelve_at, user->second.nodes_until));
  }
  if (down.peer.role == Role::site_manager)
    if (const auto n = neighbours_.find(down.peer.site)) neighbour_down(s, *n);
}

void SiteManager::neighbour_up(Step& s, std::size_t n, bool restarted) {
  Neighbour& neighbour = neighbours_[n];
  neighbours_.set_up(n, s.now, true);
  neighbour.told.clear();
  hints_dirty_ = true;
  sweep_at(s.now);  // what it holds or we hold may be due for renewal
  if (!restarted) return;
  lose_questions(s, n);
  open_books(s, n);
}

// A new session: whatever was asked in the old one, nobody will answer.
void SiteManager::lose_questions(Step& s, std::size_t n) {
  neighbour_down(s, n);
  neighbours_.set_up(n, s.now, true);
  std::erase_if(passed_, [&](const auto& entry) {
    const Foreign& foreign = entry.second;
    if (foreign.from != n) return false;
    send(s, foreign.target, Withdraw{entry.first.request, entry.first.part, entry.first.round}, entry.first.request);
    neighbours_.take_back(foreign.target, widest_component(foreign.delegate.request.need));
    return true;
  });
  foreign_waiting_ -= std::exchange(foreign_[n], {}).size();
  std::erase_if(unserved_, [n](const Foreign& foreign) { return foreign.from == n; });
}

void SiteManager::neighbour_down(Step& s, std::size_t n) {
  neighbours_.set_up(n, s.now, false);
  hints_dirty_ = true;
  std::vector<LocalRequest*> out;
  for (const auto& [arrival, request] : queue_.all())
    if (request->search == LocalRequest::Search::out && request->target == n) out.push_back(request.get());
  for (LocalRequest* request : out) {
    withdraw(s, *request);
    on_answer(s, *request, RejectReason::link_down);
  }
  std::vector<PartKey> passed;
  for (const auto& [key, foreign] : passed_)
    if (foreign.target == n) passed.push_back(key);
  for (const PartKey& key : passed) on_no_answer(s, key, RejectReason::link_down);
}

// ---- what time calls for -------------------------------------------------------------------------------------------

void SiteManager::sweep(Step& s) {
  if (s.now < next_sweep_) return;
  renew_links(s);
  expire_leases(s);
  std::vector<Party> silent;
  for (const auto& [party, user] : job_managers_)
    if (s.now >= std::min(user.shelve_at, user.nodes_until)) silent.push_back(party);
  for (const Party& party : silent) {
    JobManager& user = job_managers_[party];
    if (s.now >= user.shelve_at) shelve_requests(s, party, true);
    if (s.now >= user.nodes_until) take_back_from(s, party);
  }
  end_orphans(s);
  for (auto& [party, since] : lost_managers_) {
    if (since == never || s.now - since < settings_.term) continue;
    since = never;  // once
    lose_nodes(s, party);
  }
  std::vector<PartKey> overdue;
  for (const auto& [key, foreign] : passed_)
    if (s.now >= foreign.answer_by) overdue.push_back(key);
  for (const PartKey& key : overdue) on_no_answer(s, key, RejectReason::no_answer);
  next_sweep_ = next_due(s.now);
}

// The earliest of everything that a sweep looks at. In between, whatever gets a new deadline says so (sweep_at).
Instant SiteManager::next_due(Instant now) const {
  Instant next = leases_.next_deadline();
  for (std::size_t n = 0; n < neighbours_.size(); ++n) {
    if (neighbours_[n].up && !neighbours_[n].renew_sent && !leases_.up(n).empty())
      next = std::min(next, neighbours_[n].renew_due);
    for (const auto& [id, until] : neighbours_[n].orphans) next = std::min(next, until);
  }
  for (const auto& [party, user] : job_managers_) next = std::min({next, user.shelve_at, user.nodes_until});
  for (const auto& [party, since] : lost_managers_)
    if (since != never) next = std::min(next, since + settings_.term);
  for (const auto& [key, foreign] : passed_) next = std::min(next, foreign.answer_by);
  return std::max(next, now + microseconds(1));
}

}  // namespace dmm
