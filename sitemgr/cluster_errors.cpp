#include "sitemgr/cluster_errors.hpp"

#include <algorithm>

#include "manager/assert.hpp"

namespace dmm {

std::optional<Instant> ClusterErrors::failed(Instant now, const SiteName& site, const ClusterName& cluster,
                                             std::uint32_t most, Duration pause_first) {
  if (most == 0) return std::nullopt;
  if (clusters_.size() == clusters_max && !clusters_.contains({site, cluster})) forget_oldest();
  Errors& errors = clusters_[{site, cluster}];
  ++errors.in_a_row;
  errors.latest = now;
  if (errors.in_a_row < most || now < errors.aside_until)
    return std::nullopt;  // those that ran when it was set aside
  errors.pause = errors.pause == Duration{} ? pause_first : std::min(errors.pause * 2, pause_max);
  errors.aside_until = now + errors.pause;
  DMM_ASSERT(is_aside(now, site, cluster) || pause_first == Duration{});
  return errors.aside_until;
}

void ClusterErrors::forget_oldest() {
  clusters_.erase(std::ranges::min_element(clusters_, {}, [](const auto& row) { return row.second.latest; }));
  DMM_ASSERT(clusters_.size() < clusters_max);
}

std::vector<ClusterErrors::Aside> ClusterErrors::aside(Instant now, std::size_t most) const {
  std::vector<Aside> all;
  for (const auto& [cluster, errors] : clusters_)
    if (now < errors.aside_until && all.size() < most)
      all.push_back({cluster.first, cluster.second, errors.in_a_row, errors.aside_until - now});
  return all;
}

std::string ClusterErrors::why_aside(Instant now, const SiteName& site, const ClusterName& cluster) const {
  const auto found = clusters_.find({site, cluster});
  if (found == clusters_.end() || now >= found->second.aside_until) return {};
  const std::int64_t seconds = (found->second.aside_until - now).microseconds / 1'000'000 + 1;
  return "set aside for " + std::to_string(seconds) + " s, since its hosts failed " +
         std::to_string(found->second.in_a_row) + " jobs in a row";
}

bool ClusterErrors::is_aside(Instant now, const SiteName& site, const ClusterName& cluster) const {
  if (clusters_.empty()) return false;
  const auto found = clusters_.find({site, cluster});
  return found != clusters_.end() && now < found->second.aside_until;
}

}  // namespace dmm
