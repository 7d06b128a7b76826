// Nodes kept for one local request after a reclaim [S106].
#include "sitemgr/reservation.hpp"

#include <doctest/doctest.h>

#include "tests/sitemgr/parts_stage.hpp"

namespace dmm::reservation_test {
namespace {

TEST_CASE("reservation: lent nodes are reclaimed when the first request has waited for long, once a term") {
  PartsStage stage;
  Reservation& part = stage.parts.reservation;
  const SiteSettings& settings = stage.parts.settings;
  LocalRequest& head = stage.add(4);
  CHECK(part.due(&head, true, settings) == head.since + settings.reclaim_after);
  CHECK(part.due(&head, false, settings) == never);
  CHECK(part.due(nullptr, true, settings) == never);
  const Instant later = head.since + settings.reclaim_after;
  CHECK_FALSE(part.choose(later, head.kind->need, stage.parts.leases, stage.parts.owned, stage.parts.placer));
  CHECK(part.due(&head, true, settings) == later + settings.term);
  head.reclaimed = true;
  CHECK(part.due(&head, true, settings) == never);
  SiteSettings never_reclaims = settings;
  never_reclaims.reclaim_after = {};
  head.reclaimed = false;
  CHECK(part.due(&head, true, never_reclaims) == never);
}

TEST_CASE("reservation: victims are the leases with which the request starts, or none") {
  PartsStage stage;
  stage.offer(8);
  const LeaseId small = stage.lend(north_place, 2).id, large = stage.lend(south_place, 6).id;
  const auto choose = [&](std::uint32_t processors) {
    return stage.parts.reservation.choose(stage.now + seconds(400), PartsStage::need(processors),
                                          stage.parts.leases, stage.parts.owned, stage.parts.placer);
  };
  const auto for_two = choose(2);
  REQUIRE(for_two);
  CHECK(for_two->leases == std::vector{small});
  CHECK(for_two->processors == std::vector<std::uint32_t>{2});
  const auto for_six = choose(6);
  REQUIRE(for_six);
  CHECK(for_six->leases == std::vector{large});
  CHECK_FALSE(choose(9));
  stage.parts.leases.find(small)->protected_until = never;
  const auto for_one = choose(1);
  REQUIRE(for_one);
  CHECK(for_one->leases == std::vector{large});
}

TEST_CASE("reservation: what is held is kept from all but its request, until it is over") {
  PartsStage stage;
  Reservation& part = stage.parts.reservation;
  LocalRequest& head = stage.add(4);
  const RequestId id = head.request.id, other{SiteName("home"), "bob", 99, 1};
  const std::uint64_t changes = part.changes();
  part.reserve({id, {3}, stage.now + seconds(60)});
  CHECK(part.changes() > changes);
  CHECK(part.next_deadline() == stage.now + seconds(60));
  const auto idle_for = [&](const RequestId& request) {
    std::vector<ClusterView> clusters(1);
    clusters[0].idle_processors = 5;
    part.keep_from(clusters, request);
    return clusters[0].idle_processors;
  };
  CHECK(idle_for(id) == 5);
  CHECK(idle_for(other) == 2);
  std::vector<std::uint32_t> lendable{2};
  part.keep_from_all(lendable);
  CHECK(lendable[0] == 0);
  CHECK_FALSE(part.is_over(stage.now, stage.parts.queue));
  SUBCASE("its nodes don't come in time") { CHECK(part.is_over(stage.now + seconds(60), stage.parts.queue)); }
  SUBCASE("its request is gone") {
    stage.parts.queue.erase(head);
    CHECK(part.is_over(stage.now, stage.parts.queue));
  }
  part.drop();
  CHECK(part.next_deadline() == never);
  CHECK(idle_for(other) == 5);
}

}  // namespace
}  // namespace dmm::reservation_test
