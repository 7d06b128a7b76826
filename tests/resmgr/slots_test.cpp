// The nodes of a resource manager, alone: their leases, their fences, and what runs on them.
#include "resmgr/slots.hpp"

#include <doctest/doctest.h>

namespace dmm::slots_test {
namespace {

using Tasks = std::vector<std::uint64_t>;
using Leases = std::vector<Epoch>;
using Fences = std::vector<std::pair<std::uint32_t, Epoch>>;

Epoch lease(std::uint64_t counter, std::uint64_t incarnation = 1) { return {incarnation, counter}; }

/// Nodes 0 to 7: 0 to 3 under lease 5, with task 1 on 0 and 1, and task 2 on 2; 4 had been under lease 7.
Slots eight() {
  Slots slots;
  slots.configure({{0, 7}});
  slots.assign({{0, 3}}, lease(5));
  slots.occupy({{0, 1}}, lease(5), 1);
  slots.occupy({{2, 2}}, lease(5), 2);
  slots.assign({{4, 4}}, lease(7));
  slots.unassign({{4, 4}}, lease(7));
  slots.check_invariants();
  return slots;
}

}  // namespace

TEST_CASE("slots: without nodes there is nothing to have, to lease or to fence") {
  const Slots slots;
  CHECK(slots.total() == 0);
  CHECK(slots.free() == 0);
  CHECK(slots.leased() == 0);
  CHECK(slots.present().empty());
  CHECK_FALSE(slots.has({}));
  CHECK_FALSE(slots.has({{0, 0}}));
  CHECK(slots.known({{0, 3}}).empty());
  CHECK(slots.within({{0, 3}}).empty());
  CHECK(slots.fences().empty());
  CHECK(slots.dirty().empty());
  CHECK(slots.leases_on({}).empty());
  CHECK(slots.tasks_on({}).empty());
}

TEST_CASE("slots: a set of nodes is there if all of it is, and well formed") {
  struct Row {
    NodeSet nodes;
    bool has;
    NodeSet within, known;  ///< of nodes 0 to 2 and 5 to 7
  };
  const Row rows[] = {
      {{}, false, {}, {}},
      {{{0, 2}}, true, {{0, 2}}, {{0, 2}}},
      {{{0, 0}, {6, 7}}, true, {{0, 0}, {6, 7}}, {{0, 0}, {6, 7}}},
      {{{2, 3}}, false, {{2, 2}}, {{2, 3}}},
      {{{7, 8}}, false, {{7, 7}}, {{7, 7}}},
      {{{8, 9}}, false, {}, {}},
      {{{3, 4}}, false, {}, {{3, 4}}},
      {{{0, 1}, {1, 2}}, false, {}, {{0, 1}, {1, 2}}},
      {{{5, 5}, {1, 1}}, false, {}, {{5, 5}, {1, 1}}},
  };
  Slots slots;
  slots.configure({{0, 7}});
  slots.configure({{0, 2}, {5, 7}});
  CHECK(slots.present() == NodeSet{{0, 2}, {5, 7}});
  for (const Row& row : rows) {
    CAPTURE(to_text(row.nodes));
    CHECK(slots.has(row.nodes) == row.has);
    if (is_well_formed(row.nodes) || row.nodes.empty()) CHECK(slots.within(row.nodes) == row.within);
    CHECK(slots.known(row.nodes) == row.known);
  }
}

TEST_CASE("slots: a node comes only under a lease above its fence, or the one that it is under") {
  struct Row {
    NodeSet nodes;
    Epoch lease;
    bool admitted, all_under;
    std::vector<std::uint32_t> unseen;
  };
  const Row rows[] = {
      {{{0, 3}}, lease(5), true, true, {}},
      {{{0, 3}}, lease(4), false, false, {}},
      {{{0, 3}}, lease(6), true, false, {0, 1, 2, 3}},
      {{{4, 4}}, lease(7), false, false, {}},
      {{{4, 4}}, lease(8), true, false, {4}},
      {{{4, 4}}, lease(1, 2), true, false, {4}},  // a later start of the owner
      {{{5, 6}}, lease(1), true, false, {5, 6}},
      {{{3, 5}}, lease(6), false, false, {3, 5}},
      {{{3, 5}}, lease(8), true, false, {3, 4, 5}},
      {{{3, 4}}, lease(5), false, false, {}},
      {{}, lease(1), true, true, {}},
  };
  for (const Row& row : rows) {
    Slots slots = eight();
    INFO(to_text(row.nodes), " under ", row.lease.counter);
    CHECK(slots.admit(row.nodes, row.lease) == row.admitted);
    CHECK(slots.all_under(row.nodes, row.lease) == row.all_under);
    CHECK(slots.unseen(row.nodes, row.lease) == row.unseen);
    if (!row.admitted) continue;
    slots.assign(row.nodes, row.lease);
    slots.check_invariants();
    CHECK(slots.all_under(row.nodes, row.lease));
    CHECK(slots.unseen(row.nodes, row.lease).empty());
  }
}

TEST_CASE("slots: leases and tasks on nodes are listed in order, each once") {
  struct Row {
    NodeSet nodes;
    Leases leases;
    Tasks tasks;
  };
  const Row rows[] = {
      {{}, {}, {}},
      {{{5, 5}}, {}, {}},
      {{{0, 1}}, {lease(5)}, {1}},
      {{{1, 3}}, {lease(5)}, {1, 2}},
      {{{0, 7}}, {lease(3), lease(5)}, {1, 2}},
      {{{2, 2}, {6, 6}}, {lease(3), lease(5)}, {1, 2}},
  };
  Slots slots = eight();
  slots.assign({{6, 6}}, lease(3));
  slots.occupy({{6, 6}}, lease(3), 1);
  for (const Row& row : rows) {
    CAPTURE(to_text(row.nodes));
    CHECK(slots.leases_on(row.nodes) == row.leases);
    CHECK(slots.tasks_on(row.nodes) == row.tasks);
  }
  CHECK(slots.all_run({{0, 1}}, 1));
  CHECK_FALSE(slots.all_run({{0, 2}}, 1));
  CHECK(slots.leased() == 5);
}

TEST_CASE("slots: a node is free once it is under no lease and nothing runs on it, and dirty in between") {
  Slots slots = eight();
  CHECK(slots.total() == 8);
  CHECK(slots.free() == 4);
  CHECK(slots.leased() == 4);
  CHECK(slots.dirty().empty());
  slots.unassign({{0, 5}}, lease(5));
  CHECK(slots.leased() == 0);
  CHECK(slots.free() == 5);
  CHECK(slots.dirty() == NodeSet{{0, 2}});
  slots.vacate({{0, 1}}, 1);
  CHECK(slots.dirty() == NodeSet{{2, 2}});
  CHECK(slots.free() == 7);
  slots.assign({{2, 2}}, lease(9));
  CHECK(slots.dirty().empty());
  slots.vacate({{2, 2}}, 2);
  CHECK(slots.free() == 7);
  slots.check_invariants();
}

TEST_CASE("slots: what is taken out of a lease comes under it no more, also where it never was") {
  Slots slots = eight();
  slots.unassign({{3, 5}}, lease(6));  // a lease that has none of them
  CHECK(slots.leased() == 4);
  CHECK(slots.fences() ==
        Fences{{0, lease(5)}, {1, lease(5)}, {2, lease(5)}, {3, lease(6)}, {4, lease(7)}, {5, lease(6)}});
  CHECK_FALSE(slots.admit({{5, 5}}, lease(6)));
  CHECK(slots.admit({{5, 5}}, lease(7)));
  CHECK(slots.admit({{3, 3}}, lease(5)));  // it still is under it
}

TEST_CASE("slots: a removed node keeps its fence and its task, and is neither free nor dirty") {
  Slots slots = eight();
  slots.unassign({{0, 3}}, lease(5));
  slots.configure({{3, 9}});
  slots.check_invariants();
  CHECK(slots.total() == 7);
  CHECK(slots.free() == 7);
  CHECK(slots.dirty().empty());
  CHECK(slots.tasks_on({{0, 3}}) == Tasks{1, 2});
  CHECK(slots.highest(0) == lease(5));
  CHECK(slots.highest(9) == Epoch{});
  slots.vacate({{0, 1}}, 1);
  CHECK(slots.free() == 7);
  slots.configure({{0, 9}});
  CHECK(slots.free() == 9);
  CHECK(slots.dirty() == NodeSet{{2, 2}});
  CHECK_FALSE(slots.admit({{0, 0}}, lease(5)));
  slots.configure({});
  CHECK(slots.total() == 0);
  CHECK(slots.free() == 0);
  slots.check_invariants();
}

TEST_CASE("slots: after a restart fences only rise, but another node of a number has its own") {
  Slots slots;
  slots.configure({{0, 3}});
  slots.remember(1, lease(5));
  slots.remember(1, lease(4));
  CHECK(slots.highest(1) == lease(5));
  slots.replace(1, lease(2));
  CHECK(slots.highest(1) == lease(2));
  slots.replace(6, lease(3));  // a node that isn't there yet
  CHECK(slots.fences() == Fences{{1, lease(2)}, {6, lease(3)}});
  CHECK(slots.total() == 4);
  slots.occupy_again({{0, 1}}, 9);
  CHECK(slots.dirty() == NodeSet{{0, 1}});
  CHECK(slots.free() == 2);
  slots.assign({{0, 1}}, lease(6));
  CHECK(slots.all_run({{0, 1}}, 9));
  slots.check_invariants();
}

}  // namespace dmm::slots_test
