// What sites within reach could have served, by configuration: a refusal is right only if no site could.
#include <algorithm>

#include "protocol/text.hpp"
#include "simulator/checkers/timeline.hpp"
#include "simulator/faults/fault_run.hpp"

namespace dmm {
namespace {

/// A refusing site may not have heard of changes to configurations in this time.
constexpr Duration news_takes = seconds(100);

/// A job manager asks for this much more time than the job's own limit.
constexpr Duration wall_margin = seconds(60);

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

/// "4 + 2 processors of DTTL 3"
std::string text_of(const JobDescription& job) {
  std::string text;
  for (const Component& component : job.need.components)
    text += (text.empty() ? "" : " + ") + std::to_string(component.processors);
  return text + (job.need.kind == RequestKind::flexible ? " flexible" : "") + " processors, DTTL " +
         std::to_string(job.dttl);
}

}  // namespace

/// The least number of nodes, by configuration, that a resource manager had in the time that news takes.
std::uint32_t FaultRun::nodes_of_late(const Party& manager, std::uint32_t nodes) const {
  const auto sizes = sizes_.find(manager);
  if (sizes == sizes_.end()) return nodes;
  std::uint32_t least = nodes;
  for (const auto& [at, changed] : sizes->second)
    least = world_->now() - at > news_takes ? changed : std::min(least, changed);
  return least;
}

/// The site's clusters when idle, as configured; none if the job is longer than the site lends.
std::vector<Room> FaultRun::rooms_for(const TopologySite& site, const JobDescription& job, bool is_home) const {
  const auto wall = static_cast<std::int64_t>(job.program.limits.wall_seconds);
  std::vector<Room> rooms;
  if (!is_home && wall > 0 && seconds(wall) + wall_margin > site.settings.lease_length_max) return rooms;
  const auto managers = resource_managers_of(site);
  for (const TopologyCluster& cluster : site.clusters) {
    std::uint64_t nodes = 0;
    for (const ResourceManagerSettings& one : managers)
      if (one.cluster == cluster.name) nodes += nodes_of_late(resource_manager_of(site.name, one.name), one.nodes);
    rooms.push_back({usable(cluster, nodes), cluster.processors_per_node});
  }
  return rooms;
}

bool FaultRun::could_hold(const TopologySite& site, const JobDescription& job, bool is_home) const {
  std::vector<Room> rooms = rooms_for(site, job, is_home);
  return fit(job.need, rooms);
}

/// Whether the job may have components at several sites, and the sites within reach together could hold it when idle.
bool FaultRun::could_hold_together(const Party& user, const JobDescription& job) const {
  const auto& sites = world_->topology().sites;
  const SiteSettings& home = sites[*find_site(world_->topology(), user.site)].settings;
  const bool is_rigid = job.need.kind != RequestKind::flexible;
  if (!home.delegate || !home.co_allocate || !is_rigid || !is_divided(job.need)) return false;
  std::vector<Room> rooms;
  for (const std::size_t site : reach_of(user, job.dttl))
    for (const Room& room : rooms_for(sites[site], job, sites[site].name == user.site)) rooms.push_back(room);
  return fit(job.need, rooms);
}

/// The job's home, and the lending sites within its reach.
std::vector<std::size_t> FaultRun::reach_of(const Party& user, std::uint32_t dttl) const {
  const Topology& topology = world_->topology();
  const std::size_t home = *find_site(topology, user.site);
  const SiteSettings& limits = topology.sites[home].settings;
  std::vector<std::size_t> reached{home}, last{home}, lenders{home};
  const std::uint32_t hops = limits.delegate ? std::min(dttl, limits.hint_distance) : 0;
  for (std::uint32_t hop = 0; hop < hops; ++hop)
    for (const std::size_t site : std::exchange(last, {}))
      for (const NeighbourSettings& neighbour : topology.sites[site].settings.neighbours) {
        const std::size_t next = *find_site(topology, neighbour.site);
        if (std::find(reached.begin(), reached.end(), next) != reached.end()) continue;
        if (changed_of_late(topology.sites[site].name, neighbour.site)) continue;
        const auto knows = topology.sites[next].settings.neighbours;
        if (std::ranges::find(knows, topology.sites[site].name, &NeighbourSettings::site) == knows.end()) continue;
        reached.push_back(next);
        last.push_back(next);
        if (topology.sites[next].settings.lend) lenders.push_back(next);
      }
  return lenders;
}

bool FaultRun::changed_of_late(const SiteName& a, const SiteName& b) const {
  const auto changed = links_changed_.find(std::minmax(a, b));
  return changed != links_changed_.end() && world_->now() - changed->second <= news_takes;
}

/// The sites within reach that could serve the job when idle.
std::vector<std::size_t> FaultRun::sites_that_could_serve(const Party& user, const JobDescription& job) const {
  const auto& sites = world_->topology().sites;
  std::vector<std::size_t> reached = reach_of(user, job.dttl);
  std::erase_if(reached,
                [&](std::size_t site) { return !could_hold(sites[site], job, sites[site].name == user.site); });
  return reached;
}

/// A round of the search costs a try for each hop. With fewer tries than this an owner may be too far, whatever the
/// DTTL is.
constexpr std::uint32_t tries_enough = 16;

/// Whether the search of the job's home comes to all sites within reach.
bool FaultRun::searches_all(const Party& user) const {
  const SiteSettings& limits = world_->topology().sites[*find_site(world_->topology(), user.site)].settings;
  // Without hints a site asks at random. The paper's seen-list refuses a request that comes again by a shorter way.
  return limits.use_hints && limits.tries_per_round >= tries_enough &&
         (limits.seen_counts_dttl || limits.target_policy == "hints");
}

/// Whether a job waits at the borrower that its neighbour could serve twice at once.
bool FaultRun::wants_share(std::size_t owner, std::size_t borrower) const {
  const auto& sites = world_->topology().sites;
  const Driver<SiteManager>* lender = world_->site(sites[owner].name);
  if (!lender || !lender->manager.view(world_->now()).drained.empty()) return false;
  for (const std::string& name : sites[borrower].users) {
    const Party user = job_manager_of(sites[borrower].name, name);
    if (!world_->is_up(user)) continue;
    const auto waiting = world_->job_manager(user)->manager.jobs({.state = JobState::waiting, .limit = 1});
    const auto asked = waiting.empty() ? asked_.end() : asked_.find({user, waiting.front().number});
    if (asked == asked_.end() || !is_watched(user, asked->second.need)) continue;
    JobDescription twice = asked->second;
    for (Component& component : twice.need.components) component.processors *= 2;
    const auto capable = sites_that_could_serve(user, twice);
    if (std::ranges::find(capable, owner) != capable.end()) return true;
  }
  return false;
}

/// Checks a site's answer to a user that no site will ever serve a request.
void FaultRun::check_refusal(const Happening& refused) {
  const RequestId& request = refused.event.trace;
  const Party user = job_manager_of(request.site, request.user);
  const auto asked = asked_.find({user, request.job});
  if (asked == asked_.end()) return;  // the user never heard that it was accepted
  if (const auto capable = sites_that_could_serve(user, asked->second); !capable.empty())
    late_fault_ = to_text(request) + " was refused though " + world_->topology().sites[capable.front()].name.text +
                  " could serve " + text_of(asked->second);
}

std::string FaultRun::check_served() const {
  for (const auto& [job, description] : asked_) {
    if (!world_->is_up(job.first)) continue;
    const auto view = world_->job_manager(job.first)->manager.job(job.second);
    if (!view || std::find(hopeless_.begin(), hopeless_.end(), view->request) == hopeless_.end()) continue;
    const auto capable = sites_that_could_serve(job.first, description);
    if (searches_all(job.first) && !capable.empty())
      return to_text(view->request) + " waits for ever though " +
             world_->topology().sites[capable.front()].name.text + " could serve " + text_of(description);
    if (could_hold_together(job.first, description))
      return to_text(view->request) +
             " waits for ever though sites within reach could serve it together: " + text_of(description);
  }
  return {};
}

/// Cancels requests that may be out of reach of all sites: their own site can never serve them, so they would wait
/// for ever. Includes those with a user that never heard of the acceptance.
void FaultRun::cancel_hopeless() {
  for (const Party& party : world_->parties()) {
    if (party.role != Role::job_manager || !world_->is_up(party)) continue;
    for (std::uint64_t number = 1; number < world_->job_manager(party)->manager.next_job(); ++number) {
      const auto view = world_->job_manager(party)->manager.job(number);
      if (!view || view->state != JobState::waiting) continue;
      const LocalRequest* request = world_->site(party.site)->manager.queue().find(view->request);
      if (!request || request->kind->servable) continue;
      note(stamp(world_->now()) + " ** nothing serves " + to_text(view->request) + ": " +
           IdleWatch::why(*world_, view->request));
      hopeless_.push_back(view->request);
      world_->cancel(party, number);
    }
  }
  tell();
}

}  // namespace dmm
