#include "simulator/faults/within_reach.hpp"

#include <algorithm>

namespace dmm {
namespace {

/// A refusing site may not have heard of changes to configurations in this time.
constexpr Duration news_takes = seconds(100);

/// A job manager asks for this much more time than the job's own limit.
constexpr Duration wall_margin = seconds(60);

/// A round of the search costs a try for each hop. With fewer tries than this an owner may be too far, whatever the
/// DTTL is.
constexpr std::uint32_t tries_enough = 16;

/// Whether the components from `first` on fit, each into one cluster.
bool fit(const std::vector<Component>& components, std::size_t first, std::vector<Room>& rooms) {
  if (first == components.size()) return true;
  for (Room& room : rooms) {
    const std::uint64_t takes = whole_nodes(components[first].processors, room.width);
    if (takes > room.processors) continue;
    room.processors -= takes;
    const bool fits = fit(components, first + 1, rooms);
    room.processors += takes;
    if (fits) return true;
  }
  return false;
}

bool fit(const ResourceNeed& need, std::vector<Room>& rooms) {
  if (need.kind != RequestKind::flexible) return fit(need.components, 0, rooms);
  std::uint64_t all = 0;
  for (const Room& room : rooms) all += room.processors / room.width * room.width;
  return all >= total_processors(need);
}

}  // namespace

std::string text_of_demand(const JobDescription& job) {
  std::string text;
  for (const Component& component : job.need.components)
    text += (text.empty() ? "" : " + ") + std::to_string(component.processors);
  return text + (job.need.kind == RequestKind::flexible ? " flexible" : "") + " processors, DTTL " +
         std::to_string(job.dttl);
}

void WithinReach::note(const Act& act, Instant now) {
  using Kind = Act::Kind;
  if (act.kind == Kind::resize) sizes_[act.a].emplace_back(now, static_cast<std::uint32_t>(act.number));
  if (act.kind == Kind::part || act.kind == Kind::link) links_changed_[std::minmax(act.a.site, act.b.site)] = now;
}

std::uint32_t WithinReach::nodes_of(const Party& manager, std::uint32_t otherwise) const {
  const auto sizes = sizes_.find(manager);
  return sizes == sizes_.end() ? otherwise : sizes->second.back().second;
}

/// The least number of nodes, by configuration, that a resource manager had in the time that news takes.
std::uint32_t WithinReach::nodes_of_late(const World& world, const Party& manager, std::uint32_t nodes) const {
  const auto sizes = sizes_.find(manager);
  if (sizes == sizes_.end()) return nodes;
  std::uint32_t least = nodes;
  for (const auto& [at, changed] : sizes->second)
    least = world.now() - at > news_takes ? changed : std::min(least, changed);
  return least;
}

/// The site's clusters when idle, as configured; none if the job is longer than the site lends.
std::vector<Room> WithinReach::rooms_for(const World& world, const TopologySite& site, const JobDescription& job,
                                         bool is_home) const {
  const auto wall = static_cast<std::int64_t>(job.program.limits->wall_seconds);
  std::vector<Room> rooms;
  if (!is_home && wall > 0 && seconds(wall) + wall_margin > site.settings.lease_length_max) return rooms;
  const auto managers = resource_managers_of(site);
  for (const TopologyCluster& cluster : site.clusters) {
    std::uint64_t nodes = 0;
    for (const ResourceManagerSettings& one : managers)
      if (one.cluster == cluster.name)
        nodes += nodes_of_late(world, resource_manager_of(site.name, one.name), one.nodes);
    rooms.push_back({usable(cluster, nodes), cluster.processors_per_node});
  }
  return rooms;
}

bool WithinReach::could_hold(const World& world, const TopologySite& site, const JobDescription& job,
                             bool is_home) const {
  std::vector<Room> rooms = rooms_for(world, site, job, is_home);
  return fit(job.need, rooms);
}

bool WithinReach::could_hold_together(const World& world, const Party& user, const JobDescription& job) const {
  const auto& sites = world.topology().sites;
  const SiteSettings& home = sites[*find_site(world.topology(), user.site)].settings;
  const bool is_rigid = job.need.kind != RequestKind::flexible;
  if (!home.delegate || !home.co_allocate || !is_rigid || !is_divided(job.need)) return false;
  std::vector<Room> rooms;
  for (const std::size_t site : reach_of(world, user, job.dttl))
    for (const Room& room : rooms_for(world, sites[site], job, sites[site].name == user.site))
      rooms.push_back(room);
  return fit(job.need, rooms);
}

/// The job's home, and the lending sites within its reach.
std::vector<std::size_t> WithinReach::reach_of(const World& world, const Party& user, std::uint32_t dttl) const {
  const Topology& topology = world.topology();
  const std::size_t home = *find_site(topology, user.site);
  const SiteSettings& limits = topology.sites[home].settings;
  std::vector<std::size_t> reached{home}, last{home}, lenders{home};
  const std::uint32_t hops = limits.delegate ? std::min(dttl, limits.hint_distance) : 0;
  for (std::uint32_t hop = 0; hop < hops; ++hop)
    for (const std::size_t site : std::exchange(last, {}))
      for (const NeighbourSettings& neighbour : topology.sites[site].settings.neighbours) {
        const std::size_t next = *find_site(topology, neighbour.site);
        if (std::find(reached.begin(), reached.end(), next) != reached.end()) continue;
        if (changed_of_late(world, topology.sites[site].name, neighbour.site)) continue;
        const auto knows = topology.sites[next].settings.neighbours;
        if (std::ranges::find(knows, topology.sites[site].name, &NeighbourSettings::site) == knows.end()) continue;
        reached.push_back(next);
        last.push_back(next);
        if (topology.sites[next].settings.lend) lenders.push_back(next);
      }
  return lenders;
}

bool WithinReach::changed_of_late(const World& world, const SiteName& a, const SiteName& b) const {
  const auto changed = links_changed_.find(std::minmax(a, b));
  return changed != links_changed_.end() && world.now() - changed->second <= news_takes;
}

std::vector<std::size_t> WithinReach::sites_that_could_serve(const World& world, const Party& user,
                                                             const JobDescription& job) const {
  const auto& sites = world.topology().sites;
  std::vector<std::size_t> reached = reach_of(world, user, job.dttl);
  std::erase_if(reached, [&](std::size_t site) {
    return !could_hold(world, sites[site], job, sites[site].name == user.site);
  });
  return reached;
}

bool WithinReach::searches_all(const World& world, const Party& user) {
  const SiteSettings& limits = world.topology().sites[*find_site(world.topology(), user.site)].settings;
  // Without hints a site asks at random. The paper's seen-list refuses a request that comes again by a shorter way.
  return limits.use_hints && limits.tries_per_round >= tries_enough &&
         (limits.seen_counts_dttl || limits.target_policy == "hints");
}

bool WithinReach::is_watched(const World& world, const Party& user, const ResourceNeed& need) {
  const auto home = *find_site(world.topology(), user.site);
  const bool waits_for_home = world.topology().sites[home].settings.delegation_threshold > 1;
  const bool single = need.kind == RequestKind::non_fixed && need.components.size() == 1;
  return single && !waits_for_home && searches_all(world, user);
}

}  // namespace dmm
