// The resource managers that a job manager speaks with, alone: their components, and how long they may be silent.
#include "jobmgr/managers.hpp"

#include <doctest/doctest.h>

namespace dmm::managers_test {
namespace {

constexpr Instant start{seconds(100).microseconds};
constexpr Duration limit = seconds(30);
const Party fs0 = resource_manager_of(SiteName("das"), "fs0"), fs1 = resource_manager_of(SiteName("das"), "fs1");

using Keys = std::vector<ComponentKey>;

}  // namespace

TEST_CASE("managers: of an unknown manager nothing is known, and nothing is changed") {
  Managers managers(limit);
  managers.leave(fs0, {1, 0});
  managers.down(start, fs0);
  managers.forget(start, fs0);
  CHECK(managers.size() == 0);
  CHECK(managers.components_of(fs0).empty());
  CHECK_FALSE(managers.has(fs0, {1, 0}));
  CHECK_FALSE(managers.is_up(fs0));
  CHECK(managers.is_idle(fs0));
  CHECK(managers.silent_until(fs0) == never);
  CHECK(managers.next_silence() == never);
  CHECK_FALSE(managers.take_silent(never - seconds(1)));
}

TEST_CASE("managers: components come and go each by itself, and are listed in order") {
  Managers managers(limit);
  for (const ComponentKey key : Keys{{2, 0}, {1, 1}, {1, 0}}) managers.use(start, fs0, key, {});
  managers.use(start, fs1, {1, 2}, {});
  CHECK(managers.size() == 2);
  CHECK(managers.components_of(fs0) == Keys{{1, 0}, {1, 1}, {2, 0}});
  CHECK(managers.has(fs0, {1, 1}));
  CHECK_FALSE(managers.has(fs0, {1, 2}));
  managers.leave(fs0, {1, 1});
  managers.leave(fs0, {1, 1});
  CHECK(managers.components_of(fs0) == Keys{{1, 0}, {2, 0}});
  CHECK_FALSE(managers.is_idle(fs0));
  managers.leave(fs0, {1, 0});
  managers.leave(fs0, {2, 0});
  CHECK(managers.is_idle(fs0));
  CHECK(managers.components_of(fs1) == Keys{{1, 2}});
}

TEST_CASE("managers: a silent manager with components has the limit, and longer by its way") {
  enum class What { use, use_far, leave, up, down, forget };
  using W = What;
  struct Row {
    std::vector<What> happens;  ///< one each second, from the start on
    Instant silent_until;
  };
  const Row rows[] = {
      {{W::down}, never},
      {{W::up}, never},
      {{W::use}, start + limit},
      {{W::use_far}, start + limit + seconds(7)},
      {{W::use, W::use_far}, start + limit},  // its silence had already begun
      {{W::use, W::up}, never},
      {{W::use, W::leave}, never},
      {{W::use, W::down}, start + limit},
      {{W::up, W::use}, never},
      {{W::up, W::down}, never},
      {{W::up, W::down, W::use}, start + seconds(2) + limit},
      {{W::up, W::use, W::down}, start + seconds(2) + limit},
      {{W::up, W::use, W::down, W::down}, start + seconds(2) + limit},
      {{W::up, W::use, W::forget}, start + seconds(2) + limit},
      {{W::up, W::use_far, W::down}, start + seconds(2) + limit + seconds(7)},
      {{W::up, W::use_far, W::use, W::down}, start + seconds(3) + limit + seconds(7)},
      // The longer way is forgotten when the last component leaves.
      {{W::up, W::use_far, W::leave, W::use, W::down}, start + seconds(4) + limit},
  };
  for (const Row& row : rows) {
    Managers managers(limit);
    Instant now = start;
    std::vector<std::uint64_t> jobs;
    for (const What what : row.happens) {
      const auto use = [&](Duration longer) {
        jobs.push_back(jobs.size() + 1);
        managers.use(now, fs0, {jobs.back(), 0}, longer);
      };
      if (what == W::use) use({});
      if (what == W::use_far) use(seconds(7));
      if (what == W::leave) managers.leave(fs0, {jobs.back(), 0});
      if (what == W::up) managers.up(fs0);
      if (what == W::down) managers.down(now, fs0);
      if (what == W::forget) managers.forget(now, fs0);
      now = now + seconds(1);
    }
    CAPTURE(&row - rows);
    CHECK(managers.silent_until(fs0) == row.silent_until);
    CHECK(managers.next_silence() == row.silent_until);
  }
}

TEST_CASE("managers: a link is new the first time, and again once its session is over") {
  Managers managers(limit);
  CHECK(managers.up(fs0));
  CHECK_FALSE(managers.up(fs0));
  CHECK(managers.is_up(fs0));
  managers.down(start, fs0);
  CHECK_FALSE(managers.is_up(fs0));
  CHECK_FALSE(managers.up(fs0));
  managers.forget(start, fs0);
  CHECK(managers.size() == 0);
  CHECK(managers.up(fs0));
  managers.use(start, fs0, {1, 0}, {});
  managers.forget(start, fs0);
  CHECK_FALSE(managers.is_up(fs0));
  CHECK(managers.has(fs0, {1, 0}));  // it may still run
  CHECK(managers.up(fs0));
}

TEST_CASE("managers: each that reached its limit is returned once, the longest silent first") {
  Managers managers(limit);
  managers.use(start + seconds(1), fs0, {1, 0}, {});
  managers.use(start, fs1, {1, 1}, {});
  CHECK(managers.next_silence() == start + limit);
  CHECK_FALSE(managers.take_silent(start + limit - microseconds(1)));
  const Instant late = start + limit + seconds(1);
  CHECK(managers.take_silent(late) == fs1);
  CHECK(managers.silent_until(fs1) == never);
  CHECK(managers.has(fs1, {1, 1}));
  CHECK(managers.take_silent(late) == fs0);
  CHECK_FALSE(managers.take_silent(late));
  managers.use(late, fs1, {2, 0}, {});  // a Start gives it the limit again
  CHECK(managers.next_silence() == late + limit);
}

TEST_CASE("managers: after a cut of the job manager's own all silent ones get the whole limit again") {
  Managers managers(seconds(1));
  managers.set_limit(limit);
  managers.use(start, fs0, {1, 0}, seconds(4));
  managers.up(fs1);
  managers.use(start, fs1, {1, 1}, {});
  managers.restart_silences(start + seconds(20));
  CHECK(managers.silent_until(fs0) == start + seconds(20) + limit + seconds(4));
  CHECK(managers.silent_until(fs1) == never);
  CHECK_FALSE(managers.take_silent(start + limit + seconds(4)));
  managers.set_limit(seconds(2));  // applies to silences that begin later
  CHECK(managers.next_silence() == start + seconds(20) + limit + seconds(4));
  managers.down(start + seconds(30), fs1);
  CHECK(managers.next_silence() == start + seconds(32));
}

}  // namespace dmm::managers_test
