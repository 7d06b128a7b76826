// Classes of waiting requests by width, each at the place of its first request. The next class up to a width is found
// in order, without a look at wider ones. The widths in one list differ by less than an eighth.
#pragma once

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "manager/dense.hpp"
#include "sitemgr/local_request.hpp"

namespace dmm {

/// The number of the list that holds a width. Each width below 16 has a list of its own.
std::uint32_t rough_width(std::uint32_t width);

/// The least key: every other key comes after it.
constexpr OrderKey first_of_all{std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::min(),
                                0};
/// The first key after this one.
constexpr OrderKey behind(OrderKey key) {
  ++key.arrival;
  return key;
}

class WidthIndex {
 public:
  /// A walk over several widths in order, as a heap: for each width, the earliest key that its next class can have.
  /// That bound stays true while classes come and go.
  using Walk = std::vector<std::pair<OrderKey, std::uint32_t>>;

  void insert(RequestClass& kind, const OrderKey& key);
  void erase(const RequestClass& kind, const OrderKey& key);
  /// A walk over all classes up to a width (processors), from this key on.
  Walk walk_from(std::uint32_t widest_max, const OrderKey& from) const;
  /// The next class of the walk, or nullptr. It may be wider than `widest_max` by less than an eighth. Widths that
  /// have become too wide leave the walk.
  RequestClass* next_of(Walk& walk, std::uint32_t widest_max) const;

 private:
  DenseMap<std::pair<std::uint32_t, OrderKey>, RequestClass*> classes_;
};

}  // namespace dmm
