// `dmm place`: shows what a placement policy would do with a request and some idle counts, without running
// anything. The policies are those that the site managers use.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "cli/simulate/place_links.hpp"

namespace dmm {

/// What is asked, as on the command line; clusters are called c1, c2, ... in the order of `idle`. Counts are
/// of processors. Either `total`, `splits` or both are given (a flexible request), or `components`.
struct PlaceOptions {
  std::string policy = "fcm";                            ///< --policy: a name that find_placement knows
  std::vector<std::uint32_t> idle;                       ///< --idle: of each cluster
  std::vector<std::uint32_t> clusters_total;             ///< --clusters-total: of each; empty: as idle
  std::vector<double> quota = {1.0};                     ///< --quota: of each, or one for all; 0 to 1
  std::vector<std::uint32_t> processors_per_node = {1};  ///< --processors-per-node: of each, or one for all
  std::vector<double> staging;                           ///< --staging: of each, in seconds; empty: none
  std::uint32_t total = 0;                               ///< --total: a flexible request; 0: not given
  std::uint32_t min_component = 1;                       ///< --min-component: flexible: the least size
  std::uint32_t max_components = 0;                      ///< --max-components: flexible: 0: no bound
  std::vector<std::vector<std::uint32_t>> splits;        ///< --split: flexible: acceptable, preferred first
  std::vector<std::uint32_t> components;                 ///< --components: sizes of a non-fixed request
  std::vector<std::string> fixed;                        ///< --fixed: the cluster of each, if fixed
  LinkFigures links;                                     ///< --communication, --links, --carried
  bool explain = false;                                  ///< --explain: all policies beside one another
  bool json = false;                                     ///< --json: an object instead of a table
};

/// Prints the placement, or in one line why there is none. Returns the exit code: 0 placed, 1 not placeable,
/// 2 the options make no sense (said on `err`, naming the option and what was expected).
int run_place(const PlaceOptions& options, std::ostream& out, std::ostream& err);

}  // namespace dmm
