// The numbering of one session; see session.hpp.
#include "links/session.hpp"

namespace dmm {

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
    next_sequence_ = 1;
  }
  return generation;
}

void Session::acknowledge(std::uint64_t sequence) {
  while (!unacknowledged_.empty() && unacknowledged_.front().sequence <= sequence) unacknowledged_.pop_front();
}

Order Session::arrive(std::uint64_t sequence) {
  if (sequence <= delivered_) return Order::duplicate;
  if (sequence != delivered_ + 1) return Order::gap;
  delivered_ = sequence;
  return Order::deliver;
}

}  // namespace dmm
