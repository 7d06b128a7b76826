#include "sitemgr/kept_replicas.hpp"

#include <algorithm>

#include "manager/assert.hpp"

namespace dmm {

void KeptReplicas::heard(Instant now, const ShortText& sha256, const SiteName& site, const ClusterName& cluster) {
  if (sha256.empty()) return;
  files_[{sha256, site, cluster}] = now;
  if (files_.size() > files_max) forget_oldest();
  DMM_ASSERT(files_.size() <= files_max);
}

void KeptReplicas::forget_oldest() {
  files_.erase(std::ranges::min_element(files_, {}, [](const auto& row) { return row.second; }));
}

bool KeptReplicas::has(Instant now, const ShortText& sha256, const SiteName& site,
                       const ClusterName& cluster) const {
  if (files_.empty() || sha256.empty()) return false;
  const auto at = files_.find({sha256, site, cluster});
  return at != files_.end() && now - at->second <= remembered;
}

}  // namespace dmm
