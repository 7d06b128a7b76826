#include "simulator/results/processor_numbers.hpp"

#include <algorithm>

namespace dmm {
namespace {

/// Sorts the ranges and joins those that touch.
void tidy(std::vector<ProcessorRange>& ranges) {
  std::sort(ranges.begin(), ranges.end(),
            [](const ProcessorRange& a, const ProcessorRange& b) { return a.first < b.first; });
  std::size_t kept = 0;
  for (std::size_t i = 1; i < ranges.size(); ++i) {
    if (ranges[i].first <= ranges[kept].last + 1)
      ranges[kept].last = std::max(ranges[kept].last, ranges[i].last);
    else
      ranges[++kept] = ranges[i];
  }
  if (!ranges.empty()) ranges.resize(kept + 1);
}

}  // namespace

ProcessorNumbers::ProcessorNumbers(const Grid& grid) {
  std::uint64_t next = 0;
  for (const GridCluster& cluster : grid.clusters) {
    first_.push_back(next);
    ends_.emplace_back();
    if (cluster.processors > 0) ends_.back()[-1].push_back({next, next + cluster.processors - 1});
    next += cluster.processors;
  }
}

std::vector<ProcessorRange> ProcessorNumbers::take(std::span<const ClusterShare> pieces, double start_seconds,
                                                   double end_seconds) {
  Ranges all;
  for (const ClusterShare& piece : pieces) {
    ByEnd& ends = ends_.at(piece.cluster);
    Ranges taken;
    std::uint64_t wanted = piece.processors;
    for (auto after = ends.upper_bound(start_seconds); wanted > 0 && after != ends.begin();
         after = ends.upper_bound(start_seconds))
      wanted = take_from(ends, std::prev(after), wanted, taken);
    shared_ += wanted;
    while (wanted > 0 && !ends.empty()) wanted = take_from(ends, ends.begin(), wanted, taken);
    all.insert(all.end(), taken.begin(), taken.end());
    Ranges& group = ends[end_seconds];
    group.insert(group.end(), taken.begin(), taken.end());
    tidy(group);
  }
  tidy(all);
  return all;
}

// Returns how many are still wanted.
std::uint64_t ProcessorNumbers::take_from(ByEnd& ends, ByEnd::iterator group, std::uint64_t wanted,
                                          Ranges& taken) {
  Ranges& ranges = group->second;
  std::size_t used_up = 0;
  for (; used_up < ranges.size() && wanted > 0; ++used_up) {
    ProcessorRange& range = ranges[used_up];
    const std::uint64_t size = range.last - range.first + 1;
    if (size > wanted) {
      taken.push_back({range.first, range.first + wanted - 1});
      range.first += wanted;
      wanted = 0;
      break;
    }
    taken.push_back(range);
    wanted -= size;
  }
  ranges.erase(ranges.begin(), ranges.begin() + static_cast<std::ptrdiff_t>(used_up));
  if (ranges.empty()) ends.erase(group);
  return wanted;
}

std::string to_text(std::span<const ProcessorRange> ranges) {
  std::string text;
  for (const ProcessorRange& range : ranges) {
    if (!text.empty()) text += ' ';
    text += std::to_string(range.first);
    if (range.last > range.first) text += '-' + std::to_string(range.last);
  }
  return text;
}

}  // namespace dmm
