#include "protocol/job_arrays.hpp"

#include <algorithm>
#include <vector>

#include "protocol/numbers.hpp"

namespace dmm {
namespace {

constexpr const char* array_forms =
    "expected indices as in 0-99, 1,5,7 or 0-30:10, and perhaps %N behind them for N at a time";

std::uint32_t size_of(const IndexRange& range) { return (range.last - range.first) / range.step + 1; }

std::string text_of(const IndexRange& range) {
  if (range.first == range.last) return std::to_string(range.first);
  const std::string text = std::to_string(range.first) + '-' + std::to_string(range.last);
  return range.step == 1 ? text : text + ':' + std::to_string(range.step);
}

/// "7", "0-99" or "0-30:10".
bool parse_range(std::string_view text, IndexRange& range) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  if (colon < text.size() && !parse_number(text.substr(colon + 1), range.step)) return false;
  text = text.substr(0, colon);
  const std::size_t dash = std::min(text.find('-'), text.size());
  if (!parse_number(text.substr(0, dash), range.first)) return false;
  range.last = range.first;
  if (dash == text.size()) return range.step == 1;
  return parse_number(text.substr(dash + 1), range.last);
}

/// The least index that is in several ranges; nothing if there is none. No range is empty, and their number is limited.
std::optional<std::uint32_t> index_twice(std::vector<IndexRange> ranges) {
  std::ranges::sort(ranges, {}, &IndexRange::first);
  const auto lies_over = [](const IndexRange& a, const IndexRange& b) { return b.first <= a.last; };
  if (std::ranges::adjacent_find(ranges, lies_over) == ranges.end()) return std::nullopt;
  std::vector<std::uint32_t> all;
  for (const IndexRange& range : ranges)
    for (std::uint32_t i = 0; i < size_of(range); ++i) all.push_back(range.first + i * range.step);
  std::ranges::sort(all);
  const auto found = std::ranges::adjacent_find(all);
  return found == all.end() ? std::nullopt : std::optional(*found);
}

}  // namespace

std::uint32_t ArrayIndices::size() const {
  std::uint32_t size = 0;
  for (const IndexRange& range : ranges) size += size_of(range);
  return size;
}

std::uint32_t ArrayIndices::index_at(std::uint32_t position) const {
  for (const IndexRange& range : ranges) {
    if (position < size_of(range)) return range.first + position * range.step;
    position -= size_of(range);
  }
  return 0;
}

std::optional<std::uint32_t> ArrayIndices::position_of(std::uint32_t index) const {
  std::uint32_t before = 0;
  for (const IndexRange& range : ranges) {
    if (index >= range.first && index <= range.last && (index - range.first) % range.step == 0)
      return before + (index - range.first) / range.step;
    before += size_of(range);
  }
  return std::nullopt;
}

bool operator==(const ArrayIndices& a, const ArrayIndices& b) {
  return a.at_once == b.at_once && std::ranges::equal(a.ranges, b.ranges);
}

WhyNot fault_of(const ArrayIndices& indices) {
  if (indices.empty()) return indices.at_once == 0 ? "" : "array: a limit without indices";
  if (indices.ranges.size() > index_ranges_max)
    return "array: there are " + std::to_string(indices.ranges.size()) + " ranges of indices; at most " +
           std::to_string(index_ranges_max);
  std::uint64_t size = 0;
  std::vector<IndexRange> sorted(indices.ranges.begin(), indices.ranges.end());
  for (const IndexRange& range : sorted) {
    if (range.step == 0 || range.last < range.first)
      return "array: " + text_of(range) +
             " is no range; expected a first index, a last one that isn't below it, " + "and a step from 1";
    if (range.last > index_max)
      return "array: index " + std::to_string(range.last) + "; the greatest is " + std::to_string(index_max);
    size += size_of(range);
  }
  if (size > array_elements_max)
    return "array: it has " + std::to_string(size) + " elements; at most " + std::to_string(array_elements_max);
  const auto twice = index_twice(std::move(sorted));
  return twice ? "array: index " + std::to_string(*twice) + " occurs twice; expected each index once" : "";
}

OrFault<ArrayIndices, std::string> parse_array(std::string_view text) {
  const std::string refusal = std::string(array_forms) + ", got '" + std::string(text) + "'";
  ArrayIndices indices;
  const std::size_t percent = std::min(text.find('%'), text.size());
  if (percent < text.size() && (!parse_number(text.substr(percent + 1), indices.at_once) || indices.at_once == 0))
    return refusal;
  std::string_view rest = text.substr(0, percent);
  for (;;) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    IndexRange range;
    if (!parse_range(rest.substr(0, comma), range)) return refusal;
    indices.ranges.push_back(range);
    if (comma == rest.size()) break;
    rest.remove_prefix(comma + 1);
  }
  constexpr std::string_view field = "array: ";
  if (std::string fault = fault_of(indices); !fault.empty()) return fault.substr(field.size());
  return indices;
}

std::string to_text(const ArrayIndices& indices) {
  std::string text;
  for (const IndexRange& range : indices.ranges) text += (text.empty() ? "" : ",") + text_of(range);
  return indices.at_once == 0 ? text : text + '%' + std::to_string(indices.at_once);
}

std::string indices_text(const ArrayIndices& indices, std::uint32_t first, std::uint32_t last) {
  std::string text;
  std::uint32_t before = 0;
  for (const IndexRange& range : indices.ranges) {
    const std::uint32_t size = size_of(range);
    if (first < before + size && last >= before) {
      const std::uint32_t from = std::max(first, before) - before, to = std::min(last - before, size - 1);
      const IndexRange part{range.first + from * range.step, range.first + to * range.step, range.step};
      text += (text.empty() ? "" : ",") + text_of(part);
    }
    before += size;
  }
  return text;
}

}  // namespace dmm
