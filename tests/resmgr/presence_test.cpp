// Contact with the owner and with job managers, alone: which tasks end by silence, and when.
#include "resmgr/presence.hpp"

#include <doctest/doctest.h>

namespace dmm::presence_test {
namespace {

constexpr Instant start{seconds(100).microseconds};
constexpr Duration term = seconds(30);
const Party owner = site_manager_of(SiteName("das"));
const Party alice = job_manager_of(SiteName("das"), "alice"), bob = job_manager_of(SiteName("das"), "bob");

using Tasks = std::vector<std::uint64_t>;

enum class What { owner_up, owner_down, owner_heard, up, down, heard, watch, detach, unwatch };
using W = What;

/// An event of the owner, or of alice and her task 1.
void happen(Presence& presence, What what, Instant now) {
  switch (what) {
    case W::owner_up: return presence.up(owner);
    case W::owner_down: return presence.down(now, owner);
    case W::owner_heard: return presence.heard(now, owner);
    case W::up: return presence.up(alice);
    case W::down: return presence.down(now, alice);
    case W::heard: return presence.heard(now, alice);
    case W::watch: return presence.watch(now, alice, 1);
    case W::detach: return presence.detach(alice, 1);
    case W::unwatch: return presence.unwatch(alice, 1);
  }
}

}  // namespace

TEST_CASE("presence: without tasks nothing is ended, and unknown ones are ignored") {
  Presence presence(owner, term);
  for (const What what : {W::down, W::heard, W::detach, W::unwatch, W::owner_down, W::up, W::detach, W::unwatch,
                          W::down, W::unwatch, W::heard}) {
    happen(presence, what, start);
    presence.check_invariants();
    CHECK(presence.next_deadline() == never);
  }
  CHECK(presence.take_out_of_contact(never - microseconds(1)).empty());
}

TEST_CASE("presence: the owner's link is up or down, whatever is heard") {
  struct Row {
    std::vector<What> happens;
    bool is_up;
  };
  const Row rows[] = {{{}, false},
                      {{W::owner_up}, true},
                      {{W::owner_up, W::owner_down}, false},
                      {{W::owner_heard}, false},
                      {{W::up}, false},
                      {{W::owner_up, W::down}, true}};
  for (const Row& row : rows) {
    Presence presence(owner, term);
    for (const What what : row.happens) happen(presence, what, start);
    CHECK(presence.owner_is_up() == row.is_up);
  }
}

TEST_CASE("presence: a task ends a term after the last contact with both, a detached one with its job manager") {
  struct Row {
    std::vector<What> happens;  ///< one each second, from the start on
    Instant ends;
  };
  const Row rows[] = {
      {{W::watch}, start + term},
      {{W::watch, W::heard}, start + seconds(1) + term},
      {{W::watch, W::up}, never},
      {{W::up, W::watch}, never},
      {{W::up, W::watch, W::down}, start + seconds(2) + term},
      {{W::up, W::watch, W::down, W::down}, start + seconds(2) + term},
      {{W::up, W::watch, W::down, W::heard}, start + seconds(3) + term},
      {{W::up, W::down, W::watch}, start + seconds(2) + term},
      {{W::up, W::watch, W::heard, W::down}, start + seconds(3) + term},
      {{W::watch, W::owner_up}, never},
      {{W::watch, W::owner_up, W::owner_down}, start + seconds(2) + term},
      {{W::watch, W::owner_up, W::owner_down, W::owner_down}, start + seconds(2) + term},
      {{W::watch, W::owner_heard}, start + seconds(1) + term},
      {{W::watch, W::owner_up, W::owner_heard, W::owner_down}, start + seconds(3) + term},
      {{W::owner_up, W::up, W::watch, W::owner_down}, never},
      {{W::owner_up, W::up, W::watch, W::owner_down, W::down}, start + seconds(4) + term},
      {{W::owner_up, W::up, W::watch, W::down, W::owner_down}, start + seconds(4) + term},
      {{W::owner_up, W::watch, W::detach}, start + seconds(1) + term},
      {{W::owner_up, W::watch, W::detach, W::detach, W::owner_heard}, start + seconds(1) + term},
      {{W::owner_up, W::watch, W::detach, W::heard}, start + seconds(3) + term},
      {{W::owner_up, W::watch, W::detach, W::up}, never},
      {{W::owner_up, W::watch, W::detach, W::unwatch}, never},
      {{W::watch, W::unwatch}, never},
  };
  for (const Row& row : rows) {
    Presence presence(owner, term);
    Instant now = start;
    for (const What what : row.happens) {
      happen(presence, what, now);
      presence.check_invariants();
      now = now + seconds(1);
    }
    CAPTURE(&row - rows);
    CHECK(presence.next_deadline() == row.ends);
    CHECK(presence.take_out_of_contact(row.ends - microseconds(1)).empty());
    if (row.ends == never) continue;
    CHECK(presence.take_out_of_contact(row.ends) == Tasks{1});
    presence.check_invariants();
    CHECK(presence.next_deadline() == never);
    CHECK(presence.take_out_of_contact(row.ends).empty());
  }
}

TEST_CASE("presence: tasks of the longest silent job manager end first, detached ones last") {
  Presence presence(owner, term);
  for (const std::uint64_t task : {7, 3, 5}) presence.watch(start + seconds(1), bob, task);
  for (const std::uint64_t task : {4, 2, 9}) presence.watch(start, alice, task);
  presence.detach(alice, 2);
  CHECK(presence.next_deadline() == start + term);
  CHECK(presence.take_out_of_contact(start + term) == Tasks{4, 9, 2});
  CHECK(presence.next_deadline() == start + seconds(1) + term);
  presence.unwatch(bob, 5);
  presence.detach(bob, 7);
  CHECK(presence.take_out_of_contact(start + seconds(1) + term) == Tasks{3, 7});
  presence.check_invariants();
}

TEST_CASE("presence: contact with the owner keeps tasks, but not those that are detached") {
  Presence presence(owner, term);
  presence.up(owner);
  presence.watch(start, alice, 1);
  presence.watch(start, alice, 2);
  presence.detach(alice, 2);
  CHECK(presence.take_out_of_contact(start + seconds(3600)) == Tasks{2});
  presence.check_invariants();
  CHECK(presence.next_deadline() == never);
  presence.down(start + seconds(3600), owner);
  CHECK(presence.next_deadline() == start + seconds(3600) + term);
}

TEST_CASE("presence: a round trip to the owner is known once it is measured, and cut where it can't be believed") {
  Presence presence(owner, term);
  CHECK(presence.owner_round_trip() == Duration{});
  for (const Duration measured : {seconds(2), round_trip_max, seconds(1)}) {
    presence.note_round_trip(measured);
    CHECK(presence.owner_round_trip() == measured);
  }
  presence.note_round_trip(round_trip_max + microseconds(1));
  CHECK(presence.owner_round_trip() == round_trip_max);
}

TEST_CASE("presence: another term holds at once") {
  Presence presence(owner, term);
  presence.watch(start, alice, 1);
  presence.set_term(seconds(5));
  CHECK(presence.next_deadline() == start + seconds(5));
  CHECK(presence.take_out_of_contact(start + seconds(5)) == Tasks{1});
}

}  // namespace dmm::presence_test
