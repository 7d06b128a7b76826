#include "cli/testbed/homecoming.hpp"

#include "cli/managers/questions.hpp"
#include "cli/terminal/figures.hpp"
#include "cli/terminal/json_text.hpp"
#include "protocol/text.hpp"
#include "runtime/clock.hpp"

namespace dmm {
namespace {

void check_site(const Answered& site, Homecoming& result) {
  const std::uint64_t leases = number_in<std::uint64_t>(site.json, "leases_in") +
                               number_in<std::uint64_t>(site.json, "leases_out") +
                               number_in<std::uint64_t>(site.json, "leases_own");
  const std::uint64_t busy = number_in<std::uint64_t>(site.json, "processors_busy");
  if (leases > 0 || busy > 0)
    result.reasons.push_back(site.manager.party.site.text + " has " + count_text(leases, "live lease") + " and " +
                             count_text(busy, "busy processor"));
}

void check_resource(const Answered& resource, Homecoming& result) {
  const std::uint64_t nodes = number_in<std::uint64_t>(resource.json, "nodes"),
                      free = number_in<std::uint64_t>(resource.json, "nodes_free");
  if (free == nodes) return;
  result.nodes_away += nodes - free;
  result.reasons.push_back(to_text(resource.manager.party) + ": " + grouped(nodes - free) + " of " +
                           count_text(nodes, "node") + " not free");
}

Homecoming look(const std::vector<Manager>& sites, const std::vector<Manager>& resources) {
  Homecoming result;
  for (const Answered& site : ask_all(sites, "site"))
    if (site.fault.empty())
      check_site(site, result);
    else
      result.reasons.push_back(site.fault);
  for (const Answered& resource : ask_all(resources, "resource", {{"limit", 1}}))
    if (resource.fault.empty())
      check_resource(resource, result);
    else
      ++result.nodes_away, result.reasons.push_back(resource.fault);
  return result;
}

}  // namespace

Homecoming wait_until_home(const Testbed& testbed, Duration at_most, Interrupts& interrupts) {
  std::vector<Manager> sites, resources;
  for (const TestbedDaemon& daemon : testbed.daemons) {
    if (daemon.party.role == Role::site_manager) sites.push_back({daemon.party, daemon.endpoint});
    if (daemon.party.role == Role::resource_manager) resources.push_back({daemon.party, daemon.endpoint});
  }
  const Instant end = monotonic_now() + at_most;
  const int before = interrupts.count();
  for (;;) {
    Homecoming result = look(sites, resources);
    if (result.all() || monotonic_now() >= end || interrupts.count() > before) return result;
    ClientPool().poll(milliseconds(150));
  }
}

}  // namespace dmm
