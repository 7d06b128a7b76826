// The plots of one simulation, from figures collected while it ran. Pure: figures in, SVG out.
#pragma once

#include <string>
#include <vector>

#include "simulator/architectures/grid.hpp"
#include "simulator/results/home_figures.hpp"
#include "simulator/results/time_buckets.hpp"
#include "simulator/results/wait_distribution.hpp"

namespace dmm {

struct PlotInput {
  const Grid& grid;
  const std::vector<GridGroup>& groups;
  std::string title;
  const TimeBuckets& course;  ///< busy processors by cluster, then waiting jobs by cluster
  const std::vector<HomeFigures>& homes;
  const std::vector<WaitDistribution>& waits;  ///< by group, then of all
};

/// Busy processors over time: a line for each grid, and below it a row for each cluster.
std::string utilisation_plot(const PlotInput& input);
/// Waiting jobs over time, by their homes.
std::string waiting_plot(const PlotInput& input);
/// For each wait, the share of jobs that waited at most that long.
std::string waits_plot(const PlotInput& input);
/// Goodput of the jobs of each home, divided by the origin of the processors.
std::string goodput_plot(const PlotInput& input);

}  // namespace dmm
