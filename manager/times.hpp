// An index of due times, with the first found without a walk. The time of a key is stored in a field of the caller's
// record; sitemgr/deadlines.hpp stores it itself.
#pragma once

#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "manager/assert.hpp"
#include "protocol/time.hpp"

namespace dmm {

template <class Key>
class Times {
 public:
  /// Sets a time, which is kept in `field`; `never` takes it out.
  void set(Instant& field, const Key& key, Instant due) {
    if (field == due) return;
    if (field != never) {
      const bool was_there = times_.erase({field, key}) == 1;
      DMM_ASSERT(was_there);
    }
    field = due;
    restore(due, key);
  }
  /// The field has this time already, as after a restart.
  void restore(Instant due, const Key& key) {
    if (due == never) return;
    const bool is_new = times_.emplace(due, key).second;
    DMM_ASSERT(is_new);
  }
  /// The first that is due now; it stays until its time is set again.
  std::optional<Key> due(Instant now) const {
    if (next_deadline() > now) return std::nullopt;
    return times_.begin()->second;
  }
  Instant next_deadline() const { return times_.empty() ? never : times_.begin()->first; }
  bool contains(Instant due, const Key& key) const { return times_.contains({due, key}); }
  std::size_t size() const { return times_.size(); }
  /// All that have a time, the first first.
  std::vector<Key> keys() const {
    std::vector<Key> keys;
    for (const auto& [due, key] : times_) keys.push_back(key);
    return keys;
  }

 private:
  std::set<std::pair<Instant, Key>> times_;
};

}  // namespace dmm
