// What a simulation shows while it runs: its progress in simulated time and in jobs, its speed, and the time left.
// Pure: figures in, text out.
#pragma once

#include <cstdint>
#include <string>

#include "cli/terminal/style.hpp"
#include "simulator/architectures/run.hpp"

namespace dmm {

struct SimulateProgress {
  std::string title;
  SimulationProgress simulated;
  std::uint64_t jobs_expected = 0;  ///< 0: not known
  double elapsed_seconds = 0;       ///< real
};

/// "day 2, 06:12   12,345 of 39,550 jobs done   1,234,567 events/s   00:12 left". Unknown parts are left out.
std::string render_simulate_progress(const SimulateProgress& progress);
/// The same with a bar, no wider than `columns`.
std::string render_simulate_progress(const SimulateProgress& progress, std::size_t columns, const Style& style);

/// "day 1, 06:12": days are counted from 1.
std::string simulated_date(double seconds);

}  // namespace dmm
