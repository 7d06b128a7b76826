// Sessions of job managers; see users.hpp.
#include "sitemgr/users.hpp"

#include <algorithm>
#include <utility>

#include "manager/assert.hpp"

namespace dmm {
namespace {

/// A job manager in a new session has so long to ask again for what it still wants.
constexpr Duration asks_again_within = seconds(10);

}  // namespace

const Users::Session* Users::find(const Party& user) const {
  const auto known = sessions_.find(user);
  return known == sessions_.end() ? nullptr : &known->second;
}

Users::Session* Users::find(const Party& user) { return const_cast<Session*>(std::as_const(*this).find(user)); }

std::vector<std::string> Users::names() const {
  std::vector<std::string> names;
  for (const auto& [party, session] : sessions_) names.push_back(party.name);
  return names;
}

// ---- sessions ------------------------------------------------------------------------------------------------------

void Users::set_due(const Party& user, const Session& session) {
  due_.set(user, std::min({session.shelve_at, session.nodes_until, session.drop_at}));
}

void Users::came_up(Instant now, const Party& user, bool restarted) {
  DMM_ASSERT(user.role == Role::job_manager);
  Session& session = sessions_[user];
  session.up = true;
  session.shelve_at = session.nodes_until = never;  // its beats speak for it while the link is up
  chores_.erase({user, Kind::shelve});
  if (restarted) {
    // It offers all that is still open again, with how long it has waited.
    ++session.number;
    chores_.erase({user, Kind::unshelve});
    discard(user);
    session.drop_at = now + asks_again_within;
  } else if (!session.shelved.empty()) {
    chores_.insert({user, Kind::unshelve});
  }
  DMM_ASSERT(!restarted || session.shelved.empty());
  set_due(user, session);
}

void Users::went_down(Instant now, const Party& user, const SiteSettings& settings) {
  Session* session = find(user);
  if (!session) return;
  session->up = false;
  session->shelve_at = now + settings.term;
  session->nodes_until = now + settings.absent_job_manager;
  set_due(user, *session);
  DMM_ASSERT(due_.contains(user));
}

void Users::restored(Instant now, const Party& user, const SiteSettings& settings) {
  Session& session = sessions_[user];
  DMM_ASSERT(!session.up && session.open == 0);  // before the first event
  session.nodes_until = now + settings.absent_job_manager;
  set_due(user, session);
}

void Users::note_round_trip(const Party& user, Duration round_trip) {
  Session* session = find(user);
  if (round_trip > Duration{} && session) session->round_trip = round_trip;
}

Duration Users::round_trip(const Party& user) const {
  const Session* session = find(user);
  DMM_ASSERT(!session || session->round_trip >= Duration{});
  return session ? session->round_trip : Duration{};
}

// ---- requests ------------------------------------------------------------------------------------------------------

WhyNot Users::limit_reached(const Party& user, std::size_t open_in_all, const SiteSettings& settings) {
  DMM_ASSERT(user.role == Role::job_manager);
  if (sessions_[user].open >= settings.requests_per_user_max)
    return "requests_per_user_max: too many open requests";
  if (open_in_all >= settings.requests_max) return "requests_max: too many open requests at this site";
  return {};
}

void Users::shelve(const LocalRequest& request) {
  Session& session = sessions_.at(job_manager_of(request.request.id));
  DMM_ASSERT(session.open > 0);
  session.shelved.push_back({request.whole(), request.since, request.round, request.stay});
  --session.open;
}

bool Users::discard(const Party& user) {
  Session& session = sessions_.at(user);
  if (session.shelved.empty()) return false;
  if (session.discarded.empty())
    session.discarded.swap(session.shelved);
  else
    for (; !session.shelved.empty(); session.shelved.pop_back())
      session.discarded.push_back(std::move(session.shelved.back()));
  DMM_ASSERT(session.shelved.empty() && !session.discarded.empty());
  chores_.insert({user, Kind::discard});
  return true;
}

// ---- nodes ---------------------------------------------------------------------------------------------------------

void Users::hold(const HopLease& lease, const RequestId& request) {
  hold(sessions_[job_manager_of(request)], lease, request);
}

void Users::serve(const HopLease& lease, const RequestId& request) {
  Session& session = sessions_[job_manager_of(request)];
  DMM_ASSERT(session.open > 0);
  DMM_ASSERT(!lease.downstream);  // only the sink serves its users
  hold(session, lease, request);
  --session.open;
}

void Users::hold(Session& session, const HopLease& lease, const RequestId& request) {
  if (lease.upstream)
    session.borrowed.emplace(lease.id, request);
  else
    session.own.insert(own_hold(lease, request));
}

void Users::drop(const HopLease& lease, const RequestId& request) {
  Session* session = find(job_manager_of(request));
  if (!session) return;
  const bool was_held = lease.upstream ? session->borrowed.erase({lease.id, request}) == 1
                                       : session->own.erase(own_hold(lease, request));
  DMM_ASSERT(was_held);
}

bool Users::holds(const HopLease& lease, const RequestId& request) const {
  const Session* session = find(job_manager_of(request));
  if (!session) return false;
  return lease.upstream ? session->borrowed.contains({lease.id, request})
                        : session->own.contains(own_hold(lease, request));
}

Users::Holds Users::holds_of(const Party& user, const Session& session) const {
  Holds all = session.borrowed;
  for (const OwnHold& hold : session.own.sorted())
    all.insert({{site_, hold.lease}, {user.site, user.name, hold.job, hold.attempt}});
  return all;
}

Users::Holds Users::holds_of(const Party& user) const {
  const Session* session = find(user);
  return session ? holds_of(user, *session) : Holds{};
}

Users::Holds Users::borrowed_of(const Party& user) const {
  const Session* session = find(user);
  return session ? session->borrowed : Holds{};
}

Users::Holds Users::take_holds(const Party& user) {
  Session& session = sessions_.at(user);
  DMM_ASSERT(!session.up);
  session.nodes_until = never;
  Holds holds = holds_of(user, session);
  session.own.clear();
  session.borrowed.clear();
  return holds;
}

// ---- time ----------------------------------------------------------------------------------------------------------

std::optional<Users::Due> Users::take_due(Instant now) {
  Due due;
  if (!due_.take(now, due.user)) return std::nullopt;
  DMM_ASSERT(sessions_.contains(due.user));
  Session& session = sessions_[due.user];
  DMM_ASSERT(std::min({session.shelve_at, session.nodes_until, session.drop_at}) <= now);
  if (now >= session.shelve_at) {
    due.is_lost = true;
    session.shelve_at = never;
    chores_.insert({due.user, Kind::shelve});
  }
  if (now >= session.drop_at) {
    session.drop_at = never;
    chores_.insert({due.user, Kind::drop});
  }
  due.is_absent = now >= session.nodes_until;
  DMM_ASSERT(!session.up || !(due.is_lost || due.is_absent));  // its beats speak for it
  return due;
}

void Users::settle_due(const Party& user, bool is_reconciling) {
  const Session& session = sessions_.at(user);
  DMM_ASSERT(!session.up || (session.shelve_at == never && session.nodes_until == never));
  set_due(user, session);
  forget_if_idle(user, is_reconciling);
}

/// Nothing is left of a job manager that has been away for long.
void Users::forget_if_idle(const Party& user, bool is_reconciling) {
  const Session& session = sessions_.at(user);
  const bool is_needed = session.up || session.open > 0 || !session.own.empty() || !session.borrowed.empty() ||
                         !session.shelved.empty() || due_.contains(user) || is_reconciling;
  const auto chores = chores_.lower_bound({user, Kind{}});
  if (is_needed || (chores != chores_.end() && chores->first == user)) return;
  DMM_ASSERT(session.discarded.empty());
  sessions_.erase(user);
  forgotten_.push_back(user);
}

// ---- chores --------------------------------------------------------------------------------------------------------

std::optional<Users::Chore> Users::piece_of(Kind kind, const Party& user, const RequestQueue& queue,
                                            std::size_t& left, bool& is_done) {
  DMM_ASSERT(left > 0 && sessions_.contains(user));
  switch (kind) {
    case Kind::shelve: return next_shelve(user, queue, left, is_done);
    case Kind::unshelve: return next_unshelve(user, queue, left, is_done);
    case Kind::drop: return next_drop(user, queue, left, is_done);
    case Kind::discard: {
      std::vector<Shelved>& discarded = sessions_.at(user).discarded;
      for (; left > 0 && !discarded.empty(); --left) discarded.pop_back();
      is_done = left > 0;
      return std::nullopt;
    }
  }
  return std::nullopt;
}

/// No job manager would start what a silent one waits for.
std::optional<Users::Chore> Users::next_shelve(const Party& user, const RequestQueue& queue, std::size_t& left,
                                               bool& is_done) {
  const auto* open = queue.of_user(user.name);
  is_done = !open;
  if (!open) return std::nullopt;
  DMM_ASSERT(!open->empty() && open->begin()->second->request.id.user == user.name);
  --left;
  return Shelve{*open->begin()->second};
}

std::optional<Users::Chore> Users::next_unshelve(const Party& user, const RequestQueue& queue, std::size_t& left,
                                                 bool& is_done) {
  std::vector<Shelved>& shelved = sessions_.at(user).shelved;
  while (left > 0 && !shelved.empty()) {
    Shelved last = std::move(shelved.back());
    shelved.pop_back();
    --left;
    DMM_ASSERT(last.request.id.user == user.name);
    if (!queue.find(last.request.id)) return Unshelve{user, std::move(last)};
  }
  is_done = left > 0;
  return std::nullopt;
}

/// A job manager in a new session has not asked for these again.
std::optional<Users::Chore> Users::next_drop(const Party& user, const RequestQueue& queue, std::size_t& left,
                                             bool& is_done) {
  Session& session = sessions_.at(user);
  if (const auto* open = queue.of_user(user.name))
    for (auto it = open->lower_bound(session.drop_from); left > 0 && it != open->end(); ++it) {
      session.drop_from = it->first + 1;
      --left;
      if (it->second->session != session.number) return Drop{*it->second};
    }
  is_done = left > 0;
  if (is_done) session.drop_from = 0;
  return std::nullopt;
}

bool Users::none_shelved() const {
  return std::ranges::all_of(sessions_, [](const auto& entry) { return entry.second.shelved.empty(); });
}

}  // namespace dmm
