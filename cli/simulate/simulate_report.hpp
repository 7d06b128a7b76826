// What `dmm simulate` prints at its end, as text for people and as one JSON object, with the keys of `dmm run --json`
// where they exist. Pure. The speed of the machine has no influence: equal simulations print the same.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/simulate/simulation.hpp"
#include "cli/terminal/style.hpp"

namespace dmm {

struct SimulateReport {
  const SimulationChoice& choice;
  const SimulationInput& input;
  const SimulationRun& run;
  const std::vector<Replacement>& replaced;  ///< settings that differ from those of daemons
};

/// Whether nothing went wrong: no job lost, none rerun without a cause, every node home.
bool all_well(const SimulateReport& report);

std::vector<std::string> render_report(const SimulateReport& report, const Style& style);
nlohmann::ordered_json to_json(const SimulateReport& report);
/// Messages by kind, under their names.
nlohmann::ordered_json messages_json(const MessageCounts& messages);

}  // namespace dmm
