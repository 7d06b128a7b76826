// The integrals behind the expectations, and the bisection that inverts them.
#include "workloads/lublin_theory.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "workloads/integral.hpp"
#include "workloads/portable_math.hpp"

namespace dmm {
namespace {

constexpr std::uint32_t parabolas = 512;
constexpr int bisections = 60;

/// The part of the law up to `limit`, with e^(power x h) as weight, over the whole law.
double moment_up_to(const GammaLaw& law, double limit, double power) {
  const auto density = [&law](double h) { return law.relative_density(h); };
  const auto weighted = [&law, power](double h) { return law.relative_density(h) * portable::exp(power * h); };
  return integral(weighted, 0, limit, parabolas) / integral(density, 0, law.upper_end(), parabolas);
}

/// Distribution function of the two-stage uniform law of the size's exponent.
double stages_below(const LublinParameters& p, double exponent) {
  const auto part = [exponent](double from, double to) {
    if (exponent >= to) return 1.0;
    return exponent <= from ? 0.0 : (exponent - from) / (to - from);
  };
  return p.first_stage * part(p.size_low, p.size_medium) + (1 - p.first_stage) * part(p.size_medium, p.size_high);
}

double total_load(const std::vector<LublinParameters>& kinds, const std::vector<double>& work_seconds,
                  std::uint32_t processors) {
  double load = 0;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    load += work_seconds[i] / (processors * gap_expectation(kinds[i]).mean_seconds);
  }
  return load;
}

}  // namespace

std::vector<double> size_law(const LublinParameters& p, std::uint32_t processors) {
  std::vector<double> law(processors + std::size_t{1}, 0.0);
  const auto add = [&law, processors](double size, double probability) {
    law[static_cast<std::size_t>(std::clamp(size, 1.0, static_cast<double>(processors)))] += probability;
  };
  const double rounded = std::min(p.power_of_two, 1 - p.serial);
  const double other = 1 - p.serial - rounded;
  add(1, p.serial);
  // Exponents are rounded to whole numbers: k stands for those from k - 1/2 to k + 1/2.
  for (double k = 0; k - 0.5 <= p.size_high; ++k) {
    add(portable::exp2(k), rounded * (stages_below(p, k + 0.5) - stages_below(p, k - 0.5)));
  }
  double below = 0;  // probability of a size less than n
  for (double n = 1; below < 1; ++n) {
    const double up_to = n >= processors ? 1 : stages_below(p, portable::log2(n + 0.5));
    add(n, other * (up_to - below));
    below = up_to;
  }
  return law;
}

RunLaw::Part RunLaw::part_of(const GammaLaw& law) {
  return {moment_up_to(law, lublin_run_log_max, 0), moment_up_to(law, lublin_run_log_max, 1),
          moment_up_to(law, lublin_run_log_max, 2)};
}

RunLaw::RunLaw(const LublinParameters& p)
    : parameters_(p),
      short_(part_of({p.run_short_shape, p.run_short_scale})),
      long_(part_of({p.run_long_shape, p.run_long_scale})) {}

double RunLaw::mixed(std::uint32_t processors, double Part::*moment) const {
  const double p = std::clamp(parameters_.short_slope * processors + parameters_.short_intercept, 0.0, 1.0);
  // A run above the limit is drawn again with its kind, so each kind's weight is its probability below the limit.
  return (p * short_.*moment + (1 - p) * long_.*moment) / (p * short_.weight + (1 - p) * long_.weight);
}

double RunLaw::mean_seconds(std::uint32_t processors) const { return mixed(processors, &Part::first); }

double RunLaw::mean_square_seconds(std::uint32_t processors) const { return mixed(processors, &Part::second); }

GapExpectation gap_expectation(const LublinParameters& parameters) {
  const GammaLaw law(parameters.gap_shape * parameters.rush_to_all, parameters.gap_scale);
  const double below = moment_up_to(law, lublin_gap_log_max, 0);
  return {.mean_seconds = moment_up_to(law, lublin_gap_log_max, 1) / below, .below_limit = below};
}

LublinExpectation expectation_of(const LublinParameters& parameters, std::uint32_t processors) {
  const std::vector<double> sizes = size_law(parameters, processors);
  const RunLaw runs(parameters);
  LublinExpectation result;
  double mean_square = 0;
  for (std::uint32_t n = 1; n <= processors; ++n) {
    const double run = sizes[n] * runs.mean_seconds(n);
    result.mean_processors += sizes[n] * n;
    result.mean_run_seconds += run;
    result.mean_work_seconds += run * n;
    mean_square += sizes[n] * runs.mean_square_seconds(n);
  }
  const double variance = mean_square - result.mean_run_seconds * result.mean_run_seconds;
  result.run_variation = std::sqrt(variance) / result.mean_run_seconds;
  result.mean_gap_seconds = gap_expectation(parameters).mean_seconds;
  return result;
}

std::variant<std::vector<LublinParameters>, WorkloadError> calibrated(std::span<const LublinParameters> kinds,
                                                                      std::uint32_t processors, double load) {
  std::vector<double> work_seconds;
  double lowest = 0;  // the factor at which a shape is 1
  for (const LublinParameters& kind : kinds) {
    work_seconds.push_back(expectation_of(kind, processors).mean_work_seconds);
    lowest = std::max(lowest, 1 / (kind.gap_shape * kind.rush_to_all));
  }
  const auto scaled = [&kinds](double factor) {
    std::vector<LublinParameters> result(kinds.begin(), kinds.end());
    for (LublinParameters& kind : result) kind.gap_shape *= factor;
    return result;
  };
  // The greater the factor, the longer the gaps and the smaller the load.
  double low = lowest;
  double high = 4;
  const double most = total_load(scaled(low), work_seconds, processors);
  const double least = total_load(scaled(high), work_seconds, processors);
  if (!(load <= most && load >= least)) {
    return WorkloadError{"the model can't offer a load of " + std::to_string(load) + " to " +
                         std::to_string(processors) + " processors; expected " + std::to_string(least) + " to " +
                         std::to_string(most)};
  }
  for (int i = 0; i < bisections && high - low > 1e-9; ++i) {
    const double middle = (low + high) / 2;
    (total_load(scaled(middle), work_seconds, processors) > load ? low : high) = middle;
  }
  return scaled((low + high) / 2);
}

}  // namespace dmm
