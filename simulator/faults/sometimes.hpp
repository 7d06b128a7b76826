// Counts of rare states that runs with faults should reach now and then: a state that is never reached isn't tested.
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

#include "simulator/world/world.hpp"

namespace dmm {

enum class Rare : std::uint8_t {
  grant_crosses_cancel,
  grant_unwanted,
  claim_lost,
  crash_during_claim,
  release_lost,
  lease_adopted,
  orphan_ended,
  lease_unknown,
  node_lost,
  detached,
  detached_ended_itself,
  start_refused,
  lost_contact,
  keeper_deadline,
  task_found_again,
  jobs_found_again,
  run_again,
  keeper_died,
  suspected,
  commits_lost,
  crash_before_commit,
  crash_after_commit,
  job_manager_absent,
  reclaimed,
  handed_back,
  expired,
  idle,
  overtaken,
  co_allocated,
  placed_again,
  gathering_broken,
  went_on,
  preempted,
  at_longest,
  interrupted_again,
};
constexpr std::size_t rare_states = static_cast<std::size_t>(Rare::interrupted_again) + 1;
/// The states from here on belong to worlds of days: a world of minutes seldom reaches them.
constexpr Rare first_of_days = Rare::at_longest;

/// "a grant crossed the cancellation of its job"
std::string_view to_text(Rare state);

class Sometimes {
 public:
  /// Must get every happening exactly once.
  void note(const std::vector<Happening>& happenings);
  void add(const Sometimes& other);
  std::uint64_t count(Rare state) const { return counts_[static_cast<std::size_t>(state)]; }

 private:
  void note(const Happening& happening);
  void note_site(const LogEvent& event);
  void note_job_manager(const LogEvent& event);
  void note_resource_manager(const LogEvent& event);
  void note_crash(const Happening& happening);
  void saw(Rare state, bool true_of_it = true) { counts_[static_cast<std::size_t>(state)] += true_of_it; }

  std::array<std::uint64_t, rare_states> counts_{};
  std::set<RequestId> cancelled_, detached_;
};

}  // namespace dmm
