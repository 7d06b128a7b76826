// When paused jobs go on; the next one is found without a walk.
#include "jobmgr/pauses.hpp"

#include <doctest/doctest.h>

namespace dmm::pauses_test {
namespace {

const Instant start{seconds(100).microseconds};

}  // namespace

TEST_CASE("pauses: the job with the earliest end of its pause is due first, until its pause is ended") {
  Pauses pauses;
  Job late, soon;
  late.number = 1;
  soon.number = 2;
  pauses.begin(late, start + seconds(9));
  pauses.begin(soon, start + seconds(3));
  CHECK(pauses.next_deadline() == start + seconds(3));
  CHECK_FALSE(pauses.due(start + seconds(2)));
  CHECK(pauses.due(start + seconds(3)) == 2);
  CHECK(pauses.due(start + seconds(3)) == 2);
  pauses.end(soon);
  CHECK(soon.again_at == never);
  CHECK_FALSE(pauses.contains(soon));
  CHECK_FALSE(pauses.due(start + seconds(8)));
  CHECK(pauses.due(start + seconds(20)) == 1);
  pauses.end(late);
  CHECK(pauses.size() == 0);
  CHECK(pauses.next_deadline() == never);
}

TEST_CASE("pauses: a job that paused before a restart goes on pausing for as long") {
  Job job;
  job.number = 7;
  job.again_at = start + seconds(5);
  Pauses pauses;
  pauses.restore(job);
  CHECK(pauses.contains(job));
  CHECK(pauses.due(start + seconds(5)) == 7);
}

}  // namespace dmm::pauses_test
