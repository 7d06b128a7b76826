// What `dmm run` shows while it runs: on a terminal a few lines that are redrawn in place; elsewhere one line every ten
// seconds. Pure: the state of the run in, text out. display.hpp puts it on the screen.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/terminal/style.hpp"

namespace dmm {

/// All sites below one root.
struct GridProgress {
  std::string root;
  std::uint64_t sites = 0;
  std::uint64_t sites_up = 0;
  std::uint64_t processors = 0;
  std::uint64_t processors_busy = 0;
  std::uint64_t waiting = 0;    ///< jobs that wait for nodes, by the site where they were submitted
  std::uint64_t running = 0;    ///< jobs that have nodes
  std::uint64_t delegated = 0;  ///< jobs that got nodes of another site so far
  std::uint64_t finished = 0;   ///< jobs that ended in any way
};

struct RunProgress {
  std::string title;  ///< "dual-grid, 2,880 times faster"
  std::string phase;  ///< "submitting", "draining", "waiting for nodes to come home"
  double elapsed_seconds = 0;
  std::uint64_t jobs = 0;
  std::uint64_t submitted = 0;
  std::uint64_t ended = 0;
  std::uint64_t failed = 0;  ///< jobs that ended without finishing
  std::vector<GridProgress> grids;
};

/// The lines of the display, none wider than `columns`.
std::vector<std::string> render_progress(const RunProgress& progress, std::size_t columns, const Style& style);

/// The same in one line, for a file.
std::string render_progress_line(const RunProgress& progress);

}  // namespace dmm
