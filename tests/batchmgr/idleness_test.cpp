// How long nodes will probably stay free, estimated from earlier free spells.
#include "batchmgr/idleness.hpp"

#include <doctest/doctest.h>

#include "simulator/world/memory_ledger.hpp"

namespace dmm::idleness_test {
namespace {

struct Story {
  Idleness idleness;
  LedgerChanges<BatchRecord> ledger;
  MemoryLedger<BatchRecord> kept;
  Instant now{seconds(10'000).microseconds};

  Story() { ledger.wanted = true; }

  /// After `later` seconds a look finds node a in this use, and node b busy.
  Story& look(std::int64_t later, NodeUse use, bool is_held = false) {
    now = now + seconds(later);
    Snapshot snapshot;
    snapshot.nodes = {{.name = "a", .use = use}, {.name = "b", .use = NodeUse::busy}};
    if (is_held) snapshot.pilots.push_back({{"1"}, "a", true});
    idleness.observe(now, snapshot, ledger);
    kept.apply(ledger);
    ledger.clear();
    return *this;
  }
  void restart() {
    CHECK(kept.difference(idleness.records()) == "");
    idleness = {};
    idleness.restore(kept.rows());
    CHECK(kept.difference(idleness.records()) == "");
  }
  /// A free spell of node a, then a local job.
  Story& spell(std::int64_t length) { return look(5, NodeUse::idle).look(length, NodeUse::busy); }
  std::optional<Duration> likely() const { return idleness.likely(now, "a"); }
};

}  // namespace

TEST_CASE("idleness: nothing is likely before a few spells have ended") {
  Story story;
  story.spell(10).spell(20).spell(30).spell(40).look(5, NodeUse::idle);
  CHECK(story.likely() == std::nullopt);
  story.look(50, NodeUse::busy).look(5, NodeUse::idle);
  CHECK(story.likely() == seconds(30));
  CHECK(story.idleness.likely(story.now, "b") == std::nullopt);
}

TEST_CASE("idleness: a spell is likely to go on as half of those did that were as long") {
  Story story;
  story.spell(10).spell(20).spell(30).spell(40).spell(500).look(5, NodeUse::idle);
  CHECK(story.look(25, NodeUse::idle).likely() == seconds(40 - 25));
  CHECK(story.look(20, NodeUse::idle).likely() == seconds(500 - 45));
  CHECK(story.look(555, NodeUse::idle).likely() == seconds(600));  // longer than any spell
}

TEST_CASE("idleness: a node that a pilot holds, or has just left, is in the same spell") {
  Story story;
  story.spell(60).spell(60).spell(60).spell(60).spell(60).look(5, NodeUse::idle);
  CHECK(story.look(10, NodeUse::busy, true).likely() == seconds(50));
  CHECK(story.look(10, NodeUse::planned).likely() == seconds(40));
  CHECK(story.look(10, NodeUse::idle).likely() == seconds(30));
  CHECK(story.look(10, NodeUse::down).likely() == std::nullopt);
  CHECK(story.look(10, NodeUse::idle).likely() == seconds(60));  // each node has its own spells
}

TEST_CASE("idleness: old spells are forgotten") {
  Story story;
  for (int i = 0; i < 1'000; ++i) story.spell(10);
  for (int i = 0; i < 600; ++i) story.spell(100);
  CHECK(story.look(5, NodeUse::idle).likely() == seconds(100));
  story.restart();
  CHECK(story.look(5, NodeUse::idle).likely() == seconds(100));
  CHECK(story.idleness.records().size() == 1'000);
}

TEST_CASE("idleness: past spells outlive a restart, and the present one begins again") {
  Story story;
  for (const std::int64_t length : {10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110}) story.spell(length);
  story.look(5, NodeUse::idle).look(35, NodeUse::idle);
  CHECK(story.likely() == seconds(80 - 35));
  story.restart();
  CHECK(story.look(1, NodeUse::idle).likely() == seconds(60));
  story.look(200, NodeUse::busy);
  story.restart();
  CHECK(story.idleness.records().size() == 12);
}

}  // namespace dmm::idleness_test
