// The settings of a simulated world: its network, its seed, and what its managers and hosts keep.
#pragma once

#include <cstdint>

#include "links/endpoint.hpp"
#include "manager/effects.hpp"
#include "simulator/world/network.hpp"

namespace dmm {

struct WorldSettings {
  NetworkSettings network;
  SessionTimes sessions;
  std::uint64_t seed = 1;
  Level level = Level::info;              ///< log events below it aren't made
  bool count_by_request = false;          ///< keep the number of messages about each request
  Duration confirm_limit = seconds(120);  ///< of the job managers
  Duration keep = {};                     ///< of the resource managers
  /// Every manager keeps a ledger and goes on from it after a restart, and running programs outlive their manager for
  /// a while. Without ledgers everything that a manager knew and ran is lost with it.
  bool ledgers = false;
  /// Job managers drop the records of ended jobs after handing them out (take_ended), so that memory doesn't grow
  /// with the length of a run.
  bool hand_out_ended = false;
  bool traced = true;          ///< keep trace_hash()
  bool remember_ends = false;  ///< hosts remember how every program ended
  bool skips_quiet = true;     ///< Beats of otherwise unused links are accounted for, not played
  /// Managers prove link keys with certificates that are valid for this long; 0: the network knows its parties.
  Duration certificate_life = {};
};

}  // namespace dmm
