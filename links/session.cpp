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
    unacknowledged_.clear();
    forget(begin_ + bytes_.size());
    next_sequence_ = 1;
  }
  return generation;
}

void Session::keep(std::uint64_t sequence, std::string_view bytes) {
  unacknowledged_.push_back({sequence, begin_ + bytes_.size(), bytes.size()});
  bytes_ += bytes;
}

void Session::acknowledge(std::uint64_t sequence) {
  if (unacknowledged_.empty() || unacknowledged_.front().sequence > sequence) return;
  while (!unacknowledged_.empty() && unacknowledged_.front().sequence <= sequence) unacknowledged_.pop_front();
  forget(unacknowledged_.empty() ? begin_ + bytes_.size() : unacknowledged_.front().begin);
}

void Session::forget(std::uint64_t end) {
  const auto gone = static_cast<std::size_t>(end - begin_);
  if (gone == bytes_.size()) {
    bytes_.clear();
    if (bytes_.capacity() > room_kept) bytes_.shrink_to_fit();
  } else if (gone >= bytes_.size() - gone) {  // each byte is moved at most once for one that goes
    bytes_.erase(0, gone);
  } else {
    return;
  }
  begin_ = end;
}

Order Session::arrive(std::uint64_t sequence) {
  if (sequence <= delivered_) return Order::duplicate;
  if (sequence != delivered_ + 1 && !DMM_PLANT(gap_delivered)) return Order::gap;
  delivered_ = sequence;
  return Order::deliver;
}

}  // namespace dmm
