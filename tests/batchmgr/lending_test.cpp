// Which idle nodes are held and which are given back, by tables.
#include "batchmgr/lending.hpp"

#include <doctest/doctest.h>

namespace dmm::lending_test {
namespace {

const Instant now{seconds(10'000).microseconds};

struct Story {
  Snapshot snapshot;
  LendingPast past;
  BatchSettings settings;

  Story() { settings.idle_for = seconds(60); }
  Story& idle(const std::string& name, double for_seconds, std::vector<std::string> features = {}) {
    snapshot.nodes.push_back({.name = name, .use = NodeUse::idle, .features = std::move(features)});
    past.idle_since[name] = now - from_seconds(for_seconds);
    return *this;
  }
  Story& other(const std::string& name, NodeUse use, const std::string& reason = {}) {
    snapshot.nodes.push_back({.name = name, .use = use, .state = "strange", .reason = reason});
    return *this;
  }
  Story& pilot(const std::string& node, bool runs, double left = 3'600) {
    snapshot.pilots.push_back({{"p-" + node}, node, runs, from_seconds(left)});
    return *this;
  }
  Story& waits(std::uint32_t nodes, double for_seconds = 0) {
    snapshot.waiting.push_back({"job", nodes, "Resources"});
    past.waiting_since = std::min(past.waiting_since, now - from_seconds(for_seconds));
    return *this;
  }
  LendingDecision decide() const { return decide_lending(snapshot, past, settings, now); }
  /// Why a node isn't held, after its state.
  std::string why(const std::string& name) const {
    for (const NodeStanding& node : decide().nodes)
      if (node.name == name) return node.state + ": " + node.why;
    return "no such node";
  }
};

using Names = std::vector<std::string>;

Names texts(const std::vector<PilotId>& ids) {
  Names all;
  for (const PilotId& id : ids) all.push_back(id.text);
  return all;
}

}  // namespace

TEST_CASE("lending: nodes that were idle long enough are held, the longest idle ones first") {
  Story story;
  story.idle("a", 70).idle("b", 300).idle("c", 20).other("d", NodeUse::busy);
  story.other("e", NodeUse::reserved, "maintenance on Monday");
  CHECK(story.decide().hold == Names{"b", "a"});
  CHECK(story.why("c") == "idle: idle for 20 of 60 s");
  CHECK(story.why("d") == "local job: ");
  CHECK(story.why("e") == "reserved: maintenance on Monday");
  CHECK(story.why("a") == "holding: ");
}

TEST_CASE("lending: a reserve of idle nodes stays for local users") {
  Story story;
  story.idle("a", 100).idle("b", 200).idle("c", 10);
  story.settings.reserve = 2;
  CHECK(story.decide().hold == Names{"b"});
  CHECK(story.why("a") == "idle: kept for local users (reserve)");
}

TEST_CASE("lending: nodes that waiting local jobs may need are not held") {
  Story story;
  story.idle("a", 100).idle("b", 200).idle("c", 300).waits(2);
  CHECK(story.decide().hold == Names{"c"});
  CHECK(story.why("a") == "idle: a local job waits, and may need it");
}

TEST_CASE("lending: no more nodes are held than may be") {
  Story story;
  story.idle("a", 100).idle("b", 200).other("c", NodeUse::busy).pilot("c", true);
  story.settings.nodes_max = 2;
  CHECK(story.decide().hold == Names{"b"});
  CHECK(story.why("a") == "idle: the limit of held nodes is reached (nodes_max)");
  CHECK(story.why("c") == "held: ");
  story.settings.nodes_max = 1;
  CHECK(story.decide().hold.empty());
}

TEST_CASE("lending: only nodes with all features are held, within the hours, and not where pilots failed") {
  Story story;
  story.idle("a", 100, {"fast"}).idle("b", 100, {"fast", "gpu"}).idle("c", 100, {"gpu", "fast"});
  story.settings.features = {"fast", "gpu"};
  story.past.barred["c"] = "its pilot ended at once";
  CHECK(story.decide().hold == Names{"b"});
  CHECK(story.why("a") == "idle: it lacks a feature that is asked for");
  CHECK(story.why("c") == "idle: its pilot ended at once");
  story.settings.hours = "20:00-06:00";
  story.past.minute = 12 * 60;
  CHECK(story.decide().hold.empty());
  CHECK(story.why("b") == "idle: nodes are held from 20:00-06:00 only");
  story.past.minute = 5 * 60;
  CHECK(story.decide().hold == Names{"b"});
}

TEST_CASE("lending: drained and down nodes are told in the words of the batch system") {
  Story story;
  story.other("a", NodeUse::drained, "a fan is loud").other("b", NodeUse::down);
  CHECK(story.why("a") == "drained: a fan is loud");
  CHECK(story.why("b") == "down: the batch system says strange");
}

TEST_CASE("lending: pilots that don't run are withdrawn when their nodes are wanted or taken") {
  Story story;
  story.idle("a", 100).pilot("a", false).other("b", NodeUse::busy).pilot("b", false);
  CHECK(texts(story.decide().withdraw) == Names{"p-b"});
  story.waits(1);
  CHECK(texts(story.decide().withdraw) == Names{"p-a", "p-b"});
  CHECK(story.decide().recall.empty());
}

TEST_CASE("lending: pilots are recalled for local jobs that the batch system has left waiting") {
  Story story;
  story.other("a", NodeUse::busy).pilot("a", true).other("b", NodeUse::busy).pilot("b", true).idle("c", 1);
  story.settings.recall_after = seconds(5);
  story.waits(2, 4);
  CHECK(story.decide().recall.empty());
  story.waits(0, 6);
  CHECK(texts(story.decide().recall) == Names{"p-a"});  // c is idle: one more node is enough
}

TEST_CASE("lending: nodes that no waiting job can use yet are held, if the administrator wants that") {
  Story story;
  story.idle("a", 100).other("b", NodeUse::busy).pilot("b", true).other("c", NodeUse::busy);
  story.waits(3, 100);
  CHECK(story.decide().hold.empty());
  CHECK(texts(story.decide().recall) == Names{"p-b"});
  story.settings.lend_between = true;
  CHECK(story.decide().hold == Names{"a"});
  CHECK(story.decide().recall.empty());
  story.waits(2, 100);  // two nodes are enough for this job
  CHECK(story.decide().hold.empty());
  CHECK(story.why("a") == "idle: a local job waits, and may need it");
  CHECK(texts(story.decide().recall) == Names{"p-b"});
  story.waits(1, 100);
  CHECK(story.decide().recall.size() == 1);  // no node is left for the third job
}

TEST_CASE("lending: pilots beyond the limit and outside the hours are recalled") {
  Story story;
  story.other("a", NodeUse::busy).pilot("a", true).other("b", NodeUse::busy).pilot("b", true);
  story.settings.nodes_max = 1;
  CHECK(story.decide().recall.size() == 1);
  story.settings.hours = "20:00-06:00";
  story.past.minute = 12 * 60;
  CHECK(story.decide().recall.size() == 2);
}

TEST_CASE("lending: a pilot on a node that its administrator drains is recalled") {
  Story story;
  story.other("a", NodeUse::drained, "a fan is loud").pilot("a", true).other("b", NodeUse::busy).pilot("b", true);
  CHECK(texts(story.decide().recall) == Names{"p-a"});
}

TEST_CASE("lending: a pilot's time limit is moved while no local job waits") {
  Story story;
  story.other("a", NodeUse::busy).pilot("a", true, 1'000).other("b", NodeUse::busy).pilot("b", true, 3'000);
  CHECK(texts(story.decide().prolong) == Names{"p-a"});
  story.waits(1);
  CHECK(story.decide().prolong.empty());
}

TEST_CASE("lending: hours may go over midnight, and what are no hours is refused") {
  const auto hours = [](const std::string& text) { return std::get<Hours>(parse_hours(text)); };
  CHECK(hours("20:00-06:00").has(23 * 60));
  CHECK(hours("20:00-06:00").has(5 * 60 + 59));
  CHECK_FALSE(hours("20:00-06:00").has(6 * 60));
  CHECK(hours("08:30-09:00").has(8 * 60 + 30));
  CHECK_FALSE(hours("08:30-09:00").has(9 * 60));
  for (const char* text : {"20-06", "25:00-06:00", "20:00-06:00 or so", ""})
    CHECK(std::holds_alternative<std::string>(parse_hours(text)));
}

}  // namespace dmm::lending_test
