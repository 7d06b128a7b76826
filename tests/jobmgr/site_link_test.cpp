// A job manager's knowledge of the link to its home site.
#include "jobmgr/site_link.hpp"

#include <doctest/doctest.h>

namespace dmm::site_link_test {
namespace {

LeaseId lease(std::uint64_t counter) { return {SiteName("das"), {1, counter}}; }

}  // namespace

TEST_CASE("site link: a session that is new to either side begins with all that waits") {
  SiteLink link(SiteName("das"));
  CHECK_FALSE(link.was_up());
  CHECK(link.came_up(false));
  CHECK(link.was_up());
  link.asked_up_to(5);
  link.went_down();
  CHECK_FALSE(link.may_ask(9));
  SUBCASE("the link was cut for a while: what was asked for stands") {
    CHECK_FALSE(link.came_up(false));
    CHECK(link.was_asked_for(4));
    CHECK_FALSE(link.was_asked_for(5));
    CHECK(link.ask_from() == 5);
  }
  SUBCASE("the site restarted: it was asked for nothing") {
    CHECK(link.came_up(true));
    CHECK_FALSE(link.was_asked_for(1));
    CHECK(link.ask_from() == 1);
  }
}

TEST_CASE("site link: requests go while the link is up, isn't pressed, and jobs remain") {
  SiteLink link(SiteName("das"));
  CHECK_FALSE(link.may_ask(2));
  link.came_up(false);
  CHECK(link.may_ask(2));
  link.set_pressed(true);
  CHECK_FALSE(link.may_ask(2));
  link.set_pressed(false);
  link.asked_up_to(2);
  CHECK_FALSE(link.may_ask(2));
  CHECK(link.may_ask(3));
}

TEST_CASE("site link: what the site doesn't name of our leases is left when its Inventory is whole") {
  SiteLink link(SiteName("das"));
  link.begin_inventory({{lease(1), 1}, {lease(1), 2}, {lease(2), 3}});
  Inventory part, last;
  part.last = false;
  last.last = true;
  CHECK_FALSE(link.hear(part));
  CHECK(link.hear(last));
  CHECK(link.confirm(lease(1), 1));
  CHECK_FALSE(link.confirm(lease(1), 1));
  CHECK_FALSE(link.confirm(lease(3), 1));  // the site names a lease that isn't ours
  CHECK(link.take_unconfirmed() == SiteLink::Held{{lease(1), 2}, {lease(2), 3}});
  CHECK(link.take_unconfirmed().empty());
}

}  // namespace dmm::site_link_test
