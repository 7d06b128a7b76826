// The Grid Workloads Format of the Grid Workloads Archive: 29 columns a line, '#' starts a comment. The first eleven
// columns are those of the Standard Workload Format. Users, queues, partitions and sites can be names, such as
// G1/site1/c1. Each name gets a number, from 0 in the order of first occurrence. -1 stays -1: unknown.
//
// Columns behind the 18th (LastRunSiteID) aren't read, and a line may end there. Lines are bad or unusable for the
// same reasons as in workloads/swf.hpp.
// Source: the archive's description of the format (Iosup et al. 2008).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/log_line.hpp"

namespace dmm {

/// The names in one column of one log.
class ColumnNames {
 public:
  /// Above the number in any known log. With more names a line is bad, so that memory stays bounded.
  static constexpr std::size_t names_max = 1'000'000;

  ColumnNames() = default;
  ColumnNames(ColumnNames&&) = default;
  ColumnNames& operator=(ColumnNames&&) = default;

  /// The number of the word, -1 for "-1"; nothing if there are too many names.
  std::optional<std::int32_t> number_of(std::string_view word);
  /// The word of a number; empty for a number that wasn't given.
  std::string_view name_of(std::int32_t number) const;

 private:
  std::map<std::string, std::int32_t, std::less<>> numbers_;
  std::vector<std::map<std::string, std::int32_t, std::less<>>::const_iterator> names_;
};

struct GwfNames {
  ColumnNames users, queues, partitions, sites;
};

/// Reads one line without its newline, and gives numbers to new names.
LogLine parse_gwf_line(std::string_view line, GwfNames& names);

}  // namespace dmm
