// Accounts (usage): how many processor-seconds this site lent, borrowed and used itself, in total since the ledger
// began and in records of the last leases that ended.
#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "sitemgr/lease.hpp"
#include "sitemgr/neighbours.hpp"
#include "sitemgr/records.hpp"
#include "sitemgr/usage.hpp"

namespace dmm {

class Accounts {
 public:
  using Key = std::pair<UsageRecord::Direction, SiteName>;

  /// `records_max`: how many records of single leases are kept.
  explicit Accounts(std::size_t records_max) : log_(records_max) {}
  void set_records_max(std::size_t records_max) { log_.set_records_max(records_max); }

  /// A lease is over at this hop.
  void close(const HopLease& lease, Instant now, const Neighbours& neighbours);
  const UsageLog& log() const { return log_; }
  /// By direction and neighbour, since the ledger began.
  const std::map<Key, UsageTotal>& totals() const { return totals_; }
  std::uint64_t total_of(UsageRecord::Direction direction, const SiteName& peer) const;

  void restore(UsageTotalRow row) { totals_[{row.direction, row.peer}] = row.total; }
  /// Records by number, after all totals. Older ledgers have no totals: then they are the sums of the records.
  void restore(std::map<std::uint64_t, UsageRecord> records);
  void write(LedgerChanges<SiteRecord>& ledger);
  void add_records(std::vector<SiteRecord>& rows) const;

 private:
  void add_total(UsageRecord::Direction direction, const SiteName& peer, std::uint64_t processor_microseconds);

  UsageLog log_;
  std::map<Key, UsageTotal> totals_;
  std::set<Key> changed_;      ///< totals with a row to be written
  std::uint64_t written_ = 1;  ///< every record with a lower number is in the ledger
  std::uint64_t first_ = 1;    ///< the number of the oldest record that the ledger has
};

}  // namespace dmm
