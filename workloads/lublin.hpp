// The Lublin-Feitelson model of the load of a parallel machine: when rigid jobs arrive, how many processors each
// wants, and how long it runs. This file draws jobs. workloads/lublin_theory.hpp has the model's averages and the
// parameters for a wanted load; workloads/model.hpp makes a workload for a whole grid.
//
// Our own choices where the published model is open: a size above the machine's is cut to the machine (the model
// could ask for 256 of 194 processors). Users and estimates aren't part of the model.
//
// One deviation: arrival times are handed out in whole seconds, but the clock keeps its fractions. The authors'
// program cuts the clock itself, so every gap loses half a second. With gaps of 65 s the load is then 0.8 % too high,
// and after two months the busy hours are at night.
// Source: U. Lublin, D. G. Feitelson, J. Parallel Distrib. Comput. 63(11), 2003.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "workloads/random.hpp"
#include "workloads/samplers.hpp"

namespace dmm {

/// One parameter set. Gamma laws are given by shape and scale; those of times are of the natural logarithm of
/// seconds. The comments give the names of the publication.
struct LublinParameters {
  double serial = 0.244;        ///< probability of one processor
  double power_of_two = 0.576;  ///< probability of the class that is rounded to powers of two; not conditional
  double size_low = 0.8;        ///< ULow: log2 of the smallest parallel size
  double size_medium = 4.5;     ///< UMed: where the two-stage uniform law breaks
  double size_high = 7;         ///< UHi: log2 of the machine's size
  double first_stage = 0.86;    ///< Uprob: weight of the stage from low to medium

  double run_short_shape = 4.2, run_short_scale = 0.94;  ///< a1, b1
  double run_long_shape = 312, run_long_scale = 0.03;    ///< a2, b2
  /// pa, pb: a job of n processors is a short one with probability pa * n + pb.
  double short_slope = -0.0054, short_intercept = 0.78;

  double gap_shape = 10.2303, gap_scale = 0.4871;     ///< aarr, barr: gaps between arrivals in the rush hours
  double daily_shape = 8.1737, daily_scale = 3.9631;  ///< anum, bnum: the daily cycle, in half-hours
  double rush_to_all = 1.0225;                        ///< arar: multiplies aarr

  bool operator==(const LublinParameters&) const = default;
};

/// All jobs as one kind (the publication's "typeless" set): the defaults above.
constexpr LublinParameters lublin_all() { return {}; }

constexpr LublinParameters lublin_batch() {
  return {.serial = 0.2927,
          .power_of_two = 0.6686,
          .size_low = 1.2,
          .size_medium = 5,
          .size_high = 7,
          .first_stage = 0.875,
          .run_short_shape = 6.57,
          .run_short_scale = 0.823,
          .run_long_shape = 639.1,
          .run_long_scale = 0.0156,
          .short_slope = -0.003,
          .short_intercept = 0.6986,
          .gap_shape = 6.0415,
          .gap_scale = 0.8531,
          .daily_shape = 6.1271,
          .daily_scale = 5.2740,
          .rush_to_all = 1.0519};
}

constexpr LublinParameters lublin_interactive() {
  return {.serial = 0.1541,
          .power_of_two = 0.625,
          .size_low = 1,
          .size_medium = 3,
          .size_high = 5.5,
          .first_stage = 0.705,
          .run_short_shape = 3.8351,
          .run_short_scale = 0.6605,
          .run_long_shape = 7.073,
          .run_long_scale = 0.6856,
          .short_slope = -0.0118,
          .short_intercept = 0.9156,
          .gap_shape = 6.5510,
          .gap_scale = 0.6621,
          .daily_shape = 8.9186,
          .daily_scale = 3.6680,
          .rush_to_all = 0.9797};
}

/// Jobs of a grid: 95 % serial, the parallel ones half powers of two (Iosup et al. 2007, section 5.1).
constexpr LublinParameters lublin_grid() {
  LublinParameters parameters;
  parameters.serial = 0.95;
  parameters.power_of_two = 0.025;
  return parameters;
}

/// The set for a machine of this size: UHi moves by log2(processors) - 7, since the published sets are for 128,
/// and UMed with it, so that it stays 2.5 below (2 for batch). On machines so small that the stages would cross,
/// the lower ones are cut to the upper.
LublinParameters fitted_to(const LublinParameters& published, std::uint32_t processors);

constexpr double lublin_run_log_max = 12;   ///< longer runs are drawn again (e^12 s = 45 hours)
constexpr double lublin_gap_log_max = 13;   ///< longer gaps are drawn again (e^13 s = 5 days)
constexpr std::size_t lublin_buckets = 48;  ///< half-hours of the daily cycle, from midnight
constexpr std::int64_t lublin_bucket_seconds = 1800;

using DailyWeights = std::array<double, lublin_buckets>;

/// Each half-hour's share of a day's arrivals, relative to a mean of 1: the gamma law of the daily cycle, laid out
/// from bucket 11 (05:30) and wrapped at midnight.
DailyWeights daily_weights(const LublinParameters& parameters);

/// Turns gaps of the rush hours into arrival times. A gap buys points, and quiet half-hours cost more time for a
/// point. Points left over count for the next gap: a port that dropped them had 4 to 10 % more arrivals and another
/// daily cycle.
class ArrivalClock {
 public:
  explicit ArrivalClock(const DailyWeights& weights) : weights_(weights) {}

  /// The next arrival, `gap_seconds` rush-hour seconds after the last: in whole seconds from midnight of the first
  /// day.
  std::int64_t advance(double gap_seconds);
  /// Back to midnight of the first day.
  void restart() { buckets_passed_ = 0, points_ = 0; }

 private:
  DailyWeights weights_;
  std::int64_t buckets_passed_ = 0;
  double points_ = 0;  ///< bought, and not spent on the buckets passed
};

struct LublinJob {
  std::int64_t submit_seconds = 0;  ///< from midnight of the first day
  std::int64_t run_seconds = 1;     ///< at least 1
  std::uint32_t processors = 1;

  bool operator==(const LublinJob&) const = default;
};

/// One kind of jobs, one after the other without end. Arrivals, sizes and run times have separate random streams, so
/// that another load changes the arrivals alone.
class LublinProcess {
 public:
  /// Sizes are cut to `processors`, the size of the machine.
  LublinProcess(const LublinParameters& parameters, std::uint32_t processors, std::uint64_t seed);
  /// Begins again as if made with this seed. Much cheaper than making another process.
  void restart(std::uint64_t seed);

  LublinJob next();

 private:
  std::uint32_t draw_size();
  std::int64_t draw_run(std::uint32_t processors);

  LublinParameters parameters_;
  std::uint32_t processors_;
  GammaLaw run_short_;
  GammaLaw run_long_;
  GammaLaw gap_;
  ArrivalClock clock_;
  Random gaps_;
  Random sizes_;
  Random runs_;
};

/// Several kinds at once, each arriving independently. Jobs that arrive together come in the order of `kinds`: name
/// interactive before batch.
class LublinMix {
 public:
  LublinMix(const std::vector<LublinParameters>& kinds, std::uint32_t processors, std::uint64_t seed);
  /// Begins again as if made with this seed.
  void restart(std::uint64_t seed);

  struct Job : LublinJob {
    std::size_t kind = 0;
  };
  Job next();

 private:
  struct Lane {
    LublinProcess process;
    LublinJob head;
  };
  std::vector<Lane> lanes_;
};

}  // namespace dmm
