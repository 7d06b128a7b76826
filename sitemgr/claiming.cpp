// The steps of claiming.hpp.
#include "sitemgr/claiming.hpp"

#include <algorithm>

#include "manager/assert.hpp"
#include "sitemgr/gathering.hpp"
#include "sitemgr/part_placing.hpp"
#include "sitemgr/prefetching.hpp"

namespace dmm::site_steps {
namespace {

constexpr std::int64_t tries_of_incremental_claiming = 4;
/// Of an attempt: what was refused counts too.
constexpr std::size_t parts_max = 64;

bool is_incremental(const SiteSettings& settings) { return settings.claiming_threshold < 1; }

/// What its user fixed to a site can be nowhere else.
bool is_movable(const LocalRequest& request) {
  const ResourceNeed& need = request.kind->need;
  return need.kind != RequestKind::fixed ||
         std::ranges::all_of(need.components, [](const Component& one) { return one.site.empty(); });
}

/// The part's components, wherever they fit.
ResourceNeed need_of(const CoPart& part) {
  ResourceNeed need;
  need.constraints = part.need.constraints;
  for (const Component& component : part.need.components)
    need.components.push_back({component.processors, {}, {}});
  return need;
}

}  // namespace

std::int64_t claiming_tries(const SiteSettings& settings) {
  return is_incremental(settings) ? tries_of_incremental_claiming : 1;
}

bool place_again(SiteStep& s, LocalRequest& request, CoAttempt& attempt, std::uint32_t number) {
  const SiteSettings& settings = s.parts.settings;
  DMM_ASSERT(attempt.part(number)->state == CoPart::State::asked);
  if (!is_incremental(settings) || !is_movable(request) || !attempt.broken.empty()) return false;
  if (attempt.held() < settings.claiming_threshold || attempt.parts.size() >= parts_max) return false;
  const CoPart refused = *attempt.part(number);
  const CoMap map = co_map_for(s.parts, s.now, request, false);
  std::optional<Placement> placement = s.parts.placer.place(need_of(refused), map.views);
  if (!placement) return false;
  for (PlacedComponent& placed : *placement) placed.component = refused.components.at(placed.component);
  const RequestId& id = request.request.id;
  if (!files_come_in_time(s.parts, s.now, request, *placement, map)) return false;
  std::vector<CoPart> parts = parts_of(request, *placement, map);
  if (parts.size() + attempt.parts.size() > parts_max || !why_not_asked(s.parts, s.now, parts).empty())
    return false;
  attempt.part(number)->state = CoPart::State::replaced;
  const auto first = static_cast<std::uint32_t>(attempt.parts.size()) + 1;
  std::ranges::move(parts, std::back_inserter(attempt.parts));
  if (const ClaimPlan* plan = s.parts.co_allocator.plan_of(id))
    tell_planned(s, id, *plan, lacking(*placement, map));
  s.effects.log(Level::info, "placed_again", id,
                {{"part", std::int64_t{number}}, {"refused_by", refused.site.text}});
  ask_parts(s, request, attempt, first, *placement, map);
  return true;
}

}  // namespace dmm::site_steps
