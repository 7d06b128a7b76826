#include "simulator/experiments/idle_nodes.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <variant>

#include "manager/assert.hpp"
#include "workloads/model.hpp"
#include "workloads/samplers.hpp"

namespace dmm {
namespace {

constexpr std::int64_t local_period_seconds = 28 * 86400;

struct PaperRow {
  std::uint32_t percent;  ///< load; 0: dedicated
  std::uint32_t nodes;
  std::uint32_t task_minutes;
  double minutes;
};
constexpr std::array<PaperRow, 14> table_1 = {{
    {0, 1, 5, 7200},
    {0, 20, 5, 360},
    {30, 100, 5, 105},
    {50, 100, 5, 150},
    {70, 100, 5, 400},
    {90, 100, 5, 685},
    {30, 100, 15, 120},
    {50, 100, 15, 225},
    {70, 100, 15, 585},
    {90, 100, 15, 1215},
    {30, 100, 30, 150},
    {50, 100, 30, 300},
    {70, 100, 30, 655},
    {90, 100, 30, 1620},
}};

LentClusterOutcome run_bag(const IdleNodesSettings& settings, const LocalJobs& local, double load,
                           std::uint32_t task_minutes, std::uint32_t repetition) {
  LentClusterRun run{.nodes = settings.nodes, .choice = settings.choice};
  run.tasks = bag_of(settings.work_minutes, task_minutes);
  if (load > 0) {
    run.local = local(load, repetition);
    run.submit = Instant{} + settings.submit + settings.submit_step * repetition;
  }
  return run_lent_cluster(std::move(run));
}

/// Work over capacity, from the first submission to the last.
double load_of(const std::vector<StreamJob>& jobs, std::uint32_t nodes) {
  double work = 0;
  for (const StreamJob& job : jobs) work += job.processors * job.run.in_seconds();
  return work / (nodes * (jobs.back().submit - jobs.front().submit).in_seconds());
}

void write_turnarounds(IdleNodesRow& row, std::vector<double> minutes) {
  DMM_ASSERT(!minutes.empty());
  std::sort(minutes.begin(), minutes.end());
  const std::size_t half = minutes.size() / 2;
  row.least_minutes = minutes.front();
  row.most_minutes = minutes.back();
  row.median_minutes = minutes.size() % 2 == 1 ? minutes[half] : (minutes[half - 1] + minutes[half]) / 2;
  row.turnaround_minutes =
      std::accumulate(minutes.begin(), minutes.end(), 0.0) / static_cast<double>(minutes.size());
}

IdleNodesRow dedicated_row(IdleNodesSettings settings, std::uint32_t nodes) {
  settings.nodes = nodes;
  settings.repetitions = 1;
  return idle_nodes_row(settings, {}, 0, settings.least_minutes);
}

}  // namespace

std::vector<Duration> bag_of(std::uint32_t work_minutes, std::uint32_t task_minutes) {
  DMM_ASSERT(task_minutes > 0);
  std::vector<Duration> tasks(work_minutes / task_minutes, seconds(60 * std::int64_t{task_minutes}));
  if (const std::uint32_t rest = work_minutes % task_minutes; rest > 0)
    tasks.push_back(seconds(60 * std::int64_t{rest}));
  return tasks;
}

double idle_nodes_paper(double load, std::uint32_t nodes, std::uint32_t task_minutes) {
  const auto percent = static_cast<std::uint32_t>(load * 100 + 0.5);
  for (const PaperRow& row : table_1)
    if (row.percent == percent && row.nodes == nodes && row.task_minutes == task_minutes) return row.minutes;
  return 0;
}

IdleNodesRow idle_nodes_row(const IdleNodesSettings& settings, const LocalJobs& local, double load,
                            std::uint32_t task_minutes) {
  IdleNodesRow row{.load = load, .nodes = settings.nodes, .task_minutes = task_minutes};
  row.paper_minutes = idle_nodes_paper(load, settings.nodes, task_minutes);
  double lost_minutes = 0;
  std::vector<double> turnarounds;
  for (std::uint32_t repetition = 0; repetition < settings.repetitions; ++repetition) {
    const LentClusterOutcome outcome = run_bag(settings, local, load, task_minutes, repetition);
    turnarounds.push_back(outcome.turnaround.in_seconds() / 60);
    row.local_utilisation += outcome.local_utilisation / settings.repetitions;
    row.preemptions += static_cast<double>(outcome.preemptions) / settings.repetitions;
    lost_minutes += outcome.lost.in_seconds() / 60 / settings.repetitions;
  }
  row.lost_share = lost_minutes / (lost_minutes + settings.work_minutes);
  write_turnarounds(row, std::move(turnarounds));
  return row;
}

std::vector<IdleNodesRow> idle_nodes(const IdleNodesSettings& settings, const LocalJobs& local,
                                     const std::function<void(const IdleNodesRow&)>& done) {
  std::vector<IdleNodesRow> rows;
  const auto add = [&](const IdleNodesRow& row) {
    rows.push_back(row);
    if (done) done(row);
  };
  for (const std::uint32_t nodes : {1U, 20U}) add(dedicated_row(settings, nodes));
  for (const double load : settings.loads)
    for (std::uint32_t minutes = settings.least_minutes; minutes <= settings.most_minutes; ++minutes)
      add(idle_nodes_row(settings, local, load, minutes));
  return rows;
}

LocalJobs scaled_local_jobs(std::vector<StreamJob> log, std::uint32_t nodes, Duration between_repetitions) {
  DMM_ASSERT(log.size() >= 2);
  const double load_of_log = load_of(log, nodes);
  const auto jobs = std::make_shared<const std::vector<StreamJob>>(std::move(log));
  return [=](double load, std::uint32_t repetition) -> JobStream {
    const Instant from = jobs->front().submit + between_repetitions * repetition;
    const auto first = std::lower_bound(jobs->begin(), jobs->end(), from,
                                        [](const StreamJob& job, Instant at) { return job.submit < at; });
    return [=, next = first, stretch = load_of_log / load]() mutable -> std::optional<StreamJob> {
      if (next == jobs->end()) return std::nullopt;
      StreamJob job = *next;
      job.number = static_cast<std::uint64_t>(next - first) + 1;
      job.home = 0;
      job.submit = Instant{} + from_seconds((job.submit - from).in_seconds() * stretch);
      ++next;
      return job;
    };
  };
}

LocalJobs lublin_local_jobs(std::uint32_t nodes, std::uint64_t seed) {
  return [=](double load, std::uint32_t repetition) {
    const ModelOptions options{.cluster_processors = {nodes},
                               .variant = LublinVariant::all,
                               .loads = {load},
                               .period_seconds = local_period_seconds,
                               .seed = derived_seed(seed, repetition)};
    const auto model = ModelWorkload::make(options);
    DMM_ASSERT(std::holds_alternative<ModelWorkload>(model));
    return std::get<ModelWorkload>(model).stream();
  };
}

}  // namespace dmm
