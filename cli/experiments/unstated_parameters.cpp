#include "cli/experiments/unstated_parameters.hpp"

#include <algorithm>
#include <string>

namespace dmm {
namespace {

using Value = std::int64_t;

void add_key(SimulationChoice& choice, const std::string& key, Value value) {
  choice.overrides.push_back("defaults." + key + "=" + std::to_string(value));
}

constexpr Value equal_sizes = 1, one_large = 2;

/// The paper says that the 15 clusters of Grid'5000 have over 2,750 processors. These have 2,955 and 2,960, like ours.
void set_sizes(SimulationChoice& choice, Value value) {
  constexpr int first = 5, last = 19;
  if (value != equal_sizes && value != one_large) return;
  for (int number = first; number <= last; ++number) {
    const int nodes = value == equal_sizes ? 197 : number == last ? 1'000 : 140;
    choice.overrides.push_back("sites.g5k-" + std::to_string(number) +
                               ".clusters.nodes.nodes=" + std::to_string(nodes));
  }
}

void set_correction(SimulationChoice& choice, Value value) {
  choice.workload.correction = value == 0 ? "reject" : value == 1 ? "rescale" : "none";
}

ClusterChoice cluster_choice(Value value) { return static_cast<ClusterChoice>(value); }
constexpr Value most_idle = static_cast<Value>(ClusterChoice::most_idle);
constexpr Value best_fit = static_cast<Value>(ClusterChoice::best_fit);
constexpr Value home = static_cast<Value>(ClusterChoice::home);
constexpr Value near_first = static_cast<Value>(FlockOrder::near_first);
constexpr Value numbered = static_cast<Value>(FlockOrder::numbered);

std::vector<UnstatedParameter> about_the_grid() {
  using Choice = SimulationChoice;
  return {
      {"cluster-sizes",
       "of Grid'5000; those of DAS are stated",
       {{"64 to 684", 0}, {"15 equal", equal_sizes}, {"one of 1,000", one_large}},
       {},
       set_sizes},
      {"load-correction",
       "of streams with a load that is off by chance by more than a tenth",
       {{"drawn again", 0}, {"rescaled", 1}, {"kept", 2}},
       {},
       set_correction,
       true},
      {"users",
       "of each cluster, for fair shares",
       {{"45", users_of_the_paper}, {"1", 1}, {"20", 20}},
       {"fcondor"},
       [](Choice& choice, Value value) { choice.workload.users = static_cast<std::uint32_t>(value); },
       true},
      {"keep-alive",
       "period of the keep-alives of running jobs, and of quiet links",
       {{"300 s", 300}, {"60 s", 60}, {"900 s", 900}},
       {"dmm"},  // no claim looks at messages of the others
       [](Choice& choice, Value value) {
         choice.parameters.keep_alive = seconds(value);
         choice.dmm.beat = seconds(value);
       }},
  };
}

std::vector<UnstatedParameter> about_dmm() {
  using Choice = SimulationChoice;
  return {
      {"delegation-cycle",
       "between rounds of delegation; \"normally\" shorter than the matchmaking cycle of 300 s",
       {{"150 s", 150}, {"30 s", 30}, {"300 s", 300}},
       {"dmm"},
       [](Choice& choice, Value value) { choice.sites.delegation_cycle_seconds = static_cast<double>(value); }},
      {"dttl",
       "hops that a request may travel",
       {{"5", 5}, {"2", 2}, {"10", 10}},
       {"dmm"},
       [](Choice& choice, Value value) { choice.dmm.dttl = static_cast<std::uint32_t>(value); }},
      {"targets",
       "order in which neighbours are asked",
       {{"near to far", 0}, {"in turn", 1}},
       {"dmm"},
       [](Choice& choice, Value value) { choice.sites.target = value == 0 ? "configured" : "round_robin"; }},
      {"keep-local",
       "whether what could start at home is sent away nevertheless",
       {{"yes", 0}, {"no", 1}},
       {"dmm"},
       [](Choice& choice, Value value) { choice.sites.keep_local = value == 1; }},
      {"owner-first",
       "whether a site lends what its own users wait for",
       {{"yes", 0}, {"no", 1}},
       {"dmm"},
       [](Choice& choice, Value value) { choice.sites.owner_first = value == 1; }},
      {"tries",
       "neighbours that a site asks in one round for all requests",
       {{"any number", 1'000'000}, {"4", 4}, {"16", 16}},
       {"dmm"},
       [](Choice& choice, Value value) { add_key(choice, "tries_per_round", value); }},
      {"pause",
       "the longest before neighbours that had nothing are asked again",
       {{"60 s", 60}, {"1 s", 1}, {"600 s", 600}},
       {"dmm"},
       [](Choice& choice, Value value) { add_key(choice, "pause_last_seconds", value); }},
      {"window",
       "delegations under way on a link, at first",
       {{"4", 4}, {"1", 1}, {"64", 64}},
       {"dmm"},
       [](Choice& choice, Value value) { add_key(choice, "window_first", value); }},
      {"lease-term",
       "of nodes that are lent; renewed every tenth",
       {{"3,000 s", 3000}, {"300 s", 300}, {"30,000 s", 30'000}},
       {"dmm"},
       [](Choice& choice, Value value) { choice.sites.term_seconds = static_cast<double>(value); }},
  };
}

std::vector<UnstatedParameter> about_the_others() {
  using Choice = SimulationChoice;
  return {
      {"half-life",
       "of past usage in the fair shares of fcondor",
       {{"1 day", 86'400}, {"1 hour", 3'600}, {"1 week", 604'800}},
       {"fcondor"},
       [](Choice& choice, Value value) { choice.parameters.usage_half_life = seconds(value); }},
      {"flock-order",
       "in which fcondor's job managers try site managers",
       {{"near first", near_first}, {"by number", numbered}},
       {"fcondor"},
       [](Choice& choice, Value value) { choice.parameters.flock_order = static_cast<FlockOrder>(value); }},
      {"cern-pull",
       "which site pulls first where several could",
       {{"most idle", most_idle}, {"best fit", best_fit}, {"home first", home}},
       {"cern"},
       [](Choice& choice, Value value) { choice.parameters.pull_choice = cluster_choice(value); }},
      {"koala-push",
       "to which site koala sends a job where several could",
       {{"most idle", most_idle}, {"best fit", best_fit}, {"home first", home}},
       {"koala"},
       [](Choice& choice, Value value) { choice.parameters.push_choice = cluster_choice(value); }},
      {"koala-monitoring",
       "how often koala learns what is idle",
       {{"60 s", 60}, {"at once", 0}, {"300 s", 300}},
       {"koala"},
       [](Choice& choice, Value value) { choice.parameters.monitoring = seconds(value); }},
  };
}

}  // namespace

bool UnstatedParameter::changes(std::string_view architecture) const {
  return concerns.empty() || std::find(concerns.begin(), concerns.end(), architecture) != concerns.end();
}

const std::vector<UnstatedParameter>& unstated_parameters() {
  static const std::vector<UnstatedParameter> table = [] {
    std::vector<UnstatedParameter> all = about_the_grid();
    for (auto& part : {about_dmm(), about_the_others()}) all.insert(all.end(), part.begin(), part.end());
    return all;
  }();
  return table;
}

void open_paper_settings(SimulationChoice& choice) {
  choice.cool_down = has_cool_down(choice);
  if (!choice.sites.coarse) choice.sites.coarse = choice.sites.paper;
  choice.sites.paper = false;
  choice.overrides.insert(choice.overrides.begin(), "defaults.preset=paper");
}

}  // namespace dmm
