// The steps of leasing.hpp.
#include "resmgr/leasing.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "manager/assert.hpp"
#include "manager/planted.hpp"
#include "protocol/text.hpp"
#include "resmgr/running.hpp"

namespace dmm::resource_steps {

namespace {

/// That a part of a lease isn't used is said again after this: its owner counts the words of a few minutes
/// together.
constexpr Duration said_again = seconds(60);

}  // namespace

static Assignment* find_lease(ResourceParts& parts, const LeaseId& lease);
/// Nodes that have seen leases of a later start of their owner than this one will obey none that it makes: they
/// would swallow job after job. The owner lied once, or its directory was put back, and it alone can get beyond
/// that. A single lease may be of an earlier start, found again after a crash; two, one made after the other, are
/// of this one.
static void shut_beyond(ResourceParts& parts, Instant now, const Assign& assign);
/// Answers an Assign that can't be followed. "Confirmed" only if it is true: a task of this very lease may still
/// be ending, or have ended without its job manager's having heard it; then others say later what this answer
/// can't.
static void refuse(ResourceStep& s, Level level, const Assign& assign, std::string why);
/// Takes nodes away from older leases, because a newer one comes: what runs there is killed, and the newer lease's
/// Starts wait for it.
static void supersede(ResourceStep& s, const NodeSet& nodes, Epoch newer);
/// Whether the outcome of a task of the lease is known here and perhaps not to its job manager.
static bool keeps_outcome(const ResourceParts& parts, Epoch lease);
/// For the ledger: these nodes are about to see a greater epoch than ever.
static void note_growth(ResourceStep& s, const NodeSet& nodes, Epoch epoch);
/// The tasks that must have ended before the nodes of an Unassign are clean: those of the lease, and those of
/// older leases that are still ending on the nodes. A later lease's task is no matter of this one.
static std::set<std::uint64_t> to_be_clean(const ResourceParts& parts, const Unassign& unassign);
static void say_clean(ResourceStep& s, const LeaseId& lease, const NodeSet& nodes);

Assignment* find_lease(ResourceParts& parts, const LeaseId& lease) {
  return lease.owner == parts.settings.site ? parts.leases.find(lease.epoch) : nullptr;
}

// ---- assigning -------------------------------------------------------------------------------------------------

void on(ResourceStep& s, FromSite, const Assign& assign) {
  const Epoch epoch = assign.lease.epoch;
  if (assign.lease.owner != s.parts.settings.site || assign.lease.empty())
    return refuse(s, Level::warning, assign, "not a lease of this site");
  if (!s.parts.slots.has(assign.nodes)) return refuse(s, Level::warning, assign, "no such nodes");
  if (!s.parts.slots.admit(assign.nodes, epoch)) {
    bool is_newer = false;
    each_node(assign.nodes,
              [&](std::uint32_t node) { is_newer = is_newer || epoch < s.parts.slots.highest(node); });
    shut_beyond(s.parts, s.now, assign);
    if (is_newer) return refuse(s, Level::warning, assign, "a node has seen a later epoch");
    return refuse(s, Level::info, assign, "the lease has ended here");  // while its owner was away, say
  }
  // Clean will say that nothing runs under the lease any more: it can't come back before that.
  if (find_lease(s.parts, assign.lease) == nullptr && !s.parts.tasks.live_of(epoch).empty())
    return refuse(s, Level::warning, assign, "the lease is being taken back");
  if (s.effects.wants(Level::debug))
    s.effects.log(
        Level::debug, "assign", {},
        {{"lease", to_text(assign.lease)}, {"nodes", to_text(assign.nodes)}, {"holder", assign.holder.text}});
  if (s.parts.slots.all_under(assign.nodes, epoch)) return;
  supersede(s, assign.nodes, epoch);
  note_growth(s, assign.nodes, epoch);
  s.parts.slots.assign(assign.nodes, epoch);
  s.parts.fences.admitted(assign.nodes);
  Assignment& lease = s.parts.leases.get_or_make(epoch);
  lease.holder = assign.holder;
  lease.alone = assign.alone;
  lease.once = assign.once;
  lease.user = assign.user;
  lease.patience = std::clamp(assign.patience, Duration{}, round_trip_max) + s.parts.presence.owner_round_trip();
  lease.nodes = unite(subtract(lease.nodes, assign.nodes), assign.nodes);
  s.parts.leases.look_at(epoch);
  s.parts.leases.changed(epoch);
}

void shut_beyond(ResourceParts& parts, Instant now, const Assign& assign) {
  std::map<std::uint64_t, NodeSet> beyond;  // by the start
  each_node(assign.nodes, [&](std::uint32_t node) {
    const std::uint64_t start = parts.slots.highest(node).incarnation;
    if (start <= assign.lease.epoch.incarnation) return;
    if (parts.fences.turned_away(node, assign.lease.epoch)) append(beyond[start], node);
  });
  for (const auto& [start, nodes] : beyond)
    parts.black_holes.set_aside(now, nodes,
                                "had a lease of start " + std::to_string(start) + " of its site, which is at " +
                                    std::to_string(assign.lease.epoch.incarnation) +
                                    ": is its directory an older copy?");
}

void refuse(ResourceStep& s, Level level, const Assign& assign, std::string why) {
  s.effects.log(level, "refuse", {},
                {{"message", std::string("assign")},
                 {"lease", to_text(assign.lease)},
                 {"nodes", to_text(assign.nodes)},
                 {"reason", std::move(why)}});
  LeaseEnded answer{assign.lease, {}, LeaseEnd::unknown, true, {}};
  if (assign.lease.owner == s.parts.settings.site)
    answer.confirmed =
        s.parts.tasks.live_of(assign.lease.epoch).empty() && !keeps_outcome(s.parts, assign.lease.epoch);
  if (const Assignment* lease = find_lease(s.parts, assign.lease)) {
    // The lease goes on with the nodes it has; only what is asked for now is refused.
    const NodeSet refused = subtract(assign.nodes, lease->nodes);
    if (refused.empty() || !is_well_formed(assign.nodes)) return;
    answer.confirmed = true;
    for (const std::uint64_t number : s.parts.slots.tasks_on(s.parts.slots.known(refused)))
      if (s.parts.tasks.at(number).lease == assign.lease.epoch) answer.confirmed = false;
    answer.nodes.push_back(group_of(s.parts, refused));
  }
  s.effects.send(s.parts.site, std::move(answer));
}

void supersede(ResourceStep& s, const NodeSet& nodes, Epoch newer) {
  for (const Epoch lease : s.parts.slots.leases_on(nodes))
    if (lease != newer) take_from_lease(s.parts, lease, nodes);
  for (const std::uint64_t number : s.parts.slots.tasks_on(nodes)) {
    TaskRecord& task = s.parts.tasks.at(number);
    if (task.lease != newer) order_end(s, task, Duration{}, EndKind::lease_ended);
  }
}

void take_from_lease(ResourceParts& parts, Epoch lease, const NodeSet& nodes) {
  Assignment* known = parts.leases.find(lease);
  if (known == nullptr) return;
  NodeSet& held = known->nodes;
  DMM_ASSERT(!held.empty());
  NodeSet left = subtract(held, nodes);
  parts.slots.unassign(subtract(held, left), lease);
  if (left.empty())
    parts.leases.erase(lease);
  else
    held = std::move(left);
  parts.leases.look_at(lease);
  if (!DMM_PLANT(unassign_not_written)) parts.leases.changed(lease);
}

bool end_with_task(ResourceStep& s, const TaskRecord& task) {
  const Assignment* lease = s.parts.leases.find(task.lease);
  if (lease == nullptr || !lease->once) return false;
  if (!s.parts.slots.tasks_on(lease->nodes).empty() || s.parts.cleans.has_strays()) return false;
  const NodeSet nodes = lease->nodes;
  take_from_lease(s.parts, task.lease, nodes);
  if (!DMM_PLANT(end_not_said)) say_clean(s, {s.parts.settings.site, task.lease}, {});
  return true;
}

// ---- idle leases -----------------------------------------------------------------------------------------------

void watch_idle(ResourceParts& parts, Instant now) {
  for (const Epoch epoch : parts.leases.take_idle()) {
    const Assignment* lease = parts.leases.find(epoch);
    const bool is_idle =
        lease != nullptr && !parts.tasks.has_open(epoch) && parts.slots.tasks_on(lease->nodes).empty();
    // The grant travels half a way there and back, a Hello a whole one, a Start half; the job manager is a hop
    // farther.
    if (is_idle && parts.settings.idle_lease_max > Duration{})
      parts.idle.idle(now, epoch, parts.settings.idle_lease_max + lease->patience * 3);
    else
      parts.idle.busy(epoch);
  }
}

bool went_idle(const ResourceParts& parts, Epoch epoch) {
  const Assignment& lease = parts.leases.at(epoch);
  return lease.closed && lease.alone && !parts.tasks.has_open(epoch) && parts.slots.tasks_on(lease.nodes).empty();
}

void end_idle(ResourceStep& s, Epoch epoch) {
  const LeaseId id{s.parts.settings.site, epoch};
  Assignment& lease = s.parts.leases.at(epoch);
  DMM_ASSERT(!s.parts.tasks.has_open(epoch));
  if (!lease.alone) {
    s.parts.idle.idle(s.now, epoch, said_again);
    return s.effects.send(s.parts.site,
                          LeaseEnded{id, {group_of(s.parts, lease.nodes)}, LeaseEnd::idle, false, {}});
  }
  s.effects.log(Level::info, "idle", {}, {{"lease", to_text(id)}, {"nodes", to_text(lease.nodes)}});
  lease.closed = true;
  s.parts.leases.changed(epoch);
  s.effects.send(s.parts.site, LeaseEnded{id, {}, LeaseEnd::idle, !keeps_outcome(s.parts, epoch), {}});
}

bool keeps_outcome(const ResourceParts& parts, Epoch lease) { return parts.tasks.ended_of(lease) > 0; }

NodeGroup group_of(const ResourceParts& parts, const NodeSet& nodes) {
  DMM_ASSERT(!nodes.empty());  // none would mean all
  return {resource_manager_of(parts.settings.site, parts.settings.name),
          parts.settings.cluster,
          nodes,
          parts.settings.processors_per_node,
          parts.settings.endpoint,
          0};
}

// ---- taking back -----------------------------------------------------------------------------------------------

void on(ResourceStep& s, FromSite, const Unassign& unassign) {
  if (!is_well_formed(unassign.nodes)) {
    s.effects.send(s.parts.site, Fault{Unassign::type, "malformed nodes"});
    return;
  }
  const LeaseId& id = unassign.lease;
  const Assignment* lease = find_lease(s.parts, id);
  const bool all = unassign.nodes.empty();
  if (s.effects.wants(Level::debug))
    s.effects.log(Level::debug, "unassign", {},
                  {{"lease", to_text(id)},
                   {"nodes", to_text(unassign.nodes)},
                   {"grace", unassign.grace.in_seconds()},
                   {"detached", unassign.detached.in_seconds()}});
  if (id.owner != s.parts.settings.site) return say_clean(s, id, unassign.nodes);

  const NodeSet nodes = !all ? unassign.nodes : lease != nullptr ? lease->nodes : NodeSet{};
  const auto is_hit = [&](const TaskRecord& task) { return all || overlap(task.nodes, nodes); };
  for (const std::uint64_t number : s.parts.tasks.parked_of(id.epoch))
    if (TaskRecord& task = s.parts.tasks.at(number); is_hit(task))
      fail(s, task, StartFault::no_lease, "the lease was taken back");
  const auto end_or_detach = [&](TaskRecord& task) {
    if (unassign.detached > Duration{})
      detach(s, task, unassign.detached, unassign.reason);
    else
      order_end(s, task, unassign.grace, EndKind::lease_ended, unassign.reason);
  };
  for (const std::uint64_t number : s.parts.tasks.live_of(id.epoch))
    if (TaskRecord& task = s.parts.tasks.at(number); is_hit(task)) end_or_detach(task);
  // An owner that lost its record names what runs there by a later lease.
  for (const std::uint64_t number : s.parts.slots.tasks_on(s.parts.slots.known(unassign.nodes)))
    if (TaskRecord& task = s.parts.tasks.at(number); task.lease < id.epoch && task.state != TaskState::ending)
      end_or_detach(task);
  const std::set<std::uint64_t> waiting = to_be_clean(s.parts, unassign);
  take_from_lease(s.parts, id.epoch, nodes);
  // Clean promises that nothing will run there under this lease: also if it was never assigned.
  const NodeSet known = s.parts.slots.known(nodes);
  note_growth(s, known, id.epoch);
  s.parts.slots.unassign(known, id.epoch);
  if (DMM_PLANT(clean_too_early)) say_clean(s, id, nodes);
  if (waiting.empty() && !s.parts.cleans.has_strays()) return say_clean(s, id, nodes);
  const std::uint64_t clean = s.parts.cleans.add(id, nodes, waiting.size());
  for (const std::uint64_t number : waiting) s.parts.tasks.at(number).cleans.push_back(clean);
}

void note_growth(ResourceStep& s, const NodeSet& nodes, Epoch epoch) {
  if (!s.effects.ledger.wanted) return;
  for (const std::uint32_t node : s.parts.slots.unseen(nodes, epoch)) s.parts.fences.changed(node);
}

std::set<std::uint64_t> to_be_clean(const ResourceParts& parts, const Unassign& unassign) {
  const bool all = unassign.nodes.empty();
  const Assignment* lease = parts.leases.find(unassign.lease.epoch);
  const NodeSet nodes = all && lease != nullptr ? lease->nodes : parts.slots.known(unassign.nodes);
  std::set<std::uint64_t> waiting;
  for (const std::uint64_t number : parts.slots.tasks_on(nodes))
    if (parts.tasks.at(number).lease <= unassign.lease.epoch) waiting.insert(number);
  if (!all) return waiting;
  for (const std::uint64_t number : parts.tasks.live_of(unassign.lease.epoch)) waiting.insert(number);
  return waiting;
}

void count_down(ResourceStep& s, std::uint64_t number) {
  if (const auto clean = s.parts.cleans.count_down(number)) say_clean(s, clean->lease, clean->nodes);
}

void say_clean(ResourceStep& s, const LeaseId& lease, const NodeSet& nodes) {
  if (s.effects.wants(Level::debug))
    s.effects.log(Level::debug, "clean", {}, {{"lease", to_text(lease)}, {"nodes", to_text(nodes)}});
  s.effects.send(s.parts.site, Clean{lease, nodes});
}

}  // namespace dmm::resource_steps
