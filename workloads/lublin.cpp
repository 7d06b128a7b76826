// Draws the model's jobs: sizes, run times and arrivals as in the publication's program, except for the samplers and
// the cut of sizes.
#include "workloads/lublin.hpp"

#include <algorithm>
#include <cmath>

#include "workloads/integral.hpp"
#include "workloads/portable_math.hpp"

namespace dmm {
namespace {

constexpr double published_size_high = 7;
constexpr std::size_t first_bucket = 11;

/// A sample of the law that is not above the limit.
double sample_up_to(const GammaLaw& law, double limit, Random& random) {
  while (true) {
    const double value = law.sample(random);
    if (value <= limit) return value;
  }
}

}  // namespace

LublinParameters fitted_to(const LublinParameters& published, std::uint32_t processors) {
  const double shift = portable::log2(processors) - published_size_high;
  LublinParameters fitted = published;
  fitted.size_high = std::max(0.0, published.size_high + shift);
  fitted.size_low = std::min(published.size_low, fitted.size_high);
  fitted.size_medium = std::clamp(published.size_medium + shift, fitted.size_low, fitted.size_high);
  return fitted;
}

DailyWeights daily_weights(const LublinParameters& parameters) {
  const GammaLaw law(parameters.daily_shape, parameters.daily_scale);
  const auto density = [&law](double x) { return law.relative_density(x); };
  DailyWeights weights{};
  double sum = 0;
  for (std::size_t i = first_bucket; i < first_bucket + lublin_buckets; ++i) {
    const auto middle = static_cast<double>(i);
    const double share = integral(density, middle - 0.5, middle + 0.5, 8);
    weights[(i - 1) % lublin_buckets] = share;
    sum += share;
  }
  for (double& weight : weights) weight *= static_cast<double>(lublin_buckets) / sum;
  return weights;
}

std::int64_t ArrivalClock::advance(double gap_seconds) {
  constexpr auto bucket_seconds = static_cast<double>(lublin_bucket_seconds);
  points_ += gap_seconds / bucket_seconds;
  std::size_t bucket = static_cast<std::size_t>(buckets_passed_) % lublin_buckets;
  while (points_ > weights_[bucket]) {
    points_ -= weights_[bucket];
    bucket = (bucket + 1) % lublin_buckets;
    ++buckets_passed_;
  }
  const double share_of_bucket = points_ / weights_[bucket];
  return buckets_passed_ * lublin_bucket_seconds + static_cast<std::int64_t>(bucket_seconds * share_of_bucket);
}

LublinProcess::LublinProcess(const LublinParameters& parameters, std::uint32_t processors, std::uint64_t seed)
    : parameters_(parameters),
      processors_(processors),
      run_short_(parameters.run_short_shape, parameters.run_short_scale),
      run_long_(parameters.run_long_shape, parameters.run_long_scale),
      gap_(parameters.gap_shape * parameters.rush_to_all, parameters.gap_scale),
      clock_(daily_weights(parameters)),
      gaps_(derived_seed(seed, 0)),
      sizes_(derived_seed(seed, 1)),
      runs_(derived_seed(seed, 2)) {}

void LublinProcess::restart(std::uint64_t seed) {
  clock_.restart();
  gaps_ = Random(derived_seed(seed, 0));
  sizes_ = Random(derived_seed(seed, 1));
  runs_ = Random(derived_seed(seed, 2));
}

LublinJob LublinProcess::next() {
  const std::int64_t submit = clock_.advance(portable::exp(sample_up_to(gap_, lublin_gap_log_max, gaps_)));
  const std::uint32_t size = draw_size();
  return {.submit_seconds = submit, .run_seconds = draw_run(size), .processors = size};
}

std::uint32_t LublinProcess::draw_size() {
  const LublinParameters& p = parameters_;
  const double u = sizes_.uniform();
  if (u <= p.serial) return 1;
  const bool is_low = sizes_.chance(p.first_stage);
  const double from = is_low ? p.size_low : p.size_medium;
  const double to = is_low ? p.size_medium : p.size_high;
  double exponent = from + (to - from) * sizes_.uniform();
  if (u <= p.serial + p.power_of_two) exponent = std::floor(exponent + 0.5);
  const double size = std::floor(portable::exp2(exponent) + 0.5);
  return static_cast<std::uint32_t>(std::min(size, static_cast<double>(processors_)));
}

std::int64_t LublinProcess::draw_run(std::uint32_t processors) {
  const double p = std::clamp(parameters_.short_slope * processors + parameters_.short_intercept, 0.0, 1.0);
  while (true) {
    const double log_seconds = (runs_.chance(p) ? run_short_ : run_long_).sample(runs_);
    if (log_seconds <= lublin_run_log_max) return static_cast<std::int64_t>(portable::exp(log_seconds));
  }
}

LublinMix::LublinMix(const std::vector<LublinParameters>& kinds, std::uint32_t processors, std::uint64_t seed) {
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    LublinProcess process(kinds[kind], processors, derived_seed(seed, kind));
    const LublinJob head = process.next();
    lanes_.push_back({process, head});
  }
}

void LublinMix::restart(std::uint64_t seed) {
  for (std::size_t kind = 0; kind < lanes_.size(); ++kind) {
    lanes_[kind].process.restart(derived_seed(seed, kind));
    lanes_[kind].head = lanes_[kind].process.next();
  }
}

LublinMix::Job LublinMix::next() {
  std::size_t kind = 0;
  for (std::size_t other = 1; other < lanes_.size(); ++other) {
    if (lanes_[other].head.submit_seconds < lanes_[kind].head.submit_seconds) kind = other;
  }
  const Job job{lanes_[kind].head, kind};
  lanes_[kind].head = lanes_[kind].process.next();
  return job;
}

}  // namespace dmm
