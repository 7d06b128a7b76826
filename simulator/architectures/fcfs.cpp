#include "simulator/architectures/fcfs.hpp"

namespace dmm {

void FcfsQueue::serve(Floor& floor, std::uint32_t cluster) {
  while (!waiting_.empty() && waiting_.front().processors <= floor.idle(cluster)) {
    floor.count(MessageKind::match_claim_release);
    floor.start(waiting_.front(), cluster);
    waiting_.pop_front();
  }
}

void FcfsQueue::drain_to(std::vector<StreamJob>& jobs) {
  jobs.insert(jobs.end(), waiting_.begin(), waiting_.end());
  waiting_.clear();
}

}  // namespace dmm
