// Which jobs of a random run somebody within reach could have served.
#include <algorithm>

#include "protocol/text.hpp"
#include "simulator/faults/fault_run.hpp"

namespace dmm {

std::string FaultRun::check_served() const {
  for (const Submission& job : world_->submissions()) {
    const auto view = world_->job_manager(job.job_manager)->machine.job(job.number);
    if (!view) continue;
    const bool refused = run_.trouble == Trouble::none && view->state == JobState::failed && !view->granted;
    const bool hopeless = std::find(hopeless_.begin(), hopeless_.end(), view->request) != hopeless_.end();
    if (!refused && !hopeless) continue;
    if (!somebody_could(job, view->processors)) continue;
    return to_text(view->request) + (refused ? " was refused" : " waits for ever") + " though " +
           std::to_string(view->processors) + " processors are in reach";
  }
  return {};
}

/// Whether a site that lends is within the job's reach, and not too far for hints, and has a cluster wide enough.
bool FaultRun::somebody_could(const Submission& job, std::uint32_t processors) const {
  if (!single_.contains({job.job_manager, job.number})) return false;
  const auto& sites = run_.topology.sites;
  const std::size_t home = *find_site(run_.topology, job.job_manager.site);
  const SiteSettings& limits = sites[home].settings;
  if (!limits.use_hints || !limits.delegate || limits.tries_per_round < 16) return false;
  // The paper's seen-list turns away who comes again by a shorter way; only near targets first get past it.
  if (!limits.seen_counts_dttl && limits.target_policy != "hints") return false;
  std::vector<std::size_t> reached{home}, last{home};
  for (std::uint32_t hop = 0; hop <= std::min(job.dttl, limits.hint_distance); ++hop) {
    for (const std::size_t site : std::exchange(last, {})) {
      const bool lends = hop == 0 || sites[site].settings.lend;
      for (const TopologyCluster& cluster : sites[site].clusters) {
        const std::uint32_t width = cluster.processors_per_node;
        const auto usable =
            static_cast<std::uint32_t>(cluster.quota * static_cast<double>(processors_of(cluster)) + 1e-9);
        if (lends && (processors + width - 1) / width * width <= usable) return true;
      }
      for (const NeighbourSettings& neighbour : sites[site].settings.neighbours) {
        const std::size_t next = *find_site(run_.topology, neighbour.site);
        if (std::find(reached.begin(), reached.end(), next) != reached.end()) continue;
        reached.push_back(next);
        last.push_back(next);
      }
    }
  }
  return false;
}

/// Requests that their own site can never serve may be out of everybody's reach: they wait until they are cancelled.
/// Also those whose user never heard that they were accepted.
void FaultRun::cancel_hopeless() {
  for (const Party& party : world_->parties()) {
    if (party.role != Role::job_manager) continue;
    for (std::uint64_t number = 1; number < world_->job_manager(party)->machine.next_job(); ++number) {
      const auto view = world_->job_manager(party)->machine.job(number);
      if (!view || view->state != JobState::waiting) continue;
      const LocalRequest* request = world_->site(party.site)->machine.queue().find(view->request);
      if (!request || request->kind->servable) continue;
      hopeless_.push_back(view->request);
      world_->cancel(party, number);
    }
  }
  tell();
}

}  // namespace dmm
