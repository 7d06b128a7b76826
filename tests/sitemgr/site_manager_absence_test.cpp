// Stories about job managers that are away: when the site manager takes back what they have, and forgets them. The
// stage is in site_manager_stage.hpp.
#include "tests/sitemgr/site_manager_stage.hpp"

namespace site_manager_absence_test {

using namespace dmm;
using namespace dmm::site_stage;

TEST_CASE(
    "absence: a job manager that is away for long loses what it has and asked for, and is forgotten [S120]") {
  Stage stage;
  stage.offer(8);
  stage.hear(alice, request(alice, 1, 8));
  const Grant granted = stage.said_once<Grant>(alice);
  stage.hear(alice, request(alice, 2, 8));
  stage.down(alice);
  stage.pass(seconds(599));
  CHECK(stage.said<Unassign>(fs0).empty());
  CHECK_FALSE(stage.manager.quiet());
  CHECK(stage.manager.view(stage.now).job_managers == std::vector<std::string>{"alice"});
  stage.pass(seconds(1));
  const LeaseEnded ended = stage.said_once<LeaseEnded>(alice);
  CHECK(ended.lease == granted.lease);
  CHECK(ended.reason == LeaseEnd::expired);
  CHECK(stage.said_once<Unassign>(fs0).detached > Duration{});  // running tasks may be heard of by it
  CHECK(stage.out.renewals == std::vector<Party>{alice});
  stage.hear(fs0, Clean{granted.lease, {}});
  CHECK(stage.manager.quiet());
  CHECK(stage.manager.view(stage.now).job_managers.empty());
}

TEST_CASE("absence: a job manager that had nothing is forgotten when it has been away for long") {
  Stage stage;
  REQUIRE(stage.manager.view(stage.now).job_managers.size() == 1);
  stage.pass(seconds(10'000));
  CHECK(stage.manager.view(stage.now).job_managers.size() == 1);  // connected, but silent
  stage.down(alice);
  stage.pass(seconds(600));
  CHECK(stage.manager.view(stage.now).job_managers.empty());
  CHECK(stage.out.renewals.empty());
  stage.up(alice, true);
  CHECK(stage.manager.view(stage.now).job_managers.size() == 1);
}

}  // namespace site_manager_absence_test
