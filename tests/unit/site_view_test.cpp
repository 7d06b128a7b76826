// What a site manager says of itself to people.
#include <doctest/doctest.h>

#include <algorithm>

#include "sitemgr/site_manager.hpp"

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
