// Clusters that are set aside after several failures in a row.
#include "sitemgr/cluster_errors.hpp"

#include <doctest/doctest.h>

#include <string>

namespace dmm::cluster_errors_test {
namespace {

constexpr Instant start{1'000'000'000};
const SiteName site("a");
const ClusterName one("one"), other("other");

std::optional<Instant> fail(ClusterErrors& errors, Instant now, std::uint32_t times) {
  std::optional<Instant> until;
  for (std::uint32_t i = 0; i < times; ++i) until = errors.failed(now, site, one, 3, seconds(600));
  return until;
}

TEST_CASE("cluster errors: a cluster is set aside at the last failure of a row [S76g]") {
  ClusterErrors errors;
  CHECK(!fail(errors, start, 2));
  CHECK(!errors.is_aside(start, site, one));
  CHECK(fail(errors, start, 1) == start + seconds(600));
  CHECK(errors.is_aside(start + seconds(599), site, one));
  CHECK(!errors.is_aside(start + seconds(600), site, one));
  CHECK(!errors.is_aside(start, site, other));
}

TEST_CASE("cluster errors: people are told which clusters are set aside, why and for how long") {
  ClusterErrors errors;
  fail(errors, start, 2);
  CHECK(errors.aside(start, 9).empty());
  CHECK(errors.why_aside(start, site, one).empty());
  fail(errors, start, 1);
  CHECK(errors.why_aside(start + seconds(500), site, one) ==
        "set aside for 101 s, since its hosts failed 3 jobs in a row");
  CHECK(errors.why_aside(start, site, other).empty());
  const auto aside = errors.aside(start + seconds(500), 9);
  REQUIRE(aside.size() == 1);
  CHECK(aside[0].site == site);
  CHECK(aside[0].cluster == one);
  CHECK(aside[0].failures == 3);
  CHECK(aside[0].left == seconds(100));
  CHECK(errors.aside(start + seconds(500), 0).empty());
  CHECK(errors.aside(start + seconds(600), 9).empty());
}

TEST_CASE("cluster errors: a job that is served in between ends the row") {
  ClusterErrors errors;
  fail(errors, start, 2);
  errors.served(site, one);
  CHECK(!fail(errors, start, 2));
  CHECK(fail(errors, start, 1));
}

TEST_CASE("cluster errors: afterwards one failure is enough, for twice as long, a day at most") {
  ClusterErrors errors;
  Instant now = *fail(errors, start, 3);
  for (const std::int64_t pause : {1200, 2400, 4800, 9600, 19200, 38400, 76800, 86400, 86400}) {
    const auto until = fail(errors, now, 1);
    REQUIRE(until);
    CHECK(*until - now == seconds(pause));
    now = *until;
  }
}

TEST_CASE("cluster errors: what failed while it is aside was there before") {
  ClusterErrors errors;
  fail(errors, start, 3);
  CHECK(!fail(errors, start + seconds(5), 4));
  CHECK(!errors.is_aside(start + seconds(600), site, one));
}

TEST_CASE("cluster errors: with a limit of 0 nothing is ever set aside, and few clusters are remembered") {
  ClusterErrors errors;
  for (int i = 0; i < 100; ++i) CHECK(!errors.failed(start, site, one, 0, seconds(600)));
  CHECK(errors.size() == 0);
  for (std::size_t i = 0; i < ClusterErrors::clusters_max + 5; ++i)
    errors.failed(start + seconds(static_cast<std::int64_t>(i)), site, ClusterName("c" + std::to_string(i)), 3,
                  seconds(1));
  CHECK(errors.size() == ClusterErrors::clusters_max);
}

}  // namespace
}  // namespace dmm::cluster_errors_test
