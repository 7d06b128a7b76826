// Links to resource managers; only silent ones stand in the table of silences.
#include "jobmgr/managers.hpp"

#include <algorithm>

#include "manager/assert.hpp"

namespace dmm {

void Managers::set_silence(const Party& manager, Link& link, Instant due) {
  DMM_ASSERT(due == never || (!link.up && !link.components.empty()));
  silent_.set(link.silent_due, manager, due);
  DMM_ASSERT(silent_.size() <= links_.size());
}

void Managers::use(Instant now, const Party& manager, ComponentKey component_run, Duration longer) {
  Link& link = links_[manager];
  const bool is_new = link.components.insert(component_run);
  DMM_ASSERT(is_new);
  link.longer = std::max(link.longer, longer);
  if (!link.up && link.silent_due == never) set_silence(manager, link, now + limit_ + link.longer);
  DMM_ASSERT(link.up || link.silent_due != never);  // it is given up some day
}

void Managers::leave(const Party& manager, ComponentKey component_run) {
  Link* link = links_.find(manager);
  if (!link) return;
  link->components.erase(component_run);
  if (!link->components.empty()) return;
  set_silence(manager, *link, never);
  link->longer = {};
}

bool Managers::up(const Party& manager) {
  Link& link = links_[manager];
  DMM_ASSERT(!link.up || link.seen);
  link.up = true;
  set_silence(manager, link, never);
  return !std::exchange(link.seen, true);
}

void Managers::down(Instant now, const Party& manager) {
  Link* link = links_.find(manager);
  if (!link) return;
  link->up = false;
  if (!link->components.empty() && link->silent_due == never)
    set_silence(manager, *link, now + limit_ + link->longer);
  DMM_ASSERT(link->components.empty() || link->silent_due != never);
}

void Managers::forget(Instant now, const Party& manager) {
  down(now, manager);
  Link* link = links_.find(manager);
  if (!link) return;
  link->seen = false;
  if (!link->components.empty()) return;
  DMM_ASSERT(link->silent_due == never);
  links_.erase(manager);
  DMM_ASSERT(silent_.size() <= links_.size());
}

std::vector<ComponentKey> Managers::components_of(const Party& manager) const {
  const Link* link = links_.find(manager);
  if (!link) return {};
  return link->components.sorted();
}

bool Managers::has(const Party& manager, ComponentKey component_run) const {
  const Link* link = links_.find(manager);
  return link && link->components.contains(component_run);
}

bool Managers::is_up(const Party& manager) const {
  const Link* link = links_.find(manager);
  DMM_ASSERT(!link || !link->up || link->seen);
  return link && link->up;
}

Instant Managers::silent_until(const Party& manager) const {
  const Link* link = links_.find(manager);
  DMM_ASSERT(!link || !link->up || link->silent_due == never);
  return link ? link->silent_due : never;
}

bool Managers::is_idle(const Party& manager) const {
  const Link* link = links_.find(manager);
  DMM_ASSERT(!link || !link->components.empty() || link->silent_due == never);
  return !link || link->components.empty();
}

std::optional<Party> Managers::take_silent(Instant now) {
  std::optional<Party> manager = silent_.due(now);
  if (!manager) return manager;
  Link& link = links_.at(*manager);
  DMM_ASSERT(!link.up && link.silent_due <= now);
  set_silence(*manager, link, never);
  return manager;
}

void Managers::restart_silences(Instant now) {
  for (const Party& manager : silent_.keys()) {
    Link& link = links_.at(manager);
    DMM_ASSERT(link.silent_due != never);
    set_silence(manager, link, now + limit_ + link.longer);
  }
}

}  // namespace dmm
