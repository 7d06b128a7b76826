// Sessions of job managers: what they hold, when they are lost, and the chores that follow [S90].
#include "sitemgr/users.hpp"

#include <doctest/doctest.h>

#include <array>

#include "tests/sitemgr/parts_stage.hpp"

namespace dmm::users_test {
namespace {

const Party alice = job_manager_of(SiteName("home"), "alice");

struct Stage : PartsStage {
  Users& users = parts.users;
  bool is_reconciling = false;

  LocalRequest& ask(std::uint32_t processors = 1) {
    LocalRequest& added = add(processors);
    added.session = users.session(alice);
    users.opened(alice);
    return added;
  }
  std::optional<Users::Chore> next(std::size_t& left) {
    return users.next_chore(parts.queue, left, [&](const Party&) { return is_reconciling; });
  }
  /// Does all chores, as the manager does; returns how many requests were shelved, unshelved and dropped.
  std::array<int, 3> do_chores(std::size_t left = 100) {
    std::array<int, 3> done{};
    while (auto chore = next(left)) {
      ++done.at(chore->index());
      if (auto* shelve = std::get_if<Users::Shelve>(&*chore)) {
        users.shelve(shelve->request);
        parts.queue.erase(shelve->request);
      } else if (auto* drop = std::get_if<Users::Drop>(&*chore)) {
        users.closed(alice);
        parts.queue.erase(drop->request);
      } else {
        ask();
      }
    }
    return done;
  }
  std::optional<Users::Due> due() {
    auto due = users.take_due(now);
    if (due) users.settle_due(due->user, is_reconciling);
    return due;
  }
};

TEST_CASE("users: a silent job manager's requests are shelved after a term, and come back in the same session") {
  Stage stage;
  stage.users.came_up(stage.now, alice, true);
  for (int i = 0; i < 3; ++i) stage.ask();
  stage.users.went_down(stage.now, alice, stage.parts.settings);
  stage.now = stage.now + seconds(10);
  stage.due();  // no request was repeated in the first session, and none is dropped
  stage.do_chores();
  stage.now = stage.now + stage.parts.settings.term;
  const auto lost = stage.due();
  REQUIRE(lost);
  CHECK(lost->is_lost);
  CHECK_FALSE(lost->is_absent);
  CHECK(stage.do_chores() == std::array{3, 0, 0});
  CHECK_FALSE(stage.users.none_shelved());
  stage.users.came_up(stage.now, alice, false);
  CHECK(stage.do_chores() == std::array{0, 3, 0});
  CHECK(stage.users.none_shelved());
}

TEST_CASE("users: in a new session what isn't asked for again is dropped, and what is shelved discarded") {
  Stage stage;
  stage.users.came_up(stage.now, alice, true);
  for (int i = 0; i < 3; ++i) stage.ask();
  stage.users.came_up(stage.now, alice, true);
  stage.ask();
  stage.now = stage.users.next_deadline();
  const auto due = stage.due();
  REQUIRE(due);
  CHECK_FALSE(due->is_lost);
  CHECK(stage.do_chores() == std::array{0, 0, 3});
  CHECK(stage.parts.queue.size() == 1);
}

TEST_CASE("users: a step does a piece of a chore") {
  Stage stage;
  stage.users.came_up(stage.now, alice, true);
  for (int i = 0; i < 5; ++i) stage.ask();
  stage.users.came_up(stage.now, alice, true);
  stage.now = stage.users.next_deadline();
  stage.due();
  CHECK(stage.do_chores(2) == std::array{0, 0, 2});
  CHECK(stage.users.has_chores());
  CHECK(stage.do_chores(2) == std::array{0, 0, 2});
  CHECK(stage.do_chores(2) == std::array{0, 0, 1});
  stage.do_chores(2);
  CHECK_FALSE(stage.users.has_chores());
}

TEST_CASE("users: what a job manager holds, of own leases and of borrowed ones") {
  Stage stage;
  const RequestId request{SiteName("home"), "alice", 7, 1};
  HopLease own, borrowed;
  own.id = {SiteName("home"), {1, 3}};
  borrowed.id = {SiteName("north"), {9, 4}};
  borrowed.upstream = north_place;
  for (const HopLease* lease : {&own, &borrowed}) {
    stage.users.hold(*lease, request);
    CHECK(stage.users.holds(*lease, request));
  }
  CHECK(stage.users.holds_of(alice) == Users::Holds{{own.id, request}, {borrowed.id, request}});
  CHECK(stage.users.borrowed_of(alice) == Users::Holds{{borrowed.id, request}});
  stage.users.drop(own, request);
  CHECK_FALSE(stage.users.holds(own, request));
  CHECK(stage.users.take_holds(alice) == Users::Holds{{borrowed.id, request}});
  CHECK(stage.users.holds_of(alice).empty());
}

TEST_CASE(
    "users: a job manager that is away for long loses its nodes, and is forgotten when nothing is left of it") {
  Stage stage;
  stage.users.came_up(stage.now, alice, false);
  stage.users.went_down(stage.now, alice, stage.parts.settings);
  stage.now = stage.now + stage.parts.settings.term;
  CHECK(stage.due()->is_lost);
  stage.do_chores();
  stage.now = parts_start + stage.parts.settings.absent_job_manager;
  auto due = stage.users.take_due(stage.now);
  REQUIRE(due);
  CHECK(due->is_absent);
  CHECK(stage.users.take_holds(alice).empty());
  SUBCASE("an inventory of it is awaited") {
    stage.users.settle_due(alice, true);
    CHECK(stage.users.knows(alice));
  }
  SUBCASE("nothing is left") {
    stage.users.settle_due(alice, false);
    CHECK_FALSE(stage.users.knows(alice));
    CHECK(stage.users.take_forgotten() == std::vector{alice});
    CHECK(stage.users.take_forgotten().empty());
  }
}

TEST_CASE("users: limits of open requests") {
  Stage stage;
  SiteSettings settings = stage.parts.settings;
  settings.requests_per_user_max = 2;
  settings.requests_max = 10;
  CHECK(stage.users.limit_reached(alice, 0, settings).empty());
  CHECK_FALSE(stage.users.limit_reached(alice, 10, settings).empty());
  for (int i = 0; i < 2; ++i) stage.users.opened(alice);
  CHECK_FALSE(stage.users.limit_reached(alice, 0, settings).empty());
  stage.users.closed(alice);
  CHECK(stage.users.limit_reached(alice, 0, settings).empty());
}

}  // namespace
}  // namespace dmm::users_test
