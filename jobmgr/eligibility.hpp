// Eligibility: which waiting jobs may not be asked for yet, and what keeps each of them back. A job is eligible
// when its user doesn't hold it, its begin time has come, and the jobs that it depends on have come far enough. An
// index leads from a job to the jobs that depend on it, so that the end of a job costs nothing to those that
// don't. The part decides nothing about a job: it says what has come to pass, and jobmgr/conditions.cpp acts
// (docs/protocol.md section 8.28).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "jobmgr/job_life.hpp"
#include "manager/lookup.hpp"
#include "manager/times.hpp"
#include "protocol/messages.hpp"

namespace dmm {

/// What keeps a waiting job back; the job is eligible when none of it is left.
struct Conditions {
  bool held = false;               ///< by its user, until its user releases it
  Instant begin_at = never;        ///< its begin time, while that is to come; never: no begin time
  std::vector<Dependency> awaits;  ///< dependencies that aren't met yet, each once
  Instant since{};                 ///< since when the job is kept back
  bool any() const { return held || begin_at != never || !awaits.empty(); }
};

/// Whether a dependency of this kind is met by a job in this state, which has begun or is over; else it never will
/// be.
bool is_met(DependencyKind kind, JobState state);

class Eligibility {
 public:
  /// A job with conditions, new or of before a restart.
  void add(std::uint64_t job, Conditions conditions);
  bool is_eligible(std::uint64_t job) const { return !kept_.contains(job); }
  /// What keeps the job back; nullptr if it is eligible.
  const Conditions* find(std::uint64_t job) const { return kept_.find(job); }
  bool is_held(std::uint64_t job) const;
  /// Jobs that aren't eligible, in order.
  std::vector<std::uint64_t> jobs() const { return kept_.keys(); }
  /// The job is over, kept back or not.
  void drop(std::uint64_t job);

  void hold(Instant now, std::uint64_t job);
  void release(std::uint64_t job);
  /// The first job with a begin time that has come; it stays until its begin time is ended.
  std::optional<std::uint64_t> due(Instant now) const { return begins_.due(now); }
  void end_begin(std::uint64_t job);

  /// A job has begun (`running`) or is over (an outcome): what depends on it is told by `take_told`.
  void note(std::uint64_t job, JobState state);
  /// A dependency that need not be awaited any longer: it is met, or never will be.
  struct Told {
    std::uint64_t job = 0;  ///< that depended
    Dependency dependency;
    JobState state{};  ///< of the job that it depended on
  };
  /// The next one, which is forgotten here; nothing if there is no more news.
  std::optional<Told> take_told();
  /// Whether any job depends on this one and hasn't been told of its end.
  bool is_awaited(std::uint64_t job) const;
  /// Those of `count` jobs from this number on that any job depends on so, in order.
  std::vector<std::uint64_t> awaited(std::uint64_t first, std::uint64_t count) const;

  /// If nothing keeps the job back any more: it is eligible from now on, and was kept back for so long.
  std::optional<Duration> take_freed(Instant now, std::uint64_t job);
  /// At once while there is news of jobs that others depend on.
  Instant next_deadline() const { return news_.empty() ? begins_.next_deadline() : Instant{}; }
  /// What doesn't hold between the conditions and their indices; empty if all is well. Walks everything.
  std::string broken_invariant() const;

 private:
  /// That a job depends on another: all about one job that is awaited lie together, `after` first.
  struct Dependent {
    std::uint64_t awaited = 0;
    DependencyKind kind{};
    std::uint64_t job = 0;
    auto operator<=>(const Dependent&) const = default;
  };
  std::set<Dependent>::const_iterator first_dependent(std::uint64_t awaited) const;

  Lookup<std::uint64_t, Conditions> kept_;
  Times<std::uint64_t> begins_;             ///< every Conditions::begin_at
  std::set<Dependent> dependents_;          ///< every element of Conditions::awaits
  std::map<std::uint64_t, JobState> news_;  ///< jobs with dependents that are to be told
};

}  // namespace dmm
