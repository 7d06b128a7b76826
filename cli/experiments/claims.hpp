// The claims of Iosup et al. 2007 about orders, ratios and shares: the simulations behind each claim, and whether they
// support it. docs/reproduction.md lists the claims with our figures. Here rules judge them, so that many settings can
// be judged.
//
//  - An order (A above B) holds if A is above B; in part if A is at least 95 % of B.
// - A number ("32 % more") holds within a quarter of it; in part if ours is at least a tenth of it, or is larger.
//  - A limit ("at most 16 %") holds up to it; in part up to a quarter more.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace dmm {

/// A simulation that claims look at.
struct ClaimCase {
  enum class Kind : std::uint8_t {
    balanced,    ///< every cluster has the same load of the model
    imbalanced,  ///< the first grid at 60 %, the others at `load`
    traces,      ///< real jobs, with the cool-down phase
  };

  Kind kind = Kind::balanced;
  double load = 0;
  std::string architecture;
  double threshold = 1;  ///< threshold of delegation

  bool operator==(const ClaimCase&) const = default;
};

/// All simulations that claims look at. Those with the same workload are neighbours.
const std::vector<ClaimCase>& claim_cases();
/// "fcondor at 80 %".
std::string to_text(const ClaimCase& one);

enum class Held : std::uint8_t { yes, in_part, no };
std::string_view to_text(Held held);

struct Judgement {
  Held held = Held::no;
  double figure = 0;
};

/// The value of a metric (cli/experiments/metrics.hpp) in a case: all that a claim can look at.
using CaseMetric = std::function<double(const ClaimCase&, std::string_view metric)>;

struct PaperClaim {
  std::string_view number;     ///< the number in docs/reproduction.md, and a letter
  std::string_view statement;  ///< the paper's statement, shortened
  std::string_view figure;     ///< what our figure is
  int digits;                  ///< of our figure, after the point
  Judgement (*judge)(const CaseMetric& metric);
};

const std::vector<PaperClaim>& paper_claims();

}  // namespace dmm
