// What can ever be served, by configuration alone [S74a].
#include "sitemgr/feasibility.hpp"

#include <doctest/doctest.h>

#include "tests/sitemgr/parts_stage.hpp"

namespace dmm::feasibility_test {
namespace {

struct Stage : PartsStage {
  Feasibility& part = parts.feasibility;
  Stage() : PartsStage(settings()) {}
  static SiteSettings settings() {
    SiteSettings settings = parts_settings();
    settings.clusters[0].nodes = 8;
    settings.hint_distance = 2;
    return settings;
  }
  /// The neighbour and all sites beyond it have clusters of at most `largest` processors.
  void hear(std::size_t n, std::uint32_t largest, bool complete = true) {
    Reach reach;
    for (int d = 0; d < 4; ++d) {
      ReachEntry& entry = reach.entries.emplace_back();
      entry.complete = complete;
      if (d == 0) {
        NodeClass& one = entry.classes.emplace_back();
        one.largest = one.together = largest;
      }
    }
    part.hear(n, std::move(reach));
  }
  LocalRequest& request(const ResourceNeed& need) {
    LocalRequest& added = add(need);
    added.kind->co_allocable = is_divided(need);
    const auto [holds_here, clusters] = Feasibility::classify(parts.capacity(), need);
    parts.queue.classify(*added.kind, holds_here, holds_here, clusters);
    return added;
  }
  LocalRequest& request(std::uint32_t processors) {
    LocalRequest& added = add(processors);
    const auto [holds_here, clusters] = Feasibility::classify(parts.capacity(), added.kind->need);
    parts.queue.classify(*added.kind, holds_here, holds_here, clusters);
    return added;
  }
};

TEST_CASE(
    "feasibility: a request is refused for good when all sites within reach are known, and none can hold it") {
  Stage stage;
  LocalRequest& wide = stage.request(20);
  CHECK_FALSE(wide.kind->servable);
  CHECK_FALSE(stage.part.refusal_of(stage.parts.capacity(), wide));  // neighbours have yet to tell
  stage.hear(north_place, 16);
  stage.hear(south_place, 8);
  const auto refused = stage.part.refusal_of(stage.parts.capacity(), wide);
  REQUIRE(refused);
  CHECK(refused->first.reason == RefusalReason::too_large);
  CHECK(refused->second.largest == 16);
  CHECK(stage.part.hopeless_from(stage.parts.capacity(), *wide.kind) == Duration{});
  SUBCASE("a neighbour grows") {
    stage.hear(north_place, 32);
    CHECK_FALSE(stage.part.refusal_of(stage.parts.capacity(), wide));
  }
  SUBCASE("a neighbour knows of sites that it doesn't know") {
    stage.hear(north_place, 16, false);
    CHECK_FALSE(stage.part.refusal_of(stage.parts.capacity(), wide));
  }
}

TEST_CASE(
    "feasibility: a request that only a limit of a link keeps from nodes is refused with that limit [S74c]") {
  Stage stage;
  LocalRequest& wide = stage.request(20);
  const auto hear = [&](std::size_t n, bool limited, std::size_t hops) {
    Reach reach{std::vector<ReachEntry>(4, ReachEntry{true, {}})};
    reach.entries[hops - 1].classes.push_back({0, {}, 3, 3, {}, limited});
    stage.part.hear(n, std::move(reach));
  };
  const auto refusal = [&] { return stage.part.refusal_of(stage.parts.capacity(), wide)->first; };
  hear(north_place, true, 1);
  hear(south_place, true, 2);
  CHECK(refusal().reason == RefusalReason::over_limit);
  CHECK(refusal().text ==
        "needs 20 processors; north lends home at most 3 processors at once; beyond south, a site 2 hops away "
        "lends less over its link than it has (\"processors\" in \"limits\" there)");
  hear(south_place, false, 1);
  CHECK(refusal().text.find("south") == std::string::npos);
  hear(north_place, false, 1);
  CHECK(refusal().reason == RefusalReason::too_large);
}

TEST_CASE("feasibility: a divided request that all clusters together can't hold is refused, others wait [S74e]") {
  Stage stage;
  const auto hear = [&](std::size_t n, std::uint32_t largest, std::uint64_t in_all) {
    Reach reach{std::vector<ReachEntry>(4, ReachEntry{true, {}})};
    NodeClass& one = reach.entries[0].classes.emplace_back();
    one.largest = one.together = largest;
    one.in_all = in_all;
    stage.part.hear(n, std::move(reach));
  };
  ResourceNeed flexible;
  flexible.kind = RequestKind::flexible;
  flexible.components.push_back({40, {}, {}});
  LocalRequest& divided = stage.request(flexible);
  REQUIRE(divided.kind->co_allocable);
  const std::uint64_t own = stage.parts.owned.classes({}).front().in_all;
  hear(north_place, 8, 16);
  hear(south_place, 4, 39 - 16 - own);
  const auto refused = stage.part.refusal_of(stage.parts.capacity(), divided);
  REQUIRE(refused);
  CHECK(refused->first.reason == RefusalReason::too_large_together);
  CHECK(refused->first.text == "needs 40 processors, and all clusters within its reach have 39 that would do");
  SUBCASE("with one more they can") { hear(south_place, 4, 40 - 16 - own); }
  SUBCASE("a neighbour doesn't say how many there are in all") { hear(south_place, 4, 0); }
  CHECK_FALSE(stage.part.refusal_of(stage.parts.capacity(), divided));
}

TEST_CASE("feasibility: on a ring each site counts once, and the asking site not again on its way back [S74e]") {
  Stage stage;
  const std::uint32_t own = stage.parts.owned.classes({}).front().together;
  const auto at = [](const SiteName& site, std::uint32_t processors) {
    NodeClass one;
    one.largest = one.together = processors;
    one.in_all = processors;
    one.sites = {{site, processors, false}};
    return ReachEntry{true, {one}};
  };
  const auto hear = [&](std::size_t n, const char* first, const char* second) {
    std::vector<ReachEntry> entries{at(SiteName(first), 8), at(SiteName(second), 8)};
    entries.push_back({true, stage.parts.owned.classes({})});
    entries.push_back({true, {}});
    stage.part.hear(n, Reach{std::move(entries)});
  };
  hear(north_place, "north", "south");
  hear(south_place, "south", "north");
  ResourceNeed flexible;
  flexible.kind = RequestKind::flexible;
  flexible.components.push_back({own + 16, {}, {}});
  CHECK_FALSE(stage.part.refusal_of(stage.parts.capacity(), stage.request(flexible)));
  flexible.components[0].processors = own + 17;
  const auto refused = stage.part.refusal_of(stage.parts.capacity(), stage.request(flexible));
  REQUIRE(refused);
  CHECK(refused->first.reason == RefusalReason::too_large_together);
  CHECK(refused->second.in_all == own + 16);
}

TEST_CASE("feasibility: a greater DTTL is worth while only if a site farther away could serve the request") {
  Stage stage;
  stage.parts.settings.dttl_limit = 8;
  LocalRequest& wide = stage.request(20);  // may travel 4 hops
  const auto hear = [&](std::size_t n, std::size_t hops, std::uint32_t largest) {
    Reach reach{std::vector<ReachEntry>(hops, ReachEntry{true, {}})};
    reach.entries.back().classes.push_back({0, {}, largest, largest, {}, false});
    stage.part.hear(n, std::move(reach));
  };
  const auto dttl = [&] { return stage.part.dttl_to_more(stage.parts.capacity(), *wide.kind, {}); };
  CHECK_FALSE(dttl());
  hear(north_place, 4, 20);
  CHECK_FALSE(dttl());  // it may travel there already
  hear(north_place, 7, 20);
  CHECK(dttl() == 7);
  hear(south_place, 6, 19);
  CHECK(dttl() == 7);  // nearer sites couldn't serve it
  hear(south_place, 6, 20);
  CHECK(dttl() == 6);
  hear(south_place, 9, 20), hear(north_place, 9, 20);
  CHECK_FALSE(dttl());  // the site lets no request travel that far
}

TEST_CASE("feasibility: an owner says of what a limit leaves less than it has that it does [S74c]") {
  Stage stage;
  stage.parts.neighbours[north_place].limits.processors = 8;
  stage.parts.neighbours[south_place].limits.processors = 7;
  const auto told = stage.part.take_due(stage.parts.capacity());
  REQUIRE(told.size() == 2);
  const NodeClass &to_north = told[0].second.entries[0].classes[0],
                  &to_south = told[1].second.entries[0].classes[0];
  CHECK(to_north.largest == 8);
  CHECK_FALSE(to_north.limited);
  CHECK(to_south.largest == 7);
  CHECK(to_south.limited);
}

TEST_CASE("feasibility: what this site can hold is never refused") {
  Stage stage;
  stage.hear(north_place, 1);
  stage.hear(south_place, 1);
  LocalRequest& narrow = stage.request(8);
  CHECK(narrow.kind->servable);
  CHECK(narrow.kind->clusters == 1);
  CHECK_FALSE(stage.part.refusal_of(stage.parts.capacity(), narrow));
  CHECK_FALSE(stage.part.hopeless_from(stage.parts.capacity(), *narrow.kind));
}

TEST_CASE("feasibility: neighbours are told once, and again after a new session or a change") {
  Stage stage;
  CHECK(stage.part.take_due(stage.parts.capacity()).size() == 2);
  CHECK(stage.part.take_due(stage.parts.capacity()).empty());
  stage.parts.owned.configure(stage.parts.settings.clusters);
  CHECK(stage.part.take_due(stage.parts.capacity()).empty());  // the reports haven't changed
  stage.part.came_up(north_place, true);
  const auto again = stage.part.take_due(stage.parts.capacity());
  REQUIRE(again.size() == 1);
  CHECK(again[0].first == north_place);
  CHECK(again[0].second.entries == stage.part.told(north_place));
  CHECK(again[0].second.entries.at(0).classes.at(0).largest == 8);
  stage.hear(south_place, 64);  // the north hears of that; the south doesn't hear its own
  const auto news = stage.part.take_due(stage.parts.capacity());
  REQUIRE(news.size() == 1);
  CHECK(news[0].first == north_place);
}

TEST_CASE("feasibility: a neighbour hears after a silence what changed in it") {
  Stage stage;
  stage.part.take_due(stage.parts.capacity());
  stage.parts.neighbours.set_up(north_place, stage.now, false);
  stage.hear(south_place, 64);
  CHECK(stage.part.take_due(stage.parts.capacity()).empty());
  stage.parts.neighbours.set_up(north_place, stage.now, true);
  stage.part.came_up(north_place, false);
  const auto news = stage.part.take_due(stage.parts.capacity());
  REQUIRE(news.size() == 1);
  CHECK(news[0].first == north_place);
  CHECK(stage.part.take_due(stage.parts.capacity()).empty());
}

TEST_CASE(
    "feasibility: classes are looked at when anything is new, and go on in the next step where there are many") {
  Stage stage;
  stage.part.looked(stage.parts.owned, false);
  CHECK_FALSE(stage.part.is_due(stage.parts.owned));
  stage.hear(north_place, 16);
  CHECK(stage.part.is_due(stage.parts.owned));
  stage.part.looked(stage.parts.owned, true);
  CHECK(stage.part.is_due(stage.parts.owned));
  CHECK(stage.part.goes_on());
  stage.part.looked(stage.parts.owned, false);
  stage.hear(north_place, 16);
  CHECK_FALSE(stage.part.is_due(stage.parts.owned));
}

TEST_CASE("feasibility: what neighbours told is in the ledger, and erased with them") {
  Stage stage;
  LedgerChanges<SiteRecord> ledger;
  ledger.wanted = true;
  stage.hear(north_place, 16);
  stage.part.write(stage.parts.neighbours, ledger);
  REQUIRE(ledger.list.size() == 1);
  std::vector<SiteRecord> rows;
  stage.part.add_records(stage.parts.neighbours, rows);
  REQUIRE(rows.size() == 1);
  Feasibility restored(2);
  restored.restore(stage.parts.neighbours, std::get<ReachRecord>(rows[0]));
  CHECK(restored.beyond(north_place, PartsStage::need(16), 1, {}).possible);
  restored.restore(stage.parts.neighbours, {SiteName("gone"), {}});
  ledger.list.clear();
  restored.write(stage.parts.neighbours, ledger);
  REQUIRE(ledger.list.size() == 1);
  CHECK(ledger.list[0].erased);
}

}  // namespace
}  // namespace dmm::feasibility_test
