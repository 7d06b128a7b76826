// What a site manager tells people about itself.
#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "daemons/answers/site_view.hpp"
#include "sitemgr/site_manager.hpp"
#include "tests/sitemgr/site_manager_stage.hpp"

namespace site_view_test {

using namespace dmm;

TEST_CASE("site view: a delegation waits from when it is taken until it is answered, wherever it lies meanwhile") {
  const SiteName alpha("alpha"), beta("beta"), gamma("gamma");
  SiteSettings settings;
  settings.name = beta;
  settings.neighbours = {{alpha, Relation::sibling}, {gamma, Relation::sibling}};
  SiteManager manager(settings, 1);
  SiteManager::Effects effects;
  const Instant now;
  const auto waiting = [&] {
    manager.check_invariants();
    return manager.view(now).foreign_waiting;
  };
  const auto sent = [&]<class M>(const SiteName& to, M*) {
    return std::ranges::any_of(effects.messages, [&](const Outgoing& out) {
      return out.to == site_manager_of(to) && std::holds_alternative<M>(out.message);
    });
  };
  for (const SiteName& site : {alpha, gamma})
    manager.receive(now, LinkUp{site_manager_of(site), false, {}, {}}, effects);

  Delegate delegate;
  delegate.request.id = {alpha, "u", 1, 1};
  delegate.request.need.components = {{2, {}, {}}};
  delegate.dttl = 3;
  delegate.tries_left = 8;
  delegate.answer_within = seconds(5);
  delegate.chain = {alpha};
  manager.receive(now, Received{site_manager_of(alpha), delegate, {}, {}}, effects);
  CHECK(waiting() == 1);  // for matchmaking

  manager.settle(now, effects);
  REQUIRE(sent(gamma, static_cast<Delegate*>(nullptr)));
  CHECK(waiting() == 1);  // for gamma's answer

  Reject reject;
  reject.request = delegate.request.id;
  manager.receive(now, Received{site_manager_of(gamma), reject, {}, {}}, effects);
  manager.settle(now, effects);
  CHECK(sent(alpha, static_cast<Reject*>(nullptr)));
  CHECK(waiting() == 0);
}

TEST_CASE("site view: nodes tell whether jobs of different sites are apart by accounts there") {
  using namespace dmm::site_stage;
  Stage stage(settings_of_home());
  const auto apart = [&] {
    const auto answer = answer_site(stage.manager, {stage.now, 0}, {1, "nodes", "{}"});
    return nlohmann::json::parse(answer.value().text).at("nodes").at(0).at("users_apart");
  };
  stage.offer_by(fs0, 4);
  CHECK(apart() == false);
  stage.offer_by(fs0, 4, {{"users_apart", "yes"}});
  CHECK(apart() == true);
}

TEST_CASE("site view: usage counts leases that run as well, also over a restart, and none twice") {
  using namespace dmm::site_stage;
  Stage stage(settings_of_home());
  stage.offer(8);
  const Grant lent = stage.lend_to(bob, 1, 4);
  const auto sums = [&] {
    const auto answer = answer_site(stage.manager, {stage.now, 0}, {1, "usage", "{}"});
    return nlohmann::json::parse(answer.value().text).at("sums");
  };
  stage.pass_renewed(seconds(46), at_south, 1);
  const nlohmann::json running = {{"direction", "lent"}, {"site", "south"},
                                  {"records", 0},        {"processor_seconds", 0.0},
                                  {"running", 1},        {"running_processor_seconds", 184.0}};
  CHECK(sums() == nlohmann::json::array({running}));
  stage.restart();
  CHECK(sums() == nlohmann::json::array({running}));
  stage.offer(8, {{lent.lease, lent.nodes.front().nodes}});
  stage.hear(at_south, Release{lent.lease, {}, false, false});
  stage.hear(fs0, Clean{lent.lease, {}});
  const nlohmann::json ended = {{"direction", "lent"}, {"site", "south"},
                                {"records", 1},        {"processor_seconds", 184.0},
                                {"running", 0},        {"running_processor_seconds", 0.0}};
  CHECK(sums() == nlohmann::json::array({ended}));
}

}  // namespace site_view_test
