// What the resource manager does for its owner: nodes come under leases and leave them, and the owner hears that
// they are clean. A node is never handed from one lease to the next before everything on it has ended.
#include <algorithm>
#include <map>
#include <utility>

#include "manager/assert.hpp"
#include "manager/planted.hpp"
#include "protocol/text.hpp"
#include "resmgr/resource_manager.hpp"

namespace dmm {
namespace {

/// That a part of a lease isn't used is said again after this: its owner counts the words of a few minutes together.
constexpr Duration said_again = seconds(60);

}  // namespace

ResourceManager::Lease* ResourceManager::find_lease(const LeaseId& lease) {
  return lease.owner == settings_.site ? leases_.find(lease.epoch) : nullptr;
}

// ---- assigning -------------------------------------------------------------------------------------------------

void ResourceManager::on(Instant now, FromSite, const Assign& assign, Effects& effects) {
  const Epoch epoch = assign.lease.epoch;
  if (assign.lease.owner != settings_.site || assign.lease.empty())
    return refuse(Level::warning, assign, "not a lease of this site", effects);
  if (!slots_.has(assign.nodes)) return refuse(Level::warning, assign, "no such nodes", effects);
  if (!slots_.admit(assign.nodes, epoch)) {
    bool is_newer = false;
    each_node(assign.nodes, [&](std::uint32_t node) { is_newer = is_newer || epoch < slots_.highest(node); });
    shut_beyond(now, assign);
    if (is_newer) return refuse(Level::warning, assign, "a node has seen a later epoch", effects);
    return refuse(Level::info, assign, "the lease has ended here", effects);  // while its owner was away, say
  }
  // Clean will say that nothing runs under the lease any more: it can't come back before that.
  if (find_lease(assign.lease) == nullptr && !tasks_.live_of(epoch).empty())
    return refuse(Level::warning, assign, "the lease is being taken back", effects);
  if (effects.wants(Level::debug))
    effects.log(Level::debug, "assign", {},
                {{"lease", to_text(assign.lease)},
                 {"nodes", to_text(assign.nodes)},
                 {"holder", assign.holder.text}});
  if (slots_.all_under(assign.nodes, epoch)) return;
  supersede(now, assign.nodes, epoch, effects);
  note_growth(assign.nodes, epoch, effects);
  slots_.assign(assign.nodes, epoch);
  if (!turned_away_.empty()) each_node(assign.nodes, [&](std::uint32_t node) { turned_away_.erase(node); });
  Lease& lease = leases_[epoch];
  lease.holder = assign.holder;
  lease.alone = assign.alone;
  lease.once = assign.once;
  lease.user = assign.user;
  lease.patience = std::clamp(assign.patience, Duration{}, round_trip_max) + site_round_trip_;
  lease.nodes = unite(subtract(lease.nodes, assign.nodes), assign.nodes);
  touched_.add(epoch);
  changed_leases_.add(epoch);
}

/// Nodes that have seen leases of a later start of their owner than this one will obey none that it makes: they would
/// swallow job after job. The owner lied once, or its directory was put back, and it alone can get beyond that. A
/// single lease may be of an earlier start, found again after a crash; two, one made after the other, are of this one.
void ResourceManager::shut_beyond(Instant now, const Assign& assign) {
  std::map<std::uint64_t, NodeSet> beyond;  // by the start
  each_node(assign.nodes, [&](std::uint32_t node) {
    const std::uint64_t start = slots_.highest(node).incarnation;
    if (start <= assign.lease.epoch.incarnation) return;
    const auto [before, is_first] = turned_away_.try_emplace(node, assign.lease.epoch);
    if (!is_first && before->second < assign.lease.epoch) append(beyond[start], node);
    before->second = std::max(before->second, assign.lease.epoch);
  });
  for (const auto& [start, nodes] : beyond)
    black_holes_.set_aside(now, nodes,
                           "had a lease of start " + std::to_string(start) + " of its site, which is at " +
                               std::to_string(assign.lease.epoch.incarnation) + ": was its directory put back?");
}

/// Answers an Assign that can't be followed. "Confirmed" only if it is true: a task of this very lease may still
/// be ending, or have ended without its job manager's having heard it; then others say later what this answer can't.
void ResourceManager::refuse(Level level, const Assign& assign, std::string why, Effects& effects) {
  effects.log(level, "refuse", {},
              {{"message", std::string("assign")},
               {"lease", to_text(assign.lease)},
               {"nodes", to_text(assign.nodes)},
               {"reason", std::move(why)}});
  LeaseEnded answer{assign.lease, {}, LeaseEnd::unknown, true, {}};
  if (assign.lease.owner == settings_.site)
    answer.confirmed = tasks_.live_of(assign.lease.epoch).empty() && !keeps_outcome(assign.lease.epoch);
  if (const Lease* lease = find_lease(assign.lease)) {
    // The lease goes on with the nodes it has; only what is asked for now is refused.
    const NodeSet refused = subtract(assign.nodes, lease->nodes);
    if (refused.empty() || !is_well_formed(assign.nodes)) return;
    answer.confirmed = true;
    for (const std::uint64_t number : slots_.tasks_on(slots_.known(refused)))
      if (tasks_.at(number).lease == assign.lease.epoch) answer.confirmed = false;
    answer.nodes.push_back(group_of(refused));
  }
  effects.send(site_, std::move(answer));
}

/// Takes nodes away from older leases, because a newer one comes: what runs there is killed, and the newer lease's
/// Starts wait for it.
void ResourceManager::supersede(Instant now, const NodeSet& nodes, Epoch newer, Effects& effects) {
  for (const Epoch lease : slots_.leases_on(nodes))
    if (lease != newer) take_from_lease(lease, nodes);
  for (const std::uint64_t number : slots_.tasks_on(nodes)) {
    TaskRecord& task = tasks_.at(number);
    if (task.lease != newer) order_end(now, task, Duration{}, EndKind::lease_ended, effects);
  }
}

/// The nodes, as far as they are under the lease, leave it; a lease without nodes is forgotten.
void ResourceManager::take_from_lease(Epoch lease, const NodeSet& nodes) {
  Lease* known = leases_.find(lease);
  if (known == nullptr) return;
  NodeSet& held = known->nodes;
  NodeSet left = subtract(held, nodes);
  slots_.unassign(subtract(held, left), lease);
  if (left.empty())
    leases_.erase(lease);
  else
    held = std::move(left);
  touched_.add(lease);
  if (!DMM_PLANT(unassign_not_written)) changed_leases_.add(lease);
}

/// A lease that is for one component ends with the task that has just left its nodes, before its owner asks: whether
/// it did.
bool ResourceManager::end_with_task(const TaskRecord& task, Effects& effects) {
  const Lease* lease = leases_.find(task.lease);
  if (lease == nullptr || !lease->once) return false;
  if (!slots_.tasks_on(lease->nodes).empty() || !strays_.empty()) return false;
  const NodeSet nodes = lease->nodes;
  take_from_lease(task.lease, nodes);
  if (!DMM_PLANT(end_not_said)) say_clean({settings_.site, task.lease}, {}, effects);
  return true;
}

// ---- idle leases -----------------------------------------------------------------------------------------------

/// Looks again at the leases of which something changed, whether they have a job now.
void ResourceManager::watch_idle(Instant now) {
  for (const Epoch epoch : perhaps_idle_.take()) {
    const Lease* lease = leases_.find(epoch);
    const bool is_idle = lease != nullptr && !tasks_.has_open(epoch) && slots_.tasks_on(lease->nodes).empty();
    // The grant travels half a way there and back, a Hello a whole one, a Start half; the job manager is a hop farther.
    if (is_idle && settings_.idle_lease_max > Duration{})
      idle_.idle(now, epoch, settings_.idle_lease_max + lease->patience * 3);
    else
      idle_.busy(epoch);
  }
}

/// Nothing used the lease for too long: no Start is obeyed any more, and the owner takes the nodes back. Where the
/// outcome of a job under it is still kept, its job manager may not have heard that: then nothing is confirmed. Where
/// others have nodes of it too, a job of theirs may need ours: the owner is told, and knows of all parts.
void ResourceManager::end_idle(Instant now, Epoch epoch, Effects& effects) {
  const LeaseId id{settings_.site, epoch};
  Lease& lease = leases_.at(epoch);
  if (!lease.alone) {
    idle_.idle(now, epoch, said_again);
    return effects.send(site_, LeaseEnded{id, {group_of(lease.nodes)}, LeaseEnd::idle, false, {}});
  }
  effects.log(Level::info, "idle", {}, {{"lease", to_text(id)}, {"nodes", to_text(lease.nodes)}});
  lease.fenced = true;
  changed_leases_.add(epoch);
  effects.send(site_, LeaseEnded{id, {}, LeaseEnd::idle, !keeps_outcome(epoch), {}});
}

/// Whether what became of a task of the lease is known here and perhaps not to its job manager.
bool ResourceManager::keeps_outcome(Epoch lease) const { return tasks_.ended_of(lease) > 0; }

NodeGroup ResourceManager::group_of(const NodeSet& nodes) const {
  return {resource_manager_of(settings_.site, settings_.name), settings_.cluster, nodes,
          settings_.processors_per_node, settings_.endpoint, 0};
}

// ---- taking back -----------------------------------------------------------------------------------------------

void ResourceManager::on(Instant now, FromSite, const Unassign& unassign, Effects& effects) {
  if (!is_well_formed(unassign.nodes)) {
    effects.send(site_, Fault{Unassign::type, "malformed nodes"});
    return;
  }
  const LeaseId& id = unassign.lease;
  const Lease* lease = find_lease(id);
  const bool all = unassign.nodes.empty();
  if (effects.wants(Level::debug))
    effects.log(Level::debug, "unassign", {},
                {{"lease", to_text(id)},
                 {"nodes", to_text(unassign.nodes)},
                 {"grace", unassign.grace.in_seconds()},
                 {"detached", unassign.detached.in_seconds()}});
  if (id.owner != settings_.site) return say_clean(id, unassign.nodes, effects);

  const NodeSet nodes = !all ? unassign.nodes : lease != nullptr ? lease->nodes : NodeSet{};
  const auto is_hit = [&](const TaskRecord& task) { return all || overlap(task.nodes, nodes); };
  for (const std::uint64_t number : tasks_.parked_of(id.epoch))
    if (TaskRecord& task = tasks_.at(number); is_hit(task))
      fail(now, task, StartFault::no_lease, "the lease was taken back", effects);
  const auto end_or_detach = [&](TaskRecord& task) {
    if (unassign.detached > Duration{})
      detach(now, task, unassign.detached, unassign.reason, effects);
    else
      order_end(now, task, unassign.grace, EndKind::lease_ended, effects, unassign.reason);
  };
  for (const std::uint64_t number : tasks_.live_of(id.epoch))
    if (TaskRecord& task = tasks_.at(number); is_hit(task)) end_or_detach(task);
  // An owner that lost its record names what runs there by a later lease.
  for (const std::uint64_t number : slots_.tasks_on(slots_.known(unassign.nodes)))
    if (TaskRecord& task = tasks_.at(number); task.lease < id.epoch && task.state != TaskState::ending)
      end_or_detach(task);
  const std::set<std::uint64_t> waiting = to_be_clean(unassign);
  take_from_lease(id.epoch, nodes);
  // Clean promises that nothing will run there under this lease: also if it was never assigned.
  const NodeSet known = slots_.known(nodes);
  note_growth(known, id.epoch, effects);
  slots_.unassign(known, id.epoch);
  if (DMM_PLANT(clean_too_early)) say_clean(id, nodes, effects);
  if (waiting.empty() && strays_.empty()) return say_clean(id, nodes, effects);
  cleans_[++last_clean_] = {id, nodes, waiting.size() + !strays_.empty()};
  if (!strays_.empty()) stray_cleans_.push_back(last_clean_);
  for (const std::uint64_t number : waiting) tasks_.at(number).cleans.push_back(last_clean_);
}

/// For the ledger: these nodes are about to see a greater epoch than ever.
void ResourceManager::note_growth(const NodeSet& nodes, Epoch epoch, const Effects& effects) {
  if (!effects.ledger.wanted) return;
  for (const std::uint32_t node : slots_.unseen(nodes, epoch)) changed_fences_.insert(node);
}

/// The tasks that must have ended before the nodes of an Unassign are clean: those of the lease, and those of
/// older leases that are still ending on the nodes. A later lease's task is no matter of this one.
std::set<std::uint64_t> ResourceManager::to_be_clean(const Unassign& unassign) const {
  const bool all = unassign.nodes.empty();
  const Lease* lease = leases_.find(unassign.lease.epoch);
  const NodeSet nodes = all && lease != nullptr ? lease->nodes : slots_.known(unassign.nodes);
  std::set<std::uint64_t> waiting;
  for (const std::uint64_t number : slots_.tasks_on(nodes))
    if (tasks_.at(number).lease <= unassign.lease.epoch) waiting.insert(number);
  if (!all) return waiting;
  for (const std::uint64_t number : tasks_.live_of(unassign.lease.epoch)) waiting.insert(number);
  return waiting;
}

/// One of what a Clean waits for has ended.
void ResourceManager::count_down(std::uint64_t number, Effects& effects) {
  const auto clean = cleans_.find(number);
  DMM_ASSERT(clean != cleans_.end() && clean->second.tasks > 0);
  if (--clean->second.tasks > 0) return;
  say_clean(clean->second.lease, clean->second.nodes, effects);
  cleans_.erase(clean);
}

void ResourceManager::say_clean(const LeaseId& lease, const NodeSet& nodes, Effects& effects) {
  if (effects.wants(Level::debug))
    effects.log(Level::debug, "clean", {}, {{"lease", to_text(lease)}, {"nodes", to_text(nodes)}});
  effects.send(site_, Clean{lease, nodes});
}

}  // namespace dmm
