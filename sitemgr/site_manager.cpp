// The gate of the site manager, and its links, resource managers and job managers coming and going.
#include "sitemgr/site_manager.hpp"

#include <algorithm>

#include "machine/assert.hpp"
#include "protocol/text.hpp"

namespace dmm {
namespace {

/// Ranks by when a request began to wait, with a few bits to tell apart what came in the same microsecond.
constexpr std::int64_t rank_origin = std::int64_t{1} << 50;
constexpr std::uint64_t ranks_per_microsecond = 4096;

}  // namespace

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
      leases_(settings_.neighbours.size()),
      seen_(settings_.neighbours.size(), settings_.seen_memory, settings_.seen_max, settings_.seen_counts_dttl),
      usage_(settings_.usage_records_max),
      foreign_(settings_.neighbours.size()) {
  DMM_ASSERT(dispatch_ && placement_ && flexible_placement_ && targets_);
}

void SiteManager::receive(Instant now, Input input, Effects& effects) {
  Step s{now, effects};
  std::visit([&](auto& event) { on(s, event); }, input);
}

void SiteManager::settle(Instant now, Effects& effects) {
  Step s{now, effects};
  run_due(s);
  sweep(s);
  if (now >= next_match_) {
    match(s);
    if (settings_.matchmaking_cycle > Duration{}) next_match_ = now + settings_.matchmaking_cycle;
  }
  match_pool(s);
  if (now >= next_delegation_) {
    for (Foreign& foreign : std::exchange(unserved_, {})) pass_on(s, std::move(foreign));
    delegate_local(s);
    if (settings_.delegation_cycle > Duration{}) next_delegation_ = now + settings_.delegation_cycle;
  }
  send_hints(s);
}

Instant SiteManager::next_deadline() const {
  Instant due = std::min({queue_.next_due(), next_sweep_, hints_due_});
  const bool foreign_waits =
      std::any_of(foreign_.begin(), foreign_.end(), [](const auto& waiting) { return !waiting.empty(); });
  const bool work = queue_.size() > 0 || foreign_waits || !unserved_.empty();
  if (work && settings_.matchmaking_cycle > Duration{}) due = std::min(due, next_match_);
  if (work && settings_.delegation_cycle > Duration{}) due = std::min(due, next_delegation_);
  return due;
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
      if (relay->to.site == settings_.name && relay->to.role != Role::site_manager) {
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
      if (up.restarted) restarted_managers_.insert(up.peer);
      break;  // its Register follows
    case Role::job_manager:
      if (up.restarted) forget_job_manager(s, up.peer);
      job_managers_[up.peer].until = never;  // its beats speak for it while the link is up
      break;
    case Role::client: break;
  }
}

void SiteManager::on(Step& s, LinkDown& down) {
  s.out.log(Level::warning, "link_down", {}, {{"peer", to_text(down.peer)}});
  if (down.peer.role == Role::resource_manager && owned_.knows(down.peer)) {
    owned_.set_up(down.peer, false);
    lost_managers_.emplace(down.peer, s.now);
    next_sweep_ = std::min(next_sweep_, s.now + settings_.term / 10);
  }
  if (const auto user = job_managers_.find(down.peer); user != job_managers_.end()) {
    user->second.until = s.now + settings_.term;
    next_sweep_ = std::min(next_sweep_, s.now + settings_.term / 10);
  }
  if (down.peer.role == Role::site_manager)
    if (const auto n = neighbours_.find(down.peer.site)) neighbour_down(s, *n);
}

void SiteManager::neighbour_up(Step& s, std::size_t n, bool restarted) {
  Neighbour& neighbour = neighbours_[n];
  neighbour.up = true;
  neighbour.changed = s.now;
  neighbour.told.clear();
  hints_dirty_ = true;
  for (const auto& [arrival, request] : queue_.all())
    if (request->search == LocalRequest::Search::home) queue_.set_search(*request, LocalRequest::Search::ready);
  if (!restarted) return;
  // A new session: whatever the other side had promised or been promised, it no longer knows.
  neighbour.renew_sent.reset();
  neighbour_down(s, n);
  neighbour.up = true;
  std::erase_if(passed_, [&](const auto& entry) {
    const Foreign& foreign = entry.second;
    if (foreign.from != n) return false;
    send(s, foreign.target, Withdraw{entry.first.request, entry.first.part, entry.first.round}, entry.first.request);
    --neighbours_[foreign.target].outstanding;
    return true;
  });
  foreign_[n].clear();
  for (const LeaseId& id : std::set(leases_.up(n))) {
    Lease& lease = *leases_.find(id);
    tell_ended(s, lease, {}, LeaseEnd::owner_lost, false);
    account(s, lease, lease.nodes);
    close(s, lease);
  }
  for (const LeaseId& id : std::set(leases_.down(n))) end_lease(s, *leases_.find(id), LeaseEnd::expired);
}

void SiteManager::neighbour_down(Step& s, std::size_t n) {
  neighbours_[n].up = false;
  neighbours_[n].changed = s.now;
  neighbours_[n].debit = 0;
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

// ---- resource managers ---------------------------------------------------------------------------------------------

void SiteManager::on(Step& s, const Party& from, Register& offer) {
  if (restarted_managers_.erase(from) > 0 && owned_.knows(from)) {
    lose_nodes(s, from, true);
    owned_.reset(from);
  }
  const std::string fault = owned_.offer(from, offer);
  if (!fault.empty()) {
    s.out.log(Level::warning, "refuse", {}, {{"peer", to_text(from)}, {"why", fault}});
    s.out.send(from, Fault{Register::type, fault});
    return;
  }
  lost_managers_.erase(from);
  hints_dirty_ = true;
  s.out.log(Level::info, "register", {},
            {{"peer", to_text(from)}, {"cluster", offer.cluster.text}, {"nodes", std::int64_t{offer.nodes}}});
  recount_servable();
}

void SiteManager::recount_servable() {
  for (const auto& [arrival, request] : queue_.all()) {
    queue_.set_servable(*request, servable_when_idle(request->request.need));
    fresh_.push_back(request->request.id);
  }
}

void SiteManager::lose_nodes(Step& s, const Party& manager, bool confirmed) {
  for (const LeaseId& id : std::set(leases_.all())) {  // rare: a resource manager died
    Lease& lease = *leases_.find(id);
    if (lease.upstream) continue;
    std::vector<NodeGroup> lost;
    for (const NodeGroup& group : lease.nodes)
      if (group.resource_manager == manager) lost.push_back(group);
    if (!lost.empty()) tell_ended(s, lease, lost, LeaseEnd::node_lost, confirmed);
    if (!lost.empty() && !confirmed) clean(s, lease, lost);  // it will hear of it if it ever comes back
    if (confirmed) {
      account(s, lease, lost);
      if (!lost.empty()) remove_nodes(lease.nodes, lost);
      std::erase_if(lease.cleaning, [&](const NodeGroup& group) { return group.resource_manager == manager; });
      if (lease.nodes.empty() && lease.cleaning.empty()) close(s, lease);
    }
  }
}

void SiteManager::on(Step& s, const Party& from, Clean& message) {
  Lease* lease = leases_.find(message.lease);
  if (!lease || lease->upstream || !is_well_formed(message.nodes)) return;
  for (NodeGroup& group : lease->cleaning) {
    if (group.resource_manager != from) continue;
    NodeSet rest = message.nodes.empty() ? NodeSet{} : subtract(group.nodes, message.nodes);
    owned_.put(from, subtract(group.nodes, rest));
    group.nodes = std::move(rest);
  }
  std::erase_if(lease->cleaning, [](const NodeGroup& group) { return group.nodes.empty(); });
  hints_dirty_ = true;
  s.out.log(Level::debug, "clean", lease->request, {{"lease", to_text(lease->id)}});
  if (lease->nodes.empty() && lease->cleaning.empty()) close(s, *lease);
}

void SiteManager::on(Step& s, const Party& from, LeaseEnded& ended) {
  Lease* lease = leases_.find(ended.lease);
  if (!lease || lease->upstream) return;
  std::vector<NodeGroup> refused;
  for (const NodeGroup& group : lease->nodes)
    if (group.resource_manager == from) refused.push_back(group);
  if (refused.empty()) return;
  tell_ended(s, *lease, refused, LeaseEnd::node_lost, true);
  clean(s, *lease, refused);
}

// ---- job managers --------------------------------------------------------------------------------------------------

void SiteManager::on(Step& s, const Party& from, Request& request) {
  const RequestId id = request.id;
  JobManager& user = job_managers_[from];
  const auto refuse = [&](RefusalReason reason, std::string text) {
    s.out.log(Level::info, "refuse", id, {{"reason", std::string(to_text(reason))}, {"text", text}});
    s.out.send(from, Refuse{id, reason, 0, std::move(text)}, id);
  };
  if (id.site != settings_.name || id.user != from.name || id.empty())
    return refuse(RefusalReason::malformed, "a request names its own site, job manager and job");
  if (const std::string fault = fault_of(request.need); !fault.empty()) return refuse(RefusalReason::malformed, fault);
  if (queue_.find(id)) return;  // sent twice in two sessions
  if (user.requests >= settings_.requests_per_user_max)
    return refuse(RefusalReason::limit_reached, "requests_per_user_max: too many open requests");

  LocalRequest local;
  local.since = s.now - std::clamp(request.waited, Duration{}, seconds(10 * 365 * 86400LL));
  local.arrival = static_cast<std::uint64_t>(local.since.microseconds + rank_origin) * ranks_per_microsecond;
  while (queue_.all().contains(local.arrival)) ++local.arrival;
  request.dttl = std::min({request.dttl, settings_.dttl_limit, dttl_max});
  local.processors = total_processors(request.need);
  local.widest = widest_component(request.need);
  local.simple = request.need.components.size() == 1 && request.need.kind == RequestKind::non_fixed &&
                 request.need.constraints == Constraints{};
  local.servable = servable_when_idle(request.need);
  local.request = std::move(request);
  const bool stays = local.request.dttl == 0 || !settings_.delegate || neighbours_.size() == 0;
  local.search = stays ? LocalRequest::Search::home : LocalRequest::Search::ready;
  begin_round(local);
  s.out.log(Level::info, "request", id,
            {{"processors", std::int64_t{local.processors}}, {"dttl", std::int64_t{local.request.dttl}}});
  ++user.requests;
  queue_.add(std::move(local));
  fresh_.push_back(id);
}

void SiteManager::on(Step& s, const Party& from, Cancel& cancel) {
  LocalRequest* request = queue_.find(cancel.request);
  if (!request || cancel.request.user != from.name) return;
  s.out.log(Level::info, "cancel", cancel.request, {});
  if (request->search == LocalRequest::Search::out) withdraw(s, *request);
  --job_managers_[from].requests;
  queue_.erase(*request);
}

void SiteManager::forget_job_manager(Step& s, const Party& from) {
  const auto it = job_managers_.find(from);
  if (it == job_managers_.end()) return;
  for (const auto& [id, request] : std::set(it->second.holds)) {
    Lease& lease = *leases_.find(id);
    std::vector<NodeGroup> nodes = lease.handed_out.at(request).nodes;
    take_from_user(lease, request);
    give_back(s, lease, nodes);
  }
  std::vector<LocalRequest*> open;
  for (const auto& [arrival, request] : queue_.all())
    if (request->request.id.user == from.name) open.push_back(request.get());
  for (LocalRequest* request : open) {
    if (request->search == LocalRequest::Search::out) withdraw(s, *request);
    queue_.erase(*request);
  }
  job_managers_.erase(from);
}

// ---- what time calls for -------------------------------------------------------------------------------------------

void SiteManager::sweep(Step& s) {
  if (s.now < next_sweep_) return;
  const Duration interval = std::min(settings_.term / 10, seconds(1));
  next_sweep_ = never;
  renew_links(s);
  expire_leases(s);
  std::vector<Party> silent;
  for (const auto& [party, user] : job_managers_)
    if (s.now >= user.until) silent.push_back(party);
  for (const Party& party : silent) {
    s.out.log(Level::warning, "job_manager_lost", {}, {{"peer", to_text(party)}});
    forget_job_manager(s, party);
  }
  for (auto& [party, since] : lost_managers_) {
    if (since == never || s.now - since < settings_.term) continue;
    since = never;  // once
    lose_nodes(s, party, false);
  }
  std::vector<PartKey> overdue;
  for (const auto& [key, foreign] : passed_)
    if (s.now >= foreign.answer_by) overdue.push_back(key);
  for (const PartKey& key : overdue) on_no_answer(s, key, RejectReason::no_answer);
  if (leases_.size() > 0 || !job_managers_.empty() || !passed_.empty() || !lost_managers_.empty())
    next_sweep_ = s.now + interval;
}

}  // namespace dmm
