// Due times by key, with the first found without a walk. Deadlines stores each key's time; where a record of the
// caller has the time anyway, manager/times.hpp needs less memory.
#pragma once

#include <map>
#include <set>
#include <utility>

#include "manager/assert.hpp"
#include "protocol/time.hpp"

namespace dmm {

template <class Key>
class Deadlines {
 public:
  /// Sets when it is due; `never` takes it out.
  void set(const Key& key, Instant at) {
    const auto known = at_.find(key);
    if (known != at_.end()) {
      if (known->second == at) return;
      order_.erase({known->second, key});
      at_.erase(known);
    }
    DMM_ASSERT(at_.size() == order_.size());
    if (at == never) return;
    at_.emplace(key, at);
    order_.emplace(at, key);
  }
  Instant next() const { return order_.empty() ? never : order_.begin()->first; }
  /// The next one that is due, which is taken out; false if none is.
  bool take(Instant now, Key& key) {
    if (next() > now) return false;
    key = order_.begin()->second;
    set(key, never);
    return true;
  }
  bool empty() const { return order_.empty(); }
  bool contains(const Key& key) const { return at_.contains(key); }

 private:
  std::map<Key, Instant> at_;
  std::set<std::pair<Instant, Key>> order_;
};

}  // namespace dmm
