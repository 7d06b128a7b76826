// A task is one repetition at one point under all variants: most variants have the same workload, which is then made
// once.
#include "cli/experiments/comparison.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

#include "runtime/clock.hpp"

namespace dmm {
namespace {

struct Stopped {};

class ComparisonRun {
 public:
  ComparisonRun(const Comparison& comparison, std::uint32_t threads) : comparison_(comparison) {
    result_.runs.assign(comparison.points.size(),
                        std::vector<std::vector<RunFigures>>(comparison.variants.size(),
                                                             std::vector<RunFigures>(comparison.repetitions)));
    tasks_ = comparison.points.size() * comparison.repetitions;
    threads_wanted_ = std::clamp<std::size_t>(threads, 1, std::max<std::size_t>(1, tasks_));
  }

  OrFault<ComparisonResult, CommandFault> run(const std::function<bool(const ComparisonProgress&)>& watch) {
    const Instant begin = monotonic_now();
    working_ = threads_wanted_;
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < threads_wanted_; ++i) threads.emplace_back([this] { work(); });
    bool wanted = true;
    std::unique_lock lock(mutex_);
    while (working_ > 0) {
      changed_.wait_for(lock, std::chrono::milliseconds(250));
      const ComparisonProgress progress{tasks_ * comparison_.variants.size(), done_,
                                        (monotonic_now() - begin).in_seconds()};
      lock.unlock();
      if (wanted && !watch(progress)) wanted = false, stop_ = true;
      lock.lock();
    }
    lock.unlock();
    for (std::thread& thread : threads) thread.join();
    if (fault_) return *fault_;
    if (!wanted) return CommandFault{"interrupted", exit_code_of_stopped};
    copy_what_is_equal();
    return std::move(result_);
  }

 private:
  void work() {
    try {
      while (!stop_) {
        // The last points have the largest loads and take longest, so they go first.
        const std::size_t taken = next_++;
        if (taken >= tasks_) break;
        const std::size_t task = tasks_ - 1 - taken;
        do_task(task / comparison_.repetitions, task % comparison_.repetitions);
      }
    } catch (const Stopped&) {
    } catch (const std::exception& error) {
      give_up({error.what(), 1});
    }
    const std::lock_guard lock(mutex_);
    --working_;
    changed_.notify_all();
  }

  void do_task(std::size_t point, std::size_t repetition) {
    std::optional<SimulationChoice> before;
    std::optional<SimulationInput> input;
    for (std::size_t variant = 0; variant < comparison_.variants.size(); ++variant) {
      if (as_at_first(point, variant) || as_before(variant, repetition)) {
        count_done();
        continue;
      }
      SimulationChoice choice = comparison_.choice(point, variant);
      choice.seed = comparison_.seed + repetition;
      const bool same_workload = before && before->workload == choice.workload &&
                                 before->topology == choice.topology && before->processors == choice.processors;
      auto next = same_workload ? prepare_simulation(choice, input->workload) : prepare_simulation(choice);
      if (auto* fault = std::get_if<CommandFault>(&next)) return give_up(*fault);
      input = std::get<SimulationInput>(std::move(next));
      if (!run_one(choice, *input, result_.runs[point][variant][repetition])) return;
      before = std::move(choice);
    }
  }

  bool run_one(const SimulationChoice& choice, const SimulationInput& input, RunFigures& figures) {
    auto workload = input.workload.open();
    if (auto* fault = std::get_if<CommandFault>(&workload)) return give_up(*fault), false;
    SimulationSinks sinks;
    sinks.progress = [this](const SimulationProgress&) {
      if (stop_) throw Stopped{};
    };
    auto run = run_simulation(choice, input, std::get<OpenWorkload>(workload), sinks);
    if (auto* fault = std::get_if<CommandFault>(&run)) return give_up(*fault), false;
    figures = {std::get<SimulationRun>(run).figures, std::get<SimulationRun>(run).totals.messages};
    count_done();
    return true;
  }

  void count_done() {
    const std::lock_guard lock(mutex_);
    ++done_;
  }

  bool as_at_first(std::size_t point, std::size_t variant) const {
    return point > 0 && comparison_.as_at_first && comparison_.as_at_first(point, variant);
  }

  bool as_before(std::size_t variant, std::size_t repetition) const {
    return repetition > 0 && comparison_.without_chance && comparison_.without_chance(variant);
  }

  void copy_what_is_equal() {
    for (std::size_t point = 0; point < result_.runs.size(); ++point)
      for (std::size_t variant = 0; variant < result_.runs[point].size(); ++variant) {
        auto& runs = result_.runs[point][variant];
        for (std::size_t repetition = 1; repetition < runs.size(); ++repetition)
          if (as_before(variant, repetition)) runs[repetition] = runs[0];
        if (as_at_first(point, variant)) runs = result_.runs[0][variant];
      }
  }

  void give_up(CommandFault fault) {
    const std::lock_guard lock(mutex_);
    if (!fault_) fault_ = std::move(fault);
    stop_ = true;
  }

  const Comparison& comparison_;
  std::size_t tasks_ = 0;
  std::size_t threads_wanted_ = 1;
  ComparisonResult result_;  ///< each run writes to a place of its own
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> stop_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t working_ = 0;  // guarded by mutex_, as all below
  std::uint64_t done_ = 0;
  std::optional<CommandFault> fault_;
};

}  // namespace

std::vector<double> ComparisonResult::samples(std::size_t point, std::size_t variant, const Metric& metric) const {
  std::vector<double> values;
  for (const RunFigures& run : runs.at(point).at(variant)) values.push_back(metric.of(run));
  return values;
}

ComparisonResult ComparisonResult::of_variant(std::size_t variant) const {
  ComparisonResult result;
  for (const auto& variants : runs) result.runs.push_back({variants.at(variant)});
  return result;
}

OrFault<ComparisonResult, CommandFault> run_comparison(
    const Comparison& comparison, std::uint32_t threads,
    const std::function<bool(const ComparisonProgress&)>& watch) {
  return ComparisonRun(comparison, threads).run(watch);
}

}  // namespace dmm
