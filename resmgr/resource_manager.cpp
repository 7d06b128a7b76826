// The gate of the resource manager, the order of its steps, and when it wants the next one.
#include "resmgr/resource_manager.hpp"

#include <algorithm>
#include <utility>

#include "manager/assert.hpp"
#include "protocol/text.hpp"
#include "resmgr/contact.hpp"
#include "resmgr/invariants.hpp"
#include "resmgr/leasing.hpp"
#include "resmgr/output.hpp"
#include "resmgr/reconfiguring.hpp"
#include "resmgr/recovery.hpp"
#include "resmgr/running.hpp"

namespace dmm {

using namespace resource_steps;

static_assert(IsManager<ResourceManager>);

ResourceParts::ResourceParts(ResourceManagerSettings all_settings, Duration keep_for)
    : settings(std::move(all_settings)),
      site(site_manager_of(settings.site)),
      presence(site, settings.term),
      black_holes(settings.set_aside_after, settings.set_aside_for),
      keep_alive(keep_for) {
  DMM_ASSERT(settings.term > Duration{});
  number_nodes(*this);
}

namespace {

/// Whether a message that names a request names one of the sender's own.
bool speaks_for_itself(const Party& from, const Message& message) {
  return std::visit(
      [&](const auto& body) {
        if constexpr (requires { body.request.user; })
          return !body.request.empty() && from == job_manager_of(body.request);
        else
          return true;
      },
      message);
}

/// To the handler for this message from a sender of this role; false: the sender may not say it. An owner is the site
/// manager of our own site, and a user speaks of its own requests only (docs/protocol.md S15).
bool hand(ResourceStep& s, Received& received) {
  const Party& from = received.from;
  const auto handle = [&]<class Sender, class Body>(const Sender& sender, Body& body) requires requires {
    resource_steps::on(s, sender, body);
  }
  { resource_steps::on(s, sender, body); };
  if (from.role == Role::site_manager && from != s.parts.site) return false;
  if (from.role == Role::job_manager && !speaks_for_itself(from, received.message)) return false;
  return dispatch_by_role<Role::resource_manager>(FromSite{from}, received.message, handle);
}

void take(ResourceStep& s, Received& received) {
  s.parts.presence.heard(s.now, received.from);
  if (received.from.role == Role::site_manager && received.round_trip > Duration{})
    s.parts.presence.note_round_trip(received.round_trip);
  const std::uint16_t type = type_of(received.message);
  // A Fault is never answered: two parties that don't understand each other would never stop.
  if (hand(s, received) || type == Fault::type) return;
  ++s.parts.ignored["not_allowed"];
  const std::string text = to_text(received.from) + " may not send this to " +
                           to_text(resource_manager_of(s.parts.settings.site, s.parts.settings.name));
  s.effects.log(Level::warning, "refuse", received.trace,
                {{"message", std::string(name_of(type))}, {"reason", text}});
  s.effects.send(received.from, Fault{type, text}, received.trace);
}

}  // namespace

ResourceManager::ResourceManager(ResourceManagerSettings settings, Duration keep)
    : parts_(std::move(settings), keep) {}

ResourceManager::ResourceManager(ResourceManager&&) noexcept = default;
ResourceManager& ResourceManager::operator=(ResourceManager&&) noexcept = default;
ResourceManager::~ResourceManager() = default;

// ---- a step ---------------------------------------------------------------------------------------------------------

ResourceStep ResourceManager::begin(Instant now, Effects& effects) {
  DMM_ASSERT(now >= parts_.now);
  parts_.now = now;
  return {parts_, now, effects};
}

void ResourceManager::receive(Instant now, Received&& message, Effects& effects) {
  ResourceStep s = begin(now, effects);
  take(s, message);
}

void ResourceManager::receive(Instant now, Input input, Effects& effects) {
  ResourceStep s = begin(now, effects);
  std::visit(
      [&](auto& event) {
        if constexpr (std::is_same_v<std::decay_t<decltype(event)>, Received>)
          take(s, event);
        else
          on(s, event);
      },
      input);
}

void ResourceManager::settle(Instant now, Effects& effects) {
  ResourceStep s = begin(now, effects);
  ResourceParts& parts = parts_;
  if (std::exchange(parts.resume_due, false)) resume(s);
  for (const std::uint64_t number : parts.presence.take_out_of_contact(now)) lose_contact(s, number);
  // Before the due times: a Start isn't late if its lease was assigned in this batch.
  for (const Epoch lease : parts.leases.take_looks()) {
    for (const std::uint64_t number : parts.tasks.parked_of(lease)) consider(s, parts.tasks.at(number));
    parts.leases.may_be_idle(lease);
  }
  for (const TaskId& id : parts.tasks.take_due(now)) give_up_or_forget(s, id);
  watch_idle(parts, now);
  for (const Epoch lease : parts.idle.take(now)) end_idle(s, lease);
  while (parts.tasks.ended() > parts.settings.outcomes_max) remove(s, *parts.tasks.first_ended());
  keep_tasks(s);
  say_set_aside(s);
  register_if_due(s);
  const std::vector<Epoch>& leases = parts.leases.take_changed();
  const std::vector<TaskId>& tasks = parts.tasks.take_changed();
  record_changes(s, leases, tasks);
  check_changes(parts, leases, tasks);
}

Instant ResourceManager::next_deadline() const {
  if (parts_.resume_due) return parts_.now;
  const Instant keep = parts_.tasks.live() > 0 ? parts_.keep_alive.next_deadline() : never;
  return std::min({parts_.presence.next_deadline(), parts_.tasks.next_due(), parts_.black_holes.next_back(),
                   parts_.idle.next(), keep});
}

// ---- the public face ------------------------------------------------------------------------------------------------

void ResourceManager::restore(Instant now, std::vector<ResourceRecord> rows, const std::vector<LivingTask>& living,
                              bool keeper_died) {
  resource_steps::restore(parts_, now, std::move(rows), living, keeper_died);
}
std::vector<ResourceRecord> ResourceManager::records() const { return resource_steps::records(parts_); }
bool ResourceManager::stop_all(Instant now, Duration grace, Effects& effects) {
  ResourceStep s{parts_, now, effects};
  return resource_steps::stop_all(s, grace);
}
bool ResourceManager::hand_back(Instant now, Duration grace, const std::string& why, Effects& effects) {
  ResourceStep s{parts_, now, effects};
  return resource_steps::hand_back(s, grace, why);
}
WhyNot ResourceManager::reconfigure(Instant now, const ResourceManagerSettings& settings, Effects& effects) {
  ResourceStep s{parts_, now, effects};
  return resource_steps::reconfigure(s, settings);
}
ResourceManagerView ResourceManager::view() const { return resource_steps::view(parts_); }
void ResourceManager::check_invariants() const { resource_steps::check_invariants(parts_); }

}  // namespace dmm
