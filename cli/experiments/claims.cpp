#include "cli/experiments/claims.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "cli/terminal/figures.hpp"
#include "cli/terminal/report_lines.hpp"

namespace dmm {
namespace {

using Kind = ClaimCase::Kind;
using Names = std::initializer_list<const char*>;
using Loads = std::initializer_list<double>;

constexpr std::string_view goodput_metric = "goodput_processor_hours", finished_metric = "jobs_finished_percent",
                           wait = "average_wait_seconds", delegations = "delegations_per_job",
                           share_metric = "dmm_percent_of_messages", of_management = "dmm_percent_of_management";
constexpr double least_threshold = 0.6, most_threshold = 1.25;

ClaimCase at(double load, const char* architecture) { return {Kind::balanced, load, architecture}; }
ClaimCase under(double load, double threshold) { return {Kind::balanced, load, "dmm", threshold}; }
ClaimCase imbalanced(double load, const char* architecture) { return {Kind::imbalanced, load, architecture}; }
ClaimCase traced(const char* architecture) { return {Kind::traces, 0, architecture}; }

// ---- the rules ----

/// Whether the ratio is at least 1; an undefined one (0 / 0) isn't.
Judgement in_order(double ratio) {
  constexpr double nearly = 0.95;
  return {ratio >= 1 ? Held::yes : ratio >= nearly ? Held::in_part : Held::no, ratio};
}

Judgement number(double stated, double ours) {
  if (std::abs(ours - stated) <= stated / 4) return {Held::yes, ours};
  return {ours >= stated / 10 ? Held::in_part : Held::no, ours};
}

Judgement limit(double stated, double ours) {
  return {ours <= stated ? Held::yes : ours <= stated * 1.25 ? Held::in_part : Held::no, ours};
}

/// The ratio of two waits; a wait below a second counts as one second.
double times_as_long(double a, double b) { return std::max(a, 1.0) / std::max(b, 1.0); }
double percent_more(double a, double b) { return b > 0 ? 100 * (a / b - 1) : 0; }

template <class Of>
double least_of(Loads loads, const Of& of) {
  double least = INFINITY;
  for (const double load : loads) least = std::min(least, of(load));
  return least;
}
template <class Of>
double most_of(Loads loads, const Of& of) {
  double most = -INFINITY;
  for (const double load : loads) most = std::max(most, of(load));
  return most;
}
double most(const CaseMetric& metric, double load, Names names, std::string_view name) {
  double value = -INFINITY;
  for (const char* each : names) value = std::max(value, metric(at(load, each), name));
  return value;
}
double least(const CaseMetric& metric, double load, Names names, std::string_view name) {
  double value = INFINITY;
  for (const char* each : names) value = std::min(value, metric(at(load, each), name));
  return value;
}

const Names central_and_separate = {"cern", "koala", "condor", "sep-c"};
const Names all_but_dmm = {"fcondor", "cern", "koala", "condor", "sep-c"};

// ---- figure 7 ----

Judgement best_goodput(const CaseMetric& metric) {
  return in_order(least_of({0.5, 0.8, 0.95}, [&](double load) {
    return fraction(metric(at(load, "dmm"), goodput_metric), most(metric, load, all_but_dmm, goodput_metric));
  }));
}

Judgement goodput_over_fcondor(const CaseMetric& metric) {
  return number(32,
                percent_more(metric(at(0.8, "dmm"), goodput_metric), metric(at(0.8, "fcondor"), goodput_metric)));
}

Judgement cern_at_low_load(const CaseMetric& metric) {
  return number(24, percent_more(metric(at(0.3, "cern"), goodput_metric),
                                 most(metric, 0.3, {"dmm", "fcondor"}, goodput_metric)));
}

Judgement more_finished(const CaseMetric& metric) {
  return in_order(least_of({0.3, 0.5, 0.8, 0.95}, [&](double load) {
    return fraction(least(metric, load, {"dmm", "fcondor"}, finished_metric),
                    most(metric, load, central_and_separate, finished_metric));
  }));
}

double most_finished_over(const CaseMetric& metric, Loads loads) {
  return most_of(loads, [&](double load) {
    return percent_more(metric(at(load, "dmm"), finished_metric),
                        least(metric, load, central_and_separate, finished_metric));
  });
}

Judgement finished_points(const CaseMetric& metric) {
  const auto points = [&](double load) {
    return metric(at(load, "dmm"), finished_metric) - metric(at(load, "fcondor"), finished_metric);
  };
  const double low = least_of({0.3, 0.5, 0.8, 0.95}, points), high = most_of({0.3, 0.5, 0.8, 0.95}, points);
  constexpr double rounding = 0.05;
  const bool in_range = low >= -rounding && high <= 4;
  const bool nearly = low >= -1 && high <= 5;
  return {in_range ? Held::yes : nearly ? Held::in_part : Held::no, -low > high ? low : high};
}

Judgement shorter_waits(const CaseMetric& metric) {
  return in_order(least_of({0.8, 0.95}, [&](double load) {
    return times_as_long(metric(at(load, "fcondor"), wait), metric(at(load, "dmm"), wait));
  }));
}

Judgement separate_wait_longest(const CaseMetric& metric) {
  return in_order(least_of({0.3, 0.5, 0.8, 0.95}, [&](double load) {
    return times_as_long(least(metric, load, {"condor", "sep-c"}, wait),
                         most(metric, load, {"dmm", "fcondor", "cern", "koala"}, wait));
  }));
}

Judgement constant_delegations(const CaseMetric& metric) {
  const double growth = fraction(metric(at(0.8, "dmm"), delegations), metric(at(0.3, "dmm"), delegations));
  return {growth <= 1.25 ? Held::yes : growth <= 2 ? Held::in_part : Held::no, growth};
}

// ---- figures 8 and 9 ----

Judgement most_finished_under_imbalance(const CaseMetric& metric) {
  constexpr double load = 1.5, limit_percent = 80;
  const double ours = metric(imbalanced(load, "dmm"), finished_metric);
  double others = 0;
  for (const char* name : all_but_dmm) others = std::max(others, metric(imbalanced(load, name), finished_metric));
  const bool only = ours > limit_percent && others <= limit_percent;
  return {only ? Held::yes : ours > limit_percent && ours > others ? Held::in_part : Held::no, ours};
}

double over_fcondor_under_imbalance(const CaseMetric& metric, std::string_view name) {
  return percent_more(metric(imbalanced(1.5, "dmm"), name), metric(imbalanced(1.5, "fcondor"), name));
}

Judgement inter_grid_goodput(const CaseMetric& metric) {
  return number(37, metric(imbalanced(1.5, "dmm"), "inter_grid_percent_of_delegated"));
}

// ---- figures 10 and 11 ----

Judgement high_thresholds_degrade(const CaseMetric& metric) {
  const double growth = times_as_long(metric(under(0.3, most_threshold), wait), metric(at(0.3, "dmm"), wait));
  return {growth >= 1.25 ? Held::yes : growth >= 1.05 ? Held::in_part : Held::no, growth};
}

Judgement threshold_one_is_best(const CaseMetric& metric) {
  const double others =
      std::min(metric(under(0.7, least_threshold), wait), metric(under(0.7, most_threshold), wait));
  return in_order(times_as_long(others, metric(under(0.7, 1), wait)));
}

Judgement share_by_threshold(const CaseMetric& metric) {
  const double low = metric(under(0.7, least_threshold), share_metric),
               middle = metric(under(0.7, 1), share_metric),
               high = metric(under(0.7, most_threshold), share_metric);
  const bool falls = low >= middle && middle >= high;
  const bool in_range = high >= 7 && low <= 16;
  return {falls && in_range ? Held::yes : falls ? Held::in_part : Held::no, middle};
}

double most_of_dmm(const CaseMetric& metric, Loads loads, std::string_view name) {
  return most_of(loads, [&](double load) { return metric(at(load, "dmm"), name); });
}

// ---- table 3 ----

Judgement cern_best_by_far(const CaseMetric& metric) {
  double others = INFINITY;  // koala isn't in the paper's table
  for (const char* name : {"dmm", "fcondor", "condor", "sep-c"})
    others = std::min(others, metric(traced(name), wait));
  const double gap = times_as_long(others, metric(traced("cern"), wait));
  return {gap >= 2 ? Held::yes : gap >= 1 ? Held::in_part : Held::no, gap};
}

Judgement better_than_condor(const CaseMetric& metric) {
  return in_order(times_as_long(metric(traced("condor"), wait),
                                std::max(metric(traced("dmm"), wait), metric(traced("fcondor"), wait))));
}

std::vector<PaperClaim> make_claims() {
  using Metric = const CaseMetric&;
  return {
      {"5a", "dmm has the best goodput from 50 % load up", "dmm / best other, worst load", 2, best_goodput},
      {"5b", "32 % more goodput than fcondor at 80 %", "% more", 1, goodput_over_fcondor},
      {"6", "cern has 24 % more goodput at 30 %", "% more than dmm or fcondor", 1, cern_at_low_load},
      {"7a", "dmm and fcondor finish more jobs than the others", "they / best other, worst load", 2,
       more_finished},
      {"7b", "up to 93 % more below 60 % load", "% more", 0,
       [](Metric metric) {
         return number(93, most_finished_over(metric, {0.3, 0.5}));
       }},
      {"7c", "up to 378 % more up to 98 %", "% more", 0,
       [](Metric metric) {
         return number(378, most_finished_over(metric, {0.8, 0.95}));
       }},
      {"7d", "dmm finishes 0 to 4 points more than fcondor", "points", 1, finished_points},
      {"8a", "dmm waits less than fcondor above 70 %", "fcondor / dmm, worst load", 2, shorter_waits},
      {"8b", "condor and sep-c wait longest", "they / longest other, worst load", 2, separate_wait_longest},
      {"9", "delegations a job constant up to 80 %", "80 % / 30 %", 1, constant_delegations},
      {"10a", "at 60/150 only dmm finishes over 80 %", "dmm [%]", 1, most_finished_under_imbalance},
      {"10b", "up to 26 % more finished than fcondor", "% more", 1,
       [](Metric metric) { return number(26, over_fcondor_under_imbalance(metric, finished_metric)); }},
      {"10c", "up to 60 % more goodput than fcondor", "% more", 1,
       [](Metric metric) { return number(60, over_fcondor_under_imbalance(metric, goodput_metric)); }},
      {"11", "up to 37 % of delegated goodput is inter-grid", "%", 1, inter_grid_goodput},
      {"12a", "thresholds above 1.0 degrade at 30 %", "wait at 1.25 / at 1.0", 2, high_thresholds_degrade},
      {"12b", "threshold 1.0 is best at 70 %", "better of 0.6, 1.25 / at 1.0", 2, threshold_one_is_best},
      {"13a", "7 to 16 % of messages at 70 %, falling", "% at 1.0", 1, share_by_threshold},
      {"13b", "at most 16 % of all messages", "%", 1,
       [](Metric metric) {
         return limit(16, most_of_dmm(metric, {0.3, 0.5, 0.7, 0.8, 0.95}, share_metric));
       }},
      {"13c", "at most 19 % of management below 60 %", "%", 1,
       [](Metric metric) {
         return limit(19, most_of_dmm(metric, {0.3, 0.5}, of_management));
       }},
      {"13d", "at most 97 % of management above", "%", 1,
       [](Metric metric) {
         return limit(97, most_of_dmm(metric, {0.7, 0.8, 0.95}, of_management));
       }},
      {"3a", "traces: cern waits least by far", "next best / cern", 1, cern_best_by_far},
      {"3b", "traces: dmm and fcondor better than condor", "condor / worse of both", 2, better_than_condor},
      {"3c", "traces: condor worse than sep-c", "condor / sep-c", 3,
       [](Metric metric) {
         return in_order(times_as_long(metric(traced("condor"), wait), metric(traced("sep-c"), wait)));
       }},
      {"3d", "traces: dmm better than fcondor", "fcondor / dmm", 2,
       [](Metric metric) {
         return in_order(times_as_long(metric(traced("fcondor"), wait), metric(traced("dmm"), wait)));
       }},
  };
}

std::vector<ClaimCase> make_cases() {
  const Names all = {"dmm", "fcondor", "cern", "koala", "condor", "sep-c"};
  std::vector<ClaimCase> cases;
  for (const double load : {0.3, 0.5, 0.8, 0.95}) {
    for (const char* name : all) cases.push_back(at(load, name));
    if (load == 0.3) cases.push_back(under(load, most_threshold));
  }
  for (const double threshold : {least_threshold, 1.0, most_threshold}) cases.push_back(under(0.7, threshold));
  for (const char* name : all) cases.push_back(imbalanced(1.5, name));
  for (const char* name : {"dmm", "fcondor", "cern", "condor", "sep-c"}) cases.push_back(traced(name));
  return cases;
}

}  // namespace

const std::vector<ClaimCase>& claim_cases() {
  static const std::vector<ClaimCase> cases = make_cases();
  return cases;
}

std::string to_text(const ClaimCase& one) {
  std::string text = one.architecture;
  if (one.kind == Kind::traces) return text + " on traces";
  text += one.kind == Kind::imbalanced ? " at 60 / " : " at ";
  text += decimal(one.load * 100, 0) + " %";
  if (one.threshold != 1) text += ", threshold " + decimal(one.threshold, 2);
  return text;
}

std::string_view to_text(Held held) {
  return held == Held::yes ? "yes" : held == Held::in_part ? "in part" : "no";
}

const std::vector<PaperClaim>& paper_claims() {
  static const std::vector<PaperClaim> table = make_claims();
  return table;
}

}  // namespace dmm
