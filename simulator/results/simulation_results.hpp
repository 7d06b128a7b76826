// Everything that a simulation writes into a folder, during the run and at its end:
//
//   jobs.csv, outcome.swf       A row for each job.
//   clusters.csv, links.csv     A row for each cluster or link at each sample.
//   schedule.json               Batsim's names (schedule_json.hpp).
//   summary.json, summary.txt   Texts from the caller.
//   utilisation.svg, waiting.svg, waits.svg, goodput.svg, gantt.svg: plots.
//
// Memory is bounded except for jobs without an end, which are kept until the simulation is stopped. Equal simulations
// give equal bytes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "simulator/results/gantt.hpp"
#include "simulator/results/home_figures.hpp"
#include "simulator/results/jobs_csv.hpp"
#include "simulator/results/outcome_swf.hpp"
#include "simulator/results/processor_numbers.hpp"
#include "simulator/results/samples_csv.hpp"
#include "simulator/results/time_buckets.hpp"

namespace dmm {

struct ResultsSetup {
  std::string folder;                   ///< made if missing; files of earlier results in it are replaced
  Grid grid;                            ///< clusters have distinct names
  std::vector<std::string> root_names;  ///< by GridCluster::root
  std::vector<LinkEnds> links;
  std::string title;          ///< "dmm on dual-grid, load 0.7"
  std::string workload_name;  ///< no comma, no quotation mark
};

class SimulationResults {
 public:
  explicit SimulationResults(ResultsSetup setup);
  SimulationResults(const SimulationResults&) = delete;
  SimulationResults& operator=(const SimulationResults&) = delete;

  /// The sinks of a simulation.
  void add(const SimulatedOutcome& ended);
  void add(const Sample& sample);

  /// Call after the last outcome. Returns what went wrong; empty if nothing did.
  std::string finish(const Summary& figures, double stopped_seconds, const std::string& summary_json,
                     const std::string& summary_text);

  /// By cluster.
  const std::vector<HomeFigures>& homes() const { return homes_; }
  const std::vector<GridGroup>& groups() const { return groups_; }

 private:
  struct Kept {
    StreamJob job;
    JobOutcome outcome;
    std::vector<ClusterShare> pieces;
  };
  void write(const SimulatedOutcome& ended, double end_seconds);
  std::string write_plots() const;
  std::string path(const std::string& name) const { return setup_.folder + "/" + name; }

  ResultsSetup setup_;
  std::string fault_;  ///< of making the folder
  std::vector<GridGroup> groups_;
  std::vector<std::uint32_t> group_of_;  ///< by cluster
  ProcessorNumbers numbers_;
  JobsCsv jobs_;
  OutcomeSwf swf_;
  SamplesCsv samples_;
  Gantt gantt_;
  std::vector<HomeFigures> homes_;
  std::vector<WaitDistribution> waits_;  ///< by group; the last is of all
  TimeBuckets course_;                   ///< busy processors by cluster, then waiting jobs by cluster
  std::vector<double> row_;              ///< of the course; a member to reuse its memory
  std::vector<Kept> unfinished_;
};

}  // namespace dmm
