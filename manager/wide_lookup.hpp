// A hash table for a great many: where one table that grows would move all that is in it at once, here each move is of
// a small part. It has one part while it holds few.
#pragma once

#include <array>
#include <memory>

#include "manager/lookup.hpp"

namespace dmm {

template <class Key, class Value>
class WideLookup {
 public:
  /// The value of a key, or nullptr.
  Value* find(const Key& key) { return part_of(key).find(key); }
  /// The value of a key, made if there is none.
  Value& operator[](const Key& key) {
    if (!parts_ && few_.size() >= few_max) widen();
    return part_of(key)[key];
  }
  /// Whether it was there.
  bool erase(const Key& key) { return part_of(key).erase(key); }

 private:
  static constexpr unsigned parts_bits = 6;
  static constexpr std::size_t few_max = 1'000;
  using Parts = std::array<Lookup<Key, Value>, std::size_t{1} << parts_bits>;

  /// By other bits of the hash than the tables go by.
  Lookup<Key, Value>& part_of(const Key& key) {
    return parts_ ? (*parts_)[table_hash(key) * 0x9E3779B97F4A7C15ULL >> (64 - parts_bits)] : few_;
  }
  void widen() {
    parts_ = std::make_unique<Parts>();
    for (const Key& key : few_.keys()) part_of(key)[key] = std::move(few_.at(key));
    few_ = {};
  }

  Lookup<Key, Value> few_;        ///< all of them until there were `few_max`
  std::unique_ptr<Parts> parts_;  ///< all of them since
};

}  // namespace dmm
