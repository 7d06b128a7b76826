// Expected values of the Lublin-Feitelson model, by numerical integration instead of sampling. Its tests compare with
// them, and calibrated() finds the parameters for a wanted load. Truncations are included; rounding run times down to
// whole seconds isn't (it takes half a second from each on average).
#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "workloads/lublin.hpp"
#include "workloads/recorded_job.hpp"

namespace dmm {

/// Probability of each size; index 0 isn't used. Sizes above `processors` are cut to it, as LublinProcess does.
std::vector<double> size_law(const LublinParameters& parameters, std::uint32_t processors);

/// The run times of one parameter set.
class RunLaw {
 public:
  explicit RunLaw(const LublinParameters& parameters);
  /// Mean run time in seconds of a job of this size.
  double mean_seconds(std::uint32_t processors) const;
  /// Mean of the square of it, in seconds squared.
  double mean_square_seconds(std::uint32_t processors) const;

 private:
  /// One of the two gamma laws, below the limit: its weight, and the moments of e^h times the weight.
  struct Part {
    double weight = 0;
    double first = 0;
    double second = 0;
  };
  static Part part_of(const GammaLaw& law);
  double mixed(std::uint32_t processors, double Part::*moment) const;

  LublinParameters parameters_;
  Part short_;
  Part long_;
};

struct GapExpectation {
  double mean_seconds = 0;  ///< between arrivals, over whole days
  double below_limit = 0;   ///< probability that a gap isn't drawn again
};
/// For a shape (after rush_to_all) of at least 1.
GapExpectation gap_expectation(const LublinParameters& parameters);

/// Averages over the jobs of one kind on a machine of this size.
struct LublinExpectation {
  double mean_processors = 0;
  double mean_run_seconds = 0;
  double run_variation = 0;      ///< coefficient of variation of the run time
  double mean_work_seconds = 0;  ///< processors x run time
  double mean_gap_seconds = 0;
  /// The loads of several kinds add up.
  double load(std::uint32_t processors) const { return mean_work_seconds / (processors * mean_gap_seconds); }
};
LublinExpectation expectation_of(const LublinParameters& parameters, std::uint32_t processors);

/// The kinds with aarr, the shape of the gaps, multiplied by a common factor such that they offer this load together;
/// barr stays. An error if no factor does: the gaps would be shorter than seconds, or days long.
std::variant<std::vector<LublinParameters>, WorkloadError> calibrated(std::span<const LublinParameters> kinds,
                                                                      std::uint32_t processors, double load);

}  // namespace dmm
