// Refusing requests that no site can ever serve, and telling neighbours what can be had here (feasibility.hpp).
#include "protocol/text.hpp"
#include "sitemgr/clause.hpp"
#include "sitemgr/site_manager.hpp"

namespace dmm {
namespace {

/// The most that are refused in one step: other parties are heard in between.
constexpr std::size_t refusals_a_step = 1'000;

}  // namespace

void SiteManager::classify(RequestClass& kind) {
  const auto [servable, clusters] = Feasibility::classify(site(), kind.need);
  queue_.classify(kind, servable, clusters);
}

/// What is configured or known has changed: each class is looked at again, and what became hopeless is refused.
void SiteManager::refuse_hopeless(Step& s) {
  if (!feasibility_.is_due()) return;
  std::vector<LocalRequest*> hopeless;
  queue_.each_class([&](RequestClass& kind) {
    classify(kind);
    const std::optional<Duration> least = feasibility_.hopeless_from(site(), kind);
    if (!least) return;
    for (auto it = kind.waiting.begin(); it != kind.waiting.end() && hopeless.size() < refusals_a_step; ++it)
      if (it->second->request.length >= *least) hopeless.push_back(it->second);
  });
  const std::size_t waited = queue_.size();
  for (LocalRequest* request : hopeless) refuse_if_hopeless(s, *request);
  feasibility_.looked(hopeless.size() == refusals_a_step && queue_.size() < waited);
  search_.changed();
}

void SiteManager::refuse_if_hopeless(Step& s, LocalRequest& request) {
  auto refused = feasibility_.refusal_of(site(), request);
  if (!refused) return;
  auto& [refusal, prospect] = *refused;
  const Clause here = clause_of(request.kind->need, settings_.name, owned_, placer_, lending_.drained_here());
  if (here.reason == RejectReason::over_quota) refusal.text += "; here " + here.what;
  const RequestId id = request.request.id;
  s.out.log(Level::info, "refuse", id,
            {{"reason", std::string(to_text(refusal.reason))},
             {"text", refusal.text},
             {"largest", std::int64_t{prospect.largest}}});
  const Party user = job_manager_of(settings_.name, id.user);
  s.out.send(user, Refuse{id, refusal.reason, prospect.largest, std::move(refusal.text)}, id);
  if (request.search == LocalRequest::Search::out) withdraw(s, request);
  users_.closed(user);
  queue_.erase(request);
}

void SiteManager::tell_reach(Step& s) {
  for (auto& [n, reach] : feasibility_.take_due(site())) send(s, n, std::move(reach), {});
}

void SiteManager::on(Step&, FromSite from, Reach& reach) { feasibility_.hear(from.neighbour, std::move(reach)); }

}  // namespace dmm
