// The plots of one simulation, from what was collected while it went on. Pure: figures in, SVG out.
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

/// Busy processors over time: a line a grid, and a row a cluster below.
std::string utilisation_plot(const PlotInput& input);
/// The same of jobs that wait, by their homes.
std::string waiting_plot(const PlotInput& input);
/// The share of jobs that waited at most how long.
std::string waits_plot(const PlotInput& input);
/// On whose processors the jobs of each home ran.
std::string goodput_plot(const PlotInput& input);

}  // namespace dmm
