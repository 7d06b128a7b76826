// The claims of Iosup et al. 2007 about orders, ratios and shares: for each the simulations that it looks at, and
// whether they bear it out. docs/reproduction.md lists them with the sizes of our figures; here they are judged by
// rules, so that many settings can be.
//
//  - An order (A above B) holds if A is above B; in part if A is at least 95 % of B.
//  - A number ("32 % more") holds within a quarter of it; in part if ours has a tenth of it or more, or is larger.
//  - A limit ("at most 16 %") holds up to it; in part up to a quarter more.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace dmm {

/// One simulation that claims look at.
struct ClaimCase {
  enum class Kind : std::uint8_t {
    balanced,    ///< the same load of the model everywhere
    imbalanced,  ///< the first grid at 60 %, the others at `load`
    traces,      ///< real jobs, with the cool-down phase
  };

  Kind kind = Kind::balanced;
  double load = 0;
  std::string architecture;
  double threshold = 1;  ///< of delegation

  bool operator==(const ClaimCase&) const = default;
};

/// All that claims look at; those with a workload in common stand together.
const std::vector<ClaimCase>& claim_cases();
/// "fcondor at 80 %".
std::string to_text(const ClaimCase& one);

enum class Held : std::uint8_t { yes, in_part, no };
std::string_view to_text(Held held);

struct Judgement {
  Held held = Held::no;
  double figure = 0;
};

/// A metric (cli/experiments/metrics.hpp) of a case; for a claim all that there is.
using CaseMetric = std::function<double(const ClaimCase&, std::string_view metric)>;

struct PaperClaim {
  std::string_view number;     ///< that of docs/reproduction.md, and a letter
  std::string_view statement;  ///< of the paper, short
  std::string_view figure;     ///< what ours is
  int digits;                  ///< of it, behind the point
  Judgement (*judge)(const CaseMetric& metric);
};

const std::vector<PaperClaim>& paper_claims();

}  // namespace dmm
