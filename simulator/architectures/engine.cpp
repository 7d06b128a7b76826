#include "simulator/architectures/engine.hpp"

#include <algorithm>

#include "manager/assert.hpp"

namespace dmm {
namespace {

constexpr std::uint64_t events_between_progress = 1 << 14;
constexpr std::uint64_t use_messages = 2;  ///< at the start and the end of a job

class Engine {
 public:
  explicit Engine(ModelRun run)
      : run_(std::move(run)),
        floor_(run_.grid, run_.options.execution),
        next_job_(run_.jobs()),
        next_sample_(first_sample()) {}

  SimulationTotals run() {
    Scheduler scheduler = run_.architecture.make(floor_, run_.parameters);
    while (std::visit([this](auto& model) { return run_until_change(model); }, scheduler))
      change_scheduler(scheduler);
    std::visit([this](auto& model) { finish(model); }, scheduler);
    totals_.messages = floor_.messages();
    return totals_;
  }

 private:
  Instant first_sample() const { return run_.options.sample_every > Duration{} ? Instant{} : never; }
  Instant next_change() const {
    return change_ < run_.options.changes.size() ? run_.options.changes[change_].at : never;
  }
  bool nothing_waits_or_runs() const { return jobs_ended_ == totals_.jobs_submitted; }

  /// True: another scheduler takes over now. False: the run is over.
  template <class Model>
  bool run_until_change(Model& model) {
    while (true) {
      if (!next_job_ && (!run_.options.cool_down || nothing_waits_or_runs())) return false;
      const Instant arrival = next_job_ ? next_job_->submit : never;
      const Instant at = std::min({arrival, floor_.next_end(), model.next_wake()});
      if (next_change() <= at && next_change() != never) return true;
      if (at == never) return false;  // this architecture can't serve the waiting jobs
      DMM_ASSERT(at >= floor_.now());
      happen(model, at);
    }
  }

  /// Plays all events of one instant.
  template <class Model>
  void happen(Model& model, Instant at) {
    take_samples(at);
    floor_.set_now(at);
    totals_.ended = at;
    while (floor_.next_end() <= at) {
      const RunningJob& job = floor_.end_next();
      model.ended(floor_, job);
      report(job, JobOutcome::State::finished);
    }
    while (next_job_ && next_job_->submit <= at) {
      ++totals_.jobs_submitted, ++totals_.events;
      floor_.submitted(*next_job_);
      model.arrive(floor_, *next_job_);
      next_job_ = run_.jobs();
      DMM_ASSERT(!next_job_ || next_job_->submit >= at);
    }
    model.settle(floor_);
    report_refused();
    report_progress();
  }

  void change_scheduler(Scheduler& scheduler) {
    const SchedulerChange& change = run_.options.changes[change_++];
    const ArchitectureEntry* entry = find_architecture(change.architecture);
    DMM_ASSERT(entry != nullptr);
    const Instant at = std::max(change.at, floor_.now());
    floor_.set_now(at);
    const auto waiting = std::visit([](auto& model) { return model.hand_over(); }, scheduler);
    scheduler = entry->make(floor_, run_.parameters);
    const auto take_over = [&](auto& model) {
      for (const StreamJob& job : waiting) model.arrive(floor_, job);
      happen(model, at);
    };
    std::visit(take_over, scheduler);
  }

  void take_samples(Instant until) {
    if (!run_.sinks.sample) return;
    for (; next_sample_ <= until; next_sample_ = next_sample_ + run_.options.sample_every)
      run_.sinks.sample({next_sample_, floor_.sample(), floor_.link_sample()});
  }

  void report(const RunningJob& job, JobOutcome::State state) {
    ++jobs_ended_, ++totals_.events;
    count_use(job, state);
    if (!run_.sinks.outcome) return;
    JobOutcome outcome = outcome_of(job.job, state);
    outcome.start_seconds = (job.start - Instant{}).in_seconds();
    if (state == JobOutcome::State::finished) outcome.end_seconds = (job.end - Instant{}).in_seconds();
    for (const ClusterShare& piece : job.pieces)
      outcome.origin = std::max(outcome.origin, run_.grid.origin(job.job.home, piece.cluster));
    run_.sinks.outcome({job.job, outcome, job.pieces});
  }

  void count_use(const RunningJob& job, JobOutcome::State state) {
    const bool finished = state == JobOutcome::State::finished;
    floor_.count(MessageKind::match_claim_release, job.pieces.size() * (finished ? use_messages : 1));
    const Duration period = run_.parameters.keep_alive;
    if (period <= Duration{}) return;
    const Duration ran = (finished ? job.end : floor_.now()) - job.start;
    const auto periods = static_cast<std::uint64_t>(ran.microseconds / period.microseconds);
    floor_.count(MessageKind::keep_alive, periods * run_.parameters.keep_alive_messages * job.pieces.size());
  }

  void report_waiting(const StreamJob& job, JobOutcome::State state) {
    ++jobs_ended_;
    if (run_.sinks.outcome) run_.sinks.outcome({job, outcome_of(job, state), {}});
  }

  static JobOutcome outcome_of(const StreamJob& job, JobOutcome::State state) {
    JobOutcome outcome;
    outcome.cluster = job.home;
    outcome.submit_seconds = (job.submit - Instant{}).in_seconds();
    outcome.processors = job.processors;
    outcome.state = state;
    return outcome;
  }

  void report_refused() {
    for (const StreamJob& job : floor_.take_refused()) report_waiting(job, JobOutcome::State::failed);
  }

  void report_progress() {
    if (!run_.sinks.progress || totals_.events < progress_at_) return;
    progress_at_ = totals_.events + events_between_progress;
    run_.sinks.progress({floor_.now(), totals_.jobs_submitted, jobs_ended_, totals_.events});
  }

  // Reports jobs that run or wait at the end: they have no end.
  template <class Model>
  void finish(Model& model) {
    for (const RunningJob* job : floor_.running()) report(*job, JobOutcome::State::unfinished);
    for (const StreamJob& job : model.hand_over()) report_waiting(job, JobOutcome::State::unfinished);
  }

  ModelRun run_;
  Floor floor_;
  std::optional<StreamJob> next_job_;
  Instant next_sample_;
  std::size_t change_ = 0;
  std::uint64_t jobs_ended_ = 0;
  std::uint64_t progress_at_ = events_between_progress;
  SimulationTotals totals_;
};

}  // namespace

SimulationTotals run_model(ModelRun run) { return Engine(std::move(run)).run(); }

}  // namespace dmm
