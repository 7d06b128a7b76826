#include "simulator/world/population.hpp"

#include <utility>

#include "manager/assert.hpp"

namespace dmm {

Population::Population(Topology topology) : topology_(std::move(topology)), nodes_(nodes_of(topology_)) {
  std::vector<Address> site_addresses;
  for (std::size_t i = 0; i < topology_.sites.size(); ++i)
    site_addresses.push_back(add(site_manager_of(topology_.sites[i].name), i));
  for (const TopologyLink& link : links_of(topology_))
    actors_[site_addresses[link.dialler]]->dials.push_back(site_addresses[link.listener]);
  for (std::size_t i = 0; i < topology_.sites.size(); ++i) {
    const TopologySite& site = topology_.sites[i];
    const auto managers = resource_managers_of(site);
    for (std::size_t k = 0; k < managers.size(); ++k) {
      const Address address = add(resource_manager_of(site.name, managers[k].name), i);
      actors_[address]->resource_manager = k;
      actors_[address]->dials.push_back(site_addresses[i]);
    }
    for (const JobManagerSettings& user : job_managers_of(site))
      actors_[add(job_manager_of(site.name, user.user), i)]->dials.push_back(site_addresses[i]);
  }
}

Address Population::add(Party party, std::size_t site) {
  const Address address = actors_.size();
  Actor& actor = *actors_.emplace_back(std::make_unique<Actor>());
  actor.party = party;
  actor.principal = party;
  actor.site = site;
  addresses_[party] = address;
  parties_.push_back(std::move(party));
  return address;
}

Address Population::address_of(const Party& party) const {
  const Address* address = addresses_.find(party);
  DMM_ASSERT(address);
  return *address;
}

// ---- configuration ----------------------------------------------------------------------------------------------

Admission Population::admission_of(const Actor& actor) const {
  const TopologySite& site = site_of(actor);
  Admission admission;
  if (actor.party.role == Role::site_manager) {
    for (const NeighbourSettings& neighbour : site.settings.neighbours)
      admission.parties.insert(site_manager_of(neighbour.site));
    admission.job_managers_of_site = true;
    admission.resource_managers = true;
  } else {
    admission.parties.insert(site_manager_of(site.name));
    admission.job_managers = actor.party.role == Role::resource_manager;
  }
  return admission;
}

ResourceManagerSettings Population::resource_manager_settings(Address address) const {
  const Actor& actor = (*this)[address];
  const TopologySite& site = site_of(actor);
  ResourceManagerSettings settings = resource_managers_of(site).at(actor.resource_manager);
  if (actor.nodes > 0) settings.nodes = actor.nodes;
  if (site.direct_routes) settings.endpoint = "at " + std::to_string(address);
  return settings;
}

bool Population::dials(const Actor& actor, Address listener) const {
  return actor.party.role != Role::site_manager || admission_of(actor).parties.contains(parties_[listener]);
}

// ---- looking ----------------------------------------------------------------------------------------------------

bool Population::is_at_rest() const {
  // Cheap checks first: this is called after each step.
  for (const auto& actor : actors_)
    if (const auto* jobs = actor->driver.get<JobManager>())
      for (const JobState state :
           {JobState::waiting, JobState::starting, JobState::running, JobState::ending, JobState::collecting})
        if (jobs->manager.count(state) > 0) return false;
  for (const auto& actor : actors_) {
    if (actor->performer.runs_anything()) return false;
    if (const auto* site = actor->driver.get<SiteManager>())
      if (!site->manager.quiet()) return false;
  }
  return nodes_not_home() == 0;
}

std::uint64_t Population::nodes_not_home() const {
  std::uint64_t away = 0;
  for (const auto& actor : actors_)
    if (const auto* nodes = actor->driver.get<ResourceManager>()) {
      const ResourceManagerView view = nodes->manager.view();
      away += view.nodes_total - view.nodes_free;
    }
  return away;
}

std::uint64_t Population::refused(const std::string& reason) const {
  std::uint64_t sum = 0;
  for (const auto& actor : actors_)
    actor->driver.visit([&](const auto& driver) {
      const auto counters = driver.endpoint.counters();
      if (const auto found = counters.refused.find(reason); found != counters.refused.end()) sum += found->second;
    });
  return sum;
}

std::string Population::ledger_fault(const Party& party) const {
  const Actor& actor = (*this)[address_of(party)];
  std::string fault;
  actor.driver.visit([&](const auto& driver) {
    using Manager = std::decay_t<decltype(driver.manager)>;
    const auto* ledger = std::get_if<LedgerOf<Manager>>(&actor.ledger);
    if (ledger && !stalls(actor)) fault = ledger->difference(driver.manager.records());
  });
  return fault;
}

std::size_t Population::records_of(const Party& party) const {
  const auto size = [](const auto& ledger) -> std::size_t {
    if constexpr (requires { ledger.size(); }) return ledger.size();
    return 0;
  };
  return std::visit(size, (*this)[address_of(party)].ledger);
}

}  // namespace dmm
