// The text by which a launcher begins: which ranks it runs, and that a truncated text is refused.
#include "resmgr/backends/process/go_text.hpp"

#include <doctest/doctest.h>

namespace go_text_test {

using namespace dmm;

/// Two tasks of component 0, on 2 and 1 nodes of 4 processors, and one task of component 1 with one spare processor.
LaunchOrder three_tasks(std::uint32_t own) {
  return {own, {{0, 2, 8, "127.1.0.1:40/a"}, {0, 1, 4, "127.1.0.2:41/b"}, {1, 2, 7, "127.1.0.1:42/c"}}};
}

TEST_CASE("go text: a launch order is read as it was written") {
  const auto read = parse_launch_order(to_text(three_tasks(2)));
  REQUIRE(read);
  CHECK(read->own == 2);
  REQUIRE(read->parts.size() == 3);
  CHECK(read->parts[1].nodes == 1);
  CHECK(read->parts[2].processors == 7);
  CHECK(read->parts[2].contact == "127.1.0.1:42/c");
}

TEST_CASE("go text: a launch order that was cut, or that names a missing task, is refused") {
  const std::string text = to_text(three_tasks(1));
  for (std::size_t length = 0; length < text.size(); ++length)
    CHECK_FALSE(parse_launch_order(text.substr(0, length)));
  CHECK_FALSE(parse_launch_order("1\n0 1 1 here\ngo\n"));
  CHECK_FALSE(parse_launch_order("0\n0 x 1 here\ngo\n"));
  CHECK_FALSE(parse_launch_order(text + "more"));
}

TEST_CASE("go text: ranks follow one another over the tasks, as often as the runner says") {
  struct Row {
    Runner runner;
    std::uint32_t own, first, copies, all;
  };
  for (const Row& row : {Row{Runner::per_component, 2, 2, 1, 3}, Row{Runner::per_node, 1, 2, 1, 5},
                         Row{Runner::per_node, 2, 3, 2, 5}, Row{Runner::per_processor, 2, 12, 7, 19},
                         Row{Runner::once, 0, 0, 1, 1}, Row{Runner::mpi, 1, 1, 0, 1}}) {
    CAPTURE(to_text(row.runner));
    CAPTURE(row.own);
    const LaunchOrder order = three_tasks(row.own);
    CHECK(order.first_rank(row.runner) == row.first);
    CHECK(order.copies_of(row.runner, row.own) == row.copies);
    CHECK(order.ranks(row.runner) == row.all);
  }
}

TEST_CASE("go text: a host of several tasks is listed once, with the processors of all") {
  const auto hosts = hosts_of(three_tasks(0));
  REQUIRE(hosts.size() == 2);
  CHECK(hosts[0].host == "127.1.0.1");
  CHECK(hosts[0].slots == 15);
  CHECK(hosts[1].slots == 4);
}

}  // namespace go_text_test
