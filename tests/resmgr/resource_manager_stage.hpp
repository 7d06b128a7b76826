// A stage for tests of the resource manager: the manager on a clock of its own, its ledger, the parties that speak to
// it, and its messages and orders since the last call. It isn't a model of a site: each test says what each party does.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "resmgr/resource_manager.hpp"
#include "tests/checked_ledger.hpp"

namespace dmm::resmgr_stage {

inline const SiteName home{"das-1"};
inline const Party owner = site_manager_of(home);
inline const Party alice = job_manager_of(SiteName{"das-2"}, "alice");
inline const Party bob = job_manager_of(SiteName{"das-3"}, "bob");

inline LeaseId lease(std::uint64_t counter) { return {home, {1, counter}}; }

inline RequestId job_of(const Party& party, std::uint64_t job, std::uint32_t attempt = 1) {
  return {party.site, party.name, job, attempt};
}
inline RequestId job(std::uint64_t number, std::uint32_t attempt = 1) { return job_of(alice, number, attempt); }
/// Other users of alice's site.
inline Party neighbour(std::uint64_t number) {
  return job_manager_of(alice.site, "user-" + std::to_string(number));
}

inline Start start(LeaseId under, RequestId request, NodeSet nodes, std::uint32_t component = 0) {
  Start message;
  message.lease = std::move(under);
  message.request = std::move(request);
  message.component = component;
  message.nodes = std::move(nodes);
  message.program.arguments = {"hostname"};
  return message;
}

inline ResourceManagerSettings settings_of_8_nodes() {
  ResourceManagerSettings settings;
  settings.site = home;
  settings.name = "nodes";
  settings.cluster = ClusterName{"fs1"};
  settings.nodes = 8;
  settings.processors_per_node = 2;
  return settings;
}

/// What is to outlive the host is synced: leases and fences, and nothing else.
inline bool must_be_synced(const LedgerChanges<ResourceRecord>& changes) {
  return std::ranges::any_of(changes.list, [](const auto& change) {
    return std::holds_alternative<AssignmentRecord>(change.record) ||
           (std::holds_alternative<FenceRecord>(change.record) && !change.erased);
  });
}

/// The manager with a clock, and its messages since the last call.
struct Stage {
  ResourceManager manager{settings_of_8_nodes()};
  ResourceManagerEffects effects;
  CheckedLedger<ResourceManager> ledger;
  Instant now{};

  Stage() {
    effects.level = Level::debug;
    effects.ledger.wanted = true;
  }

  /// The site manager and alice are in contact, and the Register is taken from the messages.
  static Stage in_contact() {
    Stage stage;
    stage.put(LinkUp{owner, true, {}, {}});
    stage.put(LinkUp{alice, true, {}, {}});
    stage.forget_effects();
    return stage;
  }
  /// The same, and lease 1 holds nodes 0-3.
  static Stage leased() {
    Stage stage = in_contact();
    stage.hear(owner, Assign{lease(1), {{0, 3}}, alice.site, true});
    stage.forget_effects();
    return stage;
  }
  /// The same, and alice's job 1 runs on nodes 0-1.
  static Stage running() {
    Stage stage = leased();
    stage.hear(alice, start(lease(1), job(1), {{0, 1}}));
    stage.put(TaskStarted{{job(1), 0}, 4711});
    stage.forget_effects();
    return stage;
  }

  void settle() {
    manager.settle(now, effects);
    manager.check_invariants();
    CHECK((effects.ledger.grade == Grade::synced) == must_be_synced(effects.ledger));
    ledger.take(effects.ledger, manager);
    CHECK(manager.next_deadline() > now);
  }
  void put(ResourceManager::Input input) {
    manager.receive(now, std::move(input), effects);
    settle();
  }
  void hear(const Party& from, Message message) { put(Received{from, std::move(message), {}, {}}); }
  void end(const RequestId& request, std::int32_t code = 0, std::uint32_t component = 0) {
    TaskEnded report;
    report.id = {request, component};
    report.code = code;
    report.wall = seconds(7);
    put(std::move(report));
  }
  /// The end of a task that was killed.
  void end_killed(const RequestId& request) {
    TaskEnded report;
    report.id = {request, 0};
    report.kind = EndKind::signalled;
    report.code = 9;
    put(std::move(report));
  }
  /// Lets time go by, stopping at each deadline as a shell does.
  void wait(Duration length) {
    const Instant until = now + length;
    while (manager.next_deadline() <= until) {
      now = manager.next_deadline();
      settle();
    }
    now = until;
  }

  /// The manager is killed and started again. The backend still has these tasks, or its keeper died too.
  void restart(const std::vector<LivingTask>& living, bool keeper_died = false) {
    manager = ResourceManager(manager.settings());
    manager.restore(now, ledger.after_the_process(), living, keeper_died);
    CHECK(manager.next_deadline() <= now);
    settle();
  }
  /// The same; afterwards all parties are back in contact.
  void restart_in_contact(const std::vector<LivingTask>& living, bool keeper_died = false) {
    restart(living, keeper_died);
    put(LinkUp{owner, true, {}, {}});
    put(LinkUp{alice, true, {}, {}});
  }

  void forget_effects() {
    effects.messages.clear();
    effects.tasks.clear();
    effects.events.clear();
  }
  /// The messages of one type since the last call; all must be for one party.
  template <class M>
  std::vector<M> said(const Party& to) {
    std::vector<M> found;
    for (const Outgoing& outgoing : effects.messages)
      if (const M* message = std::get_if<M>(&outgoing.message)) {
        CHECK(outgoing.to == to);
        found.push_back(*message);
      }
    std::erase_if(effects.messages, [](const Outgoing& o) { return std::holds_alternative<M>(o.message); });
    return found;
  }
  template <class Order>
  std::vector<Order> ordered() {
    std::vector<Order> found;
    for (const TaskOrder& order : effects.tasks)
      if (const Order* one = std::get_if<Order>(&order)) found.push_back(*one);
    std::erase_if(effects.tasks, [](const TaskOrder& o) { return std::holds_alternative<Order>(o); });
    return found;
  }
  bool logged(Level level, std::string_view name) const {
    return std::any_of(effects.events.begin(), effects.events.end(),
                       [&](const LogEvent& event) { return event.level == level && event.name == name; });
  }
  /// The only outcome since the last call.
  Ended outcome(const Party& to = alice) {
    const auto all = said<Ended>(to);
    REQUIRE(all.size() == 1);
    return all.front();
  }
};

}  // namespace dmm::resmgr_stage
