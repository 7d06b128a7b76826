// The invariants, with a function for each; see checkers.hpp.
#include "simulator/checkers/checkers.hpp"

#include <algorithm>
#include <set>

#include "protocol/text.hpp"
#include "simulator/checkers/beliefs.hpp"

namespace dmm {
namespace {

/// Steps between whole walks; in a large world, writes.
constexpr std::uint64_t between_walks = 1000;
/// Nodes. In a larger world a step's checks cover only its writes; whole managers are checked in the walks.
constexpr std::uint64_t large = 300;
/// All records of a manager are compared once in `records / records_a_look` checks of it.
constexpr std::uint64_t records_a_look = 16;

RequestId job_of(const Submission& job) { return {job.job_manager.site, job.job_manager.name, job.number, 0}; }

bool is_live(TaskState state) { return state != TaskState::parked && state != TaskState::ended; }

/// The nodes of a resource manager that its owner has under leases, those being cleaned included.
NodeSet leased_by_owner(const SiteManager& owner, const Party& manager) {
  NodeSet leased;
  for (const LeaseId& id : owner.leases().all()) {
    const HopLease& lease = owner.leases().get(id);
    if (lease.upstream) continue;
    for (const std::vector<NodeGroup>* groups : lease.all_nodes())
      for (const NodeGroup& group : *groups)
        if (group.resource_manager == manager) leased = unite(leased, group.nodes);
  }
  return leased;
}

/// The leases of its owner that each node of a resource manager is under.
std::multimap<std::uint32_t, LeaseId> leases_by_node(const SiteManager& owner, const Party& manager) {
  std::multimap<std::uint32_t, LeaseId> leases;
  for (const LeaseId& id : owner.leases().all()) {
    const HopLease& lease = owner.leases().get(id);
    if (lease.upstream) continue;
    for (const NodeGroup& group : lease.nodes)
      if (group.resource_manager == manager)
        each_node(group.nodes, [&](std::uint32_t node) { leases.emplace(node, id); });
  }
  return leases;
}

bool knows(const SiteManager& owner, const Party& manager) {
  const auto managers = owner.view({}).resource_managers;
  return std::any_of(managers.begin(), managers.end(),
                     [&](const auto& one) { return one.party == manager && one.registered; });
}

}  // namespace

std::string Checkers::check(const World& world) {
  const bool is_large = world.nodes() > large;
  // Most steps of a large world carry only signs of life.
  since_walk_ += is_large ? world.written().size() : 1;
  if (since_walk_ >= between_walks) return check_all_parties(world, Life::now_and_then);
  std::string fault;
  if (is_large) {
    for (const Written& written : world.written())
      if (fault.empty()) fault = check_written(world, written);
  } else {
    for (const Address address : world.settled())
      if (fault.empty()) fault = check(world, world.parties()[address], Life::now_and_then);
  }
  return fault.empty() ? fault_ : fault;
}

/// Checks the writes of a step, and the running programs.
std::string Checkers::check_written(const World& world, const Written& written) {
  const Party& party = world.parties()[written.address];
  std::string fault;
  if (!world.is_up(party)) return fault;
  ++checks_;
  switch (party.role) {
    case Role::site_manager: fault = check_leases(world, party.site, written.leases); break;
    case Role::job_manager: fault = check_lost(world, party); break;
    case Role::resource_manager: fault = programs_.look(world, party); break;
    case Role::client: break;
  }
  return fault.empty() ? fault : to_text(party) + ": " + fault;
}

std::string Checkers::check_all(const World& world) { return check_all_parties(world, Life::now); }

std::string Checkers::check_all_parties(const World& world, Life life) {
  since_walk_ = 0;
  starts_.clear();
  for (const Party& party : world.parties())
    if (std::string fault = check(world, party, life); !fault.empty()) return fault;
  return fault_;
}

std::string Checkers::check(const World& world, const Party& party, Life life) {
  std::string fault;
  if (!world.is_up(party)) return fault;
  ++checks_;
  switch (party.role) {
    case Role::site_manager:
      fault = check_leases(world, party.site, world.site(party.site)->manager.leases().all());
      break;
    case Role::job_manager: fault = check_lost(world, party); break;
    case Role::resource_manager: fault = check_nodes(world, party, world.resource_manager(party)->manager); break;
    case Role::client: break;
  }
  if (fault.empty()) fault = check_life(world, party, life);
  return fault.empty() ? fault : to_text(party) + ": " + fault;
}

/// Checks what grows with the life of a manager: its records, and its own invariants.
std::string Checkers::check_life(const World& world, const Party& party, Life life) {
  std::uint64_t& unlooked = unlooked_[party];
  if (life == Life::now_and_then && ++unlooked < world.records_of(party) / records_a_look) return {};
  unlooked = 0;
  std::string fault = world.ledger_fault(party);
  if (fault.empty() && !own_word_ignored_) fault = own_word(world, party);
  return fault;
}

/// Asks a manager for its own broken invariants; some checks end this process. Called after all outside checks, so
/// that these find a mistake even of a manager that misjudges itself.
std::string Checkers::own_word(const World& world, const Party& party) const {
  switch (party.role) {
    case Role::site_manager: world.site(party.site)->manager.check_invariants(); break;
    case Role::job_manager: return world.job_manager(party)->manager.broken_invariant();
    case Role::resource_manager: world.resource_manager(party)->manager.check_invariants(); break;
    case Role::client: break;
  }
  return {};
}

/// Checks that no accepted job is lost over a restart.
std::string Checkers::check_lost(const World& world, const Party& party) {
  if (std::exchange(starts_[party], world.starts_of(party)) == world.starts_of(party)) return {};
  for (const Submission& job : world.submissions())
    if (job.job_manager == party && !job.abandoned && !world.job_manager(party)->manager.find(job.number))
      return "job " + std::to_string(job.number) + " is lost";
  return {};
}

/// Checks those of the leases that still exist.
std::string Checkers::check_leases(const World& world, const SiteName& site, const std::vector<LeaseId>& ids) {
  const LeaseBook& table = world.site(site)->manager.leases();
  std::string fault;
  for (const LeaseId& id : ids) {
    if (!fault.empty() || !table.contains(id)) continue;
    fault = check_lease(world, id, table.get(id));
    if (fault.empty()) fault = relied_on_too_long(world, site, table.get(id));
  }
  return fault;
}

std::string Checkers::check_lease(const World& world, const LeaseId& id, const HopLease& lease) {
  std::set<SiteName> seen(lease.chain.begin(), lease.chain.end());
  if (seen.size() != lease.chain.size()) return "the chain of " + to_text(id) + " holds a site twice";
  if (lease.chain.front() != id.owner) return "the chain of " + to_text(id) + " doesn't begin at its owner";
  for (; known_submissions_ < world.submissions().size(); ++known_submissions_) {
    const Submission& job = world.submissions()[known_submissions_];
    dttl_[job_of(job)] = job.dttl;
  }
  const auto asked = dttl_.find(job_of(lease.request));
  if (asked != dttl_.end() && lease.chain.size() - 1 > asked->second)
    return "the chain of " + to_text(id) + " is longer than its DTTL";
  return lease.upstream ? "" : programs_.check_leased(world, id, lease.nodes);
}

std::string Checkers::check_nodes(const World& world, const Party& party, const ResourceManager& machine) {
  const ResourceManagerView view = machine.view();
  NodeSet leased, used;
  for (const LeaseView& lease : view.leases) {
    if (overlap(leased, lease.nodes)) return "nodes are under two leases";
    leased = unite(leased, lease.nodes);
  }
  std::set<TaskId> live;
  for (const TaskView& task : view.tasks) {
    if (!is_live(task.state)) continue;
    live.insert(task.id);
    if (overlap(used, task.nodes)) return "nodes run two tasks";
    used = unite(used, task.nodes);
  }
  for (const auto& program : world.performer(party).running())
    if (!program->ending && !live.contains(program->id))
      return to_text(program->id.request) + " runs and no manager knows of it";
  if (std::string fault = programs_.look(world, party); !fault.empty()) return fault;
  if (std::string fault = check_epochs(party, view); !fault.empty()) return fault;
  return check_owner(world, party, view);
}

/// Checks that the leases of a node never get older.
std::string Checkers::check_epochs(const Party& party, const ResourceManagerView& view) {
  auto& highest = highest_[party];
  for (const LeaseView& lease : view.leases)
    for (const NodeRange& range : lease.nodes)
      for (std::uint32_t node = range.first; node <= range.last; ++node) {
        Epoch& seen = highest[node];
        if (lease.lease.epoch < seen)
          return "node " + std::to_string(node) + " went back from a later lease to " + to_text(lease.lease);
        seen = lease.lease.epoch;
      }
  return {};
}

/// A running task has its nodes from the owner, or the owner counts them as being cleaned. Only afterwards may they
/// be free or under another lease.
std::string Checkers::check_owner(const World& world, const Party& party, const ResourceManagerView& view) const {
  const Driver<SiteManager>* owner = world.site(party.site);
  if (!owner || !knows(owner->manager, party) || !view.registered) return {};
  const NodeSet known = leased_by_owner(owner->manager, party);
  const auto leased = leases_by_node(owner->manager, party);
  const NodeSet present{
      {0, static_cast<std::uint32_t>(view.nodes_total) - 1}};  // nodes above were taken out of service
  for (const TaskView& task : view.tasks) {
    if (!is_live(task.state)) continue;
    if (!contains(known, intersect(task.nodes, present))) return "nodes run a task that their owner thinks free";
    for (const NodeRange& range : task.nodes)
      for (auto lent = leased.lower_bound(range.first); lent != leased.end() && lent->first <= range.last; ++lent)
        if (lent->second != task.lease)
          return to_text(task.id.request) + " runs under " + to_text(task.lease) + " on nodes leased again as " +
                 to_text(lent->second);
  }
  return {};
}

void Checkers::note(const std::vector<Happening>& happenings) {
  for (const Happening& happening : happenings) {
    const LogEvent& event = happening.event;
    if (event.name == "unreadable") fault_ = to_text(happening.party) + " can't read its ledger";
    if (happening.party.role != Role::job_manager) continue;
    if (!event.name.starts_with("job_")) continue;
    if (++outcomes_[job_of(event.trace)] > 1) fault_ = to_text(job_of(event.trace)) + " has two outcomes";
  }
}

std::string Checkers::check_rest(const World& world) const {
  for (const Party& party : world.parties()) {
    if (!world.is_up(party)) continue;
    if (party.role == Role::site_manager && !world.site(party.site)->manager.quiet()) {
      const SiteView view = world.site(party.site)->manager.view(world.now());
      return to_text(party) + " isn't quiet: " + std::to_string(view.requests_waiting) + " requests, " +
             std::to_string(world.site(party.site)->manager.leases().size()) + " leases, " +
             std::to_string(view.processors_busy) + " processors busy, " + std::to_string(view.foreign_waiting) +
             " foreign";
    }
    if (party.role != Role::resource_manager) continue;
    const ResourceManagerView view = world.resource_manager(party)->manager.view();
    if (view.nodes_free != view.nodes_total) return to_text(party) + " has nodes that aren't free";
    if (world.performer(party).runs_anything()) return to_text(party) + " runs a program";
  }
  for (const Submission& job : world.submissions()) {
    if (job.abandoned) continue;
    if (outcomes_.contains(job_of(job))) continue;
    // An outcome that was written just before a crash is never logged.
    const Job* record = world.job_manager(job.job_manager)->manager.find(job.number);
    if (!record || !is_over(record->state))
      return to_text(job.job_manager) + " job " + std::to_string(job.number) + " has no outcome";
  }
  return {};
}

}  // namespace dmm
