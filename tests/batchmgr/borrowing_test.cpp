// Which nodes are borrowed and which go back, by tables.
#include "batchmgr/borrowing.hpp"

#include <doctest/doctest.h>

namespace dmm::borrowing_test {
namespace {

const Instant now{seconds(10'000).microseconds};

struct Story {
  Snapshot snapshot;
  std::vector<GuestJob> guests;
  BorrowingPast past;
  BatchSettings settings;

  /// Four nodes, all busy.
  Story() {
    settings.borrow.from = {"b/nodes"};
    settings.borrow.nodes_max = 3;
    settings.borrow.idle_for = seconds(60);
    for (const char* name : {"a1", "a2", "a3", "a4"})
      snapshot.nodes.push_back({.name = name, .use = NodeUse::busy});
  }
  Story& waits(std::uint32_t nodes, bool too_large = false, double for_seconds = 100) {
    snapshot.waiting.push_back({"job", nodes, "Resources", too_large});
    past.waiting_since = now - from_seconds(for_seconds);
    return *this;
  }
  Story& guest(const std::string& name, bool runs) {
    guests.push_back({name, "job of " + name, runs});
    return *this;
  }
  Story& joined(const std::string& name, NodeUse use, double idle_for = 0) {
    snapshot.guests.push_back({.name = name, .use = use});
    if (use == NodeUse::idle) past.idle_since[name] = now - from_seconds(idle_for);
    return *this;
  }
  Story& content(double for_seconds) {
    past.content_since = now - from_seconds(for_seconds);
    return *this;
  }
  BorrowingDecision decide() const { return decide_borrowing(snapshot, guests, past, settings, now); }
};

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("borrowing: nodes that waiting local jobs lack are borrowed, up to the limit") {
  CHECK(Story().decide().attach.empty());
  CHECK(Story().waits(2).decide().attach == Names{"lent1", "lent2"});
  CHECK(Story().waits(2).waits(7).decide().attach == Names{"lent1", "lent2", "lent3"});
  CHECK(Story().waits(2, false, 1).decide().attach.empty());  // just now
}

TEST_CASE("borrowing: nodes that are idle or held by pilots are taken first") {
  Story story;
  story.waits(2);
  story.snapshot.nodes[0].use = NodeUse::idle;
  CHECK(story.decide().attach == Names{"lent1"});
  story.snapshot.pilots.push_back({{"1"}, "a2", true});
  CHECK(story.decide().attach.empty());
}

TEST_CASE("borrowing: nodes that the batch system keeps for a waiting job count as that job's already") {
  Story story;
  story.waits(4);
  for (BatchNode& node : story.snapshot.nodes) node.use = NodeUse::planned;
  CHECK(story.decide().attach.empty());
  story.waits(1);
  CHECK(story.decide().attach == Names{"lent1"});
  story.guest("lent1", true).joined("lent1", NodeUse::planned);
  CHECK(story.decide().attach.empty());
}

TEST_CASE("borrowing: a job that has started since the jobs were asked for takes what was at hand") {
  Story story;
  story.waits(5).guest("lent1", true).joined("lent1", NodeUse::busy);
  story.past.at_hand = {"a1", "a2", "a3", "a4", "lent1"};
  CHECK(story.decide().attach.empty());
}

TEST_CASE("borrowing: a node that joined after the job manager was asked is the one that was missing") {
  CHECK(Story().waits(1).joined("lent1", NodeUse::idle).decide().attach.empty());
  CHECK(Story().waits(2).joined("lent1", NodeUse::idle).decide().attach == Names{"lent2"});
}

TEST_CASE("borrowing: a node that has just lost its pilot belongs to no local job yet") {
  Story story;
  story.waits(2);
  story.past.at_hand = {"a1", "a3"};
  CHECK(story.decide().attach.empty());
  story.snapshot.pilots.push_back({{"1"}, "a1", true});
  story.snapshot.nodes[0].use = NodeUse::idle;  // seen before its pilot was, or after
  CHECK(story.decide().attach.empty());
  story.past.at_hand.erase("a3");
  CHECK(story.decide().attach == Names{"lent1"});
}

TEST_CASE("borrowing: a job that is larger than the batch system lacks what is beyond its nodes") {
  CHECK(Story().waits(5, true).decide().attach == Names{"lent1"});
  CHECK(Story().waits(6, true).decide().attach == Names{"lent1", "lent2"});
  CHECK(Story().waits(4, true).decide().attach.empty());
}

TEST_CASE("borrowing: nodes that are on their way or unused aren't borrowed twice") {
  CHECK(Story().waits(1).guest("lent1", false).decide().attach.empty());
  CHECK(Story().waits(1).guest("lent1", true).joined("lent1", NodeUse::idle).decide().attach.empty());
  CHECK(Story().waits(1).guest("lent1", true).joined("lent1", NodeUse::down).decide().attach.empty());
  CHECK(Story().waits(1).guest("lent1", true).joined("lent1", NodeUse::busy).decide().attach == Names{"lent2"});
}

TEST_CASE("borrowing: an owner that gives no node for long is passed over if there are others") {
  Story story;
  story.waits(1).guest("lent1", false);
  story.past.asked_at["lent1"] = now - seconds(19);
  story.settings.borrow.from = {"b/nodes", "c/nodes"};
  CHECK(story.decide().cancel.empty());
  story.past.asked_at["lent1"] = now - seconds(20);
  CHECK(story.decide().cancel == Names{"job of lent1"});
  CHECK(story.decide().attach == Names{"lent2"});
  story.settings.borrow.from = {"b/nodes"};
  CHECK(story.decide().cancel.empty());
  story.settings.borrow.from = {"b/nodes", "c/nodes"};
  story.guests[0].runs = true;
  CHECK(story.decide().cancel.empty());
}

TEST_CASE("borrowing: a borrowed node that was idle for long goes back") {
  Story story;
  story.guest("lent1", true)
      .joined("lent1", NodeUse::idle, 70)
      .guest("lent2", true)
      .joined("lent2", NodeUse::idle, 10);
  CHECK(story.decide().cancel == Names{"job of lent1"});
  CHECK(story.decide().evict.empty());  // its processes are there yet
  story.waits(1);
  CHECK(story.decide().cancel.empty());
}

TEST_CASE("borrowing: what is asked for and not needed any more is cancelled") {
  CHECK(Story().guest("lent1", false).content(60).decide().cancel == Names{"job of lent1"});
  CHECK(Story().guest("lent1", false).content(59).decide().cancel.empty());  // it may join at any moment
  CHECK(Story().guest("lent1", true).decide().cancel.empty());               // it joins soon
}

TEST_CASE("borrowing: a node without its job is evicted") {
  Story story;
  story.joined("lent1", NodeUse::busy).joined("lent2", NodeUse::down).guest("lent2", true);
  CHECK(story.decide().evict == Names{"lent1"});
}

TEST_CASE("borrowing: jobs of borrowed nodes are distinguished from other jobs by their names") {
  BatchSettings settings;
  settings.borrow.nodes_max = 2;
  const auto read = guest_jobs_in(R"({"jobs": [{"job": 3, "name": "lent1", "state": "running"},
      {"job": 4, "name": "lent2", "state": "waiting"}, {"job": 5, "name": "lent3", "state": "running"},
      {"job": 6, "name": "sleep", "state": "running"}, {"name": "lent1"}, 7]})",
                                  settings);
  REQUIRE(std::holds_alternative<std::vector<GuestJob>>(read));
  const auto& guests = std::get<std::vector<GuestJob>>(read);
  REQUIRE(guests.size() == 2);
  CHECK(guests[0].node == "lent1");
  CHECK(guests[0].job == "3");
  CHECK(guests[0].runs);
  CHECK_FALSE(guests[1].runs);
  for (const char* text : {"", "[]", "{}", R"({"jobs": 3})", "{"})
    CHECK(std::holds_alternative<std::string>(guest_jobs_in(text, settings)));
}

}  // namespace dmm::borrowing_test
