// What can be had by configuration; see feasibility.hpp.
#include "sitemgr/feasibility.hpp"

#include <algorithm>

#include "manager/assert.hpp"

namespace dmm {
namespace {

/// A refusal names at most this many neighbours with limits that are its reason.
constexpr std::size_t limits_named_max = 3;

/// Claims tell this many clusters apart, a bit each.
constexpr std::size_t clusters_told_apart = 64;

std::string text_of(const Constraints& constraints) {
  std::string text;
  const auto add = [&](const std::string& one) { text += (text.empty() ? "" : " and ") + one; };
  for (const auto& [name, value] : constraints.attributes) add(name + "=" + value);
  constexpr std::uint64_t mib = 1 << 20;
  if (constraints.memory_bytes > 0)
    add(std::to_string((constraints.memory_bytes + mib - 1) / mib) + " MiB of memory");
  return text;
}

std::string processors_text(std::uint32_t processors) {
  return std::to_string(processors) + (processors == 1 ? " processor" : " processors");
}

/// `limits`: those of links that leave too few nodes that would do; empty if there are none.
Refusal refusal_for(const RequestClass& kind, const Prospect& prospect, Duration length,
                    const std::string& limits) {
  if (prospect.too_few_together)
    return {RefusalReason::too_large_together, "needs " + processors_text(kind.processors) +
                                                   ", and all clusters within its reach have " +
                                                   std::to_string(prospect.in_all) + " that would do"};
  if (!limits.empty())
    return {RefusalReason::over_limit, "needs " + processors_text(kind.processors) + "; " + limits};
  if (!prospect.wide_enough) {
    std::string text = "needs " + processors_text(kind.widest) + " in one cluster";
    if (kind.processors != kind.widest) text += " and " + std::to_string(kind.processors) + " at one site";
    return {RefusalReason::too_large, std::move(text)};
  }
  if (prospect.has_nodes && length == Duration{})
    return {RefusalReason::too_large, "needs " + std::to_string(kind.processors) +
                                          " processors in components of up to " + std::to_string(kind.widest) +
                                          ", which fit into no site's clusters together"};
  if (!prospect.has_nodes)
    return {RefusalReason::no_such_nodes,
            "needs " + processors_text(kind.widest) + " of nodes with " + text_of(kind.need.constraints)};
  return {RefusalReason::too_long, "runs for up to " + std::to_string(length.microseconds / 1'000'000) +
                                       " s, and no owner lends for so long"};
}

}  // namespace

void Feasibility::add_neighbours(std::size_t neighbours) {
  DMM_ASSERT(neighbours >= told_.size());
  reach_.add_neighbours(neighbours);
  told_.resize(neighbours);
}

void Feasibility::set_gone(std::size_t n, bool gone) {
  DMM_ASSERT(n < told_.size());
  reach_.set_gone(n, gone);
  if (gone) changed_.insert(n);
}

void Feasibility::hear(std::size_t n, Reach reach) {
  DMM_ASSERT(n < told_.size());
  if (!reach_.hear(n, std::move(reach))) return;
  changed_.insert(n);
}

Prospect Feasibility::prospect(const Site& site, const RequestClass& kind, Duration length, bool stays) const {
  DMM_ASSERT(told_.size() >= site.neighbours.size());
  if (kind.co_allocable && !stays) return prospect_of_parts(site, kind, length);
  return prospect_of(site, kind.need, kind.holds_here, kind.dttl, length, stays);
}

ResourceNeed widest_part_of(const RequestClass& kind) {
  ResourceNeed widest;
  widest.components.push_back({kind.widest, {}, {}});
  widest.constraints = kind.need.constraints;
  return widest;
}

/// Each component may be at a site of its own: that the widest one has a place is enough, where all clusters have
/// enough together.
Prospect Feasibility::prospect_of_parts(const Site& site, const RequestClass& kind, Duration length) const {
  const ResourceNeed widest = widest_part_of(kind);
  DMM_ASSERT(kind.dttl > 0);
  Prospect prospect =
      prospect_of(site, widest, kind.holds_here || classify(site, widest).first, kind.dttl, length, false);
  ReachTotal total;
  total.add({true, site.owned.classes({})}, kind.need.constraints, {});
  for (std::size_t n = 0; n < site.neighbours.size(); ++n)
    if (!site.neighbours[n].removed) reach_.count_beyond(n, kind.need.constraints, kind.dttl, length, total);
  prospect.in_all = total.processors();
  prospect.too_few_together = prospect.possible && !kind.holds_here && prospect.in_all < kind.processors;
  prospect.possible &= !prospect.too_few_together;
  return prospect;
}

Prospect Feasibility::prospect_of(const Site& site, const ResourceNeed& need, bool servable, std::uint32_t dttl,
                                  Duration length, bool stays) const {
  Prospect prospect;
  prospect.complete = site.owned.all_known();
  if (servable) prospect.possible = prospect.wide_enough = prospect.has_nodes = true;
  consider({prospect.complete, site.owned.classes({})}, need, {}, prospect);
  if (!servable) prospect.possible = false;  // our own clusters can't hold it, whatever their sum
  if (stays) return prospect;
  if (!site.settings.use_hints) prospect.complete = false;
  for (std::size_t n = 0; n < site.neighbours.size(); ++n) {
    if (site.neighbours[n].removed) continue;
    const Prospect there = reach_.beyond(n, need, dttl, length);
    prospect.possible |= there.possible;
    prospect.wide_enough |= there.wide_enough;
    prospect.has_nodes |= there.has_nodes;
    prospect.complete &= there.complete;
    prospect.largest = std::max(prospect.largest, there.largest);
  }
  DMM_ASSERT(!servable || prospect.possible);
  return prospect;
}

std::optional<std::uint32_t> Feasibility::dttl_to_more(const Site& site, const RequestClass& kind,
                                                       Duration length) const {
  DMM_ASSERT(told_.size() >= site.neighbours.size());
  std::optional<std::uint32_t> least;
  if (!site.settings.delegate || !site.settings.use_hints) return least;
  for (std::size_t n = 0; n < site.neighbours.size(); ++n) {
    if (site.neighbours[n].removed) continue;
    const std::uint32_t most = least ? *least - 1 : std::min(site.settings.dttl_limit, dttl_max);
    if (const auto hops = reach_.hops_to_more(n, kind.need, kind.dttl, most, length)) least = hops;
  }
  DMM_ASSERT(!least || *least > kind.dttl);
  return least;
}

// ---- classes -------------------------------------------------------------------------------------------------------

std::pair<bool, std::uint64_t> Feasibility::classify(const Site& site, const ResourceNeed& need) {
  const std::vector<ClusterView> sizes = site.owned.sizes(need.constraints);
  DMM_ASSERT(sizes.size() == site.owned.settings().size());
  const std::uint32_t widest = widest_component(need);
  std::uint64_t clusters = 0;
  for (std::size_t i = 0; i < sizes.size() && i < clusters_told_apart; ++i)
    if (usable_processors(sizes[i]) >= widest) clusters |= std::uint64_t{1} << i;
  return {site.placer.place(need, sizes).has_value(), clusters};
}

std::optional<Duration> Feasibility::hopeless_from(const Site& site, const RequestClass& kind) const {
  if (kind.holds_here) return std::nullopt;
  const bool stays = kind.dttl == 0 || !site.settings.delegate || site.neighbours.configured() == 0;
  const auto is_hopeless = [&](Duration length) {
    const Prospect there = prospect(site, kind, length, stays);
    return !there.possible && there.complete;
  };
  if (is_hopeless({})) return Duration{};
  std::optional<Duration> least;
  for (auto length = kind.lengths.rbegin(); length != kind.lengths.rend() && is_hopeless(length->first); ++length)
    least = length->first;
  DMM_ASSERT(!least || *least > Duration{});  // only declared lengths are listed
  return least;
}

std::optional<std::pair<Refusal, Prospect>> Feasibility::refusal_of(const Site& site,
                                                                    const LocalRequest& request) const {
  const Duration length = request.request.length;
  const bool stays = request.search == LocalRequest::Search::home;
  const Prospect there = prospect(site, *request.kind, length, stays);
  if (there.possible || !there.complete) return std::nullopt;
  DMM_ASSERT(!request.kind->holds_here);  // what this site can hold is never refused
  const bool is_of_length = there.has_nodes && length != Duration{};
  const std::string limits = stays || is_of_length ? std::string() : limits_text(site, *request.kind, length);
  return std::pair{refusal_for(*request.kind, there, length, limits), there};
}

/// "beta lends alpha at most 3 processors at once", of a few neighbours.
std::string Feasibility::limits_text(const Site& site, const RequestClass& kind, Duration length) const {
  std::string text;
  std::size_t named = 0;
  for (std::size_t n = 0; n < site.neighbours.size() && named < limits_named_max; ++n) {
    if (site.neighbours[n].removed) continue;
    const Prospect there = reach_.beyond(n, kind.need, kind.dttl, length);
    if (there.limit == 0) continue;
    DMM_ASSERT(there.limit_hops > 0 && there.limit_hops <= kind.dttl);
    ++named;
    text += text.empty() ? "" : "; ";
    const std::string& neighbour = site.neighbours[n].site.text;
    if (there.limit_hops == 1)
      text += neighbour + " lends " + std::string(site.settings.name.text) + " at most " +
              processors_text(there.limit) + " at once";
    else
      text += "beyond " + neighbour + ", a site " + std::to_string(there.limit_hops) +
              " hops away lends less over its link than it has";
  }
  return text.empty() ? text : text + R"( ("processors" in "limits" there))";
}

void Feasibility::looked(const OwnedNodes& owned, bool more) {
  looked_at_ = more ? std::nullopt : std::optional(sources(owned));
  goes_on_ = more;
  DMM_ASSERT(is_due(owned) == more);
}

// ---- what neighbours are told --------------------------------------------------------------------------------------

void Feasibility::came_up(std::size_t n, bool restarted) {
  DMM_ASSERT(n < told_.size());
  if (restarted) told_[n].clear();
  told_of_.reset();
}

/// What this site lends to a neighbour when idle.
ReachEntry Feasibility::own_entry(const Site& site, std::size_t n) {
  DMM_ASSERT(n < site.neighbours.size());
  if (!site.settings.lend) return {true, {}};
  const NeighbourLimits& limits = site.neighbours[n].limits;
  ReachEntry own{site.owned.all_known(), site.owned.classes(site.settings.lease_length_for(limits))};
  const std::uint32_t most = limits.processors_at_most();
  for (NodeClass& one : own.classes) {
    one.limited = one.together > most;
    one.largest = std::min(one.largest, most);
    one.together = std::min(one.together, most);
    one.in_all = one.together;
    one.sites = {{site.settings.name, one.together, one.limited}};
  }
  return own;
}

std::vector<std::pair<std::size_t, Reach>> Feasibility::take_due(const Site& site) {
  DMM_ASSERT(told_.size() >= site.neighbours.size());
  std::vector<std::pair<std::size_t, Reach>> due;
  const Sources now = sources(site.owned);
  if (!site.settings.use_hints || std::exchange(told_of_, now) == now) return due;
  const ReachSums sums = reach_.sums(site.settings.hint_distance);
  for (std::size_t n = 0; n < site.neighbours.size(); ++n) {
    if (!site.neighbours[n].up || site.neighbours[n].removed) continue;
    Reach reach = sums.without(n, own_entry(site, n));
    if (reach.entries == told_[n]) continue;
    told_[n] = reach.entries;
    due.emplace_back(n, std::move(reach));
  }
  return due;
}

// ---- the ledger ----------------------------------------------------------------------------------------------------

void Feasibility::restore(const Neighbours& neighbours, ReachRecord row) {
  DMM_ASSERT(told_.size() >= neighbours.size());
  if (const auto n = neighbours.find(row.site))
    reach_.hear(*n, Reach{std::move(row.entries)});
  else
    gone_rows_.push_back(std::move(row.site));
}

void Feasibility::write(const Neighbours& neighbours, LedgerChanges<SiteRecord>& ledger) {
  if (changed_.empty() && gone_rows_.empty()) return;
  for (const std::size_t n : std::exchange(changed_, {})) {
    DMM_ASSERT(n < neighbours.size());
    if (neighbours[n].removed)
      ledger.erase(ReachRecord{neighbours[n].site, {}});
    else
      ledger.put(ReachRecord{neighbours[n].site, reach_.heard(n).entries});
  }
  for (SiteName& site : std::exchange(gone_rows_, {})) ledger.erase(ReachRecord{std::move(site), {}});
}

void Feasibility::add_records(const Neighbours& neighbours, std::vector<SiteRecord>& rows) const {
  DMM_ASSERT(told_.size() >= neighbours.size());
  for (std::size_t n = 0; n < neighbours.size(); ++n)
    if (!neighbours[n].removed && !reach_.heard(n).entries.empty())
      rows.emplace_back(ReachRecord{neighbours[n].site, reach_.heard(n).entries});
}

}  // namespace dmm
