// What Iosup et al. 2007 leave unstated about their simulations, declared in one place: what each parameter stands
// for, our value, and other plausible ones. `dmm compare --experiment sensitivity` tries them one at a time, and
// says which of the paper's claims depend on them.
//
// Our values live where they are used: simulator/architectures/parameters.hpp, simulator/architectures/dmm.hpp, the
// paper's preset in topologies/site_behaviour.cpp and topologies/dual-grid.json. A test holds this table to them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "cli/simulate/simulation.hpp"

namespace dmm {

/// About as many users of each cluster as the paper's traces have.
constexpr std::uint32_t users_of_the_paper = 45;

struct UnstatedValue {
  std::string_view label;  ///< "150 s"
  std::int64_t value = 0;
};

struct UnstatedParameter {
  std::string_view name;
  std::string_view about;             ///< what it stands for, in a few words
  std::vector<UnstatedValue> values;  ///< ours, then the others
  /// The architectures whose schedules or counted messages it can change; empty: all.
  std::vector<std::string_view> concerns;
  /// Sets it in a choice that open_paper_settings prepared.
  void (*set)(SimulationChoice& choice, std::int64_t value);
  bool of_the_model = false;  ///< of the model's jobs: recorded ones have their own

  bool changes(std::string_view architecture) const;
};

const std::vector<UnstatedParameter>& unstated_parameters();

/// The settings of the paper as `--paper` makes them, but as the topology's preset: single keys can go over it.
void open_paper_settings(SimulationChoice& choice);

}  // namespace dmm
