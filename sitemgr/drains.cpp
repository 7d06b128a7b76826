// Orders to drain and to resume, and their rows.
#include "sitemgr/drains.hpp"

#include "manager/assert.hpp"

namespace dmm {

bool Drains::drain(const SiteName& site) {
  if (!sites_.insert(site).second) return false;
  ++changes_;
  changed_.push_back({site});
  DMM_ASSERT(changed_.size() <= changes_);  // each row to be written is of a change
  return true;
}

bool Drains::resume(const SiteName& site) {
  if (sites_.erase(site) == 0) return false;
  ++changes_;
  changed_.push_back({site});
  DMM_ASSERT(changed_.size() <= changes_);
  return true;
}

void Drains::write(LedgerChanges<SiteRecord>& ledger) {
  if (changed_.empty()) return;
  DMM_ASSERT(changes_ > 0);  // what was restored is written already
  for (DrainRecord& drain : std::exchange(changed_, {})) {
    if (has(drain.site))
      ledger.put(std::move(drain));
    else
      ledger.erase(std::move(drain));
  }
}

void Drains::add_records(std::vector<SiteRecord>& rows) const {
  for (const SiteName& site : sites_) rows.emplace_back(DrainRecord{site});
  DMM_ASSERT(rows.size() >= sites_.size());
}

}  // namespace dmm
