// The configuration of a running daemon: the one that it was started with, and the one that it took from its file last.
#pragma once

#include <utility>

#include "runtime/reactor.hpp"
#include "topologies/daemon_config.hpp"

namespace dmm {

template <class Config>
class RunningConfig {
 public:
  explicit RunningConfig(Config config) : started_with_(config), latest_(std::move(config)) {}
  const Config& started_with() const { return started_with_; }
  const Config& latest() const { return latest_; }
  /// The daemon takes this one. `reloaded` names the keys that count from now on, and those that wait for a start.
  void take(const Config& wanted, Reloaded& reloaded) {
    reloaded.taken = keys_taken_at_once(write_config(latest_), write_config(wanted));
    reloaded.left = keys_for_next_start(started_with_, wanted);
    latest_ = wanted;
  }

 private:
  Config started_with_, latest_;
};

}  // namespace dmm
