// The steps of contact.hpp.
#include "resmgr/contact.hpp"

#include <algorithm>
#include <utility>

#include "manager/assert.hpp"
#include "manager/planted.hpp"
#include "protocol/inventory.hpp"
#include "protocol/programs.hpp"
#include "protocol/text.hpp"
#include "resmgr/leasing.hpp"
#include "resmgr/running.hpp"

namespace dmm::resource_steps {

/// What runs, and what waits for its lease.
static void end_all(ResourceStep& s, Duration grace, LeaseEnd reason, const std::string& why) {
  for (const std::uint64_t number : s.parts.tasks.open()) {
    TaskRecord& task = s.parts.tasks.at(number);
    if (task.is_live())
      order_end(s, task, grace, EndKind::lease_ended, reason);
    else
      fail(s, task, StartFault::no_lease, why);
  }
}

bool stop_all(ResourceStep& s, Duration grace) {
  s.parts.stopping = true;
  end_all(s, grace, LeaseEnd::node_removed, "the resource manager is being stopped");
  return s.parts.tasks.live() == 0;
}

bool hand_back(ResourceStep& s, Duration grace, const std::string& why) {
  if (!std::exchange(s.parts.stopping, true)) {
    s.effects.log(Level::info, "hand_back", {},
                  {{"leases", static_cast<std::int64_t>(s.parts.leases.size())},
                   {"grace", grace.in_seconds()},
                   {"reason", why}});
    end_all(s, grace, LeaseEnd::reclaimed, why);
    s.effects.send(s.parts.site, SetAside{s.parts.slots.present(), false, why});
    for (const Epoch epoch : s.parts.leases.keys()) {
      const Assignment& lease = s.parts.leases.at(epoch);
      const LeaseId id{s.parts.settings.site, epoch};
      s.effects.send(s.parts.site,
                     LeaseEnded{id, {group_of(s.parts, lease.nodes)}, LeaseEnd::reclaimed, false, grace});
    }
  }
  // The owner takes the leases away; while it is out of reach, ended tasks have to do.
  const bool has_leases = s.parts.leases.size() > 0 && s.parts.presence.owner_is_up();
  return s.parts.tasks.live() == 0 && !has_leases;
}

void on(ResourceStep& s, const LinkUp& change) {
  s.parts.presence.up(change.peer);
  if (DMM_PLANT(own_restart_ends_leases) && change.restarted && change.peer == s.parts.site)
    for (const std::uint64_t number : s.parts.tasks.open())
      if (TaskRecord& task = s.parts.tasks.at(number); task.is_live())
        order_end(s, task, {}, EndKind::lease_ended);
  if (change.peer != s.parts.site) return;
  if (change.round_trip > Duration{}) s.parts.presence.note_round_trip(change.round_trip);
  s.parts.registration.want();
  // What was said of leases may be lost. The owner would let jobs onto one that is closed here.
  for (const Epoch epoch : s.parts.leases.keys())
    if (change.restarted && went_idle(s.parts, epoch))
      end_idle(s, epoch);
    else
      s.parts.leases.may_be_idle(epoch);
}

void on(ResourceStep& s, const LinkDown& change) { s.parts.presence.down(s.now - change.silent, change.peer); }

void register_if_due(ResourceStep& s) {
  if (s.parts.cleans.has_strays() || !s.parts.presence.owner_is_up() || s.parts.stopping) return;
  if (!s.parts.registration.take()) return;
  Register offer;
  offer.cluster = s.parts.settings.cluster;
  offer.nodes = s.parts.numbers.size();
  offer.absent = s.parts.numbers.absent();
  offer.processors_per_node = s.parts.settings.processors_per_node;
  offer.memory_bytes = s.parts.settings.memory_bytes;
  offer.attributes = s.parts.settings.attributes;
  if (!s.parts.settings.address.empty()) offer.attributes.try_emplace(connectable_attribute, connectable_value);
  offer.attributes.erase(users_apart_attribute);  // found out, and not for a configuration to say
  if (s.parts.settings.users_apart) offer.attributes.try_emplace(users_apart_attribute, users_apart_value);
  if (s.parts.settings.stages_files) offer.attributes.try_emplace(staging_attribute, staging_value);
  offer.attributes.erase(keeping_attribute);
  if (!s.parts.settings.jobs.kept_files.folder.empty())
    offer.attributes.try_emplace(keeping_attribute, keeping_value);
  offer.endpoint = s.parts.settings.endpoint;
  for (const Epoch epoch : s.parts.leases.keys()) {
    offer.leases.push_back({s.parts.settings.site, epoch});
    offer.leased.push_back(s.parts.leases.at(epoch).nodes);
  }
  offer.dirty = s.parts.slots.dirty();
  for (Register& page : pages_of(std::move(offer))) s.effects.send(s.parts.site, std::move(page));
  for (SetAside& aside : s.parts.black_holes.aside()) s.effects.send(s.parts.site, std::move(aside));
}

void lose_contact(ResourceStep& s, std::uint64_t number) {
  if (DMM_PLANT(runs_on_unheard)) return;
  TaskRecord& task = s.parts.tasks.at(number);
  s.effects.log(Level::warning, "lost_contact", task.id.request,
                {{"lease", to_text(LeaseId{s.parts.settings.site, task.lease})}, {"nodes", to_text(task.nodes)}});
  const bool is_detached = task.due != never;
  order_end(s, task, Duration{}, EndKind::lost_contact);
  Assignment* lease = s.parts.leases.find(task.lease);
  if (lease == nullptr || is_detached) return;
  lease->closed = true;
  s.parts.leases.look_at(task.lease);
  s.parts.leases.changed(task.lease);
}

void keep_tasks(ResourceStep& s) {
  if (s.parts.tasks.live() == 0) return;
  if (const auto keep = s.parts.keep_alive.take_due(s.now, s.parts.settings.term))
    s.effects.tasks.push_back(KeepTasks{*keep});
}

void blame_nodes(ResourceParts& parts, Instant now, const TaskRecord& task, const TaskEnded& report) {
  DMM_ASSERT(task.is_live());
  const bool is_lost = report.kind == EndKind::lost;
  const bool is_not_started = report.kind == EndKind::start_failed;
  if (!is_lost && !is_not_started) return parts.black_holes.ran(task.nodes);
  if (is_lost && report.keeper_died) return parts.black_holes.died_with_keeper(task.id.request);
  if (is_lost && task.cause) return;  // it was to end anyway
  const bool is_our_directory = report.fault == StartFault::no_directory && task.own_directory;
  if (!is_lost && report.fault != StartFault::resources && !is_our_directory) return;
  parts.black_holes.failed(now, task.nodes, task.id.request, report.text.empty() ? "lost" : report.text);
}

bool died_with_others(const ResourceParts& parts, const RequestId& request) {
  const Party user = job_manager_of(request);
  const auto is_others = [&](const RequestId& one) { return job_manager_of(one) != user; };
  const auto is_live_of_others = [&](std::uint64_t number) {
    return parts.tasks.at(number).is_live() && is_others(parts.tasks.at(number).id.request);
  };
  return std::ranges::any_of(parts.black_holes.dead_with_keeper(), is_others) ||
         std::ranges::any_of(parts.tasks.open(), is_live_of_others);
}

void say_set_aside(ResourceStep& s) {
  s.parts.black_holes.blame_keeper(s.now, s.parts.slots.present());
  s.parts.black_holes.bring_back(s.now);
  for (SetAside& news : s.parts.black_holes.take_news()) {
    if (news.back)
      s.effects.log(Level::info, "bring_back", {}, {{"nodes", to_text(news.nodes)}});
    else
      s.effects.log(Level::warning, "set_aside", {}, {{"nodes", to_text(news.nodes)}, {"reason", news.text}});
    s.effects.send(s.parts.site, std::move(news));
  }
}

ResourceManagerView view(const ResourceParts& parts) {
  ResourceManagerView view;
  view.nodes_total = parts.slots.total();
  view.nodes_free = parts.slots.free();
  view.nodes_leased = parts.slots.leased();
  view.registered = parts.presence.owner_is_up() && !parts.registration.is_wanted();
  view.counts = parts.counts;
  for (const Epoch epoch : parts.leases.keys()) {
    const Assignment& lease = parts.leases.at(epoch);
    const auto tasks = static_cast<std::uint32_t>(parts.slots.tasks_on(lease.nodes).size());
    view.leases.push_back({{parts.settings.site, epoch}, lease.holder, lease.nodes, lease.closed, tasks});
  }
  for (const TaskRecord& task : parts.tasks.all())
    view.tasks.push_back(
        {task.id, {parts.settings.site, task.lease}, task.nodes, task.state, task.process, task.since});
  for (const auto& [node, suspect] : parts.black_holes.all()) {
    if (suspect.until == never) continue;
    if (view.aside.empty() || view.aside.back().until != suspect.until || view.aside.back().reason != suspect.text)
      view.aside.push_back({{}, suspect.until, suspect.text});
    append(view.aside.back().nodes, node);
  }
  return view;
}

}  // namespace dmm::resource_steps
