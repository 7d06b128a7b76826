// Hash tables that can't be walked: for finding a thing by its id in a hot path without an order that differs from
// one run to the next ever showing. The one place where an unordered container may be used in the managers.
#pragma once

#include <absl/container/flat_hash_set.h>
#include <absl/container/node_hash_map.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "manager/assert.hpp"
#include "protocol/ids.hpp"

namespace dmm {

template <class Key>
struct TableHash {
  std::size_t operator()(const Key& key) const {
    const std::uint64_t hash = table_hash(key);
    return hash ^ (hash >> 32);
  }
};

template <class Key, class Value>
class Lookup {
 public:
  /// The value of a key, or nullptr.
  Value* find(const Key& key) {
    const auto it = values_.find(key);
    return it == values_.end() ? nullptr : &it->second;
  }
  const Value* find(const Key& key) const {
    const auto it = values_.find(key);
    return it == values_.end() ? nullptr : &it->second;
  }
  /// The value of a key that must be there.
  Value& at(const Key& key) { return const_cast<Value&>(std::as_const(*this).at(key)); }
  const Value& at(const Key& key) const {
    const Value* value = find(key);
    DMM_ASSERT(value != nullptr);
    return *value;
  }
  /// The value of a key, made if there is none. References stay valid until the key is erased.
  Value& operator[](const Key& key) { return values_[key]; }
  /// The value of a key, made of these if there is none.
  template <class... Parts>
  Value& get_or_make(const Key& key, Parts&&... parts) {
    return values_.try_emplace(key, std::forward<Parts>(parts)...).first->second;
  }
  /// Sets the value of a key. Returns the table's own copy of the key, which is valid until the key is erased.
  const Key& put(const Key& key, Value value) {
    return values_.insert_or_assign(key, std::move(value)).first->first;
  }
  bool contains(const Key& key) const { return values_.contains(key); }
  bool erase(const Key& key) { return values_.erase(key) > 0; }
  std::size_t size() const { return values_.size(); }
  /// All keys, in order: for rare walks over everything.
  std::vector<Key> keys() const {
    std::vector<Key> sorted;
    for (const auto& [key, value] : values_) sorted.push_back(key);
    std::sort(sorted.begin(), sorted.end());
    return sorted;
  }
  bool empty() const { return values_.empty(); }

 private:
  absl::node_hash_map<Key, Value, TableHash<Key>> values_;
};

/// The same of small keys alone.
template <class Key>
class LookupSet {
 public:
  /// Whether it wasn't there.
  bool insert(const Key& key) { return keys_.insert(key).second; }
  /// Whether it was there.
  bool erase(const Key& key) { return keys_.erase(key) > 0; }
  bool contains(const Key& key) const { return keys_.contains(key); }
  std::size_t size() const { return keys_.size(); }
  bool empty() const { return keys_.empty(); }
  void clear() { keys_.clear(); }
  /// All of them, in order: for rare walks over everything.
  std::vector<Key> sorted() const {
    std::vector<Key> sorted(keys_.begin(), keys_.end());
    std::sort(sorted.begin(), sorted.end());
    return sorted;
  }

 private:
  absl::flat_hash_set<Key, TableHash<Key>> keys_;
};

}  // namespace dmm
