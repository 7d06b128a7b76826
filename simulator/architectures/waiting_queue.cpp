#include "simulator/architectures/waiting_queue.hpp"

#include <algorithm>

namespace dmm {
namespace {

constexpr std::size_t capacity_least = 16;

}  // namespace

void WaitingQueue::push(const StreamJob& job) {
  if (end_ == capacity()) close_ranks();
  const Place place = end_++;
  if (count_++ == 0) front_ = place;
  jobs_[place] = job;
  const Least own{job.processors, job.estimate};
  for (std::size_t node = place + capacity(); node > 0; node /= 2) {
    const Least now = least(tree_[node], own);
    if (now == tree_[node]) break;
    tree_[node] = now;
  }
}

void WaitingQueue::erase(Place place) {
  DMM_ASSERT(place < end_ && is_taken(place));
  std::size_t node = place + capacity();
  tree_[node] = nothing;
  for (node /= 2; node > 0; node /= 2) {
    const Least now = least(tree_[2 * node], tree_[2 * node + 1]);
    if (now == tree_[node]) break;
    tree_[node] = now;
  }
  if (--count_ == 0)
    front_ = end_ = 0;
  else
    while (!is_taken(front_)) ++front_;
}

// Moves the jobs together, to the front of a tree that has at least as many free places as jobs.
void WaitingQueue::close_ranks() {
  std::vector<StreamJob> waiting;
  waiting.reserve(count_);
  for (Place place = front_; place < end_; ++place)
    if (is_taken(place)) waiting.push_back(jobs_[place]);
  const std::size_t places = std::max(capacity_least, std::bit_ceil(2 * waiting.size()));
  end_ = waiting.size();
  front_ = 0;
  tree_.assign(2 * places, nothing);
  for (Place place = 0; place < end_; ++place)
    tree_[places + place] = {waiting[place].processors, waiting[place].estimate};
  for (std::size_t node = places - 1; node > 0; --node) tree_[node] = least(tree_[2 * node], tree_[2 * node + 1]);
  jobs_ = std::move(waiting);
  jobs_.resize(places);
}

void WaitingQueue::drain_to(std::vector<StreamJob>& jobs) {
  for (Place place = front_; place < end_; ++place)
    if (is_taken(place)) jobs.push_back(jobs_[place]);
  *this = WaitingQueue();
}

void sort_by_arrival(std::vector<StreamJob>& jobs) {
  std::sort(jobs.begin(), jobs.end(), [](const StreamJob& a, const StreamJob& b) { return a.number < b.number; });
}

}  // namespace dmm
