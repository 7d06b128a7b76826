// Putting together what neighbours told; see reach_board.hpp.
#include "sitemgr/reach_board.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "manager/assert.hpp"
#include "manager/planted.hpp"
#include "protocol/hints.hpp"
#include "sitemgr/owned_nodes.hpp"

namespace dmm {
namespace {

/// Kinds of nodes that are told of at one distance; where there are more, what is left out is said to be.
constexpr std::size_t classes_kept_max = 64;

bool is_of_kind(const NodeClass& a, const NodeClass& b) {
  return a.memory_bytes == b.memory_bytes && a.attributes == b.attributes;
}

Duration longer(Duration a, Duration b) {
  return a == Duration{} || b == Duration{} ? Duration{} : std::max(a, b);
}

/// Takes names of sites away that are more than may be told.
void cut_sites(std::vector<ReachEntry>& entries) {
  std::size_t told = 0;
  for (ReachEntry& entry : entries)
    for (NodeClass& one : entry.classes) {
      if (one.sites.size() > sites_named_max || told + one.sites.size() > sites_told_max) one.sites.clear();
      told += one.sites.size();
    }
  DMM_ASSERT(told <= sites_told_max);
}

}  // namespace

/// Classes of one distance may be of one site, so what they have is added up: more than any site has, never less.
void consider(const ReachEntry& entry, const ResourceNeed& need, Duration length, Prospect& prospect) {
  const std::uint64_t widest = widest_component(need), all = total_processors(need);
  std::uint64_t any_largest = 0, any_together = 0, largest = 0, together = 0, long_largest = 0, long_together = 0;
  std::uint32_t limit = 0;
  for (const NodeClass& one : entry.classes) {
    any_largest += one.largest;
    any_together += one.together;
    prospect.largest = std::max(prospect.largest, one.largest);
    if (!meets({one.memory_bytes, one.attributes}, need.constraints)) continue;
    largest += one.largest;
    together += one.together;
    if (one.limited && (one.largest < widest || one.together < all)) limit = std::max(limit, one.together);
    if (length > one.longest && one.longest != Duration{}) continue;
    long_largest += one.largest;
    long_together += one.together;
  }
  DMM_ASSERT(long_largest <= largest && largest <= any_largest && long_together <= together);
  prospect.wide_enough |= any_largest >= widest && any_together >= all;
  prospect.has_nodes |= largest >= widest && together >= all;
  prospect.possible |= long_largest >= widest && long_together >= all;
  prospect.complete &= entry.complete;
  if (prospect.limit == 0) prospect.limit = limit;
}

bool ReachBoard::hear(std::size_t neighbour, Reach reach) {
  DMM_ASSERT(neighbour < heard_.size());
  if (reach.entries.size() > dttl_max) reach.entries.resize(dttl_max);
  for (ReachEntry& entry : reach.entries)
    if (entry.classes.size() > classes_kept_max) {
      entry.classes.resize(classes_kept_max);
      entry.complete = false;
    }
  cut_sites(reach.entries);
  if (heard_[neighbour].entries == reach.entries) return false;
  heard_[neighbour] = std::move(reach);
  ++changes_;
  return true;
}

void ReachBoard::set_gone(std::size_t neighbour, bool gone) {
  DMM_ASSERT(neighbour < gone_.size() && gone_.size() == heard_.size());
  if (gone_[neighbour] == gone || DMM_PLANT(gone_neighbour_unknown)) return;
  gone_[neighbour] = gone;
  heard_[neighbour] = {};
  ++changes_;
}

// ---- what is told to neighbours ------------------------------------------------------------------------------------

void ReachSums::Entry::add(const Kind& more) {
  DMM_ASSERT(more.what && kinds.size() <= classes_kept_max);
  const auto same =
      std::ranges::find_if(kinds, [&](const Kind& one) { return is_of_kind(*one.what, *more.what); });
  if (same != kinds.end()) {
    same->largest = std::max(same->largest, more.largest);
    same->together = std::max(same->together, more.together);
    same->longest = longer(same->longest, more.longest);
    same->limited |= more.limited;
    const bool is_told = same->in_all > 0 && more.in_all > 0;
    same->in_all = is_told ? added(same->in_all, more.in_all) : 0;
    if (same->sites.empty() || more.sites.empty() || !unite_sites(same->sites, more.sites)) same->sites.clear();
  } else if (kinds.size() < classes_kept_max) {
    kinds.push_back(more);
  } else {
    complete = false;
  }
}

void ReachSums::Entry::add(const Entry& more) {
  complete &= more.complete;
  for (const Kind& kind : more.kinds) add(kind);
}

ReachSums::Entry ReachSums::entry_of(const Reach& told, std::size_t distance) {
  Entry entry;
  entry.complete = distance < told.entries.size() && told.entries[distance].complete;
  if (distance >= told.entries.size()) return entry;
  DMM_ASSERT(told.entries[distance].classes.size() <= classes_kept_max);
  for (const NodeClass& one : told.entries[distance].classes)
    entry.add(Kind{&one, one.largest, one.together, one.longest, one.limited, one.in_all, one.sites});
  return entry;
}

ReachSums::ReachSums(const std::vector<Reach>& heard, const std::vector<bool>& gone, std::size_t distances)
    : before_(heard.size() + 1, std::vector<Entry>(distances - 1)), after_(before_) {
  DMM_ASSERT(heard.size() == gone.size());
  const auto entry = [&](std::size_t i, std::size_t d) { return gone[i] ? Entry() : entry_of(heard[i], d); };
  for (std::size_t d = 0; d + 1 < distances; ++d) {
    for (std::size_t i = 0; i < heard.size(); ++i) {
      before_[i + 1][d] = before_[i][d];
      before_[i + 1][d].add(entry(i, d));
    }
    for (std::size_t i = heard.size(); i-- > 0;) {
      after_[i][d] = entry(i, d);
      after_[i][d].add(after_[i + 1][d]);
    }
  }
}

Reach ReachSums::without(std::size_t neighbour, ReachEntry own) const {
  DMM_ASSERT(neighbour + 1 < before_.size() && after_.size() == before_.size());
  Reach reach;
  reach.entries.push_back(std::move(own));
  for (std::size_t d = 0; d < before_[neighbour].size(); ++d) {
    Entry others = before_[neighbour][d];
    others.add(after_[neighbour + 1][d]);
    ReachEntry& entry = reach.entries.emplace_back();
    entry.complete = others.complete;
    for (const Kind& kind : others.kinds) {
      NodeClass& one = entry.classes.emplace_back(*kind.what);
      one.largest = kind.largest;
      one.together = kind.together;
      one.longest = kind.longest;
      one.limited = kind.limited;
      // Rounded up, so that not every site that comes makes all others tell their reach again.
      one.in_all = kind.in_all == 0 ? 0 : std::bit_ceil(kind.in_all);
      one.sites = kind.sites;
    }
  }
  cut_sites(reach.entries);
  return reach;
}

// ---- what can be had -----------------------------------------------------------------------------------------------

Prospect ReachBoard::beyond(std::size_t neighbour, const ResourceNeed& need, std::uint32_t dttl,
                            Duration length) const {
  DMM_ASSERT(neighbour < heard_.size());
  const std::vector<ReachEntry>& told = heard_[neighbour].entries;
  DMM_ASSERT(told.size() <= dttl_max);
  Prospect prospect;
  prospect.complete = told.size() >= dttl;
  for (std::size_t d = 0; d < told.size() && d < dttl; ++d) {
    consider(told[d], need, length, prospect);
    if (prospect.limit > 0 && prospect.limit_hops == 0) prospect.limit_hops = static_cast<std::uint32_t>(d) + 1;
  }
  return prospect;
}

void ReachBoard::count_beyond(std::size_t neighbour, const Constraints& constraints, std::uint32_t dttl,
                              Duration length, ReachTotal& total) const {
  DMM_ASSERT(neighbour < heard_.size());
  const std::vector<ReachEntry>& told = heard_[neighbour].entries;
  for (std::size_t d = 0; d < told.size() && d < dttl; ++d) total.add(told[d], constraints, length);
}

std::optional<std::uint32_t> ReachBoard::hops_to_more(std::size_t neighbour, const ResourceNeed& need,
                                                      std::uint32_t dttl, std::uint32_t most,
                                                      Duration length) const {
  DMM_ASSERT(neighbour < heard_.size());
  const std::vector<ReachEntry>& told = heard_[neighbour].entries;
  for (std::size_t d = dttl; d < told.size() && d < most; ++d) {
    Prospect there;
    consider(told[d], need, length, there);
    if (there.possible) return static_cast<std::uint32_t>(d) + 1;
  }
  return std::nullopt;
}

std::uint32_t ReachBoard::limit_of(std::size_t neighbour, const Constraints& constraints) const {
  DMM_ASSERT(neighbour < heard_.size());
  std::uint32_t limit = 0;
  if (heard_[neighbour].entries.empty()) return limit;
  for (const NodeClass& one : heard_[neighbour].entries.front().classes)
    if (one.limited && meets({one.memory_bytes, one.attributes}, constraints))
      limit = std::max(limit, one.together);
  DMM_ASSERT(!gone_[neighbour]);
  return limit;
}

}  // namespace dmm
