// The steps of refusing.hpp.
#include "sitemgr/refusing.hpp"

#include <algorithm>

#include "protocol/text.hpp"
#include "sitemgr/clause.hpp"
#include "sitemgr/gathering.hpp"

namespace dmm::site_steps {
namespace {

/// The most that are refused in one step: other parties are heard in between.
constexpr std::size_t refusals_a_step = 1'000;

/// Whether a placement says where it goes, and not which neighbour has room first: it has input files.
bool is_placed_by_files(const SiteParts& parts, const ResourceNeed& need) {
  return parts.placer.policy_for(need) == close_to_files &&
         need.constraints.attributes.contains(staging_attribute);
}

}  // namespace

void classify(SiteParts& parts, RequestClass& kind) {
  const auto [servable, clusters] = Feasibility::classify(parts.capacity(), kind.need);
  parts.queue.classify(kind, servable, clusters);
  kind.co_allocable = may_co_allocate(parts, kind.need, kind.dttl);
  kind.aimed = kind.co_allocable &&
               (is_placed_by_files(parts, kind.need) ||
                std::ranges::any_of(kind.need.components, [](const Component& one) { return !one.site.empty(); }));
}

void refuse_hopeless(SiteStep& s) {
  if (!s.parts.feasibility.is_due(s.parts.owned)) return;
  std::vector<LocalRequest*> hopeless;
  s.parts.queue.each_class([&](RequestClass& kind) {
    classify(s.parts, kind);
    const std::optional<Duration> least = s.parts.feasibility.hopeless_from(s.parts.capacity(), kind);
    if (!least) return;
    for (auto it = kind.waiting.begin(); it != kind.waiting.end() && hopeless.size() < refusals_a_step; ++it)
      if (it->second->request.length >= *least) hopeless.push_back(it->second);
  });
  const std::size_t waited = s.parts.queue.size();
  for (LocalRequest* request : hopeless) refuse_if_hopeless(s, *request);
  s.parts.feasibility.looked(s.parts.owned, hopeless.size() == refusals_a_step && s.parts.queue.size() < waited);
}

void refuse_if_hopeless(SiteStep& s, LocalRequest& request) {
  auto refused = s.parts.feasibility.refusal_of(s.parts.capacity(), request);
  if (!refused) return;
  auto& [refusal, prospect] = *refused;
  const Clause here = clause_of(request.kind->need, s.parts.settings.name, s.parts.owned, s.parts.placer,
                                s.parts.drains.has_self());
  if (here.reason == RejectReason::over_quota) refusal.text += "; here " + here.what;
  const RequestId id = request.request.id;
  s.effects.log(Level::info, "refuse", id,
                {{"reason", std::string(to_text(refusal.reason))},
                 {"text", refusal.text},
                 {"largest", std::int64_t{prospect.largest}}});
  const Party user = job_manager_of(s.parts.settings.name, id.user);
  s.effects.send(user, Refuse{id, refusal.reason, prospect.largest, std::move(refusal.text)}, id);
  s.parts.users.closed(user);
  leave(s, request);
}

void tell_reach(SiteStep& s) {
  for (auto& [n, reach] : s.parts.feasibility.take_due(s.parts.capacity())) send(s, n, std::move(reach), {});
}

void on(SiteStep& s, FromSite from, Reach& reach) { s.parts.feasibility.hear(from.neighbour, std::move(reach)); }

}  // namespace dmm::site_steps
