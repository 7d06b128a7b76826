#include "simulator/faults/rest_watch.hpp"

#include <algorithm>
#include <utility>

namespace dmm {
namespace {

/// From the end of the last job until every node is home.
constexpr Duration nodes_home_max = seconds(7);

std::size_t open_jobs(const World& world) {
  std::size_t open = 0;
  for (const Party& party : world.parties()) {
    const Driver<JobManager>* manager = party.role == Role::job_manager ? world.job_manager(party) : nullptr;
    if (!manager) continue;
    for (std::size_t state = 0; !is_over(static_cast<JobState>(state)); ++state)
      open += manager->manager.count(static_cast<JobState>(state));
  }
  return open;
}

/// Whether waiting jobs have something to wait for: a running job, or nodes set aside for a while.
bool anything_to_wait_for(const World& world) {
  return std::any_of(world.parties().begin(), world.parties().end(), [&](const Party& party) {
    if (party.role == Role::site_manager) {
      const Driver<SiteManager>* site = world.site(party.site);
      return site && site->manager.co_allocator().has_plans();  // files are under way
    }
    if (party.role != Role::resource_manager) return false;
    if (world.performer(party).runs_anything()) return true;
    const Driver<ResourceManager>* manager = world.resource_manager(party);
    return manager && !manager->manager.view().aside.empty();
  });
}

}  // namespace

void RestWatch::look(const World& world) {
  if (anything_to_wait_for(world)) ran_ = world.now();
  // Looks miss jobs that run only for a moment, but not that they ended.
  if (const std::size_t open = open_jobs(world); open != std::exchange(open_, open)) ran_ = ended_ = world.now();
}

std::string RestWatch::check_homecoming(const World& world) {
  for (const Party& party : world.parties())
    if (party.role == Role::job_manager)
      for (const JobState state : {JobState::waiting, JobState::starting, JobState::running, JobState::ending})
        if (world.job_manager(party)->manager.count(state) > 0) idle_since_ = world.now();
  if (world.quiet()) idle_since_ = world.now();
  return world.now() - idle_since_ > nodes_home_max ? "all jobs ended and nodes didn't come home" : "";
}

}  // namespace dmm
