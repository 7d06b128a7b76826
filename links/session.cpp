// The numbering of one session; see session.hpp.
#include "links/session.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "manager/assert.hpp"
#include "manager/planted.hpp"

namespace dmm {
namespace {

/// Room that a session keeps when nothing waits any more.
constexpr std::size_t room_kept = 256;

}  // namespace

Generation Session::compare(std::uint64_t incarnation) const {
  if (incarnation == peer_incarnation_) return Generation::same;
  if (peer_incarnation_ == 0) return Generation::first;
  return incarnation > peer_incarnation_ ? Generation::restarted : Generation::stale;
}

Generation Session::meet(std::uint64_t incarnation) {
  const Generation generation = compare(incarnation);
  if (generation == Generation::restarted) reset();  // what waited was lost with its former self
  if (generation == Generation::first) delivered_ = 0;
  if (generation != Generation::stale) peer_incarnation_ = incarnation;
  return generation;
}

void Session::meet_other(std::uint64_t incarnation) {
  reset();
  peer_incarnation_ = incarnation;
}

void Session::reset() {
  acknowledge(last_used());
  next_sequence_ = 1;
  delivered_ = 0;
}

Session::Head Session::head_at(std::size_t position) const {
  Head head;
  std::memcpy(&head.size, bytes_.data() + position, sizeof head.size);
  std::memcpy(&head.type, bytes_.data() + position + sizeof head.size, sizeof head.type);
  return head;
}

void Session::keep(const KeptMessage& message) {
  if (kept_ == 0) first_kept_ = next_sequence_;
  DMM_ASSERT(next_sequence_ == first_kept_ + kept_);
  const auto size = static_cast<std::uint32_t>(message.tail.size());
  bytes_.append(reinterpret_cast<const char*>(&size), sizeof size);
  bytes_.append(reinterpret_cast<const char*>(&message.type), sizeof message.type).append(message.tail);
  ++kept_;
  ++next_sequence_;
}

void Session::acknowledge(std::uint64_t sequence) {
  if (kept_ == 0 || first_kept_ > sequence) return;
  for (; kept_ > 0 && first_kept_ <= sequence; --kept_, ++first_kept_) {
    acknowledged_ += head_bytes + head_at(acknowledged_).size;
    sent_ -= sent_ > 0;
  }
  unsent_at_ = std::max(unsent_at_, acknowledged_);
  if (kept_ == 0) {
    bytes_.clear();
    acknowledged_ = unsent_at_ = 0;
    if (bytes_.capacity() > room_kept) go_dormant();
  } else if (acknowledged_ >= bytes_.size() - acknowledged_) {
    unsent_at_ -= acknowledged_;
    bytes_.erase(0, std::exchange(acknowledged_, 0));
  }
}

KeptMessage Session::take_unsent() {
  DMM_ASSERT(has_unsent());
  const Head head = head_at(unsent_at_);
  const std::string_view tail = std::string_view(bytes_).substr(unsent_at_ + head_bytes, head.size);
  unsent_at_ += head_bytes + head.size;
  ++sent_;
  return {head.type, tail};
}

void Session::rewind() {
  sent_ = 0;
  unsent_at_ = acknowledged_;
}

Order Session::arrive(std::uint64_t sequence) {
  if (sequence <= delivered_) return Order::duplicate;
  if (sequence != delivered_ + 1 && !DMM_PLANT(gap_delivered)) return Order::gap;
  delivered_ = sequence;
  return Order::deliver;
}

}  // namespace dmm
