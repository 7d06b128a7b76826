// Changes that a job manager's ledger doesn't have yet, alone.
#include "jobmgr/unwritten.hpp"

#include <doctest/doctest.h>

namespace dmm::unwritten_test {
namespace {

using Numbers = std::set<std::uint64_t>;

SubmissionRecord answer_to(std::uint64_t token) { return {{SiteName("das"), Role::client, "c"}, token, 1, 1}; }

std::vector<std::uint64_t> tokens_of(const std::vector<SubmissionRecord>& records) {
  std::vector<std::uint64_t> tokens;
  for (const SubmissionRecord& record : records) tokens.push_back(record.token);
  return tokens;
}

}  // namespace

TEST_CASE("unwritten: without a ledger nothing is marked") {
  Unwritten unwritten;
  unwritten.description(1);
  unwritten.change(1, Grade::synced);
  unwritten.forget(1);
  unwritten.answer(answer_to(1), answer_to(2));
  CHECK_FALSE(unwritten.wanted);
  CHECK(unwritten.descriptions.empty());
  CHECK(unwritten.progress.empty());
  CHECK(unwritten.forgotten.empty());
  CHECK(unwritten.answered.empty());
  CHECK(unwritten.dropped.empty());
  CHECK(unwritten.grade == Grade::committed);
}

TEST_CASE("unwritten: a job that changes often is written once, and jobs are written in order") {
  Unwritten unwritten;
  unwritten.wanted = true;
  for (const std::uint64_t job : {7, 3, 7, 5, 3}) {
    unwritten.description(job + 10);
    unwritten.change(job + 20, Grade::committed);
  }
  for (const std::uint64_t job : {37, 33, 35}) unwritten.forget(job);
  CHECK(unwritten.descriptions == Numbers{13, 15, 17});
  CHECK(unwritten.progress == Numbers{23, 25, 27});
  CHECK(unwritten.forgotten == Numbers{33, 35, 37});
}

TEST_CASE("unwritten: all is kept as safely as the change that needs it most") {
  using G = Grade;
  struct Row {
    std::vector<Grade> changes;
    Grade all;
  };
  const Row rows[] = {
      {{}, G::committed},
      {{G::committed}, G::committed},
      {{G::synced}, G::synced},
      {{G::committed, G::synced}, G::synced},
      {{G::synced, G::committed}, G::synced},
  };
  for (const Row& row : rows) {
    Unwritten unwritten;
    unwritten.wanted = true;
    unwritten.description(9);
    unwritten.forget(9);
    std::uint64_t job = 0;
    for (const Grade grade : row.changes) unwritten.change(++job, grade);
    CHECK(unwritten.grade == row.all);
    CHECK(unwritten.progress.size() == row.changes.size());
  }
}

TEST_CASE("unwritten: an answered submission is written, and the one that made room for it goes") {
  Unwritten unwritten;
  unwritten.wanted = true;
  unwritten.answer(answer_to(3), std::nullopt);
  unwritten.answer(answer_to(2), answer_to(1));
  unwritten.answer(answer_to(4), answer_to(3));  // answered in the same step
  CHECK(tokens_of(unwritten.answered) == std::vector<std::uint64_t>{3, 2, 4});
  CHECK(tokens_of(unwritten.dropped) == std::vector<std::uint64_t>{1, 3});
  CHECK(unwritten.grade == Grade::committed);
}

}  // namespace dmm::unwritten_test
