#include "cli/terminal/progress.hpp"

#include <algorithm>
#include <array>

#include "cli/terminal/figures.hpp"

namespace dmm {
namespace {

double share_of(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

/// The columns after the name, by importance: columns that don't fit are left out from the end of this list.
enum ProgressPart : std::size_t { busy, waiting, running, finished, delegated, sites, bars, parts };

struct Layout {
  std::size_t name = 5;
  std::array<std::size_t, parts> width{};
  std::size_t bar_cells = 0;
};

std::string busy_text(const GridProgress& grid) {
  return grouped(grid.processors_busy) + " / " + grouped(grid.processors);
}

constexpr std::array<const char*, parts> titles{"processors busy", "waiting",  "running", "finished",
                                                "delegated",       "sites up", ""};

std::string cell(ProgressPart part, const GridProgress& grid) {
  switch (part) {
    case busy: return busy_text(grid);
    case waiting: return grouped(grid.waiting);
    case running: return grouped(grid.running);
    case finished: return grouped(grid.finished);
    case delegated: return grouped(grid.delegated);
    case sites: return std::to_string(grid.sites_up) + "/" + std::to_string(grid.sites);
    default: return {};
  }
}

Layout lay_out(const RunProgress& progress, std::size_t columns) {
  Layout layout;
  for (const GridProgress& grid : progress.grids) layout.name = std::max(layout.name, columns_of(grid.root));
  layout.name = std::min<std::size_t>(layout.name, 20);
  std::size_t used = 1 + layout.name;
  for (std::size_t part = busy; part < bars; ++part) {
    std::size_t width = columns_of(titles[part]);
    for (const GridProgress& grid : progress.grids)
      width = std::max(width, columns_of(cell(static_cast<ProgressPart>(part), grid)));
    // Numbers grow during the run; columns that jump are worse than wide ones.
    if (part == busy) width = std::max<std::size_t>(width, 15);
    if (used + 2 + width > columns) break;
    layout.width[part] = width;
    used += 2 + width;
  }
  if (layout.width[sites] > 0 && used + 2 + 10 <= columns)
    layout.bar_cells = std::min<std::size_t>(24, columns - used - 2);
  return layout;
}

/// The order on the screen, which isn't the order of importance.
constexpr std::array<ProgressPart, 6> shown_order{sites, busy, waiting, running, delegated, finished};

std::string header(const Layout& layout, const Style& style) {
  std::string line = " " + pad_right("grid", layout.name);
  for (const ProgressPart part : shown_order) {
    if (layout.width[part] == 0) continue;
    if (part == busy && layout.bar_cells > 0) line += "  " + std::string(layout.bar_cells, ' ');
    line += "  " + pad_left(titles[part], layout.width[part]);
  }
  return style.paint(Ink::dim, line);
}

std::string row(const GridProgress& grid, const Layout& layout, const Style& style) {
  std::string line = " " + pad_right(cut(grid.root, layout.name), layout.name);
  for (const ProgressPart part : shown_order) {
    if (layout.width[part] == 0) continue;
    if (part == busy && layout.bar_cells > 0)
      line += "  " + style.paint(Ink::cyan,
                                 bar(share_of(grid.processors_busy, grid.processors), layout.bar_cells, style));
    std::string text = pad_left(cell(part, grid), layout.width[part]);
    const bool warn = (part == sites && grid.sites_up < grid.sites) || (part == waiting && grid.waiting > 0);
    line += "  " + (warn ? style.paint(Ink::yellow, text) : text);
  }
  return line;
}

}  // namespace

std::vector<std::string> render_progress(const RunProgress& progress, std::size_t columns, const Style& style) {
  std::vector<std::string> lines;
  lines.push_back(" " + style.paint(Ink::bold, progress.title) + "  " + clock_text(progress.elapsed_seconds) +
                  "  " + style.paint(Ink::dim, progress.phase));
  const Layout layout = lay_out(progress, columns);
  lines.push_back(header(layout, style));
  for (const GridProgress& grid : progress.grids) lines.push_back(row(grid, layout, style));
  std::string tail = " " + grouped(progress.ended) + " of " + count_text(progress.jobs, "job") + " ended";
  if (progress.failed > 0) tail += ", " + style.paint(Ink::red, grouped(progress.failed) + " not finished");
  const std::size_t room = columns > columns_of(tail) + 12 ? columns - columns_of(tail) - 10 : 0;
  const double done = share_of(progress.ended, progress.jobs);
  std::string last = " ";
  if (room > 0)
    last += style.paint(Ink::green, bar(done, std::min<std::size_t>(room, 40), style)) + " " +
            pad_left(percent(done), 7);
  lines.push_back(last + tail);
  for (std::string& line : lines) line = cut(line, columns);
  return lines;
}

std::string render_progress_line(const RunProgress& progress) {
  std::string line = clock_text(progress.elapsed_seconds) + "  " + grouped(progress.ended) + " of " +
                     count_text(progress.jobs, "job") + " ended";
  if (progress.failed > 0) line += " (" + grouped(progress.failed) + " not finished)";
  for (const GridProgress& grid : progress.grids)
    line += "; " + grid.root + ": " + std::to_string(grid.sites_up) + "/" + std::to_string(grid.sites) +
            " sites up, " + grouped(grid.processors_busy) + "/" + grouped(grid.processors) + " processors busy, " +
            grouped(grid.waiting) + " waiting, " + grouped(grid.running) + " running, " + grouped(grid.delegated) +
            " delegated, " + grouped(grid.finished) + " finished";
  return line;
}

}  // namespace dmm
