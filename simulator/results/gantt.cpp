#include "simulator/results/gantt.hpp"

#include <algorithm>
#include <array>

#include "simulator/results/axis.hpp"
#include "simulator/results/numbers.hpp"
#include "simulator/results/svg.hpp"

namespace dmm {
namespace {

constexpr double gantt_width = 1100, gantt_left = 110, gantt_right = 16, gantt_top = 92;
constexpr std::array<std::string_view, origin_count> origin_names{"local", "intra-site", "intra-grid",
                                                                  "inter-grid"};

/// Height of one processor.
double height_of_one(std::uint64_t processors) {
  return std::clamp(900.0 / static_cast<double>(std::max<std::uint64_t>(1, processors)), 0.0, 16.0);
}

void draw_legend(Svg& svg) {
  double x = gantt_left;
  for (std::size_t i = 0; i < origin_count; ++i) {
    svg.box({x, 58}, 14, 14, svg_colour(i));
    svg.text({x + 20, 70}, origin_names[i]);
    x += 20 + svg_width_of(origin_names[i]) + 22;
  }
}

void draw_clusters(Svg& svg, const Grid& grid, double one) {
  double y = gantt_top, label_end = 0;
  for (const GridCluster& cluster : grid.clusters) {
    const double high = one * cluster.processors;
    svg.line({gantt_left - 6, y}, {gantt_width - gantt_right, y}, {.colour = "#888888", .width = 0.5});
    if (const double middle = y + high / 2 + 4; middle - 10 >= label_end) {
      svg.text({gantt_left - 8, middle}, cluster.name,
               {.anchor = SvgAnchor::end, .size = 10, .colour = svg_quiet_colour});
      label_end = middle;
    }
    y += high;
  }
}

void draw_times(Svg& svg, const Axis& axis, double bottom) {
  for (const AxisMark& mark : axis.marks) {
    const double x = gantt_left + axis.fraction(mark.value) * (gantt_width - gantt_left - gantt_right);
    svg.line({x, gantt_top}, {x, bottom + 4}, {.colour = "#e4e4e4"});
    svg.text({x, bottom + 16}, mark.text, {.anchor = SvgAnchor::middle, .size = 11, .colour = svg_quiet_colour});
  }
  svg.text({gantt_left + (gantt_width - gantt_left - gantt_right) / 2, bottom + 35}, "simulated time",
           {.anchor = SvgAnchor::middle});
}

}  // namespace

Gantt::Gantt(const Grid& grid) : grid_(grid) {}

bool Gantt::larger(const Box& a, const Box& b) {
  if (a.area() != b.area()) return a.area() > b.area();
  return a.job != b.job ? a.job < b.job : a.processors.first < b.processors.first;
}

void Gantt::add(std::uint64_t job, std::span<const ProcessorRange> processors, double start_seconds,
                double end_seconds, Origin origin) {
  for (const ProcessorRange& range : processors) {
    start_ = seen_ == 0 ? start_seconds : std::min(start_, start_seconds);
    end_ = std::max(end_, end_seconds);
    ++seen_;
    const Box box{start_seconds, end_seconds, range, job, origin};
    if (boxes_.size() == boxes_max) {
      if (!larger(box, boxes_.front())) continue;
      std::pop_heap(boxes_.begin(), boxes_.end(), larger);
      boxes_.back() = box;
    } else {
      boxes_.push_back(box);
    }
    std::push_heap(boxes_.begin(), boxes_.end(), larger);
  }
}

std::string Gantt::document(const std::string& title) const {
  const double one = height_of_one(grid_.processors());
  const double bottom = gantt_top + one * static_cast<double>(grid_.processors());
  Svg svg(gantt_width, bottom + 48);
  svg.text({16, 24}, title, {.size = 16, .bold = true});
  const std::string number = with_commas(boxes_.size());
  svg.text({16, 43},
           "processors over time, one box a job" +
               (seen_ > boxes_.size()
                    ? "; the " + number + " largest of " + with_commas(seen_) + " boxes, the others are left out"
                    : std::string()),
           {.colour = svg_quiet_colour});
  const bool by_origin = grid_.clusters.size() > 1;  // in one cluster all is local: colours tell jobs apart
  if (by_origin) draw_legend(svg);
  const Axis axis = make_axis(AxisKind::time, start_ < 0.1 * end_ ? 0 : start_, end_, 10);
  draw_times(svg, axis, bottom);
  std::vector<Box> boxes = boxes_;
  std::sort(boxes.begin(), boxes.end(), [](const Box& a, const Box& b) {
    return a.start != b.start ? a.start < b.start : a.processors.first < b.processors.first;
  });
  const double wide = gantt_width - gantt_left - gantt_right;
  for (const Box& box : boxes) {
    const double x = gantt_left + axis.fraction(box.start) * wide,
                 end = gantt_left + axis.fraction(box.end) * wide;
    const double y = gantt_top + one * static_cast<double>(box.processors.first);
    const double high = one * static_cast<double>(box.processors.last - box.processors.first + 1);
    const double gap = one >= 3 ? 0.5 : 0;
    const auto colour = static_cast<std::size_t>(by_origin ? static_cast<std::uint64_t>(box.origin) : box.job % 6);
    const std::string tip = boxes.size() > 1500 ? ""
                                                : "job " + std::to_string(box.job) + ", " + time_mark(box.start) +
                                                      " to " + time_mark(box.end) + ", processors " +
                                                      to_text(std::span(&box.processors, 1));
    svg.box({x, y + gap}, std::max(0.4, end - x - gap), std::max(0.3, high - 2 * gap),
            svg_colour(by_origin ? static_cast<std::size_t>(box.origin) : static_cast<std::size_t>(box.job % 6)),
            tip);
    const std::string label = std::to_string(box.job);
    if (high >= 12 && end - x > svg_width_of(label, 10) + 6)
      svg.text({x + (end - x) / 2, y + high / 2 + 3.5}, label,
               {.anchor = SvgAnchor::middle, .size = 10, .colour = svg_colour_on(colour)});
  }
  draw_clusters(svg, grid_, one);
  svg.frame({gantt_left, gantt_top}, wide, bottom - gantt_top, {.colour = "#888888"});
  return svg.document(title);
}

}  // namespace dmm
