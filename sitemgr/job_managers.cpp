// The steps of job_managers.hpp.
#include "sitemgr/job_managers.hpp"

#include <algorithm>

#include "protocol/text.hpp"
#include "sitemgr/gathering.hpp"
#include "sitemgr/leasing.hpp"
#include "sitemgr/reconciling.hpp"
#include "sitemgr/refusing.hpp"

namespace dmm::site_steps {
namespace {

/// How many requests are looked at in one step for the sake of job managers that come and go.
constexpr std::size_t chores_a_step = 2'000;

}  // namespace

static LocalRequest& enqueue(SiteStep& s, const Party& user, Request& request);
/// The site has vouched for a silent job manager long enough: its nodes go back. What runs there is the matter of
/// the resource managers, which may hear the job manager.
static void release_of_absent(SiteStep& s, const Party& user);

// ---- requests -------------------------------------------------------------------------------------------------------

void on(SiteStep& s, FromUser from, Request& request) {
  const RequestId id = request.id;
  const auto refuse = [&](RefusalReason reason, std::string text) {
    s.effects.log(Level::info, "refuse", id, {{"reason", std::string(to_text(reason))}, {"text", text}});
    s.effects.send(from.party, Refuse{id, reason, 0, std::move(text)}, id);
  };
  if (from.party != job_manager_of(id) || id.site != s.parts.settings.name || id.empty())
    return refuse(RefusalReason::malformed, "a request names its own site, job manager and job");
  if (const std::string fault = dmm::fault_of(request.need); !fault.empty())
    return refuse(RefusalReason::malformed, fault);
  if (const std::string fault = dmm::fault_of(request.files); !fault.empty())
    return refuse(RefusalReason::malformed, fault);
  if (LocalRequest* known = s.parts.queue.find(id)) {  // sent twice in two sessions
    known->session = s.parts.users.session(from.party);
    return;
  }
  if (const WhyNot limit = s.parts.users.limit_reached(from.party, s.parts.queue.size(), s.parts.settings);
      !limit.empty())
    return refuse(RefusalReason::limit_reached, limit);
  if (s.effects.wants(Level::info))
    s.effects.log(Level::info, "request", id,
                  {{"processors", std::int64_t{total_processors(request.need)}},
                   {"dttl", std::int64_t{std::min({request.dttl, s.parts.settings.dttl_limit, dttl_max})}}});
  LocalRequest& added = enqueue(s, from.party, request);
  if (!added.kind->servable || added.request.length > Duration{}) refuse_if_hopeless(s, added);
}

LocalRequest& enqueue(SiteStep& s, const Party& user, Request& request) {
  bool is_new = false;
  const std::uint32_t dttl = std::min({request.dttl, s.parts.settings.dttl_limit, dttl_max});
  RequestClass& kind = s.parts.queue.class_of(request.need, dttl, is_new);
  if (is_new) classify(s.parts, kind);
  LocalRequest local;
  local.since = s.now - std::clamp(request.waited, Duration{}, waited_max);
  local.arrival = s.parts.queue.rank(local.since);
  local.session = s.parts.users.session(user);
  local.stay = s.parts.search.new_stay(request.id, s.parts.incarnation);
  request.dttl = dttl;
  request.length = std::max(request.length, Duration{});
  local.request = std::move(request);
  const bool stays = dttl == 0 || !s.parts.settings.delegate || s.parts.neighbours.configured() == 0;
  local.search = stays ? LocalRequest::Search::home : LocalRequest::Search::ready;
  HomeSearch::begin_round(local, s.parts.settings);
  s.parts.users.opened(user);
  LocalRequest& added = s.parts.queue.add(std::move(local), kind);
  s.parts.matcher.add(added.request.id);
  if (is_divided(kind.need) || kind.placed) place(s, added);
  return added;
}

void on(SiteStep& s, FromUser from, Cancel& cancel) {
  LocalRequest* request = s.parts.queue.find(cancel.request);
  if (!request || from.party != job_manager_of(cancel.request)) return s.parts.ignore("unknown_request");
  s.effects.log(Level::info, "cancel", cancel.request, {});
  s.parts.users.closed(from.party);
  leave(s, *request);
}

// ---- coming and going -----------------------------------------------------------------------------------------------

void job_manager_up(SiteStep& s, const Party& user, bool restarted) {
  s.parts.users.came_up(s.now, user, restarted);
  if (restarted) begin_reconciliation(s, user);
}

void job_managers_due(SiteStep& s) {
  while (const std::optional<Users::Due> due = s.parts.users.take_due(s.now)) {
    if (due->is_lost) s.effects.log(Level::warning, "job_manager_lost", {}, {{"peer", to_text(due->user)}});
    if (due->is_absent) release_of_absent(s, due->user);
    s.parts.users.settle_due(due->user, s.parts.reconciliation.concerns(due->user));
  }
}

void do_chores(SiteStep& s) {
  std::size_t left = chores_a_step;
  const auto is_reconciling = [&](const Party& user) { return s.parts.reconciliation.concerns(user); };
  while (std::optional<Users::Chore> chore = s.parts.users.next_chore(s.parts.queue, left, is_reconciling)) {
    if (auto* shelve = std::get_if<Users::Shelve>(&*chore)) {
      call_back(s, shelve->request);
      s.parts.users.shelve(shelve->request);
      leave(s, shelve->request);
    } else if (auto* drop = std::get_if<Users::Drop>(&*chore)) {
      s.parts.users.closed(job_manager_of(drop->request.request.id));
      leave(s, drop->request);
    } else {
      auto& [user, shelved] = std::get<Users::Unshelve>(*chore);
      shelved.request.waited = s.now - shelved.since;
      LocalRequest& back = enqueue(s, user, shelved.request);
      // Its search goes on: neighbours remember the rounds that they have seen.
      back.round = shelved.round + 1;
      back.stay = shelved.stay;
    }
  }
  for (const Party& user : s.parts.users.take_forgotten()) s.parts.reconciliation.forget(user);
}

void release_of_absent(SiteStep& s, const Party& user) {
  s.effects.log(Level::warning, "job_manager_absent", {}, {{"peer", to_text(user)}});
  for (const auto& [id, request] : s.parts.users.take_holds(user)) {
    HopLease& lease = *s.parts.leases.find(id);
    std::vector<NodeGroup> nodes = std::move(lease.handed_out.at(request));
    lease.handed_out.erase(request);
    s.effects.send(user, LeaseEnded{id, nodes, LeaseEnd::expired, false, {}}, request);
    give_back(s, lease, nodes, true);
  }
  // Nor is what it waits for kept: when it comes back it asks again, in a new session.
  if (s.parts.users.discard(user)) s.effects.renewals.push_back(user);
}

}  // namespace dmm::site_steps
