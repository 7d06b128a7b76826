// The users' side of a site: job managers that come, ask, take back, fall silent and return.
#include <algorithm>

#include "machine/assert.hpp"
#include "protocol/text.hpp"
#include "sitemgr/site_manager.hpp"

namespace dmm {
namespace {

/// Ranks by when a request began to wait, with a few bits to tell apart what came in the same microsecond.
constexpr std::int64_t rank_origin = std::int64_t{1} << 50;
constexpr std::uint64_t ranks_per_microsecond = 4096;

}  // namespace

void SiteManager::JobManager::hold(const Lease& lease, const RequestId& request) {
  if (lease.upstream) {
    borrowed.emplace(lease.id, request);
    return;
  }
  own_since = own.empty() ? lease.granted : std::min(own_since, lease.granted);
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
  if (s.out.wants(Level::info))
    s.out.log(Level::info, "request", id,
              {{"processors", std::int64_t{local.processors}}, {"dttl", std::int64_t{local.request.dttl}}});
  ++user.requests;
  LocalRequest& added = queue_.add(std::move(local));
  fresh_.push_back(id);
  if (!added.servable && added.search == LocalRequest::Search::home) refuse_if_too_large(s, added);
}

void SiteManager::on(Step& s, const Party& from, Cancel& cancel) {
  LocalRequest* request = queue_.find(cancel.request);
  if (!request || cancel.request.user != from.name) return;
  s.out.log(Level::info, "cancel", cancel.request, {});
  if (request->search == LocalRequest::Search::out) withdraw(s, *request);
  --job_managers_[from].requests;
  queue_.erase(*request);
}

void SiteManager::job_manager_up(Step& s, const Party& from, bool restarted) {
  JobManager& user = job_managers_[from];
  user.shelve_at = user.nodes_until = never;  // its beats speak for it while the link is up
  if (restarted) {
    // It offers all that is still open again, with how long it has waited.
    shelve_requests(s, from, false);
    user.shelved.clear();
    open_books(s, from);
  }
  for (Shelved& shelved : std::exchange(user.shelved, {})) {
    shelved.request.waited = s.now - shelved.since;
    on(s, from, shelved.request);
  }
}

/// Nobody would start what a silent job manager waits for: its requests leave the queue, until it is heard again in
/// the same session.
void SiteManager::shelve_requests(Step& s, const Party& from, bool keep) {
  JobManager& user = job_managers_[from];
  user.shelve_at = never;
  if (keep) s.out.log(Level::warning, "job_manager_lost", {}, {{"peer", to_text(from)}});
  std::vector<LocalRequest*> open;
  for (const auto& [arrival, request] : queue_.all())
    if (request->request.id.user == from.name) open.push_back(request.get());
  for (LocalRequest* request : open) {
    if (request->search == LocalRequest::Search::out) withdraw(s, *request);
    if (keep) user.shelved.push_back({request->request, request->since});
    queue_.erase(*request);
  }
  user.requests = 0;
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
}

}  // namespace dmm
