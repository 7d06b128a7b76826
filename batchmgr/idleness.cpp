// Spells of freedom as they end; see idleness.hpp.
#include "batchmgr/idleness.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace dmm {
namespace {

constexpr std::size_t spells_max = 1'000;  ///< older ones are forgotten
constexpr std::size_t spells_min = 5;      ///< fewer say nothing

}  // namespace

void Idleness::add(Duration spell) {
  spells_.push_back(spell);
  sorted_.insert(std::ranges::upper_bound(sorted_, spell), spell);
  if (spells_.size() <= spells_max) return;
  sorted_.erase(std::ranges::lower_bound(sorted_, spells_.front()));
  spells_.pop_front();
  ++first_;
}

void Idleness::restore(std::vector<BatchRecord> rows) {
  const auto number_of = [](const BatchRecord& row) { return std::get<SpellRecord>(row).number; };
  std::ranges::sort(rows, {}, number_of);  // a ledger orders them by their numbers as text
  if (!rows.empty()) first_ = number_of(rows.front());
  for (const BatchRecord& row : rows) add(std::get<SpellRecord>(row).length);
}

std::vector<BatchRecord> Idleness::records() const {
  std::vector<BatchRecord> rows;
  for (const Duration spell : spells_) rows.emplace_back(SpellRecord{first_ + rows.size(), spell});
  return rows;
}

void Idleness::observe(Instant now, const Snapshot& snapshot, LedgerChanges<BatchRecord>& ledger) {
  std::set<std::string> held;
  for (const Pilot& pilot : snapshot.pilots)
    if (pilot.runs) held.insert(pilot.node);
  std::map<std::string, Instant> before = std::exchange(free_since_, {});
  for (const BatchNode& node : snapshot.nodes) {
    const auto since = before.find(node.name);
    const bool was_free = since != before.end();
    const bool is_free = node.use == NodeUse::idle || (node.use == NodeUse::busy && held.contains(node.name));
    // What is planned may be a pilot's node that has just ended: the next looks tell.
    if (is_free || (node.use == NodeUse::planned && was_free))
      free_since_.emplace(node.name, was_free ? since->second : now);
    else if (node.use == NodeUse::busy && was_free) {
      const std::uint64_t first = first_;
      add(now - since->second);
      ledger.put(SpellRecord{first_ + spells_.size() - 1, spells_.back()});
      if (first_ > first) ledger.erase(SpellRecord{first, {}});
    }
  }
}

std::optional<Duration> Idleness::likely(Instant now, const std::string& node) const {
  const auto since = free_since_.find(node);
  if (since == free_since_.end() || sorted_.size() < spells_min) return std::nullopt;
  const Duration age = now - since->second;
  const auto longer = std::ranges::upper_bound(sorted_, age);
  if (longer == sorted_.end()) return age;  // longer than any before: for as long again
  return *(longer + (sorted_.end() - longer) / 2) - age;
}

}  // namespace dmm
