// What the managers of a topology believe of the leases between them, and where they disagree: what `dmm fsck` is
// about. Pure: the command asks, this compares.
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
  std::string from, to;  ///< a site's neighbours towards the owner and the sink; empty: none
  BelievedNodes nodes, cleaning;
  std::string request;  ///< a job manager's
  struct HandedOut {
    std::string user, request;
    BelievedNodes nodes;
  };
  std::vector<HandedOut> handed_out;  ///< a sink's
};

struct Believer {
  Party party;
  std::vector<Belief> beliefs;
};

/// Reads one row of the answer to "holdings"; members that are missing stay empty.
Belief belief_from(const nlohmann::ordered_json& row);

/// Every disagreement between managers that are all here, as a sentence that names both; in a fixed order. Managers
/// that are not here are not missed.
std::vector<std::string> disagreements(const std::vector<Believer>& believers);

}  // namespace dmm
