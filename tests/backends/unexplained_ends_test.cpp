// Which ends a pilot holds back, and for how long.
#include "resmgr/backends/process/unexplained_ends.hpp"

#include <doctest/doctest.h>

namespace dmm::unexplained_ends_test {
namespace {

const Instant start{1'000'000};

TaskReport ended(EndKind kind, std::int32_t code) {
  TaskEnded end;
  end.kind = kind;
  end.code = code;
  return end;
}

}  // namespace

TEST_CASE("unexplained ends: an end by a signal that a batch system sends is told a moment later") {
  UnexplainedEnds ends;
  CHECK(ends.pass(start, {ended(EndKind::signalled, SIGTERM)}).empty());
  CHECK(ends.pass(start + milliseconds(900), {ended(EndKind::lost, SIGKILL)}).empty());
  CHECK(ends.pass(start + seconds(1), {}).size() == 1);
  CHECK(ends.pass(start + seconds(2), {}).size() == 1);
  CHECK(ends.pass(start + seconds(3), {}).empty());
}

TEST_CASE("unexplained ends: ends that explain themselves are told at once") {
  UnexplainedEnds ends;
  std::vector<TaskReport> reports{ended(EndKind::exited, 3), ended(EndKind::signalled, SIGSEGV), TaskStarted{}};
  CHECK(ends.pass(start, std::move(reports)).size() == 3);
}

TEST_CASE("unexplained ends: an end that is held back is told once its cause is known") {
  UnexplainedEnds ends;
  CHECK(ends.pass(start, {ended(EndKind::signalled, SIGKILL)}).empty());
  CHECK(ends.release().size() == 1);
  CHECK(ends.release().empty());
  CHECK(ends.pass(start + seconds(5), {}).empty());
}

}  // namespace dmm::unexplained_ends_test
