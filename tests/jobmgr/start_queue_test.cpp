// The start queue: which component starts next, and how many unanswered Starts make others wait.
#include "jobmgr/start_queue.hpp"

#include <doctest/doctest.h>

namespace dmm::start_queue_test {
namespace {

const Instant start{seconds(100).microseconds};

RequestId attempt_at(std::uint64_t job) { return {SiteName("das"), "u", job, 1}; }

std::uint64_t next_job(StartQueue& queue, std::uint32_t limit) {
  const auto next = queue.take(limit);
  return next ? next->first.job : 0;
}

}  // namespace

TEST_CASE("start queue: components start in order, as long as few Starts are under way") {
  StartQueue queue;
  for (const std::uint64_t job : {1, 2, 3}) queue.add(attempt_at(job), 0);
  ComponentRun first, second;
  CHECK(next_job(queue, 2) == 1);
  queue.sent(start, first, {1, 0});
  CHECK(next_job(queue, 2) == 2);
  queue.sent(start, second, {2, 0});
  CHECK(queue.under_way() == 2);
  CHECK(next_job(queue, 2) == 0);
  queue.answered(first);
  queue.answered(first);  // a second answer to one Start frees no second slot
  CHECK(queue.under_way() == 1);
  CHECK(next_job(queue, 2) == 3);
  CHECK(next_job(queue, 2) == 0);
}

TEST_CASE("start queue: a Start without an answer keeps others waiting for two seconds only") {
  StartQueue queue;
  ComponentRun silent;
  queue.sent(start, silent, {1, 4});
  CHECK(queue.next_deadline() == never);  // nothing waits for its slot
  queue.add(attempt_at(2), 0);
  CHECK(queue.next_deadline() == start + seconds(2));
  CHECK_FALSE(queue.take_held(start + seconds(2) - microseconds(1)));
  CHECK(queue.take_held(start + seconds(2)) == ComponentKey{1, 4});
  CHECK_FALSE(queue.take_held(never));
}

TEST_CASE("start queue: Starts that need a new promise of the site come first once it has said more") {
  StartQueue queue;
  for (const std::uint64_t job : {1, 2, 3}) queue.add(attempt_at(job), 0);
  for (int i = 0; i < 2; ++i) queue.put_aside(*queue.take(8));
  CHECK(next_job(queue, 8) == 3);
  CHECK(next_job(queue, 8) == 0);
  queue.add(attempt_at(4), 0);
  queue.queue_aside();
  CHECK(next_job(queue, 8) == 1);
  CHECK(next_job(queue, 8) == 2);
  CHECK(next_job(queue, 8) == 4);
}

}  // namespace dmm::start_queue_test
