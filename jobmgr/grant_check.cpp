#include "jobmgr/grant_check.hpp"

#include <algorithm>
#include <set>

#include "manager/assert.hpp"

namespace dmm {

std::vector<std::uint32_t> components_of(const std::vector<NodeGroup>& nodes) {
  std::vector<std::uint32_t> components;
  for (const NodeGroup& group : nodes) components.push_back(group.component);
  std::ranges::sort(components);
  components.erase(std::unique(components.begin(), components.end()), components.end());
  return components;
}

WhyNot fault_of_grants(const RequestId& request, std::span<const Grant> grants, const ResourceNeed& need) {
  if (grants.empty()) return "no lease";
  if (grants.size() == 1) return fault_of(grants[0].nodes, need);
  std::vector<NodeGroup> nodes;
  std::set<LeaseId> leases;
  std::set<std::uint32_t> served;
  for (const Grant& grant : grants) {
    if (grant.request != request) return "a lease for another request";
    if (!leases.insert(grant.lease).second) return "a lease that occurs twice";
    for (const std::uint32_t component : components_of(grant.nodes))
      if (!served.insert(component).second)
        return "component " + std::to_string(component) + " under several leases";
    nodes.insert(nodes.end(), grant.nodes.begin(), grant.nodes.end());
  }
  DMM_ASSERT(leases.size() == grants.size());
  return fault_of(nodes, need);
}

}  // namespace dmm
