// `dmm place`: shows what a placement policy would do with a request and given idle counts, without running anything.
// Its policies are those of the site managers.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "cli/simulate/place_links.hpp"

namespace dmm {

/// The options of the command line; clusters are called c1, c2, ... in the order of `idle`. Counts are of processors. A
/// flexible request has `total`, `splits` or both; any other has `components`.
struct PlaceOptions {
  std::string policy = "fcm";                            ///< --policy: a name that find_placement knows
  std::vector<std::uint32_t> idle;                       ///< --idle: of each cluster
  std::vector<std::uint32_t> clusters_total;             ///< --clusters-total: of each; empty: as idle
  std::vector<double> quota = {1.0};                     ///< --quota: of each, or one for all; 0 to 1
  std::vector<std::uint32_t> processors_per_node = {1};  ///< --processors-per-node: of each, or one for all
  std::vector<double> staging;                           ///< --staging: of each, in seconds; empty: none
  std::uint32_t total = 0;                               ///< --total: a flexible request; 0: not given
  std::uint32_t min_component = 1;                 ///< --min-component: of a flexible request: the least size
  std::uint32_t max_components = 0;                ///< --max-components: of a flexible request; 0: no bound
  std::vector<std::vector<std::uint32_t>> splits;  ///< --split: of a flexible request; preferred first
  std::vector<std::uint32_t> components;           ///< --components: sizes of a non-fixed request
  std::vector<std::string> fixed;                  ///< --fixed: the cluster of each, if fixed
  LinkFigures links;                               ///< --communication, --links, --carried
  bool explain = false;                            ///< --explain: all policies side by side
  bool json = false;                               ///< --json: an object instead of a table
};

/// Prints the placement, or one line that says why there is none. Returns the exit code: 0 placed, 1 not placeable, 2
/// bad options (`err` then names the option and what was expected).
int run_place(const PlaceOptions& options, std::ostream& out, std::ostream& err);

}  // namespace dmm
