// The resource manager in a random world: seeded orders, losses of contact, ends of tasks and restarts in any order.
// The protocol's promises are checked, and the stage checks the ledger. doctest prints a failing seed with the failure.
#include <doctest/doctest.h>

#include <iterator>
#include <map>
#include <utility>

#include "tests/resmgr/resource_manager_stage.hpp"

namespace dmm::resource_manager_random_test {

using namespace resmgr_stage;

namespace {

/// An owner, two job managers and a backend that do anything that they may do, in any order; and the promises to them.
class World {
 public:
  explicit World(std::uint64_t seed) : random_(seed) {
    stage_.put(LinkUp{owner, true, {}, {}});
    look();
  }

  void run(int steps) {
    for (int i = 0; i < steps; ++i) step();
    come_to_rest();
  }

 private:
  struct BackendTask {
    NodeSet nodes;
    Epoch lease;
    bool started = false;
    bool over = false;
    bool removed = false;
    Instant kill_at = never;
  };

  std::uint64_t draw(std::uint64_t bound) {  // splitmix64
    std::uint64_t z = (random_ += 0x9E3779B97F4A7C15ULL);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return (z ^ (z >> 31)) % bound;
  }
  NodeSet some_nodes() {
    const auto first = static_cast<std::uint32_t>(draw(8));
    return {{first, first + static_cast<std::uint32_t>(draw(std::min(8 - first, 4U)))}};
  }
  /// A range of the nodes that the last Assign of the lease had.
  NodeSet part_of(const LeaseId& under) {
    const auto known = asked_.find(under);
    if (known == asked_.end()) return some_nodes();
    const NodeRange range = known->second.front();
    const auto first = range.first + static_cast<std::uint32_t>(draw(range.last - range.first + 1));
    return {{first, first + static_cast<std::uint32_t>(draw(range.last - first + 1))}};
  }
  LeaseId some_lease() { return lease(last_lease_ + 2 - std::min(draw(6), last_lease_ + 1)); }
  const Party& some_job_manager() { return draw(2) ? alice : bob; }

