#include "simulator/checkers/hold_watch.hpp"

#include "protocol/text.hpp"
#include "simulator/checkers/log_fields.hpp"

namespace dmm {
namespace {

/// The owner's record of the lease with this name; nullptr if the owner is down or has no record.
const HopLease* at_owner(const World& world, const std::string& name) {
  const Driver<SiteManager>* owner = world.site(SiteName(name.substr(0, name.find('#'))));
  if (owner == nullptr) return nullptr;
  const LeaseBook& leases = owner->manager.leases();
  for (const LeaseId& id : leases.all())
    if (to_text(id) == name) return &leases.get(id);
  return nullptr;
}

}  // namespace

void HoldWatch::note(const std::vector<Happening>& happenings) {
  for (const Happening& happening : happenings) note(happening);
}

void HoldWatch::note(const Happening& happening) {
  const LogEvent& event = happening.event;
  if (happening.party.role != Role::site_manager) return;
  if (event.name == "crashed") {
    std::erase_if(held_, [&](const auto& entry) { return entry.first.site == happening.party.site; });
    return;
  }
  if (event.name == "held") held_[event.trace].insert(text_field(event, "lease"));
  if (event.name == "gathering_ended") ended_.insert(event.trace);
  if (event.name == "co_allocated") together_[event.trace].parts = number_field(event, "parts");
  const bool leaves = event.name == "hand_out" || event.name == "release" || event.name == "lease_ended";
  const auto held = held_.find(event.trace);
  if (leaves && held != held_.end()) held->second.erase(text_field(event, "lease"));
  if (const auto at = together_.find(event.trace); event.name == "hand_out" && at != together_.end())
    at->second.leases.push_back(text_field(event, "lease"));
}

std::string HoldWatch::look(const World& world) {
  std::string fault;
  for (const RequestId& request : ended_)
    if (const auto held = held_.find(request); held != held_.end()) {
      if (!held->second.empty())
        fault = to_text(request) + " is gathered no more, and " + *held->second.begin() + " stays held for it";
      held_.erase(held);
    }
  for (const auto& [request, together] : together_) {
    held_.erase(request);
    if (fault.empty()) fault = fault_of(world, request, together);
  }
  ended_.clear();
  together_.clear();
  return fault;
}

std::string HoldWatch::fault_of(const World& world, const RequestId& request, const Together& together) const {
  if (static_cast<std::int64_t>(together.leases.size()) != together.parts)
    return to_text(request) + " got " + std::to_string(together.leases.size()) + " of its " +
           std::to_string(together.parts) + " parts";
  for (const std::string& name : together.leases)
    if (const HopLease* lease = at_owner(world, name); lease && lease->state == LeaseState::offered)
      if (lease->downstream) return to_text(request) + " got " + name + ", which its owner has only offered";
  return {};
}

}  // namespace dmm
