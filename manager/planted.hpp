// Bugs on purpose, for a test that the checkers of the simulator find each of them (tests/planted). A release knows
// nothing of them: DMM_PLANT(bug) is `false` there; only that test compiles the folders that mention it with them.
#pragma once

#ifdef DMM_PLANTED

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dmm {

#define DMM_PLANTED_BUGS(bug)                                                                                 \
  bug(no_epoch_check) bug(clean_too_early) bug(runs_on_unheard) bug(unassign_not_written)                     \
      bug(living_tasks_ignored) bug(end_not_said) bug(release_not_forwarded) bug(clean_not_awaited)           \
          bug(dttl_not_counted) bug(chain_ignored) bug(claim_not_forwarded) bug(grant_not_written)            \
              bug(unknown_lease_ignored) bug(register_not_compared) bug(own_restart_ends_leases)              \
                  bug(job_only_committed) bug(outcome_only_committed) bug(end_not_awaited)                    \
                      bug(nodes_not_released) bug(starts_not_repeated) bug(gap_delivered) bug(not_sent_again) \
                          bug(sent_before_commit) bug(exit_status_dropped) bug(too_large_by_presence)         \
                              bug(gone_neighbour_unknown) bug(not_renewed) bug(given_up_at_once)              \
                                  bug(backoff_end_not_told) bug(turn_ignored) bug(keeper_death_charged)       \
                                      bug(reclaim_charged) bug(wavering_not_told) bug(guard_never_ends)       \
                                          bug(go_without_the_others) bug(array_never_ends) bug(hold_kept)     \
                                              bug(claim_not_awaited) bug(gate_open) bug(key_forgotten)

enum class Planted : std::uint8_t {
  none,
#define DMM_PLANTED_NAME(name) name,
  DMM_PLANTED_BUGS(DMM_PLANTED_NAME)
#undef DMM_PLANTED_NAME
};

inline constexpr auto planted_names = std::to_array<std::string_view>({"none",
#define DMM_PLANTED_TEXT(name) #name,
                                                                       DMM_PLANTED_BUGS(DMM_PLANTED_TEXT)
#undef DMM_PLANTED_TEXT
});

/// The one that is there now; the test says which.
Planted planted();

}  // namespace dmm

#define DMM_PLANT(bug) (::dmm::planted() == ::dmm::Planted::bug)

#else

#define DMM_PLANT(bug) false

#endif
