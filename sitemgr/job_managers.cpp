// The users' side of a site: job managers that come, ask, take back, fall silent and return. A user may have a million
// requests waiting, so whatever concerns all of them is done a piece at a time.
#include <algorithm>

#include "manager/assert.hpp"
#include "protocol/text.hpp"
#include "sitemgr/site_manager.hpp"

namespace dmm {
namespace {

/// How many requests are looked at in one step for the sake of job managers that come and go.
constexpr std::size_t chores_a_step = 2'000;
/// A job manager in a new session has so long to ask again for what it still wants.
constexpr Duration asks_again_within = seconds(10);
constexpr Duration waited_max = seconds(10 * 365 * 86400LL);

}  // namespace

void SiteManager::note_round_trip(const Party& user, Duration round_trip) {
  const auto known = job_managers_.find(user);
  if (round_trip > Duration{} && known != job_managers_.end()) known->second.round_trip = round_trip;
}

Duration SiteManager::round_trip_to(const Party& user) const {
  const auto known = job_managers_.find(user);
  return known == job_managers_.end() ? Duration{} : known->second.round_trip;
}

void SiteManager::JobManager::hold(const Lease& lease, const RequestId& request) {
  if (lease.upstream)
    borrowed.emplace(lease.id, request);
  else
    own.insert({lease.id.epoch, request.job, request.attempt});
}

void SiteManager::JobManager::drop(const Lease& lease, const RequestId& request) {
  if (lease.upstream)
    borrowed.erase({lease.id, request});
  else
    own.erase({lease.id.epoch, request.job, request.attempt});
}

bool SiteManager::JobManager::holds(const Lease& lease, const RequestId& request) const {
  return lease.upstream ? borrowed.contains({lease.id, request})
                        : own.contains({lease.id.epoch, request.job, request.attempt});
}

SiteManager::JobManager::Holds SiteManager::holds_of(const Party& party, const JobManager& user) const {
  JobManager::Holds all = user.borrowed;
  for (const JobManager::OwnHold& hold : user.own.sorted())
    all.insert({{settings_.name, hold.lease}, {party.site, party.name, hold.job, hold.attempt}});
  return all;
}

// ---- requests ------------------------------------------------------------------------------------------------------

void SiteManager::on(Step& s, FromUser from, Request& request) {
  const RequestId id = request.id;
  JobManager& user = job_managers_[from.party];
  const auto refuse = [&](RefusalReason reason, std::string text) {
    s.out.log(Level::info, "refuse", id, {{"reason", std::string(to_text(reason))}, {"text", text}});
    s.out.send(from.party, Refuse{id, reason, 0, std::move(text)}, id);
  };
  if (id.site != settings_.name || id.user != from.party.name || id.empty())
    return refuse(RefusalReason::malformed, "a request names its own site, job manager and job");
  if (const std::string fault = dmm::fault_of(request.need); !fault.empty())
    return refuse(RefusalReason::malformed, fault);
  if (LocalRequest* known = queue_.find(id)) {  // sent twice in two sessions
    known->session = user.session;
    return;
  }
  if (user.requests >= settings_.requests_per_user_max)
    return refuse(RefusalReason::limit_reached, "requests_per_user_max: too many open requests");
  if (queue_.size() >= settings_.requests_max)
    return refuse(RefusalReason::limit_reached, "requests_max: too many open requests at this site");
  if (s.out.wants(Level::info))
    s.out.log(Level::info, "request", id,
              {{"processors", std::int64_t{total_processors(request.need)}},
               {"dttl", std::int64_t{std::min({request.dttl, settings_.dttl_limit, dttl_max})}}});
  LocalRequest& added = enqueue(s, user, request);
  if (!added.kind->servable || added.request.length > Duration{}) refuse_if_hopeless(s, added);
}

LocalRequest& SiteManager::enqueue(Step& s, JobManager& user, Request& request) {
  bool is_new = false;
  const std::uint32_t dttl = std::min({request.dttl, settings_.dttl_limit, dttl_max});
  RequestClass& kind = queue_.class_of(request.need, dttl, is_new);
  if (is_new) classify(kind);
  LocalRequest local;
  local.since = s.now - std::clamp(request.waited, Duration{}, waited_max);
  local.arrival = queue_.rank(local.since);
  local.session = user.session;
  local.stay = stable_hash(PartKey{request.id, static_cast<std::uint32_t>(++stays_), 0}) ^ incarnation_;
  request.dttl = dttl;
  request.length = std::max(request.length, Duration{});
  local.request = std::move(request);
  const bool stays = dttl == 0 || !settings_.delegate || neighbours_.configured() == 0;
  local.search = stays ? LocalRequest::Search::home : LocalRequest::Search::ready;
  begin_round(local);
  ++user.requests;
  search_dirty_ = true;
  hints_dirty_ = true;
  LocalRequest& added = queue_.add(std::move(local), kind);
  matcher_.add(added.request.id);
  return added;
}

void SiteManager::on(Step& s, FromUser from, Cancel& cancel) {
  LocalRequest* request = queue_.find(cancel.request);
  if (!request || cancel.request.user != from.party.name) return ignore("unknown_request");
  s.out.log(Level::info, "cancel", cancel.request, {});
  if (request->search == LocalRequest::Search::out) withdraw(s, *request);
  --job_managers_[from.party].requests;
  queue_.erase(*request);
  hints_dirty_ = true;
}

// ---- coming and going ----------------------------------------------------------------------------------------------

void SiteManager::set_due(const Party& party, const JobManager& user) {
  job_managers_due_.set(party, std::min({user.shelve_at, user.nodes_until, user.drop_at}));
}

void SiteManager::job_manager_down(Step& s, const Party& party) {
  const auto known = job_managers_.find(party);
  if (known == job_managers_.end()) return;
  JobManager& user = known->second;
  user.up = false;
  user.shelve_at = s.now + settings_.term;
  user.nodes_until = s.now + settings_.absent_job_manager;
  set_due(party, user);
}

void SiteManager::job_manager_up(Step& s, const Party& from, bool restarted) {
  JobManager& user = job_managers_[from];
  user.up = true;
  user.shelve_at = user.nodes_until = never;  // its beats speak for it while the link is up
  chores_.erase({from, Chore::shelve});
  if (restarted) {
    // It offers all that is still open again, with how long it has waited; what it doesn't is dropped after a while.
    ++user.session;
    chores_.erase({from, Chore::unshelve});
    discard(from, user);
    user.drop_at = s.now + asks_again_within;
    begin_reconciliation(s, from);
  } else if (!user.shelved.empty()) {
    chores_.insert({from, Chore::unshelve});
  }
  set_due(from, user);
}

void SiteManager::job_managers_due(Step& s) {
  Party party;
  while (job_managers_due_.take(s.now, party)) {
    JobManager& user = job_managers_[party];
    if (s.now >= user.shelve_at) {
      s.out.log(Level::warning, "job_manager_lost", {}, {{"peer", to_text(party)}});
      user.shelve_at = never;
      chores_.insert({party, Chore::shelve});
    }
    if (s.now >= user.drop_at) {
      user.drop_at = never;
      chores_.insert({party, Chore::drop});
    }
    if (s.now >= user.nodes_until) take_back_from(s, party);
    set_due(party, user);
    forget_job_manager(party);
  }
}

void SiteManager::do_chores(Step& s) {
  std::size_t left = chores_a_step;
  while (!chores_.empty() && left > 0) {
    const auto [party, chore] = *chores_.begin();
    JobManager& user = job_managers_.at(party);
    switch (chore) {
      case Chore::shelve: shelve_some(s, party, user, left); break;
      case Chore::unshelve: unshelve_some(s, party, user, left); break;
      case Chore::drop: drop_some(s, party, user, left); break;
      case Chore::discard:
        for (; left > 0 && !user.discarded.empty(); --left) user.discarded.pop_back();
        break;
    }
    if (left == 0) return;
    chores_.erase({party, chore});
    if (chore == Chore::discard) forget_job_manager(party);
  }
}

/// Nobody would start what a silent job manager waits for: its requests leave the queue, until it is heard again in
/// the same session.
void SiteManager::shelve_some(Step& s, const Party& party, JobManager& user, std::size_t& left) {
  for (; left > 0; --left) {
    const auto* open = queue_.of_user(party.name);
    if (!open) return;
    LocalRequest& request = *open->begin()->second;
    if (request.search == LocalRequest::Search::out) withdraw(s, request);
    user.shelved.push_back({request.whole(), request.since, request.round, request.stay});
    --user.requests;
    queue_.erase(request);
    hints_dirty_ = true;
  }
}

void SiteManager::unshelve_some(Step& s, const Party&, JobManager& user, std::size_t& left) {
  for (; left > 0 && !user.shelved.empty(); --left) {
    Shelved shelved = std::move(user.shelved.back());
    user.shelved.pop_back();
    if (queue_.find(shelved.request.id)) continue;
    shelved.request.waited = s.now - shelved.since;
    LocalRequest& back = enqueue(s, user, shelved.request);
    // Its search goes on: neighbours remember the rounds that they have seen.
    back.round = shelved.round + 1;
    back.stay = shelved.stay;
  }
}

/// Its shelved requests are wanted no longer.
void SiteManager::discard(const Party& party, JobManager& user) {
  if (user.shelved.empty()) return;
  if (user.discarded.empty())
    user.discarded.swap(user.shelved);
  else
    for (; !user.shelved.empty(); user.shelved.pop_back()) user.discarded.push_back(std::move(user.shelved.back()));
  chores_.insert({party, Chore::discard});
}

/// A job manager in a new session has not asked for these again.
void SiteManager::drop_some(Step& s, const Party& party, JobManager& user, std::size_t& left) {
  const auto* open = queue_.of_user(party.name);
  if (!open) return;
  std::vector<LocalRequest*> gone;
  for (auto it = open->lower_bound(user.drop_from); it != open->end() && left > 0; ++it, --left) {
    user.drop_from = it->first + 1;
    if (it->second->session != user.session) gone.push_back(it->second);
  }
  for (LocalRequest* request : gone) {
    if (request->search == LocalRequest::Search::out) withdraw(s, *request);
    --user.requests;
    queue_.erase(*request);
    hints_dirty_ = true;
  }
  if (left > 0) user.drop_from = 0;
}

/// The site has vouched for a silent job manager long enough: its nodes go back. What runs there is the matter of the
/// resource managers, which may hear it.
void SiteManager::take_back_from(Step& s, const Party& from) {
  s.out.log(Level::warning, "job_manager_absent", {}, {{"peer", to_text(from)}});
  JobManager& user = job_managers_[from];
  user.nodes_until = never;
  const JobManager::Holds holds = holds_of(from, user);
  user.own.clear();
  user.borrowed.clear();
  for (const auto& [id, request] : holds) {
    Lease& lease = *leases_.find(id);
    std::vector<NodeGroup> nodes = std::move(lease.handed_out.at(request));
    lease.handed_out.erase(request);
    s.out.send(from, LeaseEnded{id, nodes, LeaseEnd::expired, false, {}}, request);
    give_back(s, lease, nodes, true);
  }
  // Nor is what it waits for kept: when it comes back it asks again, in a new session.
  if (user.shelved.empty()) return;
  discard(from, user);
  s.out.renewals.push_back(from);
}

/// Nothing is left of a job manager that has been away for long.
void SiteManager::forget_job_manager(const Party& party) {
  const JobManager& user = job_managers_.at(party);
  const bool is_needed = user.up || user.requests > 0 || !user.own.empty() || !user.borrowed.empty() ||
                         !user.shelved.empty() || job_managers_due_.contains(party) || reconciliation_.concerns(party);
  const auto chores = chores_.lower_bound({party, Chore{}});
  if (is_needed || (chores != chores_.end() && chores->first == party)) return;
  reconciliation_.forget(party);
  job_managers_.erase(party);
}

}  // namespace dmm
