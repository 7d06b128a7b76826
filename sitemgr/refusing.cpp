// The steps of refusing.hpp.
#include "sitemgr/refusing.hpp"

#include <algorithm>

#include "manager/assert.hpp"
#include "protocol/text.hpp"
#include "sitemgr/clause.hpp"
#include "sitemgr/gathering.hpp"

namespace dmm::site_steps {
namespace {

/// The most that are refused in one step: other parties are heard in between.
constexpr std::size_t refusals_a_step = 1'000;

}  // namespace

/// What waits in a class is placed from now on.
static void place_all(SiteStep& s, const RequestClass& kind);
/// `largest`: of the components that could be served.
static void refuse(SiteStep& s, LocalRequest& request, Refusal refusal, std::uint32_t largest);

void classify(SiteParts& parts, RequestClass& kind) {
  const auto [holds_here, clusters] = Feasibility::classify(parts.capacity(), kind.need);
  kind.co_allocable = may_co_allocate(parts, kind.need, kind.dttl);
  kind.placed = kind.co_allocable && is_placed_by_files(parts, kind.need);
  parts.queue.classify(kind, holds_here, holds_here && !kind.placed, clusters);
  kind.aimed = kind.placed ||
               (kind.co_allocable &&
                std::ranges::any_of(kind.need.components, [](const Component& one) { return !one.site.empty(); }));
}

void refuse_hopeless(SiteStep& s) {
  if (!s.parts.feasibility.is_due(s.parts.owned)) return;
  std::vector<LocalRequest*> hopeless;
  s.parts.queue.each_class([&](RequestClass& kind) {
    classify(s.parts, kind);
    if (kind.placed) place_all(s, kind);
    const std::optional<Duration> least = s.parts.feasibility.hopeless_from(s.parts.capacity(), kind);
    if (!least) return;
    for (auto it = kind.waiting.begin(); it != kind.waiting.end() && hopeless.size() < refusals_a_step; ++it)
      if (it->second->request.length >= *least) hopeless.push_back(it->second);
  });
  const std::size_t waited = s.parts.queue.size();
  for (LocalRequest* request : hopeless) refuse_if_hopeless(s, *request);
  s.parts.feasibility.looked(s.parts.owned, hopeless.size() == refusals_a_step && s.parts.queue.size() < waited);
}

void place_all(SiteStep& s, const RequestClass& kind) {
  DMM_ASSERT(kind.placed);
  for (const auto& [key, request] : kind.waiting)
    if (!s.parts.co_allocator.knows(request->request.id)) place(s, *request);
}

void refuse_if_hopeless(SiteStep& s, LocalRequest& request) {
  auto refused = s.parts.feasibility.refusal_of(s.parts.capacity(), request);
  if (!refused) return;
  auto& [refusal, prospect] = *refused;
  const Clause here = clause_of(request.kind->need, s.parts.settings.name, s.parts.owned, s.parts.placer,
                                s.parts.drains.has_self());
  if (here.reason == RejectReason::over_quota) refusal.text += "; here " + here.what;
  refuse(s, request, std::move(refusal), prospect.largest);
}

bool refuse_if_tried_enough(SiteStep& s, LocalRequest& request) {
  const std::uint32_t most = s.parts.settings.placement_tries_max;
  const std::uint32_t tries = s.parts.co_allocator.tries(request.request.id);
  if (most == 0 || tries < most) return false;
  std::string text = "no place was found in " + std::to_string(tries) + " tries, as many as " +
                     s.parts.settings.name.text +
                     " makes; the last: " + s.parts.co_allocator.last_failure(request.request.id);
  refuse(s, request, {RefusalReason::no_place, std::move(text)}, 0);
  return true;
}

void refuse(SiteStep& s, LocalRequest& request, Refusal refusal, std::uint32_t largest) {
  const RequestId id = request.request.id;
  s.effects.log(Level::info, "refuse", id,
                {{"reason", std::string(to_text(refusal.reason))},
                 {"text", refusal.text},
                 {"largest", std::int64_t{largest}}});
  const Party user = job_manager_of(s.parts.settings.name, id.user);
  s.effects.send(user, Refuse{id, refusal.reason, largest, std::move(refusal.text)}, id);
  s.parts.users.closed(user);
  leave(s, request);
}

void tell_reach(SiteStep& s) {
  for (auto& [n, reach] : s.parts.feasibility.take_due(s.parts.capacity())) send(s, n, std::move(reach), {});
}

void on(SiteStep& s, FromSite from, Reach& reach) { s.parts.feasibility.hear(from.neighbour, std::move(reach)); }

}  // namespace dmm::site_steps
