// Sets of positions in an array of jobs, as ranges: elements begin and end nearly in order, so that a set of many
// positions has few ranges.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

#include "manager/assert.hpp"
#include "manager/dense.hpp"

namespace dmm {

/// Consecutive positions, first and last included.
struct PositionRange {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  bool operator==(const PositionRange&) const = default;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.first, self.last);
  }
};

class PositionSet {
 public:
  /// Adds positions that aren't there.
  void add(PositionRange range) {
    DMM_ASSERT(range.first <= range.last && !overlaps(range));
    count_ += range.last - range.first + 1;
    auto next = ranges_.upper_bound(range.first);
    if (next != ranges_.end() && next->first == range.last + 1) {
      range.last = next->second;
      next = ranges_.erase(next);
    }
    if (next != ranges_.begin() && std::prev(next)->second + 1 == range.first)
      std::prev(next)->second = range.last;
    else
      ranges_.emplace(range.first, range.last);
  }
  void add(std::uint32_t position) { add({position, position}); }
  /// Takes out a position that is there.
  void remove(std::uint32_t position) {
    DMM_ASSERT(contains(position));
    const auto found = std::prev(ranges_.upper_bound(position));
    const PositionRange range{found->first, found->second};
    ranges_.erase(found);
    if (range.first < position) ranges_.emplace(range.first, position - 1);
    if (range.last > position) ranges_.emplace(position + 1, range.last);
    --count_;
  }
  bool contains(std::uint32_t position) const {
    const auto next = ranges_.upper_bound(position);
    return next != ranges_.begin() && std::prev(next)->second >= position;
  }
  /// Whether any position of the range is there.
  bool overlaps(PositionRange range) const {
    const auto next = ranges_.upper_bound(range.last);
    return next != ranges_.begin() && std::prev(next)->second >= range.first;
  }
  /// The lowest one; there is one.
  std::uint32_t first() const {
    DMM_ASSERT(!empty());
    return ranges_.begin()->first;
  }
  /// The lowest one that isn't in the other set; nothing if all are.
  std::optional<std::uint32_t> first_outside(const PositionSet& other) const {
    for (const auto& [first, last] : ranges_)
      for (std::uint64_t position = first; position <= last;) {
        const auto next = other.ranges_.upper_bound(static_cast<std::uint32_t>(position));
        if (next == other.ranges_.begin() || std::prev(next)->second < position)
          return static_cast<std::uint32_t>(position);
        position = std::uint64_t{std::prev(next)->second} + 1;
      }
    return std::nullopt;
  }
  void clear() {
    ranges_.clear();
    count_ = 0;
  }
  bool empty() const { return count_ == 0; }
  /// How many positions there are.
  std::uint32_t count() const { return count_; }
  std::vector<PositionRange> ranges() const {
    std::vector<PositionRange> list;
    for (const auto& [first, last] : ranges_) list.push_back({first, last});
    return list;
  }

 private:
  DenseMap<std::uint32_t, std::uint32_t> ranges_;  ///< last ones by first ones; they lie apart, and don't touch
  std::uint32_t count_ = 0;
};

}  // namespace dmm
