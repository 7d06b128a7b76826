#include "cli/experiments/placed_claims.hpp"

#include "cli/terminal/figures.hpp"

namespace dmm {

std::string placed_claims_table(const std::vector<PlacedClaim>& claims) {
  Table table({{"claim", false}, {"holds", false}});
  for (const PlacedClaim& claim : claims) table.add({claim.text, claim.holds ? "yes" : "no"});
  return table.text({.colour = false, .unicode = true});
}

nlohmann::ordered_json placed_claims_json(const std::vector<PlacedClaim>& claims) {
  auto all = nlohmann::ordered_json::array();
  for (const PlacedClaim& claim : claims) all.push_back({{"claim", claim.text}, {"holds", claim.holds}});
  return all;
}

}  // namespace dmm
