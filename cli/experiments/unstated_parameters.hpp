// The parameters that Iosup et al. 2007 don't state about their simulations, declared in one place: the meaning of
// each, our value, and other plausible values. `dmm compare --experiment sensitivity` tries them one at a time, and
// shows which of the paper's claims depend on them.
//
// Our values are set where they are used: simulator/architectures/parameters.hpp, simulator/architectures/dmm.hpp, the
// paper's preset in topologies/site_behaviour.cpp, and topologies/dual-grid.json. A test holds this table to them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "cli/simulate/simulation.hpp"

namespace dmm {

/// Users of each cluster, about as many as in the paper's traces.
constexpr std::uint32_t users_of_the_paper = 45;

struct UnstatedValue {
  std::string_view label;  ///< "150 s"
  std::int64_t value = 0;
};

struct UnstatedParameter {
  std::string_view name;
  std::string_view about;             ///< its meaning, in a few words
  std::vector<UnstatedValue> values;  ///< our value, then the others
  /// The architectures with schedules or counted messages that it can change; empty: all.
  std::vector<std::string_view> concerns;
  /// Sets the value in a choice that open_paper_settings prepared.
  void (*set)(SimulationChoice& choice, std::int64_t value);
  bool of_the_model = false;  ///< it concerns the model's jobs; recorded jobs have their own value

  bool changes(std::string_view architecture) const;
};

const std::vector<UnstatedParameter>& unstated_parameters();

/// The settings of the paper as `--paper` makes them, but as the topology's preset, so that single keys can override
/// them.
void open_paper_settings(SimulationChoice& choice);

}  // namespace dmm
