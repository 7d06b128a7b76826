#include "simulator/architectures/fcondor.hpp"

#include <algorithm>

namespace dmm {
namespace {

std::vector<std::uint32_t> flock_order(const Grid& grid, std::uint32_t home, FlockOrder order) {
  const auto count = static_cast<std::uint32_t>(grid.clusters.size());
  std::vector<std::uint32_t> managers;
  for (std::uint32_t step = 0; step < count; ++step) managers.push_back((home + step) % count);
  const auto nearer = [&](std::uint32_t a, std::uint32_t b) {
    return grid.origin(home, a) < grid.origin(home, b);
  };
  if (order == FlockOrder::near_first) std::stable_sort(managers.begin() + 1, managers.end(), nearer);
  return managers;
}

}  // namespace

Fcondor::Fcondor(const Floor& floor, const ModelParameters& parameters)
    : rounds_(parameters.cycle),
      user_numbers_(floor.clusters()),
      shares_(floor.clusters(), FairShare(parameters.usage_half_life)),
      present_(floor.clusters()) {
  for (std::uint32_t home = 0; home < floor.clusters(); ++home)
    flock_.push_back(flock_order(floor.grid(), home, parameters.flock_order));
  for (const RunningJob* job : floor.running())
    for (const ClusterShare& piece : job->pieces)
      shares_[piece.cluster].began(floor.now(), user_of(job->job), piece.processors);
}

Fcondor::UserNumber Fcondor::user_of(const StreamJob& job) {
  std::vector<UserNumber>& numbers = user_numbers_[job.home];
  if (job.user >= numbers.size()) numbers.resize(job.user + std::size_t{1});
  if (numbers[job.user] == 0) {
    users_.push_back({.home = job.home, .stage = 0, .queue = {}});
    numbers[job.user] = static_cast<UserNumber>(users_.size());
  }
  return numbers[job.user] - 1;
}

void Fcondor::arrive(Floor& floor, const StreamJob& job) {
  floor.count(MessageKind::notify_broker);
  if (job.processors > floor.largest_cluster()) return floor.refuse(job);
  const UserNumber number = user_of(job);
  User& user = users_[number];
  if (user.queue.empty()) present_[manager_of(user)].push_back(number);
  user.queue.push(job);
  ++waiting_;
}

void Fcondor::ended(Floor& floor, const RunningJob& job) {
  floor.count(MessageKind::notify_broker, job.pieces.size());
  floor.count(MessageKind::match_claim_release, release_messages * job.pieces.size());
  const UserNumber user = user_of(job.job);
  for (const ClusterShare& piece : job.pieces) shares_[piece.cluster].ended(floor.now(), user, piece.processors);
}

void Fcondor::settle(Floor& floor) {
  if (!rounds_.begins(floor.now()) || waiting_ == 0) return;
  std::vector<UserNumber> unserved;
  for (std::uint32_t manager = 0; manager < present_.size(); ++manager) {
    round(floor, manager);
    for (const UserNumber user : std::exchange(present_[manager], {})) {
      if (users_[user].queue.empty())
        users_[user].stage = 0;
      else
        unserved.push_back(user);
    }
  }
  move_on(floor, unserved);
}

void Fcondor::round(Floor& floor, std::uint32_t manager) {
  order_.clear();
  for (const UserNumber user : present_[manager])
    order_.emplace_back(shares_[manager].usage(floor.now(), user), user);
  std::sort(order_.begin(), order_.end());
  for (const auto& [usage, user] : order_) serve(floor, manager, user);
}

void Fcondor::serve(Floor& floor, std::uint32_t manager, UserNumber number) {
  WaitingQueue& queue = users_[number].queue;
  WaitingQueue::Place place = 0;
  while ((place = queue.first_fit(place, floor.idle(manager))) != WaitingQueue::none) {
    const StreamJob& job = queue.at(place);
    floor.count(MessageKind::negotiate, negotiation_messages);
    floor.count(MessageKind::match_claim_release, match_messages);
    floor.count(MessageKind::job_data_exchange);
    shares_[manager].began(floor.now(), number, job.processors);
    floor.start(job, manager);
    queue.erase(place);
    --waiting_;
  }
  if (!queue.empty()) floor.count(MessageKind::negotiate, negotiation_messages);
}

void Fcondor::move_on(Floor& floor, const std::vector<UserNumber>& users) {
  floor.count(MessageKind::notify_broker, present_.size() > 1 ? users.size() : 0);
  for (const UserNumber number : users) {
    User& user = users_[number];
    user.stage = (user.stage + 1) % present_.size();
    present_[manager_of(user)].push_back(number);
  }
}

std::vector<StreamJob> Fcondor::hand_over() {
  std::vector<StreamJob> jobs;
  for (User& user : users_) user.queue.drain_to(jobs);
  for (std::vector<UserNumber>& users : present_) users.clear();
  waiting_ = 0;
  sort_by_arrival(jobs);
  return jobs;
}

}  // namespace dmm
