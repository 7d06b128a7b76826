// Totals and records of use; see accounts.hpp.
#include "sitemgr/accounts.hpp"

#include "manager/assert.hpp"

namespace dmm {

void Accounts::add_total(UsageRecord::Direction direction, const SiteName& peer,
                         std::uint64_t processor_microseconds) {
  UsageTotal& total = totals_[{direction, peer}];
  ++total.leases;
  total.processor_microseconds += processor_microseconds;
  changed_.insert({direction, peer});
}

void Accounts::close(const HopLease& lease, Instant now, const Neighbours& neighbours) {
  DMM_ASSERT(lease.granted <= now);
  UsageRecord record{lease.id,         lease.request, {},  UsageRecord::Direction::own,
                     lease.processors, lease.granted, now, lease.processor_microseconds};
  const auto note = [&](UsageRecord::Direction direction, std::optional<std::size_t> peer) {
    DMM_ASSERT(!peer || *peer < neighbours.size());
    record.direction = direction;
    record.peer = peer ? neighbours[*peer].site : SiteName();
    add_total(direction, record.peer, lease.processor_microseconds);
    log_.add(record);
  };
  if (lease.downstream) note(UsageRecord::Direction::lent, lease.downstream);
  if (lease.upstream) note(UsageRecord::Direction::borrowed, lease.upstream);
  if (!lease.upstream && !lease.downstream) note(UsageRecord::Direction::own, std::nullopt);
}

std::uint64_t Accounts::total_of(UsageRecord::Direction direction, const SiteName& peer) const {
  const auto total = totals_.find({direction, peer});
  return total == totals_.end() ? 0 : total->second.processor_microseconds;
}

void Accounts::restore(std::map<std::uint64_t, UsageRecord> records) {
  DMM_ASSERT(log_.records().empty() && changed_.empty());  // no lease has ended yet
  const bool has_totals = !totals_.empty();
  first_ = records.empty() ? 1 : records.begin()->first;
  for (auto& [number, use] : records) {
    if (!has_totals) add_total(use.direction, use.peer, use.processor_microseconds);
    log_.restore(number, std::move(use));
  }
  written_ = log_.next();
}

void Accounts::write(LedgerChanges<SiteRecord>& ledger) {
  if (!ledger.wanted) return changed_.clear();
  for (const Key& key : std::exchange(changed_, {}))
    ledger.put(UsageTotalRow{key.second, key.first, totals_.at(key)});
  for (; written_ < log_.next(); ++written_)
    if (written_ >= log_.first())
      ledger.put(UsageRow{written_, log_.records()[static_cast<std::size_t>(written_ - log_.first())]});
  for (; first_ < log_.first(); ++first_) ledger.erase(UsageRow{first_, {}});
  DMM_ASSERT(written_ == log_.next() && first_ == log_.first());  // the ledger has what the log has
}

void Accounts::add_records(std::vector<SiteRecord>& rows) const {
  for (std::uint64_t number = log_.first(); number < log_.next(); ++number)
    rows.emplace_back(UsageRow{number, log_.records()[static_cast<std::size_t>(number - log_.first())]});
  for (const auto& [key, total] : totals_) rows.emplace_back(UsageTotalRow{key.second, key.first, total});
  DMM_ASSERT(rows.size() >= log_.records().size() + totals_.size());
}

}  // namespace dmm
