// StartQueue (launch throttle): components that are to be started, in order, and how many Starts are under way. A Start
// without an answer keeps others waiting for a moment only: after that it is on a long way, and adds to no burst. A
// component under a lease that the home site must promise again is put aside until the home site says more.
#pragma once

#include <list>
#include <optional>
#include <utility>

#include "jobmgr/job.hpp"

namespace dmm {

class StartQueue {
 public:
  using Entry = std::pair<RequestId, std::uint32_t>;  ///< an attempt and a component; it may be out of date

  void add(const RequestId& request, std::uint32_t component) { queued_.emplace_back(request, component); }
  /// The next to start; nothing if none is queued, or `limit` Starts keep others waiting.
  std::optional<Entry> take(std::uint32_t limit);
  /// Its lease isn't promised again yet.
  void put_aside(const Entry& entry) { aside_.push_back(entry); }
  /// The site said more of its leases: what was put aside comes first.
  void queue_aside();

  // ---- Starts under way ----
  /// The component's Start was sent: it takes a place until it is answered or has kept others waiting for long enough.
  void sent(Instant now, ComponentRun& component_run, ComponentKey key);
  /// The Start was answered, or is given up.
  void answered(ComponentRun& component_run);
  /// The next component with a Start that has kept others waiting for long enough.
  std::optional<ComponentKey> take_held(Instant now);
  std::uint32_t under_way() const { return under_way_; }

  Instant next_deadline() const { return queued_.empty() || held_.empty() ? never : held_.front().first; }

 private:
  std::list<Entry> queued_, aside_;
  std::uint32_t under_way_ = 0;                       ///< Starts sent of late and not answered
  std::list<std::pair<Instant, ComponentKey>> held_;  ///< until when each of them keeps others waiting
};

}  // namespace dmm
