// The numbering of one session; see session.hpp.
#include "links/session.hpp"

#include "machine/planted.hpp"

namespace dmm {
namespace {

/// Room that a session keeps when nothing waits any more.
constexpr std::size_t room_kept = 16 * 1024;

}  // namespace

Generation Session::compare(std::uint64_t incarnation) const {
  if (incarnation == peer_incarnation_) return Generation::same;
  if (peer_incarnation_ == 0) return Generation::first;
  return incarnation > peer_incarnation_ ? Generation::restarted : Generation::stale;
}

Generation Session::meet(std::uint64_t incarnation) {
  const Generation generation = compare(incarnation);
  if (generation == Generation::first || generation == Generation::restarted) {
    peer_incarnation_ = incarnation;
    delivered_ = 0;
  }
  if (generation == Generation::restarted) {
    acknowledge(last_used());  // or lost with its former self
    next_sequence_ = 1;
  }
  return generation;
}

void Session::keep(std::uint64_t sequence, std::string_view bytes) {
  kept_.push_back({sequence, begin_ + bytes_.size(), bytes.size()});
  bytes_ += bytes;
}

void Session::acknowledge(std::uint64_t sequence) {
  if (acknowledged_ == kept_.size() || kept_[acknowledged_].sequence > sequence) return;
  while (acknowledged_ < kept_.size() && kept_[acknowledged_].sequence <= sequence) ++acknowledged_;
  if (acknowledged_ == kept_.size()) {
    begin_ += bytes_.size();
    bytes_.clear();
    kept_.clear();
    acknowledged_ = 0;
    if (bytes_.capacity() > room_kept) rest();
    return;
  }
  const std::uint64_t end = kept_[acknowledged_].begin;
  const auto gone = static_cast<std::size_t>(end - begin_);
  if (gone >= bytes_.size() - gone) {
    bytes_.erase(0, gone);
    begin_ = end;
  }
  if (acknowledged_ >= kept_.size() - acknowledged_) {
    kept_.erase(kept_.begin(), kept_.begin() + static_cast<std::ptrdiff_t>(acknowledged_));
    acknowledged_ = 0;
  }
}

void Session::rest() {
  bytes_.shrink_to_fit();
  kept_.shrink_to_fit();
}

Order Session::arrive(std::uint64_t sequence) {
  if (sequence <= delivered_) return Order::duplicate;
  if (sequence != delivered_ + 1 && !DMM_PLANT(gap_delivered)) return Order::gap;
  delivered_ = sequence;
  return Order::deliver;
}

}  // namespace dmm
