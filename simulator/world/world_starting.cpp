// How the managers of a world start: with the settings of their configuration, what their ledgers kept, and connections
// to their peers.
#include "manager/assert.hpp"
#include "protocol/text.hpp"
#include "simulator/world/world.hpp"

namespace dmm {

World::World(Topology topology, WorldSettings settings)
    : population_(std::move(topology)),
      settings_(settings),
      site_links_(population_.topology()),
      network_(settings.network, settings.seed),
      disks_(settings.seed ^ 0x64697363ULL) {
  if (settings.certificate_life > Duration{})
    keys_ = std::make_unique<WorldKeys>(settings.seed ^ 0x6b657973ULL, settings.certificate_life);
  for (Address address = 0; address < population_.size(); ++address) {
    wakes_.add();
    if (keys_) keys_->add(address, population_.party(address));
  }
  for (Address address = 0; address < population_.size(); ++address) start(address);
  settle_touched();
}

EndpointSettings World::endpoint_settings(const Actor& actor) const {
  const TopologySite& site = population_.site_of(actor);
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
  Admission admission = population_.admission_of(actor);
  if (keys_) admission.trust = keys_->trust_of(actor.party, admission.parties);
  return admission;
}

void World::dial(Address address, Address listener) {
  const Connection connection = network_.connect(address, listener, population_[listener].reachable);
  const Party &dialler = population_.party(address), &dialled = population_.party(listener);
  if (dialler.role == Role::site_manager && dialled.role == Role::site_manager)
    if (const LinkQuality* link = site_links_.find(dialler.site, dialled.site))
      network_.set_line(connection, link->latency, link->bandwidth);
  if (keys_) keys_->open(connection, address);
  const auto key = keys_ ? std::optional(keys_->key_of(listener)) : std::nullopt;
  endpoint_of(address)->dial(population_[address].clock.at(now_), connection, population_.party(listener), key);
}

void World::start(Address address) {
  Actor& actor = population_[address];
  const TopologySite& site = population_.site_of(actor);
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
      ResourceManagerSettings settings = population_.resource_manager_settings(address);
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
    if (keys_) keys_->recall(address, driver.endpoint);
    if (settings_.ledgers) restore(actor, driver);
  });
  for (const Address listener : actor.dials)
    if (population_.dials(actor, listener)) dial(address, listener);
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

}  // namespace dmm
