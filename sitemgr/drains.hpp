// Drains: the sites to which the owner lends nothing more, by an order of its administrator. An owner that is drained
// itself starts nothing new on its own nodes. Drains are kept over a restart.
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "sitemgr/records.hpp"

namespace dmm {

class Drains {
 public:
  explicit Drains(SiteName self) : self_(std::move(self)) {}

  /// Drains a site. False if it was drained already.
  bool drain(const SiteName& site);
  /// Ends a drain. False if there was none.
  bool resume(const SiteName& site);
  bool has(const SiteName& site) const { return sites_.contains(site); }
  /// Whether this site is drained.
  bool has_self() const { return sites_.contains(self_); }
  const std::set<SiteName>& sites() const { return sites_; }
  /// Counts up whenever a drain begins or ends.
  std::uint64_t changes() const { return changes_; }

  // ---- the ledger ----
  void restore(const DrainRecord& row) { sites_.insert(row.site); }
  void write(LedgerChanges<SiteRecord>& ledger);
  void add_records(std::vector<SiteRecord>& rows) const;

 private:
  SiteName self_;
  std::set<SiteName> sites_;
  std::vector<DrainRecord> changed_;  ///< rows to be written
  std::uint64_t changes_ = 0;
};

}  // namespace dmm
