// The Grid Workloads Format of the Grid Workloads Archive: 29 columns a line, '#' starts a comment. The first
// eleven columns are those of the Standard Workload Format; users, queues, partitions and sites may be names, such
// as G1/site1/c1, and get numbers here, from 0 in the order in which they come up. -1 stays -1: unknown.
//
// Columns behind the 18th (LastRunSiteID) aren't read, and a line may end there. What makes a line bad or unusable
// is as in workloads/swf.hpp.
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
  /// No log has as many; beyond it a line is bad, so that memory stays bounded.
  static constexpr std::size_t names_max = 1'000'000;

  ColumnNames() = default;
  ColumnNames(ColumnNames&&) = default;
  ColumnNames& operator=(ColumnNames&&) = default;

  /// The number of the word, -1 for "-1"; nothing if there are too many names.
  std::optional<std::int32_t> number_of(std::string_view word);
  /// The reverse; empty for a number that wasn't given.
  std::string_view name_of(std::int32_t number) const;

 private:
  std::map<std::string, std::int32_t, std::less<>> numbers_;
  std::vector<std::map<std::string, std::int32_t, std::less<>>::const_iterator> names_;
};

struct GwfNames {
  ColumnNames users, queues, partitions, sites;
};

/// Reads one line without its newline, and gives numbers to names that are new.
LogLine parse_gwf_line(std::string_view line, GwfNames& names);

}  // namespace dmm
