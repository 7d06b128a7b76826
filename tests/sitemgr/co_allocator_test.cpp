// Requests in several parts, and their tries, without a site around them.
#include "sitemgr/co_allocator.hpp"

#include <doctest/doctest.h>

namespace co_allocator_test {

using namespace dmm;

namespace {

constexpr Instant start{1'000'000'000};
const RequestId first{SiteName("home"), "ann", 1, 1}, second{SiteName("home"), "ann", 2, 1};
LeaseId lease(std::uint64_t number) { return {SiteName("owner"), {1, number}}; }

CoPart part_at(const char* site, std::optional<std::size_t> neighbour) {
  CoPart part;
  part.site = SiteName(site);
  part.neighbour = neighbour;
  part.components = {0};
  part.need.components.push_back({4, part.site, ClusterName("c")});
  return part;
}

struct Stage {
  CoAllocator parts;
  Stage() {
    parts.add(start, first, start);
    CHECK(parts.take_due(start) == first);
  }
  CoAttempt& begin() { return parts.begin(first, 3, {part_at("north", 0), part_at("home", std::nullopt)}); }
};

}  // namespace

TEST_CASE("co-allocator: a request that is added is due at once, and once") {
  CoAllocator parts;
  parts.add(start, first, start);
  CHECK(parts.next_deadline() == start);
  CHECK(parts.take_due(start) == first);
  CHECK_FALSE(parts.take_due(start).has_value());
  CHECK(parts.next_deadline() == never);
  parts.drop(first);
  CHECK(parts.size() == 0);
}

TEST_CASE("co-allocator: a request that waits for reports is due when some come, another request isn't") {
  Stage stage;
  stage.parts.add(start, second, start + seconds(1));
  stage.parts.await_reports(start, first, start + seconds(5));
  stage.parts.try_at(second, start + seconds(5));
  stage.parts.reports_came(start + seconds(1));
  CHECK(stage.parts.take_due(start + seconds(1)) == first);
  CHECK_FALSE(stage.parts.take_due(start + seconds(1)).has_value());
}

TEST_CASE("co-allocator: an attempt is past a state when all of its parts are") {
  Stage stage;
  CoAttempt& attempt = stage.begin();
  CHECK(attempt.part(0) == nullptr);
  CHECK(attempt.part(3) == nullptr);
  stage.parts.held(first, *attempt.part(1), lease(1));
  CHECK_FALSE(attempt.all_past(CoPart::State::held));
  stage.parts.held(first, *attempt.part(2), lease(2));
  CHECK(attempt.all_past(CoPart::State::held));
  CHECK_FALSE(attempt.all_past(CoPart::State::claimed));
  CHECK(stage.parts.request_of(lease(2)) == first);
  const CoAttempt done = stage.parts.succeed(first);
  CHECK(done.round == 3);
  CHECK_FALSE(stage.parts.request_of(lease(2)).has_value());
  CHECK(stage.parts.find(first) == nullptr);
}

TEST_CASE(
    "co-allocator: a broken attempt is given up once, for its first reason, and retried after a doubling pause") {
  Stage stage;
  Duration before;
  for (int i = 0; i < 8; ++i) {
    stage.begin();
    stage.parts.break_off(first, "north: no_capacity");
    stage.parts.break_off(first, "north: link_down");
    CHECK(stage.parts.next_deadline() == Instant{});
    CHECK(stage.parts.take_broken() == first);
    CHECK_FALSE(stage.parts.take_broken().has_value());
    stage.parts.fail(start, first);
    CHECK(stage.parts.last_failure(first) == "north: no_capacity");
    const Duration pause = stage.parts.next_deadline() - start;
    CHECK(pause >= milliseconds(375));
    CHECK(pause <= seconds(10));
    if (i < 3) CHECK(pause > before);
    before = pause;
    CHECK(stage.parts.take_due(stage.parts.next_deadline()) == first);
  }
  CHECK(stage.parts.tries(first) == 8);
}

TEST_CASE("co-allocator: a pausing request is tried when more is free, half a second or so after its last try") {
  Stage stage;
  stage.parts.found_no_place(start, first, "too little is free");
  for (int i = 0; i < 6; ++i) {  // the pause is long by now
    CHECK(stage.parts.take_due(stage.parts.next_deadline()) == first);
    stage.parts.found_no_place(start, first, "too little is free");
  }
  REQUIRE(stage.parts.next_deadline() > start + seconds(5));
  stage.parts.more_is_free(start + milliseconds(10));
  const Instant woken = stage.parts.next_deadline();
  CHECK(woken >= start + milliseconds(375));
  CHECK(woken <= start + milliseconds(625));
  stage.parts.more_is_free(start + seconds(3));
  CHECK(stage.parts.next_deadline() == woken);
  CHECK(stage.parts.take_due(start + seconds(3)) == first);
  stage.parts.more_is_free(start + seconds(3));
  CHECK(stage.parts.next_deadline() == never);  // it is being tried
  CHECK(stage.parts.note_freed(7));
  CHECK_FALSE(stage.parts.note_freed(7));
}

TEST_CASE("co-allocator: an older pausing request is tried before a younger due one, twice a second at most") {
  Stage stage;
  stage.parts.found_no_place(start, first, "too little is free");
  CHECK(stage.parts.take_due(stage.parts.next_deadline()) == first);
  stage.parts.found_no_place(start, first, "too little is free");
  stage.parts.add(start, second, start + seconds(1));
  CHECK(stage.parts.take_due(start + milliseconds(400)) == second);  // the older one was tried a moment ago
  stage.parts.try_at(second, start + seconds(1));
  CHECK(stage.parts.take_due(start + seconds(1)) == first);
  stage.parts.found_no_place(start + seconds(1), first, "too little is free");
  CHECK(stage.parts.take_due(start + seconds(1)) == second);
  CHECK_FALSE(stage.parts.take_due(start + seconds(1)).has_value());
}

TEST_CASE("co-allocator: news makes an older request try before a younger one, even soon after its last try") {
  Stage stage;
  stage.parts.found_no_place(start, first, "too little is free");
  CHECK(stage.parts.take_due(stage.parts.next_deadline()) == first);
  const Instant tried = start + milliseconds(700), later = tried + milliseconds(200);
  stage.parts.found_no_place(tried, first, "too little is free");
  stage.parts.add(tried, second, tried);
  SUBCASE("more is free") {
    stage.parts.more_is_free(later);
    CHECK(stage.parts.take_due(later) == first);
    stage.parts.found_no_place(later, first, "too little is free");
    stage.parts.more_is_free(later);
  }
  SUBCASE("reports came") {
    stage.parts.reports_came(later);
    CHECK(stage.parts.take_due(later) == first);
    stage.parts.found_no_place(later, first, "too little is free");
  }
  CHECK(stage.parts.take_due(later) == second);
}

TEST_CASE("co-allocator: a site that will never hold nodes for a request is left out, for this request alone") {
  Stage stage;
  stage.parts.add(start, second, start);
  stage.parts.avoid(start, first, SiteName("north"));
  CHECK(stage.parts.avoids(start + seconds(299), first, SiteName("north")));
  CHECK_FALSE(stage.parts.avoids(start, first, SiteName("south")));
  CHECK_FALSE(stage.parts.avoids(start, second, SiteName("north")));
  CHECK_FALSE(stage.parts.avoids(start + seconds(300), first, SiteName("north")));
}

TEST_CASE("co-allocator: an attempt that succeeds after it was broken isn't given up") {
  Stage stage;
  stage.begin();
  stage.parts.break_off(first, "x");
  stage.parts.succeed(first);
  CHECK_FALSE(stage.parts.take_broken().has_value());
}

TEST_CASE("co-allocator: attempts with a part asked for over a link are found, those with parts held are not") {
  Stage stage;
  CoAttempt& attempt = stage.begin();
  CHECK(stage.parts.asked_over(0) == std::vector{first});
  CHECK(stage.parts.asked_over(1).empty());
  stage.parts.held(first, *attempt.part(1), lease(1));
  CHECK(stage.parts.asked_over(0).empty());
}

TEST_CASE("co-allocator: requests of high priority go before older ones [S76f]") {
  CoAllocator parts;
  const RequestId third{SiteName("home"), "ann", 3, 1};
  parts.add(start, first, start);
  parts.add(start, second, start + seconds(1), true);
  parts.add(start, third, start + seconds(2));
  for (int i = 0; i < 3; ++i) {
    const auto request = parts.take_due(start);
    REQUIRE(request);
    parts.found_no_place(start, *request, "too little is free");
  }
  CHECK(parts.longest_pausing() == second);
  parts.reports_came(start + seconds(1));
  CHECK(parts.take_due(start + seconds(1)) == second);
  CHECK(parts.take_due(start + seconds(1)) == first);
}

TEST_CASE("co-allocator: of requests that reports make due together, one of high priority goes first [S76f]") {
  CoAllocator parts;
  parts.add(start, first, start);
  parts.add(start, second, start + seconds(1), true);
  for (int i = 0; i < 2; ++i) parts.await_reports(start, *parts.take_due(start), start + seconds(5));
  const Instant come = start + milliseconds(20);
  parts.reports_came(come);
  CHECK(parts.take_due(come) == second);
  CHECK(parts.take_due(come) == first);
  CHECK_FALSE(parts.take_due(come).has_value());
}

TEST_CASE("co-allocator: after some tries of high priority a due request of the other queue has its turn [S76f]") {
  for (const std::uint32_t high_scans : {1, 2, 5}) {
    CoAllocator parts;
    Instant now = start;
    parts.add(now, second, now, true);
    CHECK(parts.take_due(now, high_scans) == second);
    parts.found_no_place(now, second, "too little is free");
    parts.add(now, first, now);
    for (std::uint32_t i = 0; i < high_scans; ++i) {
      now = now + milliseconds(200);
      parts.reports_came(now);
      CHECK(parts.take_due(now, high_scans) == second);
      parts.found_no_place(now, second, "too little is free");
    }
    parts.reports_came(now + milliseconds(200));
    CHECK(parts.take_due(now + milliseconds(200), high_scans) == first);
  }
}

TEST_CASE("co-allocator: a request goes before the jobs that end for it, and its turn stays the same [S76h]") {
  Stage stage;
  stage.parts.add(start, second, start + seconds(60), true);
  CHECK(stage.parts.stands_since(second) == start + seconds(60));
  stage.parts.take_standing(second, start + seconds(90));  // it goes before that one anyway
  CHECK(stage.parts.stands_since(second) == start + seconds(60));
  stage.parts.take_standing(second, start);
  CHECK(stage.parts.stands_since(second) == start - seconds(1));
  stage.parts.take_standing(second, start + seconds(30));
  CHECK(stage.parts.stands_since(second) == start - seconds(1));
  CHECK(stage.parts.stands_since(first) == start);
}

TEST_CASE("co-allocator: jobs end for a request for a minute, and then not for a pause that grows [S76h]") {
  Stage stage;
  Instant now = start;
  for (const std::int64_t pause : {300, 600, 1'200}) {
    CHECK(stage.parts.may_preempt(now, first));
    stage.parts.preempts(now, first);
    stage.parts.preempts(now + seconds(30), first);  // this neither begins another minute nor doubles the pause
    CHECK(stage.parts.may_preempt(now + seconds(59), first));
    CHECK_FALSE(stage.parts.may_preempt(now + seconds(60), first));
    CHECK_FALSE(stage.parts.may_preempt(now + seconds(59 + pause), first));
    now = now + seconds(60 + pause);
  }
  CHECK(stage.parts.may_preempt(now, first));
}

TEST_CASE("co-allocator: components of parts that other parts replaced don't count") {
  Stage stage;
  CoAttempt& attempt = stage.begin();
  CHECK(attempt.held() == 0);
  stage.parts.held(first, *attempt.part(2), lease(2));
  CHECK(attempt.held() == 0.5);
  attempt.part(1)->state = CoPart::State::replaced;
  attempt.parts.push_back(part_at("south", 1));
  CHECK(attempt.held() == 0.5);
  CHECK_FALSE(attempt.all_past(CoPart::State::held));
  stage.parts.held(first, *attempt.part(3), lease(3));
  CHECK(attempt.held() == 1);
  CHECK(attempt.all_past(CoPart::State::held));
  stage.parts.succeed(first);
  CHECK_FALSE(stage.parts.request_of(lease(3)).has_value());
}

namespace {

const PlannedPlace north{SiteName("north"), ClusterName("c")}, south{SiteName("south"), ClusterName("c")};

ClaimPlan plan_of(Instant now, const ClaimRules& rules) {
  ClaimPlan plan = plan_claim(now, seconds(100), rules);
  plan.awaited = {north, south};
  return plan;
}

}  // namespace

TEST_CASE(
    "co-allocator: a planned request is due when its nodes are claimed, and after each claim in vain [S88c]") {
  Stage stage;
  const ClaimRules rules{0.5, 0.125, 0.25};
  CHECK(stage.parts.rules_of(first, rules).wait == 0.5);
  stage.parts.plan(start, first, plan_claim(start, seconds(100), rules));
  CHECK(stage.parts.has_plans());
  CHECK(stage.parts.next_deadline() == start + seconds(50));
  stage.parts.reports_came(start + seconds(1));  // news doesn't make it due earlier
  stage.parts.more_is_free(start + seconds(1));
  CHECK_FALSE(stage.parts.take_due(start + seconds(49)).has_value());
  Instant now = start + seconds(50);
  CHECK(stage.parts.take_due(now) == first);
  stage.parts.found_no_place(now, first, "too little is free");
  CHECK(stage.parts.next_deadline() == start + seconds(75));
  now = start + seconds(75);
  CHECK(stage.parts.take_due(now) == first);
  stage.begin();
  stage.parts.fail(now, first);
  CHECK(stage.parts.tries(first) == 0);  // a claim is no try to place
  CHECK(stage.parts.next_deadline() == now + microseconds(12'500'000));
  CHECK(stage.parts.take_due(start + seconds(99)) == first);
  stage.parts.found_no_place(start + seconds(99), first, "too little is free");
  CHECK(stage.parts.plan_of(first) == nullptr);
  CHECK(stage.parts.rules_of(first, rules).wait == 0.375);
  CHECK(stage.parts.take_due(start + seconds(110)) == first);
  const ClaimRules lowered = stage.parts.rules_of(first, rules);
  stage.parts.plan(start + seconds(110), first, plan_claim(start + seconds(110), seconds(100), lowered));
  CHECK(stage.parts.next_deadline() == start + seconds(110) + microseconds(37'500'000));
  CHECK(stage.parts.start_delay(first) == seconds(110));
}

TEST_CASE("co-allocator: a planned request claims nodes at once when all clusters have its files [S88f]") {
  Stage stage;
  stage.parts.plan(start, first, plan_of(start, {0.5, 0.125, 0.25}));
  const Instant now = start + seconds(10);
  stage.parts.files_came(now, first, north);
  stage.parts.files_came(now, first, north);
  stage.parts.files_came(now, first, {SiteName("west"), ClusterName("c")});
  stage.parts.files_came(now, second, south);
  CHECK_FALSE(stage.parts.take_due(now).has_value());
  stage.parts.files_came(now, first, south);
  CHECK(stage.parts.take_due(now) == first);
  stage.parts.found_no_place(now, first, "too little is free");
  CHECK(stage.parts.plan_of(first) == nullptr);
}

TEST_CASE("co-allocator: files that a plan awaits are asked for again, ever more seldom, until they came [S88d]") {
  Stage stage;
  ClaimPlan plan = plan_claim(start, seconds(10'000), {0.5, 0.125, 0.25});
  plan.awaited = {north, south};
  stage.parts.plan(start, first, plan);
  std::vector<std::int64_t> told;
  for (Instant now = start; now < start + seconds(1'000); now = now + seconds(10))
    while (const auto request = stage.parts.take_awaiting_files(now)) {
      CHECK(request == first);
      told.push_back((now - start).microseconds / 1'000'000);
    }
  CHECK(told == std::vector<std::int64_t>{10, 30, 70, 150, 310, 610, 910});
  CHECK(stage.parts.next_deadline() == start + seconds(1'210));
  stage.parts.files_came(start + seconds(1'000), first, north);
  CHECK(stage.parts.take_awaiting_files(start + seconds(1'210)) == first);
  stage.parts.files_came(start + seconds(1'220), first, south);
  CHECK_FALSE(stage.parts.take_awaiting_files(start + seconds(9'000)).has_value());
  SUBCASE("and no longer than there is a plan") {
    CHECK(stage.parts.take_due(start + seconds(1'220)) == first);
    stage.parts.found_no_place(start + seconds(1'220), first, "too little is free");
    stage.parts.take(first);
    plan.awaited = {north};
    stage.parts.plan(start + seconds(1'300), first, plan);
    CHECK(stage.parts.next_deadline() == start + seconds(1'310));
    SUBCASE("it comes to nothing") {
      CHECK(stage.parts.take_due(start + seconds(10'000)) == first);
      stage.parts.found_no_place(start + seconds(10'000), first, "too little is free");
    }
    SUBCASE("the request is dropped") { stage.parts.drop(first); }
    CHECK_FALSE(stage.parts.take_awaiting_files(start + seconds(20'000)).has_value());
  }
}

}  // namespace co_allocator_test
