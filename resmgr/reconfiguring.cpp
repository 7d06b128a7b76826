// Other nodes and other limits while the resource manager runs, or since it ran the last time. What is no node any more
// is left by its lease at once, and what runs there is ended; its owner hears of it when the nodes are offered anew.
#include <algorithm>
#include <utility>

#include "manager/assert.hpp"
#include "resmgr/resource_manager.hpp"

namespace dmm {
namespace {

/// What runs on a node that is taken out of service has so long to end.
constexpr Duration removal_grace = seconds(5);

}  // namespace

/// Gives each configured node its number, and what it has seen.
void ResourceManager::number_nodes() {
  const bool was_named = numbers_.is_named();
  const auto before = numbers_.all();
  const auto fences = slots_.fences();
  numbers_.configure(settings_.nodes, settings_.node_names);
  const auto after = numbers_.all();
  for (const auto& [node, highest] : fences) {
    slots_.replace(node, {});
    const auto known = std::ranges::lower_bound(before, node, {}, &std::pair<std::uint32_t, std::string>::first);
    if (known == before.end() || known->first != node) continue;
    FenceRecord row{node, highest, was_named ? known->second : std::string()};
    gone_fences_[row.key()] = std::move(row);
  }
  for (const auto& [node, name] : after) {
    const auto seen = gone_fences_.find(name);
    const Epoch highest = seen == gone_fences_.end() ? Epoch{} : seen->second.highest;
    slots_.replace(node, highest);
    if (seen == gone_fences_.end()) continue;
    gone_fences_.erase(seen);
    changed_fences_.insert(node);
  }
  if (was_named || numbers_.is_named())
    for (const auto* all : {&before, &after})
      for (const auto& [node, name] : *all) changed_numbers_.insert(node);
  slots_.configure(numbers_.present());
}

void ResourceManager::leave_removed(Instant now, const NodeSet& removed, Effects& effects) {
  if (removed.empty()) return;
  for (const std::uint64_t number : slots_.tasks_on(removed))
    if (TaskRecord& task = tasks_.at(number); task.is_live())
      order_end(now, task, removal_grace, EndKind::lease_ended, effects, LeaseEnd::node_removed);
  for (const Epoch lease : slots_.leases_on(removed)) take_from_lease(lease, removed);
  for (const std::uint64_t number : tasks_.open()) touched_.add(tasks_.at(number).lease);
  black_holes_.ran(removed);
}

std::string ResourceManager::reconfigure(Instant now, const ResourceManagerSettings& settings, Effects& effects) {
  if (settings.site != settings_.site || settings.name != settings_.name)
    return "the names of the resource manager and of its site can't change while it runs";
  now_ = now;
  NodeNumbers wanted = numbers_;
  wanted.configure(settings.nodes, settings.node_names);
  NodeSet renamed;
  for (const auto& [node, name] : numbers_.all())
    if (wanted.name_of(node) != name) append(renamed, node);
  leave_removed(now, subtract(slots_.present(), subtract(wanted.present(), renamed)), effects);
  settings_ = settings;
  number_nodes();
  presence_.set_term(settings_.term);
  black_holes_.set_limits(settings_.set_aside_after, settings_.set_aside_for);
  register_due_ = true;
  effects.log(Level::info, "reconfigured", {}, {{"nodes", std::int64_t{slots_.total()}}});
  return {};
}

}  // namespace dmm
