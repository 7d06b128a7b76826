// What is lent, to which borrower first, and for how long [S100].
#include "sitemgr/lending.hpp"

#include <doctest/doctest.h>

#include <utility>

#include "sitemgr/lending_terms.hpp"
#include "sitemgr/refusing.hpp"
#include "tests/sitemgr/parts_stage.hpp"

namespace dmm::lending_test {
namespace {

/// Why a delegation isn't served; nothing if it is.
std::optional<RejectReason> refusal(PartsStage& stage, const Foreign& foreign) {
  const Lending::Decision decision = stage.parts.lending.decide(stage.now, stage.parts.lending_site(), foreign);
  const auto* reason = std::get_if<RejectReason>(&decision);
  return reason ? std::optional(*reason) : std::nullopt;
}

TEST_CASE("lending: a delegation is served from free nodes, or the reason says why it isn't") {
  PartsStage stage;
  stage.offer(8);
  CHECK_FALSE(refusal(stage, stage.foreign(north_place, 8)));
  SUBCASE("more than the site ever has") {
    CHECK(refusal(stage, stage.foreign(north_place, 9)) == RejectReason::never_servable);
  }
  SUBCASE("its nodes are in use") {
    stage.lend(south_place, 4);
    CHECK(refusal(stage, stage.foreign(north_place, 5)) == RejectReason::no_capacity);
  }
  SUBCASE("its own users wait for them") {
    stage.add(6);
    CHECK(refusal(stage, stage.foreign(north_place, 4)) == RejectReason::not_lending);
    CHECK_FALSE(refusal(stage, stage.foreign(north_place, 2)));
  }
  SUBCASE("they are reserved") {
    stage.parts.reservation.reserve({{SiteName("home"), "alice", 1, 1}, {6}, never});
    CHECK(refusal(stage, stage.foreign(north_place, 4)) == RejectReason::not_lending);
  }
  SUBCASE("the site lends nothing") {
    stage.parts.settings.lend = false;
    CHECK(refusal(stage, stage.foreign(north_place, 1)) == RejectReason::not_lending);
  }
  SUBCASE("the borrower is drained") {
    CHECK(stage.parts.drains.drain(SiteName("north")));
    CHECK_FALSE(stage.parts.drains.drain(SiteName("north")));
    CHECK(refusal(stage, stage.foreign(north_place, 1)) == RejectReason::not_lending);
    CHECK_FALSE(refusal(stage, stage.foreign(south_place, 1)));
    CHECK(stage.parts.drains.resume(SiteName("north")));
    CHECK_FALSE(refusal(stage, stage.foreign(north_place, 1)));
  }
  SUBCASE("its nodes were reclaimed a moment ago") {
    stage.parts.lending.recalled(stage.now, SiteName("north"), stage.now + seconds(60));
    CHECK(refusal(stage, stage.foreign(north_place, 1)) == RejectReason::not_lending);
    stage.now = stage.now + seconds(60);
    CHECK_FALSE(refusal(stage, stage.foreign(north_place, 1)));
  }
  SUBCASE("beyond the borrower's limit") {
    stage.parts.neighbours[north_place].limits.processors = 3;
    CHECK(refusal(stage, stage.foreign(north_place, 4)) == RejectReason::processors_limit);
    stage.lend(north_place, 1);
    stage.parts.neighbours[north_place].limits.leases = 1;
    CHECK(refusal(stage, stage.foreign(north_place, 1)) == RejectReason::leases_limit);
    const auto most = [&](RejectReason reason) {
      return Lending::most_of(stage.parts.lending_site(), north_place, reason);
    };
    CHECK(most(RejectReason::processors_limit) == 3);
    CHECK(most(RejectReason::leases_limit) == 1);
    CHECK(most(RejectReason::delegations_limit) == stage.parts.settings.delegations_per_link_max);
    CHECK(most(RejectReason::no_capacity) == 0);
    stage.parts.neighbours[north_place].limits.leases = 0;
    CHECK(most(RejectReason::leases_limit) == stage.parts.settings.leases_per_link_max);
  }
  SUBCASE("it runs longer than any lease") {
    Foreign foreign = stage.foreign(north_place, 1);
    foreign.delegate.request.length = stage.parts.settings.lease_length_max + seconds(1);
    CHECK(refusal(stage, foreign) == RejectReason::too_long);
  }
  SUBCASE("the job lost our nodes before") {
    Foreign foreign = stage.foreign(north_place, 1);
    foreign.delegate.request.past.times = 1;
    foreign.delegate.request.past.owners.push_back(SiteName("home"));
    CHECK(refusal(stage, foreign) == RejectReason::others_first);
    foreign.delegate.round = 2;
    CHECK_FALSE(refusal(stage, foreign));
  }
}

TEST_CASE("lending: nodes are kept for the borrower that was served least, while it wants them") {
  PartsStage stage;
  stage.offer(8);
  Lending& part = stage.parts.lending;
  stage.lend(north_place, 4);
  part.hear_demand(stage.now, south_place, {HintEntry{0, 8, true, 4, 4}});  // its claim counts from now on
  stage.now = stage.now + seconds(600);
  std::uint64_t seen = part.changes();
  const auto updates = [&](Instant now) {
    part.update_turn(now, stage.parts.lending_site());
    return std::exchange(seen, part.changes()) != seen;
  };
  CHECK(updates(stage.now));
  REQUIRE(part.turn());
  CHECK(part.turn()->borrower == south_place);
  CHECK(refusal(stage, stage.foreign(north_place, 1)) == RejectReason::not_in_turn);
  CHECK(part.lendable_to(stage.now, stage.parts.lending_site(), north_place) == 0);
  CHECK(part.lendable_to(stage.now, stage.parts.lending_site(), south_place) == 4);
  CHECK_FALSE(refusal(stage, stage.foreign(south_place, 4)));
  const auto reports = part.reports_for(stage.now, stage.parts.lending_site(), north_place);
  REQUIRE(reports.size() == 1);
  CHECK(reports[0].idle == 4);  // a part of a request of its own may be older than the share turn
  SUBCASE("a part that has waited longer than the turn doesn't heed it") {
    Foreign foreign = stage.foreign(north_place, 1);
    foreign.taken = stage.now;
    foreign.delegate.part = 1;
    CHECK(refusal(stage, foreign) == RejectReason::not_in_turn);
    foreign.delegate.request.waited = seconds(1);
    CHECK_FALSE(refusal(stage, foreign));
  }
  SUBCASE("nothing changes while it has the turn") { CHECK_FALSE(updates(stage.now)); }
  SUBCASE("its turn passes when it doesn't come") {
    const Instant due = part.next_deadline(stage.parts.lending_site());
    CHECK(due == stage.now + stage.parts.settings.turn_limit);
    CHECK(updates(due));
    REQUIRE(part.turn());  // the north asked and was rejected: the share turn is its own now
    CHECK(part.turn()->borrower == north_place);
  }
  SUBCASE("it wants nothing more") {
    part.went_down(stage.now, south_place);
    CHECK(updates(stage.now));
    REQUIRE(part.turn());
    CHECK(part.turn()->borrower == north_place);
  }
}

TEST_CASE("lending: nodes that jobs placed by their files could use aren't lent") {
  SiteSettings settings = parts_settings();
  settings.placement_policy = "close_to_files";
  PartsStage stage(settings);
  NodeOffer offer;
  offer.manager = resource_manager_of(stage.parts.settings.name, "fs-c");
  offer.cluster = ClusterName("c");
  offer.nodes = 8;
  offer.properties.attributes = {{staging_attribute, staging_value}};
  stage.parts.owned.take_offer(offer, "tcp://x:1");
  const auto lendable = [&] {
    return stage.parts.lending.lendable_to(stage.now, stage.parts.lending_site(), north_place);
  };
  CHECK(lendable() == 8);
  ResourceNeed need = PartsStage::need(6);
  need.constraints.edit().attributes = {{staging_attribute, staging_value}};
  LocalRequest& placed = stage.add(need);
  site_steps::classify(stage.parts, *placed.kind);
  CHECK(placed.kind->placed);
  CHECK_FALSE(placed.kind->servable);
  CHECK(lendable() == 2);
  CHECK(refusal(stage, stage.foreign(north_place, 3)) == RejectReason::not_lending);
  LocalRequest& too_wide = stage.add([&] {
    need.components[0].processors = 9;
    return need;
  }());
  site_steps::classify(stage.parts, *too_wide.kind);
  CHECK(lendable() == 2);  // this site could never hold it
}

TEST_CASE("lending: all clusters that are reported may be had at once, by quotas and limits [S98c]") {
  SiteSettings settings = parts_settings();
  settings.clusters[0].quota = 0.75;
  PartsStage stage(settings);
  stage.offer(8);
  const auto reported = [&] {
    return stage.parts.lending.reports_for(stage.now, stage.parts.lending_site(), north_place);
  };
  REQUIRE(reported().size() == 1);
  CHECK(reported()[0].idle == 6);
  CHECK(reported()[0].total == 6);
  stage.lend(south_place, 3);
  CHECK(reported()[0].idle == 3);
  stage.parts.neighbours[north_place].limits.processors = 2;
  CHECK(reported()[0].idle == 2);
}

TEST_CASE("lending: a cluster is reported with the reason why a neighbour can have none of its nodes") {
  PartsStage stage;
  stage.offer(8);
  const auto reason = [&] {
    const auto reports = stage.parts.lending.reports_for(stage.now, stage.parts.lending_site(), north_place);
    REQUIRE(reports.size() == 1);
    return reports[0].why_none;
  };
  CHECK(reason() == RejectReason::no_capacity);
  stage.parts.neighbours[north_place].limits.processors = 4;
  stage.lend(north_place, 4);
  CHECK(reason() == RejectReason::processors_limit);
  stage.parts.lending.recalled(stage.now, stage.parts.neighbours[north_place].site, stage.now + seconds(9));
  CHECK(reason() == RejectReason::kept_off);
  stage.parts.drains.drain(stage.parts.neighbours[north_place].site);
  CHECK(reason() == RejectReason::drained);
}

TEST_CASE("lending: clusters together are reported under a neighbour's limit, the largest first [S98c]") {
  SiteSettings settings = parts_settings();
  settings.clusters.push_back(settings.clusters[0]);
  settings.clusters[1].name = ClusterName("d");
  PartsStage stage(settings);
  stage.offer(4);
  stage.offer(8, "d");
  stage.parts.neighbours[north_place].limits.processors = 10;
  const auto reports = stage.parts.lending.reports_for(stage.now, stage.parts.lending_site(), north_place);
  REQUIRE(reports.size() == 2);
  CHECK(reports[0].idle == 2);
  CHECK(reports[1].idle == 8);
}

TEST_CASE("lending: a most-served borrower's leases serve no further job while another waits") {
  PartsStage stage;
  stage.offer(8);
  const LeaseId first = stage.lend(north_place, 4).id, second = stage.lend(north_place, 4).id;
  const Lending::Site site = stage.parts.lending_site();
  CHECK(stage.parts.lending.wanted_for_others(stage.now + seconds(600), site, north_place).empty());
  stage.parts.lending.hear_demand(stage.now, south_place, {HintEntry{0, 8, true, 4, 4}});
  stage.now = stage.now + seconds(600);
  CHECK(stage.parts.lending.wanted_for_others(stage.now, site, north_place) == std::set{first});
  CHECK(stage.parts.lending.wanted_for_others(stage.now, site, south_place).empty());
  CHECK(first < second);
}

TEST_CASE("lending: how long a lease lasts") {
  PartsStage stage;
  const SiteSettings& settings = stage.parts.settings;
  Foreign foreign = stage.foreign(north_place, 1);
  const auto terms = [&] { return terms_for(settings, stage.parts.neighbours[north_place], foreign.delegate); };
  CHECK(terms().length == settings.lease_length_max);
  CHECK(terms().term >= settings.term);
  CHECK(terms().protected_time == Duration{});
  foreign.delegate.request.length = settings.lease_length_max;
  CHECK(terms().length == settings.lease_length_max + beyond_declared);
  stage.parts.neighbours[north_place].limits.lease_length = seconds(60);
  foreign.delegate.request.length = {};
  CHECK(terms().length == seconds(60));
  foreign.delegate.request.past.times = 1;
  CHECK(terms().protected_time == settings.protected_first);
  CHECK(terms().length == settings.protected_first);
  stage.parts.neighbours[north_place].stale_after = seconds(20);
  const Duration near = terms().term;
  foreign.delegate.chain = {SiteName("a"), SiteName("b"), SiteName("c"), SiteName("north")};
  CHECK(terms().term > near);
}

}  // namespace
}  // namespace dmm::lending_test
