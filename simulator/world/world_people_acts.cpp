// What people do in a world: users submit and cancel jobs; owners reclaim, drain, resize and configure.
#include <algorithm>
#include <set>

#include "manager/assert.hpp"
#include "simulator/world/world.hpp"

namespace dmm {

// ---- users ----------------------------------------------------------------------------------------------------

// A user's own connection isn't simulated: questions and answers are passed directly.
std::vector<Outgoing> World::ask(const Party& job_manager, const Party& user, Message message) {
  const Address address = address_of(job_manager);
  Actor& actor = population_[address];
  auto* driver = actor.driver.get<JobManager>();
  if (!driver || (settings_.ledgers && stalls(actor))) return {};
  driver->local(actor.clock.at(now_), Received{user, std::move(message), {}, {}});
  std::vector<Outgoing> answers;
  std::erase_if(driver->effects.messages, [&](Outgoing& out) {
    if (out.to != user) return false;
    answers.push_back(std::move(out));
    return true;
  });
  touch(address);
  return answers;
}

std::uint64_t World::submit(const Party& job_manager, JobDescription job, std::uint32_t copies) {
  DMM_ASSERT(copies > 0);
  const std::uint32_t dttl = job.dttl;
  Submit submit{questions_ + 1, std::vector<JobDescription>(copies - 1, job)};
  submit.jobs.push_back(std::move(job));
  const Party user{job_manager.site, Role::client, "user"};
  const std::vector<Outgoing> answers = ask(job_manager, user, std::move(submit));
  if (answers.empty()) return 0;
  ++questions_;
  const auto& answer = std::get<Submitted>(answers.back().message);
  Actor& actor = population_[address_of(job_manager)];
  if (const auto* driver = actor.driver.get<JobManager>())
    actor.next_job = std::max(actor.next_job, driver->manager.next_job());
  for (std::uint32_t i = 0; i < answer.jobs && !settings_.hand_out_ended; ++i)
    actor.promised.push_back({job_manager, answer.first_job + i, dttl, false});
  settle_touched();
  return answer.first_job;
}

std::string World::cancel(const Party& job_manager, std::uint64_t job) {
  const Address address = address_of(job_manager);
  Actor& actor = population_[address];
  auto* driver = actor.driver.get<JobManager>();
  if (!driver) return "the job manager is down";
  if (settings_.ledgers && stalls(actor)) return "the job manager doesn't answer";
  const std::string fault = driver->manager.cancel(actor.clock.at(now_), job, driver->effects);
  touch(address);
  settle_touched();
  return fault;
}

// ---- owners ---------------------------------------------------------------------------------------------------

/// Has a site manager that is able to answer do something.
template <class Order>
void World::order(const SiteName& name, Order give) {
  const Address address = address_of(site_manager_of(name));
  Actor& actor = population_[address];
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
  for (const TopologySite& one : population_.topology().sites)
    if (const auto* driver = site(one.name); driver && !driver->manager.drained().empty())
      order(one.name, [](SiteManager& site, Instant now, auto& effects) {
        for (const SiteName& drained : std::set<SiteName>(site.drained())) site.resume(now, drained, effects);
      });
}

void World::resize(const Party& resource_manager, std::uint32_t nodes) {
  const Address address = address_of(resource_manager);
  Actor& actor = population_[address];
  actor.nodes = nodes;
  actor.resized = true;
  hear_of_size(address);
  settle_touched();
}

/// A running resource manager reads its configuration again, as soon as it doesn't stall.
void World::hear_of_size(Address address) {
  Actor& actor = population_[address];
  auto* driver = actor.driver.get<ResourceManager>();
  if (!actor.resized || !driver || stalls(actor)) return;
  actor.resized = false;
  const std::string fault = driver->manager.reconfigure(
      actor.clock.at(now_), population_.resource_manager_settings(address), driver->effects);
  DMM_ASSERT(fault.empty());
  touch(address);
}

std::string World::reconfigure(const SiteName& name, const SiteSettings& settings) {
  end_all_quiet();
  const Address address = address_of(site_manager_of(name));
  Actor& actor = population_[address];
  auto* driver = actor.driver.get<SiteManager>();
  if (!driver) {
    population_.configure(actor, settings);  // for its next start
    return {};
  }
  if (stalls(actor)) return "the site manager doesn't answer";
  const Instant now = actor.clock.at(now_);
  if (std::string fault = driver->manager.reconfigure(now, settings, driver->effects); !fault.empty())
    return fault;
  std::vector<bool> dialled;
  for (const Address listener : actor.dials) dialled.push_back(population_.dials(actor, listener));
  population_.configure(actor, settings);
  driver->endpoint.admit(now, admission_of(actor));
  for (std::size_t i = 0; i < dialled.size(); ++i) {
    const Address listener = actor.dials[i];
    if (dialled[i] && !population_.dials(actor, listener)) driver->endpoint.drop(now, population_[listener].party);
    if (!dialled[i] && population_.dials(actor, listener)) dial(address, listener);
  }
  touch(address);
  settle_touched();
  return {};
}

void World::hand_back(const Party& party, Duration grace) {
  const Address address = address_of(party);
  Actor& actor = population_[address];
  auto* driver = actor.driver.get<ResourceManager>();
  if (!driver || stalls(actor)) return;
  driver->manager.hand_back(actor.clock.at(now_), grace, "given back", driver->effects);
  touch(address);
  settle_touched();
}

}  // namespace dmm
