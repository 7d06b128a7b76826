// Estimates of later transfers from the times of earlier ones.
#include "sitemgr/transfer_rates.hpp"

#include <doctest/doctest.h>

#include <string>

namespace dmm::transfer_rates_test {
namespace {

constexpr Instant start{1'000'000'000};
const SiteName a("a"), b("b");
/// None of these transfers is a slow one.
constexpr Duration as_expected = seconds(1'000);

TEST_CASE("transfer rates: the first transfer counts whole, and every later one by a quarter [S88b]") {
  TransferRates rates;
  rates.heard(start, a, b, 100'000'000, seconds(10), as_expected);
  REQUIRE(rates.all(start).size() == 1);
  CHECK(rates.all(start)[0].from == a);
  CHECK(rates.all(start)[0].to == b);
  CHECK(rates.all(start)[0].bandwidth == 10'000'000);
  rates.heard(start, a, b, 100'000'000, seconds(50), as_expected);
  CHECK(rates.all(start)[0].bandwidth == 8'000'000);
}

TEST_CASE("transfer rates: each direction is another pair, and after an hour nothing is known") {
  TransferRates rates;
  rates.heard(start, a, b, 100'000'000, seconds(10), as_expected);
  rates.heard(start + seconds(1), b, a, 100'000'000, seconds(5), as_expected);
  CHECK(rates.all(start + seconds(3600)).size() == 2);
  CHECK(rates.all(start + seconds(3601)).size() == 1);
  rates.heard(start + seconds(7300), a, b, 100'000'000, seconds(100), as_expected);
  CHECK(rates.all(start + seconds(7300))[0].bandwidth == 1'000'000);
}

TEST_CASE("transfer rates: what tells of no rate is let pass") {
  TransferRates rates;
  rates.heard(start, a, b, 999'999, seconds(1), as_expected);
  rates.heard(start, a, b, 100'000'000, Duration{}, as_expected);
  rates.heard(start, a, b, 100'000'000, seconds(0) - seconds(5), as_expected);
  rates.heard(start, a, a, 100'000'000, seconds(1), as_expected);
  rates.heard(start, {}, b, 100'000'000, seconds(1), as_expected);
  CHECK(rates.size() == 0);
  rates.heard(start, a, b, UINT64_MAX, microseconds(1), as_expected);
  CHECK(rates.all(start)[0].bandwidth == 1'000'000'000'000);
}

TEST_CASE("transfer rates: the pair that was heard of longest ago makes room") {
  TransferRates rates;
  for (std::size_t i = 0; i <= TransferRates::pairs_max; ++i)
    rates.heard(start + seconds(static_cast<std::int64_t>(i)), SiteName("s" + std::to_string(i)), b, 2'000'000,
                seconds(1), as_expected);
  CHECK(rates.size() == TransferRates::pairs_max);
  for (const MeasuredTransfer& one : rates.all(start + seconds(10))) CHECK(one.from != SiteName("s0"));
}

TEST_CASE(
    "transfer rates: a slow transfer counts if the one before it was slow, too: a fault is met once [S88b]") {
  TransferRates rates;
  const auto heard = [&](std::int64_t at, std::int64_t took) {
    rates.heard(start + seconds(at), a, b, 100'000'000, seconds(took), seconds(10));
  };
  const auto rate = [&](std::int64_t at) {
    const auto known = rates.all(start + seconds(at));
    return known.empty() ? 0 : known[0].bandwidth;
  };
  heard(0, 46);
  CHECK(rate(0) == 0);
  SUBCASE("slow again") {
    heard(60, 50);
    CHECK(rate(60) == 2'000'000);
    heard(61, 100);
    CHECK(rate(61) == 1'750'000);
  }
  SUBCASE("as it was expected, at the most") {
    heard(60, 45);
    CHECK(rate(60) == 100'000'000 / 45);
    heard(61, 1'000);
    CHECK(rate(61) == 100'000'000 / 45);
  }
  SUBCASE("slow long ago") {
    heard(3'601, 46);
    CHECK(rate(3'601) == 0);
  }
}

}  // namespace
}  // namespace dmm::transfer_rates_test
