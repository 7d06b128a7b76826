// Sizes are estimated from above: text by its length, each number and header by its longest form.
#include "protocol/inventory.hpp"

#include <iterator>
#include <utility>

#include "protocol/fields.hpp"

namespace dmm {
namespace {

constexpr std::size_t holdings_max = 200'000;
constexpr std::size_t part_bytes = 128 * 1024;  // half a frame: the last holding of a page fits, too

std::size_t size_of(const Holding& holding) {
  std::size_t size = 256;
  for (const NodeGroup& group : holding.nodes) size += 192 + group.endpoint.size() + group.nodes.size() * 12;
  for (const std::string& block : holding.blocks) size += 8 + block.size();
  return size + (holding.chain.size() + holding.owner_ancestors.size()) * 40;
}

// Adds `size` bytes to the last part. True if the part was too full for them, so that a new part begins.
bool overflows(std::size_t& used, std::size_t size) {
  const bool full = used > 0 && used + size > part_bytes;
  used = full ? size : used + size;
  return full;
}

// Adds holdings to the last part, and to new parts when that is full.
void pack(std::vector<Inventory>& parts, std::size_t& used, std::vector<Holding>& holdings,
          std::vector<Holding> Inventory::*list) {
  for (Holding& holding : holdings) {
    if (overflows(used, size_of(holding))) {
      parts.back().last = false;
      parts.emplace_back();
    }
    (parts.back().*list).push_back(std::move(holding));
  }
}

// Moves all values behind those that are there.
template <List Values>
void move_all(Values& from, Values& to) {
  if (to.size() + from.size() > holdings_max) return;
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

}  // namespace

std::vector<Inventory> pages_of(Inventory whole) {
  std::vector<Inventory> parts(1);
  std::size_t used = 0;
  pack(parts, used, whole.lent, &Inventory::lent);
  pack(parts, used, whole.borrowed, &Inventory::borrowed);
  return parts;
}

std::vector<Register> pages_of(Register whole) {
  const std::vector<LeaseId> leases = std::exchange(whole.leases, {});
  std::vector<NodeSet> leased = std::exchange(whole.leased, {});
  const NodeSet dirty = std::exchange(whole.dirty, {});
  std::vector<Register> parts{whole};
  std::size_t used = 0;
  const auto make_room = [&](std::size_t size) {
    if (!overflows(used, size)) return;
    parts.back().last = false;
    parts.push_back(whole);
  };
  for (std::size_t i = 0; i < leases.size(); ++i) {
    make_room(64 + leases[i].owner.text.size() + leased[i].size() * 12);
    parts.back().leases.push_back(leases[i]);
    parts.back().leased.push_back(std::move(leased[i]));
  }
  for (const NodeRange& range : dirty) {
    make_room(12);
    parts.back().dirty.push_back(range);
  }
  return parts;
}

bool assemble(Register& so_far, Register& part) {
  move_all(part.leases, so_far.leases);
  move_all(part.leased, so_far.leased);
  move_all(part.dirty, so_far.dirty);
  if (!part.last) return false;
  part.leases = std::exchange(so_far.leases, {});
  part.leased = std::exchange(so_far.leased, {});
  part.dirty = std::exchange(so_far.dirty, {});
  return true;
}

bool assemble(Inventory& so_far, Inventory& part) {
  move_all(part.lent, so_far.lent);
  move_all(part.borrowed, so_far.borrowed);
  return part.last;
}

}  // namespace dmm
