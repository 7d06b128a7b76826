// The owner of the nodes that a job ran on, as seen from its home site (the sink): how far from home it is. Goodput is
// counted by that. Plain values; nothing here decides where a job runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dmm {

/// How far from home a job's nodes were, near to far. Append only: the numbers are part of records.
enum class Origin : std::uint8_t {
  local,       ///< nodes of the home site itself
  intra_site,  ///< the owner and the home site have the same parent
  intra_grid,  ///< another parent, the same root
  inter_grid,  ///< another root
};

/// The number of origins: the length of an array that an Origin indexes.
inline constexpr std::size_t origin_count = 4;

/// The word for an origin in logs, in JSON and on a terminal; "unknown" for a number outside the enumeration.
constexpr std::string_view to_text(Origin origin) {
  switch (origin) {
    case Origin::local: return "local";
    case Origin::intra_site: return "intra_site";
    case Origin::intra_grid: return "intra_grid";
    case Origin::inter_grid: return "inter_grid";
  }
  return "unknown";
}

}  // namespace dmm
