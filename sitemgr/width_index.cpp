// Walks over classes in order, whatever their width.
#include "sitemgr/width_index.hpp"

#include <algorithm>
#include <bit>
#include <functional>

#include "manager/assert.hpp"

namespace dmm {

std::uint32_t rough_width(std::uint32_t width) {
  if (width < 16) return width;
  const auto shift = static_cast<std::uint32_t>(std::bit_width(width)) - 4;
  return (shift << 3) + (width >> shift);
}

void WidthIndex::insert(RequestClass& kind, const OrderKey& key) {
  const bool is_new = classes_.emplace(std::pair(rough_width(kind.widest), key), &kind).second;
  DMM_ASSERT(is_new);
}

void WidthIndex::erase(const RequestClass& kind, const OrderKey& key) {
  const std::size_t erased = classes_.erase({rough_width(kind.widest), key});
  DMM_ASSERT(erased == 1);
}

WidthIndex::Walk WidthIndex::walk_from(std::uint32_t widest_max, const OrderKey& from) const {
  Walk walk;
  for (auto it = classes_.begin(); it != classes_.end() && it->first.first <= rough_width(widest_max);
       it = classes_.lower_bound({it->first.first + 1, first_of_all}))
    walk.emplace_back(from, it->first.first);
  DMM_ASSERT(walk.size() <= classes_.size());
  std::ranges::make_heap(walk, std::greater<>());
  return walk;
}

RequestClass* WidthIndex::next_of(Walk& walk, std::uint32_t widest_max) const {
  while (!walk.empty()) {
    std::ranges::pop_heap(walk, std::greater<>());
    auto& [earliest, width] = walk.back();
    const auto it = classes_.lower_bound({width, earliest});
    if (it == classes_.end() || it->first.first != width || width > rough_width(widest_max)) {
      walk.pop_back();
      continue;
    }
    const bool is_it = it->first.second == earliest;
    DMM_ASSERT(!is_it || it->second->waiting.begin()->first == earliest);
    earliest = is_it ? behind(earliest) : it->first.second;
    std::ranges::push_heap(walk, std::greater<>());
    if (is_it) return it->second;
  }
  return nullptr;
}

}  // namespace dmm