  void step() {
    wait(milliseconds(static_cast<std::int64_t>(draw(10) ? draw(500) : draw(40'000))));
    switch (draw(16)) {
      case 0:
      case 1: assign(lease(++last_lease_)); break;
      case 2: assign(some_lease()); break;
      case 3:
      case 4: unassign(); break;
      case 5:
      case 6:
      case 7:
      case 8:
      case 9: start_one(); break;
      case 10: stop_one(); break;
      case 11: draw(4) ? links() : restart(); break;
      default: work(); break;
    }
    look();
  }
  /// Lets time pass and checks what happens at the moment when it happens.
  void wait(Duration length) {
    const Instant until = stage_.now + length;
    while (stage_.manager.next_deadline() <= until) {
      stage_.wait(stage_.manager.next_deadline() - stage_.now);
      look();
    }
    stage_.now = until;
  }
  void assign(const LeaseId& under) {
    const NodeSet nodes = some_nodes();
    asked_[under] = nodes;
    stage_.hear(owner, Assign{under, nodes, alice.site});
  }
  void unassign() {
    const NodeSet nodes = draw(2) ? some_nodes() : NodeSet{};
    const Duration detached = draw(3) ? Duration{} : seconds(static_cast<std::int64_t>(draw(60)));
    ++cleans_wanted_;
    stage_.hear(owner, Unassign{some_lease(), nodes, seconds(static_cast<std::int64_t>(draw(5))), detached});
  }
  void start_one() {
    const Party& user = some_job_manager();
    const RequestId id = job_of(user, 1 + draw(200), 1 + static_cast<std::uint32_t>(draw(3)));
    const LeaseId under = some_lease();
    const NodeSet nodes = draw(8) ? part_of(under) : some_nodes();
    Start message = start(under, id, nodes, static_cast<std::uint32_t>(draw(2)));
    starts_.try_emplace({id, message.component}, message);
    stage_.hear(user, std::move(message));
  }
  void stop_one() {
    if (starts_.empty()) return;
    const auto which = static_cast<std::ptrdiff_t>(draw(starts_.size()));
    const RequestId id = std::next(starts_.begin(), which)->first.request;
    stage_.hear(job_manager_of(id.site, id.user), Stop{id, seconds(static_cast<std::int64_t>(draw(5)))});
  }
  void links() {
    const Party& party = draw(2) ? owner : some_job_manager();
    if (draw(2)) return stage_.put(LinkDown{party});
    stage_.put(LinkUp{party, draw(8) == 0, {}, {}});
  }
  /// The manager restarts; now and then the backend has lost a task. The job managers ask again for tasks that haven't
  /// ended.
  void restart() {
    std::vector<LivingTask> living;
    for (auto& [id, task] : backend_) {
      task.kill_at = never;  // the end must be ordered again
      if (!task.over && draw(8) == 0)
        task.over = true;
      else if (!task.removed)
        living.push_back({id, task.started ? 1 : 0});
    }
    cleans_wanted_ = cleans_said_;  // an owner orders again what it doesn't know to be clean
    stage_.restart(living);
    stage_.put(LinkUp{owner, true, {}, {}});
    look();
    for (const auto& [id, asked] : std::map(starts_)) {
      if (answered_[id] > 0) continue;
      stage_.hear(job_manager_of(id.request.site, id.request.user), asked);
      look();
    }
  }
  /// The backend acts for one of its tasks.
  void work() {
    for (auto& [id, task] : backend_) {
      if (task.over || draw(2)) continue;
      if (!task.started && draw(4)) {
        task.started = true;
        return stage_.put(TaskStarted{id, 1});
      }
      task.over = true;
      return stage_.end(id.request, 0, id.component);
    }
  }

  /// Takes the manager's messages and checks them against the rules.
  void look() {
    for (const TaskOrder& order : stage_.effects.tasks) {
      if (const auto* begin = std::get_if<StartTask>(&order)) check_start(*begin);
      if (const auto* end = std::get_if<EndTask>(&order)) {
        BackendTask& task = backend_.at(end->id);
        CHECK_FALSE(task.over);
        CHECK(end->grace + Duration{stage_.now.microseconds} < Duration{task.kill_at.microseconds});
        task.kill_at = stage_.now + end->grace;
      }
      if (const auto* gone = std::get_if<RemoveTask>(&order)) {
        CHECK(backend_.at(gone->id).over);
        CHECK_FALSE(std::exchange(backend_.at(gone->id).removed, true));
      }
    }
    for (const Outgoing& outgoing : stage_.effects.messages) {
      if (const auto* ended = std::get_if<Ended>(&outgoing.message))
        ++answered_[{ended->request, ended->component}];
      if (const auto* clean = std::get_if<Clean>(&outgoing.message)) check_clean(*clean);
      if (std::holds_alternative<Register>(outgoing.message)) check_register(std::get<Register>(outgoing.message));
    }
    stage_.forget_effects();
  }
  void check_start(const StartTask& order) {
    const Start& asked = starts_.at(order.id);
    const auto [it, is_new] = backend_.try_emplace(order.id, BackendTask{asked.nodes, asked.lease.epoch});
    REQUIRE(is_new);
    for (const auto& [id, other] : backend_) {
      if (id == order.id || other.over) continue;
      CHECK(subtract(other.nodes, asked.nodes) == other.nodes);
      const RequestId& a = id.request;
      const RequestId& b = order.id.request;
      CHECK_FALSE((a.site == b.site && a.user == b.user && a.job == b.job && a.attempt != b.attempt));
    }
  }
  void check_clean(const Clean& clean) {
    ++cleans_said_;
    for (const auto& [id, task] : backend_) {
      const bool is_there = clean.nodes.empty() || subtract(task.nodes, clean.nodes) != task.nodes;
      if (!task.over && is_there) CHECK(task.lease != clean.lease.epoch);
    }
  }
  void check_register(const Register& offer) {
    for (const auto& [id, task] : backend_) {
      const bool is_leased = std::count(offer.leases.begin(), offer.leases.end(), LeaseId{home, task.lease}) > 0;
      if (!task.over && task.kill_at == never) CHECK((is_leased || contains(offer.dirty, task.nodes)));
    }
  }

  void come_to_rest() {
    stage_.put(LinkUp{owner, false, {}, {}});
    for (int round = 0; round < 50; ++round) {
      stage_.wait(seconds(1));
      look();
      for (auto& [id, task] : backend_)
        if (!std::exchange(task.over, true)) stage_.end(id.request, 0, id.component);
      look();
    }
    CHECK(cleans_said_ == cleans_wanted_);
    for (const auto& [id, asked] : starts_) {
      CAPTURE(id.request.job);
      CHECK(answered_[id] >= 1);
    }
    const ResourceManagerView view = stage_.manager.view();
    for (const TaskView& task : view.tasks) CHECK(task.state == TaskState::ended);
    CHECK(view.nodes_free + view.nodes_leased == view.nodes_total);
  }

  std::uint64_t random_;
  Stage stage_;
  std::uint64_t last_lease_ = 0;
  std::map<LeaseId, NodeSet> asked_;  ///< the last Assign of each lease
  std::map<TaskId, Start> starts_;    ///< the first Start of each task
  std::map<TaskId, BackendTask> backend_;
  std::map<TaskId, int> answered_;
  int cleans_wanted_ = 0;
  int cleans_said_ = 0;
};

}  // namespace

TEST_CASE("resource manager: in a random world every Start has an outcome and every Unassign one Clean") {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    CAPTURE(seed);
    World(seed).run(300);
  }
}

}  // namespace dmm::resource_manager_random_test
