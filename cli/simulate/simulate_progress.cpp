#include "cli/simulate/simulate_progress.hpp"

#include <algorithm>
#include <cmath>

#include "cli/terminal/figures.hpp"

namespace dmm {
namespace {

double share_done(const SimulateProgress& progress) {
  if (progress.jobs_expected == 0) return 0;
  // Arrivals and ends both take time, and each job has one of each.
  const auto done = static_cast<double>(progress.simulated.jobs_submitted + progress.simulated.jobs_ended) / 2;
  return std::min(1.0, done / static_cast<double>(progress.jobs_expected));
}

}  // namespace

std::string simulated_date(double seconds) {
  const auto minutes = static_cast<std::uint64_t>(std::max(0.0, seconds) / 60);
  const auto two = [](std::uint64_t number) { return (number < 10 ? "0" : "") + std::to_string(number); };
  return "day " + grouped(minutes / 1440 + 1) + ", " + two(minutes / 60 % 24) + ":" + two(minutes % 60);
}

std::string render_simulate_progress(const SimulateProgress& progress) {
  const SimulationProgress& at = progress.simulated;
  std::string text = simulated_date((at.now - Instant{}).in_seconds()) + "   " + grouped(at.jobs_ended);
  text += progress.jobs_expected > 0 ? " of " + count_text(progress.jobs_expected, "job") : " jobs";
  text += " done";
  if (progress.elapsed_seconds <= 0) return text;
  text += "   " + grouped(static_cast<std::uint64_t>(static_cast<double>(at.events) / progress.elapsed_seconds)) +
          " events/s";
  if (const double done = share_done(progress); done > 0.01)
    text += "   " + clock_text(std::ceil(progress.elapsed_seconds * (1 - done) / done)) + " left";
  return text;
}

std::string render_simulate_progress(const SimulateProgress& progress, std::size_t columns, const Style& style) {
  const std::string text = render_simulate_progress(progress);
  std::string line = " ";
  const std::size_t used = columns_of(text) + 4;
  if (progress.jobs_expected > 0 && used + 10 < columns)
    line += style.paint(Ink::green, bar(share_done(progress), std::min<std::size_t>(24, columns - used), style)) +
            "  ";
  return cut(line + text, columns);
}

}  // namespace dmm
