// What the managers of a topology believe about the leases between them, and where these beliefs differ: the comparison
// behind `dmm fsck`. Pure: the command asks the managers, this compares the answers.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "protocol/ids.hpp"

namespace dmm {

/// Node sets by resource manager, as canonical texts: {"das-3/nodes": "0-3"}.
using BelievedNodes = std::map<std::string, std::string>;

/// A lease as one manager sees it.
struct Belief {
  std::string lease;
  std::string from, to;  ///< of a site: its neighbours towards the owner and the sink; empty: none
  BelievedNodes nodes, cleaning;
  std::string request;  ///< of a job manager
  struct HandedOut {
    std::string user, request;
    BelievedNodes nodes;
  };
  std::vector<HandedOut> handed_out;  ///< of a sink
};

struct Believer {
  Party party;
  std::vector<Belief> beliefs;
};

/// Reads one row of the answer to "holdings"; members that are missing stay empty.
Belief belief_from(const nlohmann::ordered_json& row);

/// One sentence for each disagreement between two of these managers; it names both. The order is fixed. Managers that
/// are missing from the list cause no disagreement.
std::vector<std::string> disagreements(const std::vector<Believer>& believers);

}  // namespace dmm
