// Sizes are guessed from above: text by its length, each number and header by the most it can take.
#include "protocol/inventory.hpp"

#include <iterator>

namespace dmm {
namespace {

constexpr std::size_t holdings_max = 1'000'000;
constexpr std::size_t part_bytes = 128 * 1024;  // half a frame: what one holding adds at the end has room too

std::size_t size_of(const Holding& holding) {
  std::size_t size = 256;
  for (const NodeGroup& group : holding.nodes) size += 192 + group.endpoint.size() + group.nodes.size() * 12;
  for (const std::string& block : holding.blocks) size += 8 + block.size();
  return size + (holding.chain.size() + holding.owner_ancestors.size()) * 40;
}

// Adds holdings to the last part, and to new ones when that is full.
void pack(std::vector<Inventory>& parts, std::size_t& used, std::vector<Holding>& holdings,
          std::vector<Holding> Inventory::* list) {
  for (Holding& holding : holdings) {
    const std::size_t size = size_of(holding);
    if (used > 0 && used + size > part_bytes) {
      parts.back().last = false;
      parts.emplace_back();
      used = 0;
    }
    used += size;
    (parts.back().*list).push_back(std::move(holding));
  }
}

// Moves holdings behind those that are there.
void move_all(std::vector<Holding>& from, std::vector<Holding>& to) {
  if (to.size() + from.size() > holdings_max) return;
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

}  // namespace

std::vector<Inventory> parts_of(Inventory whole) {
  std::vector<Inventory> parts(1);
  std::size_t used = 0;
  pack(parts, used, whole.lent, &Inventory::lent);
  pack(parts, used, whole.borrowed, &Inventory::borrowed);
  return parts;
}

bool gather(Inventory& so_far, Inventory& part) {
  move_all(part.lent, so_far.lent);
  move_all(part.borrowed, so_far.borrowed);
  return part.last;
}

}  // namespace dmm
