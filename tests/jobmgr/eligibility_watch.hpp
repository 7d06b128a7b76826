// Watches from outside that no job is asked for or started before it is eligible. A job isn't while its user holds it,
// before its begin time, and before the jobs that it depends on have come far enough. The watch knows only users'
// orders and how far jobs have come, not what the job manager concludes from them.
#pragma once

#include <doctest/doctest.h>

#include <map>
#include <random>
#include <set>

#include "jobmgr/job_manager.hpp"

namespace dmm {

class EligibilityWatch {
 public:
  /// Draws conditions for a job that is submitted as `number`; all lower numbers are taken.
  void draw(std::mt19937_64& chance, Instant now, std::uint64_t number, JobDescription& job) {
    switch (chance() % 8) {
      case 0: job.hold = true; break;
      case 1: job.begin_seconds = static_cast<std::uint32_t>(1 + chance() % 30); break;
      case 2:
      case 3:
        for (std::uint64_t left = number > 1 ? 1 + chance() % 3 : 0; left > 0; --left)
          job.dependencies.push_back({DependencyKind{static_cast<std::uint8_t>(chance() % dependency_kinds)},
                                      number - 1 - chance() % std::min<std::uint64_t>(number - 1, 5)});
        break;
      default: return;
    }
    ++conditions;
    if (job.hold) held_.insert(number);
    if (job.begin_seconds > 0) begins_[number] = now + seconds(std::int64_t{job.begin_seconds});
    dependencies_[number] = job.dependencies;
  }
  void hold(std::uint64_t number) { held_.insert(number); }
  void release(std::uint64_t number) { held_.erase(number); }
  std::set<std::uint64_t> held() const { return held_; }

  void asked_or_started(Instant now, std::uint64_t number, const JobManager& manager) const {
    CAPTURE(number);
    REQUIRE_FALSE(held_.contains(number));
    if (const auto begin = begins_.find(number); begin != begins_.end()) REQUIRE(begin->second <= now);
    if (const auto found = dependencies_.find(number); found != dependencies_.end())
      for (const Dependency& one : found->second) REQUIRE(is_satisfied(one, *manager.find(one.job)));
  }

  std::uint64_t conditions = 0, orders = 0;

 private:
  static bool is_satisfied(const Dependency& dependency, const Job& other) {
    switch (dependency.kind) {
      case DependencyKind::after: return other.started || is_over(other.state);
      case DependencyKind::after_ok: return other.state == JobState::finished;
      case DependencyKind::after_not_ok: return is_over(other.state) && other.state != JobState::finished;
      case DependencyKind::after_any: return is_over(other.state);
    }
    return false;
  }

  std::set<std::uint64_t> held_;
  std::map<std::uint64_t, Instant> begins_;
  std::map<std::uint64_t, RareList<Dependency>> dependencies_;
};

}  // namespace dmm
