// Classes of waiting requests by how wide they are, each at the place of its first request: the next class up to a
// width is found in order without a look at the wider ones. Widths that differ by less than an eighth share a
// list.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "manager/dense.hpp"
#include "sitemgr/local_request.hpp"

namespace dmm {

/// The list in which a width stands. Each width up to 16 has its own.
std::uint32_t rough_width(std::uint32_t width);

/// The keys before and after which there is nothing.
extern const OrderKey first_of_all;
/// The first key after this one.
OrderKey behind(OrderKey key);

class WidthIndex {
 public:
  /// A walk over several widths in order: for each of them, where its next class is at the earliest. A heap. What
  /// is in a walk is never later than the next class of its width, whatever comes and goes meanwhile.
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
