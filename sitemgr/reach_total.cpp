#include "sitemgr/reach_total.hpp"

#include <algorithm>

#include "manager/assert.hpp"

namespace dmm {
namespace {

/// The same site on one more way.
void unite(ReachSite& site, const ReachSite& more) {
  const bool both_limited = site.limited && more.limited;
  const std::uint64_t sum = both_limited ? std::uint64_t{site.processors} + more.processors : 0;
  site.processors = both_limited ? static_cast<std::uint32_t>(std::min<std::uint64_t>(sum, UINT32_MAX))
                                 : std::max(site.processors, more.processors);
  site.limited = both_limited;
}

}  // namespace

std::uint64_t added(std::uint64_t a, std::uint64_t b) { return std::min(a + b, processors_unbounded); }

bool unite_sites(std::vector<ReachSite>& sites, const std::vector<ReachSite>& more) {
  for (const ReachSite& one : more) {
    const auto at = std::ranges::lower_bound(sites, one.site, {}, &ReachSite::site);
    if (at != sites.end() && at->site == one.site)
      unite(*at, one);
    else
      sites.insert(at, one);
  }
  if (sites.size() <= sites_named_max) return true;
  sites.clear();
  return false;
}

void ReachTotal::add(const ReachEntry& entry, const Constraints& constraints, Duration length) {
  for (const NodeClass& one : entry.classes) {
    if (!meets({one.memory_bytes, one.attributes}, constraints)) continue;
    if (length > one.longest && one.longest != Duration{}) continue;
    if (one.sites.empty()) unnamed_ = added(unnamed_, one.in_all == 0 ? processors_unbounded : one.in_all);
    for (const ReachSite& site : one.sites) {
      const auto [at, is_new] = sites_.try_emplace({site.site, one.memory_bytes, one.attributes}, site);
      if (!is_new) unite(at->second, site);
    }
  }
}

std::uint64_t ReachTotal::processors() const {
  std::uint64_t sum = unnamed_;
  for (const auto& [key, site] : sites_) sum = added(sum, site.processors);
  DMM_ASSERT(sum <= processors_unbounded);
  return sum;
}

}  // namespace dmm
