// Arrays of jobs: one description that is run once for each index. An element is named by its index. Its position is
// its place in the order in which the indices were given, from 0.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "protocol/few.hpp"
#include "protocol/or_fault.hpp"

namespace dmm {

/// The indices first, first + step, ... up to last.
struct IndexRange {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  std::uint32_t step = 1;
  bool operator==(const IndexRange&) const = default;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.first, self.last, self.step);
  }
};

/// Of one array. A job manager makes jobs of few elements at a time, so that large arrays cost little.
constexpr std::uint32_t array_elements_max = 1'000'000;
constexpr std::size_t index_ranges_max = 1'000;
constexpr std::uint32_t index_max = 2'000'000'000;

/// The indices of an array; none: the job is no array.
struct ArrayIndices {
  RareList<IndexRange> ranges;
  std::uint32_t at_once = 0;  ///< elements that may have nodes, or ask for some, at the same time; 0: any number

  bool empty() const { return ranges.empty(); }
  /// The number of indices.
  std::uint32_t size() const;
  /// The index at a position below size().
  std::uint32_t index_at(std::uint32_t position) const;
  /// The position of an index; nothing if it isn't in the array.
  std::optional<std::uint32_t> position_of(std::uint32_t index) const;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.ranges, self.at_once);
  }
};
bool operator==(const ArrayIndices& a, const ArrayIndices& b);

/// Why there can't be such an array; empty if there can. Call the functions above only if there can.
WhyNot fault_of(const ArrayIndices& indices);

/// "0-999%50", "1,3,10-20:2" as indices, read as sbatch reads them; or why it can't be.
OrFault<ArrayIndices, std::string> parse_array(std::string_view text);
/// The same text again.
std::string to_text(const ArrayIndices& indices);

/// The indices at the positions from `first` to `last` as text: "4", "0-99", "0-98:2"; several ranges with commas
/// between.
std::string indices_text(const ArrayIndices& indices, std::uint32_t first, std::uint32_t last);

}  // namespace dmm
