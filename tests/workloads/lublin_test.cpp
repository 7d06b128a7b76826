// The Lublin-Feitelson model against the check values of its specification: expectations by numerical integration,
// samples of 200,000 jobs within the tolerances that the specification suggests, and known mistakes of other programs.
#include "workloads/lublin.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "workloads/integral.hpp"
#include "workloads/lublin_theory.hpp"
#include "workloads/portable_math.hpp"

namespace lublin_test {

using namespace dmm;

namespace {

constexpr int samples = 200'000;

/// |value - expected| is within half of the last digit that the specification prints, or within a share.
void check_near(double value, double expected, double slack) {
  CAPTURE(expected);
  CHECK(std::abs(value - expected) <= slack);
}

struct Averages {
  double processors = 0;
  double run_seconds = 0;
  double serial = 0;
  double gap_seconds = 0;
  double load = 0;  ///< on 128 processors
  double second_kind = 0;
};

Averages sampled(const std::vector<LublinParameters>& kinds, std::uint64_t seed) {
  LublinMix mix(kinds, 128, seed);
  Averages sums;
  std::int64_t last_submit = 0;
  double work = 0;
  for (int i = 0; i < samples; ++i) {
    const LublinMix::Job job = mix.next();
    const auto run = static_cast<double>(job.run_seconds);
    sums.processors += job.processors;
    sums.run_seconds += run;
    sums.serial += job.processors == 1;
    sums.second_kind += job.kind == 1;
    work += run * job.processors;
    last_submit = job.submit_seconds;
  }
  const auto end = static_cast<double>(last_submit);
  return {sums.processors / samples, sums.run_seconds / samples, sums.serial / samples, end / samples,
          work / (128 * end),        sums.second_kind / samples};
}

double power_of_two_share(const std::vector<double>& law) {
  double share = 0;
  for (std::size_t n = 2; n < law.size(); n *= 2) share += law[n];
  return share;
}

}  // namespace

TEST_CASE("lublin: our exponential and logarithm agree with the C library's to the last bits") {
  Random random(1);
  for (int i = 0; i < 20'000; ++i) {
    const double x = 100 * (random.uniform() - 0.5);
    CHECK(std::abs(portable::exp(x) / std::exp(x) - 1) < 5e-16);
    CHECK(std::abs(portable::exp2(x) / std::exp2(x) - 1) < 5e-16);
    const double y = std::exp(x);
    CHECK(std::abs(portable::log(y) - std::log(y)) <= 5e-16 * std::abs(std::log(y)));
    CHECK(std::abs(portable::log2(y) - std::log2(y)) <= 1e-15 * std::abs(std::log2(y)));
  }
  for (int n = -1000; n <= 1000; ++n) {
    CHECK(portable::exp2(n) == std::ldexp(1.0, n));
    CHECK(portable::log2(std::ldexp(1.0, n)) == n);
  }
  CHECK(portable::exp(0) == 1);
  CHECK(portable::log(1) == 0);
  CHECK(portable::exp(1000) == HUGE_VAL);
  CHECK(portable::exp(-1000) == 0);
  CHECK(portable::log(0) == -HUGE_VAL);
  CHECK(portable::log(5e-324) == doctest::Approx(std::log(5e-324)));
  CHECK(std::isnan(portable::exp(NAN)));
}

TEST_CASE("lublin: samples of the normal and the gamma law have the law's moments") {
  Random random(2);
  double sum = 0, squares = 0;
  for (int i = 0; i < samples; ++i) {
    const double x = standard_normal(random);
    sum += x;
    squares += x * x;
  }
  CHECK(std::abs(sum / samples) < 0.01);
  CHECK(squares / samples == doctest::Approx(1).epsilon(0.01));
  for (const auto& [shape, scale] : {std::pair{4.2, 0.94}, {312.0, 0.03}, {1.0, 2.0}, {0.5, 3.0}}) {
    CAPTURE(shape);
    const GammaLaw law(shape, scale);
    double mean = 0, square = 0;
    for (int i = 0; i < 50'000; ++i) {
      const double x = law.sample(random);
      mean += x / 50'000;
      square += x * x / 50'000;
    }
    CHECK(mean == doctest::Approx(shape * scale).epsilon(0.02));
    CHECK(square - mean * mean == doctest::Approx(shape * scale * scale).epsilon(0.05));
  }
}

TEST_CASE("lublin: the samplers' first samples are exact to the bit, so that other machines draw the same") {
  Random random(42);
  CHECK(standard_normal(random) == 0x1.f8c80e851c08cp-2);
  CHECK(GammaLaw(312, 0.03).sample(random) == 0x1.1602641913a0fp+3);
  LublinProcess process(lublin_all(), 128, 42);
  LublinJob job;
  for (int i = 0; i < 1000; ++i) job = process.next();
  CHECK(job == LublinJob{.submit_seconds = 1006778, .run_seconds = 28, .processors = 16});
}

TEST_CASE("lublin: sizes have the probabilities and means of the model") {
  struct Row {
    LublinParameters parameters;
    double one, power_of_two, mean;
    std::vector<double> powers;  // of 2, 4, 8 ...
  };
  const Row rows[] = {
      {lublin_all(), 0.2440, 0.6251, 12.134, {.11555, .14905, .14144, .13765, .03271, .03248, .01618}},
      {lublin_batch(), 0.2927, 0.6757, 13.893, {.04727, .15718, .15556, .15476, .09813, .04184, .02091}},
      {lublin_interactive(), 0.1541, 0.6914, 8.045, {.13522, .24854, .15656, .07610, .07493, 0, 0}},
      {lublin_grid(), 0.9500, 0.0318, 1.733, {}},
  };
  for (const Row& row : rows) {
    const std::vector<double> law = size_law(row.parameters, 128);
    check_near(std::accumulate(law.begin(), law.end(), 0.0), 1, 1e-12);
    check_near(law[1], row.one, 5e-5);
    check_near(power_of_two_share(law), row.power_of_two, 5e-5);
    check_near(expectation_of(row.parameters, 128).mean_processors, row.mean, 5e-4);
    for (std::size_t i = 0; i < row.powers.size(); ++i) check_near(law[std::size_t{2} << i], row.powers[i], 5e-6);
  }
  // The largest size: 128 in the published sets, 45 = 2^5.5 for interactive jobs.
  CHECK(size_law(lublin_interactive(), 128)[45] > 0);
  CHECK(size_law(lublin_interactive(), 128)[46] == 0);
}

TEST_CASE("lublin: mean sizes of grid jobs follow from the size of the machine") {
  const std::pair<std::uint32_t, double> rows[] = {{32, 1.199},  {64, 1.385},  {144, 1.820},
                                                   {256, 2.392}, {512, 3.653}, {1024, 6.088}};
  for (const auto& [processors, mean] : rows) {
    check_near(expectation_of(fitted_to(lublin_grid(), processors), processors).mean_processors, mean, 5e-4);
  }
}

TEST_CASE("lublin: run times, arrivals and work have the means of the model") {
  struct Row {
    LublinParameters parameters;
    double run, variation, of_one, of_64, of_128, work, below_limit, gap;
  };
  const Row rows[] = {
      {lublin_all(), 4358, 1.94, 3596, 7906, 12280, 84241, .999883, 911.3},
      {lublin_batch(), 9492, 1.48, 8687, 12622, 16610, 163480, .996539, 3516.9},
      {lublin_interactive(), 241.0, 11.1, 155, 925, 1092, 2964, .999837, 619.3},
      {lublin_grid(), 3646, 2.21, 3596, 7906, 12280, 8830, .999883, 911.3},
  };
  for (const Row& row : rows) {
    const LublinExpectation expected = expectation_of(row.parameters, 128);
    const RunLaw runs(row.parameters);
    check_near(expected.mean_run_seconds, row.run, 0.5);
    check_near(expected.run_variation, row.variation, row.variation > 10 ? 0.05 : 0.005);
    check_near(runs.mean_seconds(1), row.of_one, 0.5);
    check_near(runs.mean_seconds(64), row.of_64, 0.5);
    check_near(runs.mean_seconds(128), row.of_128, 0.5);
    check_near(expected.mean_work_seconds, row.work, 5);
    check_near(gap_expectation(row.parameters).below_limit, row.below_limit, 5e-7);
    check_near(expected.mean_gap_seconds, row.gap, 0.05);
  }
  check_near(lublin_all().gap_shape * lublin_all().rush_to_all, 10.46048, 5e-6);
  check_near(lublin_batch().gap_shape * lublin_batch().rush_to_all, 6.35505, 5e-6);
  check_near(lublin_interactive().gap_shape * lublin_interactive().rush_to_all, 6.41801, 5e-6);
}

TEST_CASE("lublin: each half-hour of the day has its share") {
  const double expected[] = {.5078,  .4561,  .4085,  .3649,  .3250,  .2888,  .2560,  .2263,  .1997,  .1758,
                             .1649,  .2389,  .3293,  .4351,  .5543,  .6840,  .8208,  .9609,  1.1002, 1.2349,
                             1.3615, 1.4769, 1.5785, 1.6644, 1.7332, 1.7843, 1.8174, 1.8331, 1.8321, 1.8155,
                             1.7848, 1.7415, 1.6874, 1.6243, 1.5538, 1.4777, 1.3976, 1.3149, 1.2310, 1.1470,
                             1.0640, .9828,  .9040,  .8284,  .7563,  .6880,  .6238,  .5637};
  const DailyWeights weights = daily_weights(lublin_all());
  for (std::size_t i = 0; i < lublin_buckets; ++i) check_near(weights[i], expected[i], 5e-5);
  const std::pair<LublinParameters, double> sums[] = {
      {lublin_all(), 0.971601}, {lublin_batch(), 0.946752}, {lublin_interactive(), 0.975591}};
  for (const auto& [parameters, sum] : sums) {
    const GammaLaw law(parameters.daily_shape, parameters.daily_scale);
    const auto density = [&law](double x) { return law.relative_density(x); };
    check_near(integral(density, 10.5, 58.5, 500) / integral(density, 0, law.upper_end(), 1000), sum, 5e-7);
  }
}

TEST_CASE("lublin: 200,000 jobs of the typeless set, and of its grid variant, follow the model") {
  const Averages all = sampled({lublin_all()}, 1);
  CHECK(all.processors == doctest::Approx(12.134).epsilon(0.02));
  CHECK(all.run_seconds == doctest::Approx(4358).epsilon(0.02));
  CHECK(std::abs(all.serial - 0.244) < 0.003);
  CHECK(all.gap_seconds == doctest::Approx(911.3).epsilon(0.08));
  CHECK(all.load == doctest::Approx(0.722).epsilon(0.08));
  const Averages grid = sampled({lublin_grid()}, 1);
  CHECK(grid.processors == doctest::Approx(1.733).epsilon(0.02));
  CHECK(grid.run_seconds == doctest::Approx(3646).epsilon(0.02));
  CHECK(std::abs(grid.serial - 0.95) < 0.003);
  CHECK(grid.gap_seconds == all.gap_seconds);  // the same seed; arrivals have random numbers of their own
}

TEST_CASE("lublin: 200,000 jobs of both types, each arriving by itself, follow the model") {
  const Averages both = sampled({lublin_interactive(), lublin_batch()}, 1);
  CHECK(std::abs(both.serial - 0.175) < 0.003);
  CHECK(both.processors == doctest::Approx(8.91).epsilon(0.02));
  CHECK(both.run_seconds == doctest::Approx(1612).epsilon(0.04));
  CHECK(both.gap_seconds == doctest::Approx(524).epsilon(0.08));
  CHECK(std::abs(both.second_kind - 0.1485) < 0.01);
  CHECK(both.load == doctest::Approx(0.40).epsilon(0.08));
}

TEST_CASE("lublin: interactive jobs come first where both types arrive together") {
  LublinMix mix({lublin_interactive(), lublin_batch()}, 128, 3);
  LublinMix::Job last = mix.next();
  int ties = 0;
  for (int i = 0; i < 50'000; ++i) {
    const LublinMix::Job job = mix.next();
    REQUIRE(job.submit_seconds >= last.submit_seconds);
    const bool is_tie = job.submit_seconds == last.submit_seconds && job.kind != last.kind;
    ties += is_tie;
    if (is_tie) REQUIRE(job.kind == 1);
    last = job;
  }
  CHECK(ties > 0);
}

TEST_CASE("lublin: a restarted mix draws what a new one draws") {
  LublinMix used({lublin_interactive(), lublin_batch()}, 128, 3);
  for (int i = 0; i < 1'001; ++i) used.next();
  used.restart(4);
  LublinMix fresh({lublin_interactive(), lublin_batch()}, 128, 4);
  for (int i = 0; i < 1'000; ++i) {
    const LublinMix::Job expected = fresh.next(), job = used.next();
    REQUIRE(job == expected);
    REQUIRE(job.kind == expected.kind);
  }
}

TEST_CASE("lublin: points that a gap leaves over are spent by the next one") {
  // In a day without a cycle an hour of the rush hours is an hour of the clock, however it is cut into gaps.
  DailyWeights flat{};
  flat.fill(1);
  ArrivalClock clock(flat);
  const std::int64_t gaps[] = {1000, 800, 1, 1799, 5, 3600, 7200, 1801, 86400, 100000};
  std::int64_t sum = 0;
  for (const std::int64_t gap : gaps) {
    sum += gap;
    CHECK(std::abs(clock.advance(static_cast<double>(gap)) - sum) <= 1);  // arrivals are cut to whole seconds
  }
  double exact = static_cast<double>(sum);
  std::int64_t last = 0;
  for (int i = 0; i < 10'000; ++i) last = clock.advance(7.25), exact += 7.25;
  CHECK(std::abs(static_cast<double>(last) - exact) <= 1);  // and the remainders aren't lost
  // A program that drops the remainders (GridSim's port does) is 4 to 10 % early in the long run. The mean over 200,000
  // jobs of seed 1 is known to be closer to its expectation than that.
  CHECK(sampled({lublin_all()}, 1).gap_seconds > 895);
}

TEST_CASE("lublin: over the day, jobs arrive in the shares of the daily cycle") {
  const DailyWeights weights = daily_weights(lublin_all());
  ArrivalClock clock(weights);
  constexpr int arrivals = 86400 * 10 / 5;  // ten days, even in the time of the rush hours
  std::array<double, lublin_buckets> arrived{};
  std::int64_t submit = 0;
  for (int i = 0; i < arrivals; ++i) {
    submit = clock.advance(5);
    arrived[static_cast<std::size_t>(submit % 86400 / lublin_bucket_seconds)] += 48.0 / arrivals;
  }
  CHECK(std::abs(submit - 10 * 86400) <= 1);  // sums of gaps are rounded
  for (std::size_t i = 0; i < lublin_buckets; ++i) check_near(arrived[i], weights[i], 0.003);
}

TEST_CASE("lublin: sizes are cut to the machine, and small machines have sizes that they can run") {
  LublinParameters wide = lublin_grid();
  wide.serial = 0;
  wide.size_medium = 5.1;
  wide.size_high = 7.6;  // its jobs of class 2^x reach 2^8
  LublinProcess process(wide, 194, 1);
  std::uint32_t widest = 0;
  for (int i = 0; i < 20'000; ++i) widest = std::max(widest, process.next().processors);
  CHECK(widest == 194);
  for (const std::uint32_t processors : {1u, 2u, 3u, 8u, 11u}) {
    CAPTURE(processors);
    const LublinParameters fitted = fitted_to(lublin_all(), processors);
    const std::vector<double> law = size_law(fitted, processors);
    check_near(std::accumulate(law.begin(), law.end(), 0.0), 1, 1e-12);
    LublinProcess small(fitted, processors, 1);
    for (int i = 0; i < 2'000; ++i) {
      const std::uint32_t size = small.next().processors;
      REQUIRE(size >= 1);
      REQUIRE(size <= processors);
    }
  }
  CHECK(fitted_to(lublin_batch(), 128) == lublin_batch());
  CHECK(fitted_to(lublin_interactive(), 128) == lublin_interactive());
}

TEST_CASE("lublin: the shapes of the gaps offer the wanted load") {
  struct Row {
    std::uint32_t processors;
    double work;
    double gaps[4];
    double shapes[4];
  };
  const double loads[] = {0.10, 0.50, 0.70, 0.98};
  const Row rows[] = {
      {64, 5639, {881.0, 176.2, 125.9, 89.9}, {10.1737, 7.6234, 7.1144, 6.6102}},
      {144, 9769, {678.4, 135.7, 96.9, 69.2}, {9.7413, 7.2276, 6.7224, 6.2211}},
      {256, 16646, {650.2, 130.0, 92.9, 66.4}, {9.6720, 7.1637, 6.6590, 6.1581}},
      {512, 32740, {639.5, 127.9, 91.4, 65.3}, {9.6448, 7.1385, 6.6341, 6.1333}},
  };
  for (const Row& row : rows) {
    const std::vector<LublinParameters> kinds{fitted_to(lublin_grid(), row.processors)};
    check_near(expectation_of(kinds[0], row.processors).mean_work_seconds, row.work, 0.5);
    for (std::size_t i = 0; i < 4; ++i) {
      const auto result = calibrated(kinds, row.processors, loads[i]);
      const auto* const solved = std::get_if<std::vector<LublinParameters>>(&result);
      REQUIRE(solved != nullptr);
      check_near(solved->front().gap_shape, row.shapes[i], 5e-5);
      check_near(gap_expectation(solved->front()).mean_seconds, row.gaps[i], 0.05);
      check_near(expectation_of(solved->front(), row.processors).load(row.processors), loads[i], 1e-6);
    }
  }
}

TEST_CASE("lublin: both types are calibrated together, and impossible loads are refused") {
  const std::vector<LublinParameters> types{lublin_interactive(), lublin_batch()};
  const auto result = calibrated(types, 128, 0.8);
  const auto* const solved = std::get_if<std::vector<LublinParameters>>(&result);
  REQUIRE(solved != nullptr);
  check_near(expectation_of((*solved)[0], 128).load(128) + expectation_of((*solved)[1], 128).load(128), 0.8, 1e-6);
  check_near((*solved)[0].gap_shape / types[0].gap_shape, (*solved)[1].gap_shape / types[1].gap_shape, 1e-12);
  CHECK(std::holds_alternative<WorkloadError>(calibrated(types, 128, 1e9)));
  CHECK(std::holds_alternative<WorkloadError>(calibrated(types, 128, 1e-9)));
  CHECK(std::holds_alternative<WorkloadError>(calibrated(types, 128, NAN)));
}

}  // namespace lublin_test
