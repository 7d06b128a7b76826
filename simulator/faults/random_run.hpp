// A random run before it begins: its grid, and what happens to it when. random_grid.hpp draws it.
#pragma once

#include <string_view>
#include <vector>

#include "simulator/world/world.hpp"

namespace dmm {

/// What goes wrong in a run.
enum class Trouble : std::uint8_t {
  none,
  life,       ///< no faults: operators drain, resize, restart, add and remove; users want much and long
  crowd,      ///< no faults: several borrowers want all nodes of one owner (crowd.hpp)
  forgetful,  ///< managers have no ledgers: a crash loses everything
  gentle,     ///< one process crash or short cut after the other: no job may notice
  harsh,      ///< every kind of fault, also at once
};

/// An act on the world at an instant.
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
    resize,  ///< a resource manager gets another number of nodes
    part,
    link,  ///< the configurations of two sites drop their link, and add it again
    report_late,
    lose_programs,
    rotate_key,
    take_key,
    revoke_key,
    impersonate,  ///< `a` greets its site in the name of `b`
    clone,        ///< a copy of `a`, keys and all, greets the site
    hand_back,    ///< other users want the nodes of a resource manager back
    rotate_site_key,
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
  Instant trouble_ends{};  ///< from then on all faults are healed
  double loss = 0, doubling = 0;
  double stall = 0;
  Duration stall_max;
  bool co_allocated = false;  ///< see RandomOptions
  double stretch = 1;         ///< factor on all times, against a run of at most an hour
};

}  // namespace dmm
