// The users' side of a site: what requests and the comings and goings of job managers (users.hpp) mean for the queue, for
// leases and for delegations that are out.
#include <algorithm>

#include "protocol/text.hpp"
#include "sitemgr/site_manager.hpp"

namespace dmm {
namespace {

/// How many requests are looked at in one step for the sake of job managers that come and go.
constexpr std::size_t chores_a_step = 2'000;
constexpr Duration waited_max = seconds(10 * 365 * 86400LL);

}  // namespace

// ---- requests ------------------------------------------------------------------------------------------------------

void SiteManager::on(Step& s, FromUser from, Request& request) {
  const RequestId id = request.id;
  const auto refuse = [&](RefusalReason reason, std::string text) {
    s.out.log(Level::info, "refuse", id, {{"reason", std::string(to_text(reason))}, {"text", text}});
    s.out.send(from.party, Refuse{id, reason, 0, std::move(text)}, id);
  };
  if (id.site != settings_.name || id.user != from.party.name || id.empty())
    return refuse(RefusalReason::malformed, "a request names its own site, job manager and job");
  if (const std::string fault = dmm::fault_of(request.need); !fault.empty())
    return refuse(RefusalReason::malformed, fault);
  if (LocalRequest* known = queue_.find(id)) {  // sent twice in two sessions
    known->session = users_.session(from.party);
    return;
  }
  if (const char* limit = users_.limit_reached(from.party, queue_.size(), settings_))
    return refuse(RefusalReason::limit_reached, limit);
  if (s.out.wants(Level::info))
    s.out.log(Level::info, "request", id,
              {{"processors", std::int64_t{total_processors(request.need)}},
               {"dttl", std::int64_t{std::min({request.dttl, settings_.dttl_limit, dttl_max})}}});
  LocalRequest& added = enqueue(s, from.party, request);
  if (!added.kind->servable || added.request.length > Duration{}) refuse_if_hopeless(s, added);
}

LocalRequest& SiteManager::enqueue(Step& s, const Party& user, Request& request) {
  bool is_new = false;
  const std::uint32_t dttl = std::min({request.dttl, settings_.dttl_limit, dttl_max});
  RequestClass& kind = queue_.class_of(request.need, dttl, is_new);
  if (is_new) classify(kind);
  LocalRequest local;
  local.since = s.now - std::clamp(request.waited, Duration{}, waited_max);
  local.arrival = queue_.rank(local.since);
  local.session = users_.session(user);
  local.stay = search_.new_stay(request.id, incarnation_);
  request.dttl = dttl;
  request.length = std::max(request.length, Duration{});
  local.request = std::move(request);
  const bool stays = dttl == 0 || !settings_.delegate || neighbours_.configured() == 0;
  local.search = stays ? LocalRequest::Search::home : LocalRequest::Search::ready;
  HomeSearch::begin_round(local, settings_);
  users_.opened(user);
  search_.changed();
  hints_.changed();
  LocalRequest& added = queue_.add(std::move(local), kind);
  matcher_.add(added.request.id);
  return added;
}

void SiteManager::on(Step& s, FromUser from, Cancel& cancel) {
  LocalRequest* request = queue_.find(cancel.request);
  if (!request || cancel.request.user != from.party.name) return ignore("unknown_request");
  s.out.log(Level::info, "cancel", cancel.request, {});
  users_.closed(from.party);
  leave_queue(s, *request);
}

/// A request of which nothing comes leaves the queue, and is out at no neighbour any more.
void SiteManager::leave_queue(Step& s, LocalRequest& request) {
  if (request.search == LocalRequest::Search::out) withdraw(s, request);
  queue_.erase(request);
  hints_.changed();
}

// ---- coming and going ----------------------------------------------------------------------------------------------

void SiteManager::job_manager_up(Step& s, const Party& user, bool restarted) {
  users_.came_up(s.now, user, restarted);
  if (restarted) begin_reconciliation(s, user);
}

void SiteManager::job_managers_due(Step& s) {
  while (const std::optional<Users::Due> due = users_.take_due(s.now)) {
    if (due->is_lost) s.out.log(Level::warning, "job_manager_lost", {}, {{"peer", to_text(due->user)}});
    if (due->is_absent) release_of_absent(s, due->user);
    users_.settle_due(due->user, reconciliation_.concerns(due->user));
  }
}

void SiteManager::do_chores(Step& s) {
  std::size_t left = chores_a_step;
  const auto is_reconciling = [&](const Party& user) { return reconciliation_.concerns(user); };
  while (std::optional<Users::Chore> chore = users_.next_chore(queue_, left, is_reconciling)) {
    if (auto* shelve = std::get_if<Users::Shelve>(&*chore)) {
      if (shelve->request.search == LocalRequest::Search::out) withdraw(s, shelve->request);
      users_.shelve(shelve->request);
      leave_queue(s, shelve->request);
    } else if (auto* drop = std::get_if<Users::Drop>(&*chore)) {
      users_.closed(job_manager_of(drop->request.request.id));
      leave_queue(s, drop->request);
    } else {
      auto& [user, shelved] = std::get<Users::Unshelve>(*chore);
      shelved.request.waited = s.now - shelved.since;
      LocalRequest& back = enqueue(s, user, shelved.request);
      // Its search goes on: neighbours remember the rounds that they have seen.
      back.round = shelved.round + 1;
      back.stay = shelved.stay;
    }
  }
  for (const Party& user : users_.take_forgotten()) reconciliation_.forget(user);
}

/// The site has vouched for a silent job manager long enough: its nodes go back. What runs there is the matter of the
/// resource managers, which may hear the job manager.
void SiteManager::release_of_absent(Step& s, const Party& user) {
  s.out.log(Level::warning, "job_manager_absent", {}, {{"peer", to_text(user)}});
  for (const auto& [id, request] : users_.take_holds(user)) {
    Lease& lease = *leases_.find(id);
    std::vector<NodeGroup> nodes = std::move(lease.handed_out.at(request));
    lease.handed_out.erase(request);
    s.out.send(user, LeaseEnded{id, nodes, LeaseEnd::expired, false, {}}, request);
    give_back(s, lease, nodes, true);
  }
  // Nor is what it waits for kept: when it comes back it asks again, in a new session.
  if (users_.discard(user)) s.out.renewals.push_back(user);
}

}  // namespace dmm
