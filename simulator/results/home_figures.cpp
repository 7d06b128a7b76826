#include "simulator/results/home_figures.hpp"

#include <map>
#include <numeric>

namespace dmm {

void HomeFigures::add(const JobOutcome& outcome) {
  ++jobs_submitted;
  if (outcome.state != JobOutcome::State::finished) return;
  ++jobs_finished;
  wait_seconds += outcome.start_seconds - outcome.submit_seconds;
  const auto origin = static_cast<std::size_t>(outcome.origin);
  if (origin < origin_count)
    goodput_processor_seconds[origin] += outcome.processors * (outcome.end_seconds - outcome.start_seconds);
}

HomeFigures& HomeFigures::operator+=(const HomeFigures& other) {
  jobs_submitted += other.jobs_submitted;
  jobs_finished += other.jobs_finished;
  wait_seconds += other.wait_seconds;
  for (std::size_t i = 0; i < origin_count; ++i)
    goodput_processor_seconds[i] += other.goodput_processor_seconds[i];
  return *this;
}

double HomeFigures::goodput() const {
  return std::accumulate(goodput_processor_seconds.begin(), goodput_processor_seconds.end(), 0.0);
}

std::vector<GridGroup> groups_of(const Grid& grid, const std::vector<std::string>& root_names) {
  std::vector<GridGroup> groups;
  std::map<std::uint32_t, std::size_t> known;
  for (std::uint32_t i = 0; i < grid.clusters.size(); ++i) {
    const GridCluster& cluster = grid.clusters[i];
    const auto [at, added] = known.emplace(cluster.root, groups.size());
    if (added)
      groups.push_back(
          {cluster.root < root_names.size() ? root_names[cluster.root] : "grid " + std::to_string(cluster.root),
           {},
           0});
    groups[at->second].clusters.push_back(i);
    groups[at->second].processors += cluster.processors;
  }
  return groups;
}

}  // namespace dmm
