// The steps of reconfiguring.hpp.
#include "resmgr/reconfiguring.hpp"

#include <algorithm>
#include <utility>

#include "manager/assert.hpp"
#include "resmgr/leasing.hpp"
#include "resmgr/running.hpp"

namespace dmm::resource_steps {

namespace {

/// What runs on a node that is taken out of service has so long to end.
constexpr Duration removal_grace = seconds(5);

}  // namespace

static void leave_removed(ResourceStep& s, const NodeSet& removed);

void number_nodes(ResourceParts& parts) {
  const bool was_named = parts.numbers.is_named();
  const auto before = parts.numbers.all();
  const auto fences = parts.slots.fences();
  parts.numbers.configure(parts.settings.nodes, parts.settings.node_names);
  const auto after = parts.numbers.all();
  for (const auto& [node, highest] : fences) {
    parts.slots.replace(node, {});
    const auto known = std::ranges::lower_bound(before, node, {}, &std::pair<std::uint32_t, std::string>::first);
    if (known == before.end() || known->first != node) continue;
    FenceRecord row{node, highest, was_named ? known->second : std::string()};
    parts.fences.leave(std::move(row));
  }
  for (const auto& [node, name] : after) {
    const auto highest = parts.fences.take_kept(name);
    parts.slots.replace(node, highest.value_or(Epoch{}));
    if (highest) parts.fences.changed(node);
  }
  if (was_named || parts.numbers.is_named())
    for (const auto* all : {&before, &after})
      for (const auto& [node, name] : *all) parts.numbers.changed(node);
  parts.slots.configure(parts.numbers.present());
  DMM_ASSERT(parts.slots.total() <= parts.numbers.size());
}

void leave_removed(ResourceStep& s, const NodeSet& removed) {
  if (removed.empty()) return;
  for (const std::uint64_t number : s.parts.slots.tasks_on(removed))
    if (TaskRecord& task = s.parts.tasks.at(number); task.is_live())
      order_end(s, task, removal_grace, EndKind::lease_ended, LeaseEnd::node_removed);
  for (const Epoch lease : s.parts.slots.leases_on(removed)) take_from_lease(s.parts, lease, removed);
  for (const std::uint64_t number : s.parts.tasks.open()) s.parts.leases.look_at(s.parts.tasks.at(number).lease);
  s.parts.black_holes.ran(removed);
}

WhyNot reconfigure(ResourceStep& s, const ResourceManagerSettings& settings) {
  if (settings.site != s.parts.settings.site || settings.name != s.parts.settings.name)
    return "the names of the resource manager and of its site can't change while it runs";
  s.parts.now = s.now;
  NodeNumbers wanted = s.parts.numbers;
  wanted.configure(settings.nodes, settings.node_names);
  NodeSet renamed;
  for (const auto& [node, name] : s.parts.numbers.all())
    if (wanted.name_of(node) != name) append(renamed, node);
  leave_removed(s, subtract(s.parts.slots.present(), subtract(wanted.present(), renamed)));
  s.parts.settings = settings;
  number_nodes(s.parts);
  s.parts.presence.set_term(s.parts.settings.term);
  s.parts.black_holes.set_limits(s.parts.settings.set_aside_after, s.parts.settings.set_aside_for);
  s.parts.registration.want();
  s.effects.log(Level::info, "reconfigured", {}, {{"nodes", std::int64_t{s.parts.slots.total()}}});
  return {};
}

}  // namespace dmm::resource_steps
