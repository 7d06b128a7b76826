// Everything about a random run that is drawn before it begins, all of it from one seed: the grid, how its sites
// behave, what its users want, and what goes wrong when (fault_plan.hpp).
#pragma once

#include <string_view>
#include <vector>

#include "simulator/world/world.hpp"

namespace dmm {

/// What goes wrong in a run.
enum class Trouble : std::uint8_t {
  none,
  life,       ///< nothing breaks: operators drain, resize, restart, add and remove, and users want much and long
  crowd,      ///< nothing breaks: several borrowers want all nodes of one owner (crowd.hpp)
  forgetful,  ///< managers lose everything at each crash: no ledgers
  gentle,     ///< one process crash or short cut after the other: nobody's job may notice
  harsh,      ///< whatever can be thought of, at once
};

/// Something that is done to the world at an instant.
struct Act {
  enum class Kind : std::uint8_t {
    submit,
    cancel,
    cut,
    cut_one_way,
    heal,
    reset,
    crash,
    crash_host,
    restart,
    pause,
    freeze,
    resume,
    unreachable,
    drift,
    jump,
    slow_disk,
    reclaim,
    drain,
    end_drains,
    isolate,
    rejoin,
    crash_in_commit,
    resize,  ///< a resource manager has other nodes
    part,
    link,  ///< two sites are neighbours no longer, and again, by the configuration of both
    report_late,
    lose_programs,
    rotate_key,
    take_key,
    revoke_key,
    impersonate,  ///< `a` greets its site in the name of `b`
    clone,        ///< a copy of `a`, keys and all, greets the site
    hand_back,    ///< the nodes of a resource manager are wanted by others
  };
  Instant at{};
  Kind kind = Kind::submit;
  Party a, b;
  JobDescription job;
  std::uint64_t number = 0;  ///< cancel: the job's; resize: nodes
  Duration length;        ///< jump, slow_disk, report_late; crash_in_commit: until the restart; reclaim: the grace
  std::int64_t rate = 0;  ///< drift: millionths too fast
};
std::string_view to_text(Act::Kind kind);
std::string_view to_text(Trouble trouble);

struct RandomRun {
  Topology topology;
  WorldSettings settings;
  Trouble trouble = Trouble::none;
  std::vector<Act> acts;   ///< in order of time; none after `trouble_ends`
  Instant trouble_ends{};  ///< everything is whole again
  double loss = 0, doubling = 0;
  double stall = 0;
  Duration stall_max;
  bool co_allocated = false;  ///< see RandomOptions
  double stretch = 1;         ///< how much longer all takes than in a run of at most an hour
};

/// For co-allocated jobs: more sites have more links to keep, and no more jobs at once.
constexpr std::uint32_t co_allocated_sites_max = 5;

struct RandomOptions {
  Trouble trouble = Trouble::harsh;
  std::uint32_t sites_max = 12;
  std::uint32_t sites = 0;  ///< exactly so many; 0: drawn
  std::uint32_t nodes = 0;  ///< about so many in all; 0: drawn
  /// Jobs and troubles come during this time. A run of more than an hour has as many as one of an hour, and all that
  /// takes time takes longer: in days, jobs run for hours and days.
  Duration length = seconds(100);
  double jobs = 1;  ///< how many come, of the usual number
  /// Each job has several components, of which the largest cluster holds one. Many jobs come, and run for a
  /// moment.
  bool co_allocated = false;
  /// Each site has one cluster, and all clusters are of one size: most co-allocated jobs fit at some two sites, so
  /// that a second of the processor sees many of them.
  bool alike = false;
  /// Managers prove link keys, which end, are exchanged and revoked.
  bool keyed = false;
  /// Half of the jobs have input files, which take a while to come; some never come.
  bool files = false;
  bool skips_quiet = true;  ///< see WorldSettings
};

RandomRun draw(std::uint64_t seed, const RandomOptions& options = {});
/// Harsh for most seeds, gentle for some, life or none for a few.
Trouble trouble_of(std::uint64_t seed);

}  // namespace dmm
