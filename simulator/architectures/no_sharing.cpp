#include "simulator/architectures/no_sharing.hpp"

namespace dmm {

void ScannedQueue::serve(Floor& floor, std::uint32_t cluster) {
  // The idle processors only shrink during a scan, so it needn't go back to the head.
  WaitingQueue::Place place = 0;
  while ((place = waiting_.first_fit(place, floor.idle(cluster))) != WaitingQueue::none) {
    floor.count(MessageKind::match_claim_release);
    floor.start(waiting_.at(place), cluster);
    waiting_.erase(place);
  }
}

}  // namespace dmm
