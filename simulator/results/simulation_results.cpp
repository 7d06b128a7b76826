#include "simulator/results/simulation_results.hpp"

#include <filesystem>
#include <system_error>

#include "simulator/results/plots.hpp"
#include "simulator/results/result_file.hpp"
#include "simulator/results/schedule_json.hpp"

namespace dmm {
namespace {

std::string make_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  return error ? "cannot make the folder " + folder + ": " + error.message() : "";
}

}  // namespace

SimulationResults::SimulationResults(ResultsSetup setup)
    : setup_(std::move(setup)),
      fault_(make_folder(setup_.folder)),
      groups_(groups_of(setup_.grid, setup_.root_names)),
      group_of_(setup_.grid.clusters.size()),
      numbers_(setup_.grid),
      jobs_(path("jobs.csv"), setup_.grid, setup_.workload_name),
      swf_(path("outcome.swf"), setup_.grid, setup_.title),
      samples_(path("clusters.csv"), path("links.csv"), setup_.grid, setup_.links),
      gantt_(setup_.grid),
      homes_(setup_.grid.clusters.size()),
      waits_(groups_.size() + 1),
      course_(2 * setup_.grid.clusters.size()),
      row_(2 * setup_.grid.clusters.size()) {
  for (std::uint32_t group = 0; group < groups_.size(); ++group)
    for (const std::uint32_t cluster : groups_[group].clusters) group_of_[cluster] = group;
}

void SimulationResults::add(const SimulatedOutcome& ended) {
  const JobOutcome& outcome = ended.outcome;
  homes_.at(ended.job.home).add(outcome);
  if (outcome.state == JobOutcome::State::finished) {
    const double wait = outcome.start_seconds - outcome.submit_seconds;
    waits_[group_of_[ended.job.home]].add(wait);
    waits_.back().add(wait);
  }
  if (outcome.start_seconds >= 0 && outcome.end_seconds < 0)  // written by finish()
    unfinished_.push_back({ended.job, outcome, {ended.pieces.begin(), ended.pieces.end()}});
  else
    write(ended, outcome.end_seconds);
}

void SimulationResults::write(const SimulatedOutcome& ended, double end_seconds) {
  std::vector<ProcessorRange> processors;
  if (ended.outcome.start_seconds >= 0) {
    processors = numbers_.take(ended.pieces, ended.outcome.start_seconds, end_seconds);
    gantt_.add(ended.job.number, processors, ended.outcome.start_seconds, end_seconds, ended.outcome.origin);
  }
  jobs_.add(ended, end_seconds, processors);
  swf_.add(ended, end_seconds);
}

void SimulationResults::add(const Sample& sample) {
  samples_.add(sample);
  const std::size_t clusters = setup_.grid.clusters.size();
  for (std::size_t i = 0; i < clusters && i < sample.clusters.size(); ++i) {
    row_[i] = sample.clusters[i].busy;
    row_[clusters + i] = static_cast<double>(sample.clusters[i].waiting);
  }
  course_.add((sample.at - Instant{}).in_seconds(), row_);
}

std::string SimulationResults::finish(const Summary& figures, double stopped_seconds,
                                      const std::string& summary_json, const std::string& summary_text) {
  for (const Kept& kept : unfinished_) write({kept.job, kept.outcome, kept.pieces}, stopped_seconds);
  unfinished_.clear();
  std::string fault = fault_;
  for (const std::string& other :
       {jobs_.close(), swf_.close(), samples_.close(),
        write_file(path("schedule.json"), schedule_json(figures, setup_.grid.processors())),
        write_file(path("summary.json"), summary_json), write_file(path("summary.txt"), summary_text),
        write_plots()})
    if (fault.empty()) fault = other;
  return fault;
}

std::string SimulationResults::write_plots() const {
  const PlotInput input{setup_.grid, groups_, setup_.title, course_, homes_, waits_};
  for (const auto& [name, text] : {std::pair<std::string, std::string>{"utilisation.svg", utilisation_plot(input)},
                                   {"waiting.svg", waiting_plot(input)},
                                   {"waits.svg", waits_plot(input)},
                                   {"goodput.svg", goodput_plot(input)},
                                   {"gantt.svg", gantt_.document(setup_.title)}})
    if (std::string fault = write_file(path(name), text); !fault.empty()) return fault;
  return {};
}

}  // namespace dmm
