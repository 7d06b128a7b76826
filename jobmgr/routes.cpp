// Groups are few: everything here walks.
#include "jobmgr/routes.hpp"

#include <algorithm>

namespace dmm {

void add_routes(Effects& effects, const std::vector<NodeGroup>& nodes, const SiteNames& chain) {
  const SiteNames path(chain.rbegin(), chain.rend());
  for (auto group = nodes.begin(); group != nodes.end(); ++group)
    if (std::none_of(nodes.begin(), group, [&](const NodeGroup& earlier) {
          return earlier.resource_manager == group->resource_manager;
        }))
      effects.routes.push_back({group->resource_manager, group->endpoint, path});
}

}  // namespace dmm
