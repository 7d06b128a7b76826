// Fences of nodes that come and go, and which of their rows are to be written.
#include "resmgr/absent_fences.hpp"

#include <doctest/doctest.h>

namespace fences_test {

using namespace dmm;

namespace {

FenceRecord row(std::uint32_t node, std::uint64_t counter, std::string name) { return {node, {1, counter}, name}; }

}  // namespace

TEST_CASE("fences: the row of a node that is taken out is written, also if its fence changed in the same step") {
  AbsentFences fences;
  fences.changed(3);
  fences.leave(row(3, 7, "node03"));
  REQUIRE(fences.take_left().size() == 1);
  CHECK(fences.take_left().empty());
  CHECK(fences.gone().size() == 1);
}

TEST_CASE("fences: the row of a node that is taken back at once is the node's own") {
  AbsentFences fences;
  fences.leave(row(3, 7, "node03"));
  CHECK(fences.take_kept("node03") == Epoch{1, 7});
  CHECK(fences.take_left().empty());
  CHECK_FALSE(fences.take_kept("node03"));
}

TEST_CASE("fences: rows that were read from the ledger needn't be written") {
  AbsentFences fences;
  fences.keep(row(3, 7, "node03"));
  CHECK(fences.take_left().empty());
  CHECK(fences.gone().size() == 1);
}

}  // namespace fences_test
