// Who lives in a world: one process for every manager of the topology, who dials whom, and how managers die, come
// back, freeze and thaw.
#include "machine/assert.hpp"
#include "protocol/text.hpp"
#include "simulator/world.hpp"

namespace dmm {

World::World(Topology topology, WorldSettings settings)
    : topology_(std::move(topology)), settings_(settings), network_(settings.network, settings.seed) {
  populate();
  for (Address address = 0; address < actors_.size(); ++address) start(address);
  settle_touched();
}

Address World::add(Party party, std::size_t site) {
  const Address address = actors_.size();
  Actor& actor = actors_.emplace_back();
  actor.party = party;
  actor.site = site;
  wakes_.add();
  addresses_[party] = address;
  parties_.push_back(std::move(party));
  return address;
}

void World::populate() {
  std::vector<Address> site_addresses;
  for (std::size_t i = 0; i < topology_.sites.size(); ++i)
    site_addresses.push_back(add(site_manager_of(topology_.sites[i].name), i));
  for (const TopologyLink& link : links_of(topology_))
    actors_[site_addresses[link.dialler]].dials.push_back(site_addresses[link.listener]);
  for (std::size_t i = 0; i < topology_.sites.size(); ++i) {
    const TopologySite& site = topology_.sites[i];
    const auto managers = resource_managers_of(site);
    for (std::size_t k = 0; k < managers.size(); ++k) {
      const Address address = add(resource_manager_of(site.name, managers[k].name), i);
      actors_[address].resource_manager = k;
      actors_[address].dials.push_back(site_addresses[i]);
    }
    for (const JobManagerSettings& user : job_managers_of(site))
      actors_[add(job_manager_of(site.name, user.user), i)].dials.push_back(site_addresses[i]);
  }
}

EndpointSettings World::endpoint_settings(const Actor& actor) const {
  const TopologySite& site = topology_.sites[actor.site];
  EndpointSettings settings;
  settings.self = actor.party;
  settings.incarnation = actor.incarnation;
  settings.ancestors = site.settings.ancestors;
  settings.times = settings_.sessions;
  settings.count_by_request = settings_.count_by_request;
  Admission& admission = settings.admission;
  if (actor.party.role == Role::site_manager) {
    for (const NeighbourSettings& neighbour : site.settings.neighbours)
      admission.parties.insert(site_manager_of(neighbour.site));
    admission.job_managers_of_site = true;
    admission.resource_managers = true;
  } else {
    admission.parties.insert(site_manager_of(site.name));
    admission.job_managers = actor.party.role == Role::resource_manager;
  }
  return settings;
}

void World::start(Address address) {
  Actor& actor = actors_[address];
  const TopologySite& site = topology_.sites[actor.site];
  ++actor.incarnation;
  actor.spins = 0;
  const EndpointSettings endpoint = endpoint_settings(actor);
  switch (actor.party.role) {
    case Role::site_manager:
      actor.process.emplace<Process<SiteManager>>(endpoint, SiteManager(site.settings, actor.incarnation));
      break;
    case Role::job_manager: {
      JobManagerSettings settings;
      for (JobManagerSettings& one : job_managers_of(site))
        if (one.user == actor.party.name) settings = std::move(one);
      settings.first_job = actor.next_job;
      settings.confirm_limit = settings_.confirm_limit;
      actor.process.emplace<Process<JobManager>>(endpoint, JobManager(std::move(settings)));
      break;
    }
    case Role::resource_manager: {
      ResourceManagerSettings settings = resource_managers_of(site).at(actor.resource_manager);
      if (site.direct_routes) settings.endpoint = to_text(actor.party);
      actor.process.emplace<Process<ResourceManager>>(endpoint, ResourceManager(std::move(settings)));
      break;
    }
    case Role::client: DMM_ASSERT(false);
  }
  std::visit(
      [&](auto& process) {
        if constexpr (requires { process.machine; }) {
          process.effects.level = settings_.level;
          for (const Address listener : actor.dials)
            process.endpoint.dial(now_, network_.connect(address, listener), actors_[listener].party);
        }
      },
      actor.process);
  touch(address);
}

void World::crash(const Party& party) {
  const Address address = address_of(party);
  Actor& actor = actors_[address];
  actor.process.emplace<std::monostate>();
  actor.performer.die();
  actor.paused = false;
  actor.waiting.clear();
  actor.reports.clear();
  network_.abandon(address);
  wakes_.set(address, never);
  for (Submission& submission : submissions_) submission.abandoned |= submission.job_manager == party;
}

void World::restart(const Party& party) {
  if (is_up(party)) crash(party);
  start(address_of(party));
  settle_touched();
}

bool World::is_up(const Party& party) const {
  return !std::holds_alternative<std::monostate>(actors_[address_of(party)].process);
}

void World::pause(const Party& party) { actors_[address_of(party)].paused = true; }

void World::resume(const Party& party) {
  const Address address = address_of(party);
  actors_[address].paused = false;
  for (FrameArrival& arrival : std::exchange(actors_[address].waiting, {})) deliver(std::move(arrival));
  report(address);
  touch(address);
  settle_touched();
}

void World::set_reachable(const Party& party, bool reachable) { actors_[address_of(party)].reachable = reachable; }

Address World::address_of(const Party& party) const {
  const Address* address = addresses_.find(party);
  DMM_ASSERT(address);
  return *address;
}

template <class Manager>
const Process<Manager>* World::find(const Party& party) const {
  return std::get_if<Process<Manager>>(&actors_[address_of(party)].process);
}

const Process<SiteManager>* World::site(const SiteName& name) const {
  return find<SiteManager>(site_manager_of(name));
}

const Process<JobManager>* World::job_manager(const Party& party) const { return find<JobManager>(party); }

const Process<ResourceManager>* World::resource_manager(const Party& party) const {
  return find<ResourceManager>(party);
}

}  // namespace dmm
