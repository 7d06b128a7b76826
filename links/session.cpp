// The numbering of one session; see session.hpp.
#include "links/session.hpp"

#include <cstring>
#include <utility>

#include "machine/assert.hpp"
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

Session::Size Session::size_at(std::string_view bytes) {
  Size size = 0;
  std::memcpy(&size, bytes.data(), sizeof size);
  return size;
}

void Session::keep(std::uint64_t sequence, std::string_view bytes) {
  if (kept_ == 0) first_kept_ = sequence;
  DMM_ASSERT(sequence == first_kept_ + kept_);
  const auto size = static_cast<Size>(bytes.size());
  bytes_.append(reinterpret_cast<const char*>(&size), sizeof size).append(bytes);
  ++kept_;
}

void Session::acknowledge(std::uint64_t sequence) {
  if (kept_ == 0 || first_kept_ > sequence) return;
  for (; kept_ > 0 && first_kept_ <= sequence; --kept_, ++first_kept_)
    acknowledged_ += sizeof(Size) + size_at(std::string_view(bytes_).substr(acknowledged_));
  if (kept_ == 0) {
    bytes_.clear();
    acknowledged_ = 0;
    if (bytes_.capacity() > room_kept) rest();
  } else if (acknowledged_ >= bytes_.size() - acknowledged_) {
    bytes_.erase(0, std::exchange(acknowledged_, 0));
  }
}

Order Session::arrive(std::uint64_t sequence) {
  if (sequence <= delivered_) return Order::duplicate;
  if (sequence != delivered_ + 1 && !DMM_PLANT(gap_delivered)) return Order::gap;
  delivered_ = sequence;
  return Order::deliver;
}

}  // namespace dmm
