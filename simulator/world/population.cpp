// The managers of a world: a process for every manager of the topology, their connections, and how managers die, come
// back, freeze and thaw.
#include <algorithm>

#include "manager/assert.hpp"
#include "protocol/text.hpp"
#include "simulator/world/world.hpp"
#include "workloads/samplers.hpp"

namespace dmm {
namespace {

/// Leases without a Claim so far.
std::int64_t offers_of(const SiteManager& site) {
  std::int64_t offers = 0;
  for (const LeaseId& id : site.leases().all()) offers += site.leases().get(id).state == LeaseState::offered;
  return offers;
}

}  // namespace

World::World(Topology topology, WorldSettings settings)
    : topology_(std::move(topology)),
      nodes_(nodes_of(topology_)),
      settings_(settings),
      site_links_(topology_),
      network_(settings.network, settings.seed),
      disks_(settings.seed ^ 0x64697363ULL) {
  if (settings.certificate_life > Duration{})
    keys_ = std::make_unique<WorldKeys>(settings.seed ^ 0x6b657973ULL, settings.certificate_life);
  populate();
  for (Address address = 0; address < actors_.size(); ++address) start(address);
  settle_touched();
}

Address World::add(Party party, std::size_t site) {
  const Address address = actors_.size();
  Actor& actor = *actors_.emplace_back(std::make_unique<Actor>());
  actor.party = party;
  actor.principal = party;
  actor.site = site;
  wakes_.add();
  addresses_[party] = address;
  if (keys_) keys_->add(address, party);
  parties_.push_back(std::move(party));
  return address;
}

void World::populate() {
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

EndpointSettings World::endpoint_settings(const Actor& actor) const {
  const TopologySite& site = topology_.sites[actor.site];
  EndpointSettings settings;
  settings.self = actor.party;
  settings.incarnation = actor.incarnation << 20;  // new sessions count up from there
  settings.instance = address_of(actor.party) + 1;
  settings.ancestors = site.settings.ancestors;
  settings.times = settings_.sessions;
  settings.count_by_request = settings_.count_by_request;
  settings.codec = codec_;
  settings.admission = admission_of(actor);
  if (keys_) keys_->fill(address_of(actor.party), settings);
  return settings;
}

Admission World::admission_of(const Actor& actor) const {
  const TopologySite& site = topology_.sites[actor.site];
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
  if (keys_) admission.trust = keys_->trust_of(actor.party, admission.parties);
  return admission;
}

ResourceManagerSettings World::resource_manager_settings(Address address) const {
  const Actor& actor = *actors_[address];
  const TopologySite& site = topology_.sites[actor.site];
  ResourceManagerSettings settings = resource_managers_of(site).at(actor.resource_manager);
  if (actor.nodes > 0) settings.nodes = actor.nodes;
  if (site.direct_routes) settings.endpoint = "at " + std::to_string(address);
  return settings;
}

/// Whether the present configuration still has this peer: a site doesn't dial a former neighbour.
bool World::dials(const Actor& actor, Address listener) const {
  const Party& party = actors_[listener]->party;
  return actor.party.role != Role::site_manager || admission_of(actor).parties.contains(party);
}

void World::dial(Address address, Address listener) {
  const Connection connection = network_.connect(address, listener, actors_[listener]->reachable);
  const Party &dialler = parties_[address], &dialled = parties_[listener];
  if (dialler.role == Role::site_manager && dialled.role == Role::site_manager)
    if (const LinkQuality* link = site_links_.find(dialler.site, dialled.site))
      network_.set_line(connection, link->latency, link->bandwidth);
  if (keys_) keys_->open(connection, address);
  const auto key = keys_ ? std::optional(keys_->key_of(listener)) : std::nullopt;
  endpoint_of(address)->dial(actors_[address]->clock.at(now_), connection, parties_[listener], key);
}

void World::start(Address address) {
  Actor& actor = *actors_[address];
  const TopologySite& site = topology_.sites[actor.site];
  ++actor.incarnation;
  actor.spins = 0;
  if (keys_) keys_->equip(address, now_);
  const EndpointSettings endpoint = endpoint_settings(actor);
  switch (actor.party.role) {
    case Role::site_manager:
      actor.driver.start<SiteManager>(endpoint, SiteManager(site.settings, actor.incarnation));
      break;
    case Role::job_manager: {
      JobManagerSettings settings;
      for (JobManagerSettings& one : job_managers_of(site))
        if (one.user == actor.party.name) settings = std::move(one);
      if (!settings_.ledgers) settings.first_job = actor.next_job;
      settings.confirm_limit = settings_.confirm_limit;
      // Each submission comes once here, and remembering them would grow with the workload.
      if (settings_.hand_out_ended) settings.submissions_remembered = 1;
      actor.driver.start<JobManager>(endpoint, JobManager(std::move(settings)));
      break;
    }
    case Role::resource_manager: {
      ResourceManagerSettings settings = resource_manager_settings(address);
      if (!settings.jobs.kept_files.folder.empty()) actor.performer.keep_files(settings.site);
      actor.driver.start<ResourceManager>(endpoint, ResourceManager(std::move(settings), settings_.keep));
      actor.performer.use_links(site_links_);
      if (settings_.remember_ends) actor.performer.remember_ends();
      break;
    }
    case Role::client: DMM_ASSERT(false);
  }
  actor.driver.visit([&](auto& driver) {
    driver.effects.level = settings_.level;
    if (settings_.ledgers) restore(actor, driver);
  });
  for (const Address listener : actor.dials)
    if (dials(actor, listener)) dial(address, listener);
  touch(address);
}

/// Restores a manager from its ledger, which is empty the first time.
template <class Manager>
void World::restore(Actor& actor, Driver<Manager>& driver) {
  driver.effects.ledger.wanted = true;
  if (std::holds_alternative<std::monostate>(actor.ledger)) actor.ledger.template emplace<LedgerOf<Manager>>();
  auto rows = std::get<LedgerOf<Manager>>(actor.ledger).rows();
  const auto found = static_cast<std::int64_t>(rows.size());
  const Instant now = actor.clock.at(now_);
  std::int64_t living = 0;
  if constexpr (std::is_same_v<Manager, ResourceManager>) {
    const auto tasks = actor.performer.attach(now_);
    living = static_cast<std::int64_t>(tasks.size());
    driver.manager.restore(now, std::move(rows), tasks);
  } else if constexpr (std::is_same_v<Manager, JobManager>) {
    const std::string fault = driver.manager.restore(now, std::move(rows));
    if (!fault.empty()) tell(actor.party, "unreadable", {{"text", fault}});
  } else {
    driver.manager.restore(now, std::move(rows));
  }
  if (actor.incarnation > 1) tell(actor.party, "restarted", {{"records", found}, {"tasks", living}});
}

void World::crash(const Party& party, Crash kind) {
  end_all_quiet();
  const Address address = address_of(party);
  Actor& actor = *actors_[address];
  if (settings_.ledgers) lose(actor, kind);
  actor.driver.stop();
  if (!settings_.ledgers || kind == Crash::host) actor.performer.die();
  actor.paused = actor.frozen = false;
  actor.committed_at = never;
  actor.promised.clear();
  actor.waiting.clear();
  actor.reports.clear();
  network_.abandon(address);
  wakes_.set(address, std::max(now_, actor.performer.next_report()));
  for (Submission& submission : submissions_)
    submission.abandoned |= !settings_.ledgers && submission.job_manager == party;
}

/// A commit under way may or may not reach the ledger, but its messages never leave.
void World::lose(Actor& actor, Crash kind) {
  std::vector<LogField> fields{{"what", std::string(kind == Crash::host ? "machine" : "process")}};
  actor.driver.visit([&](auto& driver) {
    using Manager = std::decay_t<decltype(driver.manager)>;
    auto& ledger = std::get<LedgerOf<Manager>>(actor.ledger);
    if constexpr (std::is_same_v<Manager, SiteManager>) fields.push_back({"unclaimed", offers_of(driver.manager)});
    if constexpr (std::is_same_v<Manager, JobManager>)
      fields.push_back({"running", static_cast<std::int64_t>(driver.manager.count(JobState::running))});
    if (actor.committed_at != never) {
      const bool done = disks_.chance(0.5);
      fields.push_back({"commit", std::string(done ? "done" : "lost")});
      if (done) ledger.apply(driver.effects.ledger);
    }
    if (kind == Crash::host) {
      const std::size_t all = ledger.unsynced();
      const std::size_t kept = disks_.chance(0.5) ? 0 : disks_.below(all + 1);
      fields.push_back({"commits_lost", static_cast<std::int64_t>(all - kept)});
      ledger.lose_unsynced(kept);
    }
    for (std::size_t i = 0; i < messages_of_dead_.size(); ++i)
      messages_of_dead_[i] += driver.endpoint.counters().sent_by_kind[i];
  });
  tell(actor.party, "crashed", std::move(fields));
}

void World::tell(const Party& party, std::string_view name, std::vector<LogField> fields) {
  happenings_.push_back({now_, party, LogEvent{Level::warning, name, {}, std::move(fields)}});
}

std::string World::ledger_fault(const Party& party) const {
  const Actor& actor = *actors_[address_of(party)];
  std::string fault;
  actor.driver.visit([&](const auto& driver) {
    using Manager = std::decay_t<decltype(driver.manager)>;
    const auto* ledger = std::get_if<LedgerOf<Manager>>(&actor.ledger);
    if (ledger && !stalls(actor)) fault = ledger->difference(driver.manager.records());
  });
  return fault;
}

std::size_t World::records_of(const Party& party) const {
  const auto size = [](const auto& ledger) -> std::size_t {
    if constexpr (requires { ledger.size(); }) return ledger.size();
    return 0;
  };
  return std::visit(size, actors_[address_of(party)]->ledger);
}

void World::restart(const Party& party) {
  if (is_up(party)) crash(party);
  start(address_of(party));
  settle_touched();
}

bool World::is_up(const Party& party) const { return actors_[address_of(party)]->driver.is_up(); }

void World::pause(const Party& party) {
  end_all_quiet();
  actors_[address_of(party)]->paused = true;
}

void World::freeze(const Party& party) {
  end_all_quiet();
  Actor& actor = *actors_[address_of(party)];
  actor.paused = actor.frozen = true;
}

void World::resume(const Party& party) {
  end_all_quiet();
  const Address address = address_of(party);
  actors_[address]->paused = actors_[address]->frozen = false;
  take_waiting(address);
  settle_touched();
}

void World::isolate(const Party& party) {
  for (const Party& other : parties_)
    if (other != party) cut(party, other);
}

void World::drift(const Party& party, std::int64_t millionths) {
  end_all_quiet();
  actors_[address_of(party)]->clock.drift(now_, millionths);
  touch(address_of(party));  // its deadlines are at other instants now
  settle_touched();
}

void World::jump(const Party& party, Duration forward) {
  end_all_quiet();
  actors_[address_of(party)]->clock.jump(now_, forward);
  touch(address_of(party));
  settle_touched();
}

void World::slow_disk(const Party& party, Duration longest) {
  end_all_quiet();
  actors_[address_of(party)]->commit_max = longest;
}

// ---- what owners say ------------------------------------------------------------------------------------------

/// Has a site manager that is able to answer do something.
template <class Order>
void World::order(const SiteName& name, Order give) {
  const Address address = address_of(site_manager_of(name));
  Actor& actor = *actors_[address];
  auto* driver = actor.driver.get<SiteManager>();
  if (!driver || stalls(actor)) return;
  give(driver->manager, actor.clock.at(now_), driver->effects);
  touch(address);
  settle_touched();
}

void World::reclaim(const SiteName& owner, const std::string& lease_or_site, Duration grace) {
  order(owner,
        [&](SiteManager& site, Instant now, auto& effects) { site.reclaim(now, lease_or_site, grace, effects); });
}

void World::drain(const SiteName& owner, const SiteName& drained) {
  order(owner, [&](SiteManager& site, Instant now, auto& effects) { site.drain(now, drained, effects); });
}

void World::end_drains() {
  for (const TopologySite& one : topology_.sites)
    if (const auto* driver = site(one.name); driver && !driver->manager.drained().empty())
      order(one.name, [](SiteManager& site, Instant now, auto& effects) {
        for (const SiteName& drained : std::set<SiteName>(site.drained())) site.resume(now, drained, effects);
      });
}

void World::say(const Party& liar, Outgoing lie) {
  const Address address = address_of(liar);
  actors_[address]->driver.visit([&](auto& driver) {
    if (!stalls(*actors_[address])) driver.effects.messages.push_back(std::move(lie));
  });
  touch(address);
  settle_touched();
}

void World::resize(const Party& resource_manager, std::uint32_t nodes) {
  const Address address = address_of(resource_manager);
  Actor& actor = *actors_[address];
  actor.nodes = nodes;
  actor.resized = true;
  hear_of_size(address);
  settle_touched();
}

/// A running resource manager reads its configuration again, as soon as it doesn't stall.
void World::hear_of_size(Address address) {
  Actor& actor = *actors_[address];
  auto* driver = actor.driver.get<ResourceManager>();
  if (!actor.resized || !driver || stalls(actor)) return;
  actor.resized = false;
  const std::string fault =
      driver->manager.reconfigure(actor.clock.at(now_), resource_manager_settings(address), driver->effects);
  DMM_ASSERT(fault.empty());
  touch(address);
}

std::string World::reconfigure(const SiteName& name, const SiteSettings& settings) {
  end_all_quiet();
  const Address address = address_of(site_manager_of(name));
  Actor& actor = *actors_[address];
  auto* driver = actor.driver.get<SiteManager>();
  if (!driver) {
    topology_.sites[actor.site].settings = settings;  // for its next start
    return {};
  }
  if (stalls(actor)) return "the site manager doesn't answer";
  const Instant now = actor.clock.at(now_);
  if (std::string fault = driver->manager.reconfigure(now, settings, driver->effects); !fault.empty())
    return fault;
  std::vector<bool> dialled;
  for (const Address listener : actor.dials) dialled.push_back(dials(actor, listener));
  topology_.sites[actor.site].settings = settings;
  driver->endpoint.admit(now, admission_of(actor));
  for (std::size_t i = 0; i < dialled.size(); ++i) {
    const Address listener = actor.dials[i];
    if (dialled[i] && !dials(actor, listener)) driver->endpoint.drop(now, actors_[listener]->party);
    if (!dialled[i] && dials(actor, listener)) dial(address, listener);
  }
  touch(address);
  settle_touched();
  return {};
}

void World::set_reachable(const Party& party, bool reachable) {
  actors_[address_of(party)]->reachable = reachable;
}

void World::report_late(const Party& party, Duration late) {
  actors_[address_of(party)]->performer.report_late(late);
}

void World::fail_starts(const Party& party, NodeSet broken, double share) {
  const Address address = address_of(party);
  actors_[address]->performer.fail_starts(std::move(broken), share, derived_seed(settings_.seed, address));
}

void World::lose_programs(const Party& party) {
  actors_[address_of(party)]->performer.lose_all(now_);
  touch(address_of(party));
  settle_touched();
}

void World::hand_back(const Party& party, Duration grace) {
  const Address address = address_of(party);
  Actor& actor = *actors_[address];
  auto* driver = actor.driver.get<ResourceManager>();
  if (!driver || stalls(actor)) return;
  driver->manager.hand_back(actor.clock.at(now_), grace, "given back", driver->effects);
  touch(address);
  settle_touched();
}

Address World::address_of(const Party& party) const {
  const Address* address = addresses_.find(party);
  DMM_ASSERT(address);
  return *address;
}

template <class Manager>
const Driver<Manager>* World::find(const Party& party) const {
  return actors_[address_of(party)]->driver.template get<Manager>();
}

const Driver<SiteManager>* World::site(const SiteName& name) const {
  return find<SiteManager>(site_manager_of(name));
}

const Driver<JobManager>* World::job_manager(const Party& party) const { return find<JobManager>(party); }

const Driver<ResourceManager>* World::resource_manager(const Party& party) const {
  return find<ResourceManager>(party);
}

}  // namespace dmm
