// The invariants, one function each; see checkers.hpp.
#include "simulator/checkers.hpp"

#include <algorithm>

#include "protocol/text.hpp"

namespace dmm {
namespace {

constexpr std::uint64_t steps_between_walks = 1000;

RequestId job_of(const RequestId& request) { return {request.site, request.user, request.job, 0}; }

bool overlap(const NodeSet& a, const NodeSet& b) { return subtract(a, b) != a; }

bool is_live(TaskState state) { return state != TaskState::parked && state != TaskState::ended; }

/// The nodes of a resource manager that its owner has under leases, those being cleaned included.
NodeSet leased_by_owner(const SiteManager& owner, const Party& manager) {
  NodeSet leased;
  for (const LeaseId& id : owner.leases().all()) {
    const Lease& lease = owner.leases().get(id);
    if (lease.upstream) continue;
    for (const auto* groups : {&lease.nodes, &lease.cleaning})
      for (const NodeGroup& group : *groups)
        if (group.resource_manager == manager) leased = unite(leased, group.nodes);
  }
  return leased;
}

bool knows(const SiteManager& owner, const Party& manager) {
  const auto managers = owner.view({}).resource_managers;
  return std::any_of(managers.begin(), managers.end(), [&](const auto& one) { return one.party == manager; });
}

}  // namespace

std::string Checkers::check(const World& world) {
  if (++steps_ % steps_between_walks == 0) return check_all(world);
  for (const Address address : world.settled())
    if (std::string fault = check(world, world.parties()[address]); !fault.empty()) return fault;
  return fault_;
}

std::string Checkers::check_all(const World& world) {
  for (const Party& party : world.parties())
    if (std::string fault = check(world, party); !fault.empty()) return fault;
  if (std::string fault = check_attempts(world); !fault.empty()) return fault;
  return fault_;
}

std::string Checkers::check(const World& world, const Party& party) {
  std::string fault;
  if (!world.is_up(party)) return fault;
  switch (party.role) {
    case Role::site_manager: fault = check_site(world, world.site(party.site)->machine); break;
    case Role::job_manager: fault = world.job_manager(party)->machine.broken_invariant(); break;
    case Role::resource_manager: fault = check_nodes(world, party, world.resource_manager(party)->machine); break;
    case Role::client: break;
  }
  return fault.empty() ? fault : to_text(party) + ": " + fault;
}

std::string Checkers::check_site(const World& world, const SiteManager& site) const {
  site.check_invariants();
  for (const LeaseId& id : site.leases().all()) {
    const Lease& lease = site.leases().get(id);
    std::set<SiteName> seen(lease.chain.begin(), lease.chain.end());
    if (seen.size() != lease.chain.size()) return "the chain of " + to_text(id) + " holds a site twice";
    if (lease.chain.front() != id.owner) return "the chain of " + to_text(id) + " doesn't begin at its owner";
    const auto asked =
        std::find_if(world.submissions().begin(), world.submissions().end(), [&](const Submission& s) {
          return s.job_manager == job_manager_of(lease.request.site, lease.request.user) &&
                 s.number == lease.request.job;
        });
    if (asked != world.submissions().end() && lease.chain.size() - 1 > asked->dttl)
      return "the chain of " + to_text(id) + " is longer than its DTTL";
  }
  return {};
}

std::string Checkers::check_nodes(const World& world, const Party& party, const ResourceManager& machine) const {
  machine.check_invariants();
  const ResourceManagerView view = machine.view();
  const auto& running = world.performer(party).running();
  NodeSet leased, used;
  for (const LeaseView& lease : view.leases) {
    if (overlap(leased, lease.nodes)) return "nodes are under two leases";
    leased = unite(leased, lease.nodes);
  }
  std::size_t live = 0;
  for (const TaskView& task : view.tasks) {
    live += is_live(task.state) && running.contains(task.id);
    if (!is_live(task.state)) continue;
    if (overlap(used, task.nodes)) return "nodes run two tasks";
    used = unite(used, task.nodes);
  }
  if (live != running.size()) return "a program runs that nobody knows";
  const Process<SiteManager>* owner = world.site(party.site);
  if (!owner || !knows(owner->machine, party) || !view.registered) return {};
  const NodeSet known = leased_by_owner(owner->machine, party);
  if (!contains(known, leased)) return "nodes are under a lease that their owner thinks free";
  if (!contains(known, used)) return "nodes run a task that their owner thinks free";
  return {};
}

std::string Checkers::check_attempts(const World& world) const {
  std::map<RequestId, std::uint32_t> attempts;
  for (const Party& party : world.parties()) {
    if (party.role != Role::resource_manager) continue;
    for (const auto& [id, program] : world.performer(party).running()) {
      const auto [it, first] = attempts.emplace(job_of(id.request), id.request.attempt);
      if (!first && it->second != id.request.attempt) return to_text(id.request) + " runs in two attempts at once";
    }
  }
  return {};
}

void Checkers::note(const std::vector<Happening>& happenings) {
  for (const Happening& happening : happenings) {
    if (happening.who.role != Role::job_manager || !happening.event.name.starts_with("job_")) continue;
    const RequestId job = job_of(happening.event.trace);
    if (++outcomes_[job] > 1) fault_ = to_text(job) + " has two outcomes";
  }
}

std::string Checkers::check_rest(const World& world) const {
  for (const Party& party : world.parties()) {
    if (!world.is_up(party)) continue;
    if (party.role == Role::site_manager && !world.site(party.site)->machine.quiet()) {
      const SiteView view = world.site(party.site)->machine.view(world.now());
      return to_text(party) + " isn't quiet: " + std::to_string(view.requests_waiting) + " requests, " +
             std::to_string(world.site(party.site)->machine.leases().size()) + " leases, " +
             std::to_string(view.processors_busy) + " processors busy, " + std::to_string(view.foreign_waiting) +
             " foreign";
    }
    if (party.role != Role::resource_manager) continue;
    const ResourceManagerView view = world.resource_manager(party)->machine.view();
    if (view.nodes_free != view.nodes_total) return to_text(party) + " has nodes that aren't free";
    if (!world.performer(party).running().empty()) return to_text(party) + " runs a program";
  }
  for (const Submission& job : world.submissions()) {
    if (job.abandoned) continue;
    const auto it = outcomes_.find({job.job_manager.site, job.job_manager.name, job.number, 0});
    if (it == outcomes_.end())
      return to_text(job.job_manager) + " job " + std::to_string(job.number) + " has no outcome";
  }
  return {};
}

}  // namespace dmm
