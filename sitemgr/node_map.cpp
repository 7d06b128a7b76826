// The bits behind NodeMap.
#include "sitemgr/node_map.hpp"

#include <algorithm>
#include <bit>

#include "manager/assert.hpp"

namespace dmm {

NodeMap::NodeMap(std::uint32_t nodes) : words_((nodes + 63) / 64, ~std::uint64_t{0}), count_(nodes) {
  if (nodes % 64) words_.back() = (std::uint64_t{1} << (nodes % 64)) - 1;
}

NodeSet NodeMap::take(std::uint32_t wanted) {
  DMM_ASSERT(wanted <= count_);
  count_ -= wanted;
  NodeSet taken;
  while (wanted > 0) {
    while (words_[lowest_] == 0) {
      ++lowest_;
      DMM_ASSERT(lowest_ < words_.size());
    }
    std::uint64_t& word = words_[lowest_];
    while (word != 0 && wanted > 0) {
      const int bit = std::countr_zero(word);
      const int run = std::min(std::countr_one(word >> bit), static_cast<int>(std::min(wanted, 64U)));
      const auto first = static_cast<std::uint32_t>(lowest_ * 64) + static_cast<std::uint32_t>(bit);
      const auto length = static_cast<std::uint32_t>(run);
      word &= run == 64 ? 0 : ~(((std::uint64_t{1} << run) - 1) << bit);
      if (!taken.empty() && taken.back().last + 1 == first)
        taken.back().last += length;
      else
        taken.push_back({first, first + length - 1});
      wanted -= length;
    }
  }
  return taken;
}

NodeSet NodeMap::remove(const NodeSet& nodes) {
  NodeSet removed;
  for (const NodeRange& range : nodes)
    for (std::uint32_t node = range.first; node <= range.last && node / 64 < words_.size(); ++node) {
      if (!has(node)) continue;
      DMM_ASSERT(count_ > 0);
      words_[node / 64] &= ~(std::uint64_t{1} << (node % 64));
      --count_;
      append(removed, node);
    }
  return removed;
}

void NodeMap::put(const NodeSet& nodes) {
  for (const NodeRange& range : nodes) {
    for (std::uint32_t node = range.first; node <= range.last; ++node) {
      DMM_ASSERT(node / 64 < words_.size() && !has(node));
      words_[node / 64] |= std::uint64_t{1} << (node % 64);
    }
    count_ += range.last - range.first + 1;
    lowest_ = std::min(lowest_, static_cast<std::size_t>(range.first / 64));
  }
}

}  // namespace dmm
