// When nodes are claimed while files are on their way, by the formulas of Mohamed and Epema 2005, section 3.2.
#include "sitemgr/claim_plan.hpp"

#include <doctest/doctest.h>

#include <vector>

namespace dmm::claim_plan_test {
namespace {

constexpr Instant start{1'000'000'000};
constexpr ClaimRules rules{0.75, 0.125, 0.25};

TEST_CASE("claim plan: the first claim comes after L times the transfer [S88c]") {
  const ClaimPlan plan = plan_claim(start, seconds(400), rules);
  CHECK(plan.claim == start + seconds(300));
  CHECK(plan.start == start + seconds(400));
}

TEST_CASE("claim plan: each further claim comes after L times what is left, until the files are there [S88c]") {
  ClaimPlan plan = plan_claim(start, seconds(400), rules);
  std::vector<double> claims;
  while (claim_later(plan, plan.claim)) claims.push_back((plan.claim - start).in_seconds());
  CHECK(claims == std::vector<double>{375, 393.75, 398.4375, 399.609375});
  CHECK(plan.tries == claims.size() + 1);
}

TEST_CASE("claim plan: a claim that failed late waits a second at least, and none comes after the files") {
  ClaimPlan plan = plan_claim(start, seconds(400), rules);
  CHECK(claim_later(plan, start + seconds(398)));
  CHECK(plan.claim == start + seconds(398) + milliseconds(1500));
  CHECK_FALSE(claim_later(plan, start + seconds(399)));
  CHECK_FALSE(claim_later(plan, start + seconds(500)));
}

TEST_CASE("claim plan: each placement in vain lowers L by a step, down to its bound [S88c]") {
  ClaimRules lower = rules;
  std::vector<double> waits;
  for (int i = 0; i < 6; ++i) lower = lower.lowered(), waits.push_back(lower.wait);
  CHECK(waits == std::vector<double>{0.625, 0.5, 0.375, 0.25, 0.25, 0.25});
  CHECK(ClaimRules{0.1, 0.125, 0.25}.lowered().wait == 0.1);
}

}  // namespace
}  // namespace dmm::claim_plan_test
