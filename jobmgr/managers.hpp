// The resource managers that the job manager speaks with: which components each has, whether its link is up, and
// for how long it has been silent. Silence is not the end of a component: its resource manager may run it well and
// be heard by its owner. But the job manager doesn't wait for ever: after a limit it gives the attempt up.
#pragma once

#include <optional>
#include <vector>

#include "jobmgr/job.hpp"
#include "manager/lookup.hpp"
#include "manager/times.hpp"

namespace dmm {

class Managers {
 public:
  /// A resource manager may be silent for `limit`, and longer by the way to its components (`longer` of `use`).
  explicit Managers(Duration limit) : limit_(limit) {}
  void set_limit(Duration limit) { limit_ = limit; }

  /// A Start goes to the manager; `longer`: time for the way there. If its link isn't up, it has the limit to be heard.
  void use(Instant now, const Party& manager, ComponentKey component_run, Duration longer);
  /// The component needs nothing of the manager any more.
  void leave(const Party& manager, ComponentKey component_run);
  /// The manager's link is up; true if it is the first time, or the first since `forget`.
  bool up(const Party& manager);
  /// The manager's link is down; a manager with components has the limit to come back.
  void down(Instant now, const Party& manager);
  /// The manager's session is over: its next message begins another.
  void forget(Instant now, const Party& manager);
  std::vector<ComponentKey> components_of(const Party& manager) const;
  bool has(const Party& manager, ComponentKey component_run) const;
  /// Its link is up.
  bool is_up(const Party& manager) const;
  /// Until when a silent manager with components has time to be heard; never: it isn't silent, or has no components.
  Instant silent_until(const Party& manager) const;
  /// Whether the manager has no component.
  bool is_idle(const Party& manager) const;

  /// When the first silent manager reaches its limit.
  Instant next_silence() const { return silent_.next_deadline(); }
  /// A manager that has reached its limit of silence; each is returned once.
  std::optional<Party> take_silent(Instant now);
  /// This job manager was cut off itself: all silent managers get the whole limit again.
  void restart_silences(Instant now);
  std::size_t size() const { return links_.size(); }

 private:
  struct Link {
    bool up = false;
    bool seen = false;
    Instant silent_due = never;
    Duration longer;  ///< the longest of what its components were said to take
    LookupSet<ComponentKey> components;
  };

  void set_silence(const Party& manager, Link& link, Instant due);

  Duration limit_;
  Lookup<Party, Link> links_;
  Times<Party> silent_;  ///< every Link::silent_due
};

}  // namespace dmm
