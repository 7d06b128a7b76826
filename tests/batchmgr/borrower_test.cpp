// The borrowing side alone: its orders from the output of Slurm and the job manager; each order once.
#include "batchmgr/borrower.hpp"

#include <doctest/doctest.h>

namespace dmm::borrower_test {
namespace {

struct Story {
  BatchSettings settings;
  Borrower borrower;
  Instant now{seconds(1'000).microseconds};
  Snapshot snapshot;

  Story() {
    settings.borrow = {.from = {"b/nodes", "c/nodes"},
                       .trust = "full",
                       .jobmgr = "ipc:///run/guests.ipc",
                       .nodes_max = 2,
                       .processors = 4,
                       .after = Duration{},
                       .idle_for = seconds(60)};
    snapshot.nodes = {{.name = "a1", .use = NodeUse::busy}};
  }
  Borrower::Site site() const { return {settings, *find_batch_system("slurm")}; }
  /// A second later the job manager has this output, and this number of nodes is wanted.
  std::vector<Borrower::Order> decide(const std::string& jobs, std::uint32_t wanted) {
    now = now + seconds(1);
    borrower.take_answer(site(), {.output = R"({"jobs": [)" + jobs + "]}"});
    snapshot.waiting.clear();
    if (wanted > 0) snapshot.waiting.push_back({"7", wanted, "Resources"});
    return borrower.decide(site(), now, snapshot, wanted > 0 ? now : never);
  }
};

const std::string lent1 = R"({"job": 5, "name": "lent1", "state": "running"})";

}  // namespace

TEST_CASE("borrower: owners take turns, and a node is asked for once") {
  Story story;
  const auto orders = story.decide("", 2);
  REQUIRE(orders.size() == 2);
  CHECK(orders[0].subject == "lent1");
  CHECK(std::ranges::count(orders[0].command.arguments, "4@b/nodes") == 1);
  CHECK(std::ranges::count(orders[1].command.arguments, "4@c/nodes") == 1);
  CHECK(story.decide("", 2).empty());
  story.now = story.now + seconds(10);
  CHECK(story.decide("", 2).size() == 2);
  // The first owner gives nothing, so the other is asked under this name.
  story.now = story.now + seconds(20);
  const std::string waits = R"({"job": 5, "name": "lent1", "state": "waiting"})";
  const std::string other = R"(, {"job": 6, "name": "lent2", "state": "running"})";
  const auto late = story.decide(waits + other, 2);
  REQUIRE(late.size() == 1);
  CHECK(late[0].kind == Borrower::Kind::cancel);
  story.borrower.done(story.now, late[0].kind, late[0].subject);
  const auto next = story.decide(other.substr(2), 2);
  REQUIRE(next.size() == 1);
  CHECK(next[0].subject == "lent1");
  CHECK(std::ranges::count(next[0].command.arguments, "4@c/nodes") == 1);
}

TEST_CASE("borrower: nothing is ordered by an answer that is known already") {
  Story story;
  CHECK(story.decide(lent1, 2).size() == 1);
  CHECK(story.borrower.decide(story.site(), story.now + seconds(30), story.snapshot, story.now).empty());
}

TEST_CASE("borrower: a job manager that can't be asked is told of once") {
  Story story;
  const CommandEnded fails{.status = 1, .error = "nobody listens\n"};
  CHECK(story.borrower.take_answer(story.site(), fails) == "dmm: nobody listens");
  CHECK(story.borrower.take_answer(story.site(), fails).empty());
  CHECK(story.borrower.fault() == "dmm: nobody listens");
  CHECK(story.borrower.take_answer(story.site(), {.output = "[]"}) == "dmm queue said \"[]\"");
  CHECK(story.decide("", 0).empty());
  CHECK(story.borrower.fault().empty());
}

TEST_CASE("borrower: a node without its job is evicted, and a look that is older doesn't bring it back") {
  Story story;
  story.snapshot.guests = {{.name = "lent1", .use = NodeUse::idle}};
  CHECK(story.borrower.standings(story.snapshot)[0].state == "idle");
  const auto orders = story.decide("", 0);
  REQUIRE(orders.size() == 1);
  CHECK(orders[0].kind == Borrower::Kind::evict);
  story.borrower.done(story.now, orders[0].kind, "lent1");
  Snapshot older = story.snapshot, newer = story.snapshot;
  story.borrower.correct(story.now - seconds(1), older);
  CHECK(older.guests.empty());
  story.snapshot = older;
  CHECK(story.decide("", 1).size() == 1);  // its name is free
  story.borrower.correct(story.now, newer);
  CHECK(newer.guests.size() == 1);
}

TEST_CASE(
    "borrower: where a node was lost with its job, none joins until the batch system is done with that job") {
  for (const NodeUse use : {NodeUse::busy, NodeUse::down, NodeUse::drained}) {
    CAPTURE(static_cast<int>(use));
    Story story;
    story.snapshot.guests = {{.name = "lent1", .use = use}};
    REQUIRE(story.decide("", 2).at(0).kind == Borrower::Kind::evict);
    story.borrower.done(story.now, Borrower::Kind::evict, "lent1");
    story.snapshot.guests.clear();
    story.now = story.now + seconds(10);
    const bool is_lost = use != NodeUse::drained;
    CHECK(story.decide("", 2).empty() == is_lost);
    story.now = story.now + seconds(11);
    CHECK(story.decide("", 2).size() == 2);
  }
}

TEST_CASE("borrower: people see how far a borrowed node is") {
  Story story;
  story.decide(lent1 + R"(, {"job": 6, "name": "lent2", "state": "waiting"})", 0);
  CHECK(story.borrower.standings({})[0].state == "joining");
  CHECK(story.borrower.standings({})[0].job == "5");
  CHECK(story.borrower.standings({})[1].state == "asked for");
  const auto state = [&](NodeUse use) {
    story.snapshot.guests = {{.name = "lent1", .use = use}};
    return story.borrower.standings(story.snapshot)[0].state;
  };
  CHECK(state(NodeUse::planned) == "idle");
  CHECK(state(NodeUse::busy) == "local job");
  CHECK(state(NodeUse::down) == "leaving");
}

}  // namespace dmm::borrower_test
