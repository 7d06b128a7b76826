// One pass of matchmaking over the classes of requests that wait for this site's own nodes, in dispatching order.
// A class for which the pass found no place is left out for the rest of the pass. A step looks at some thousand
// classes; the next step goes on where this one stopped.
#pragma once

#include <cstdint>

#include "sitemgr/width_index.hpp"

namespace dmm {

class ClassSweep {
 public:
  /// A new pass begins: what didn't fit may fit now.
  void begin(const WidthIndex& classes);
  /// The pass goes on where it was left unfinished.
  void go_on(const WidthIndex& classes);
  /// The next request of the pass that needs at most `widest_max` processors in one cluster; nullptr if there is
  /// none, or if this step has looked at enough of them. Within a pass `widest_max` may only shrink.
  LocalRequest* first_fitting(const WidthIndex& classes, std::uint32_t widest_max);
  /// Whether the step has looked at enough of them, and some are left.
  bool is_unfinished() const { return looks_left_ == 0 && !walk_.empty(); }
  /// Whether the pass has gone by a request of this class and key that might fit.
  bool is_passed(const RequestClass& kind, const OrderKey& key) const {
    return kind.servable && !is_misfit(kind) && key < swept_;
  }
  /// Requests are in another order from now on: an unfinished pass goes over all of them again.
  void reorder() { swept_ = first_of_all; }
  void set_misfit(RequestClass& kind) const { kind.misfit = pass_; }
  bool is_misfit(const RequestClass& kind) const { return kind.misfit == pass_; }

 private:
  std::uint64_t pass_ = 1;  ///< counts passes
  WidthIndex::Walk walk_;
  OrderKey swept_;                ///< all before this key were looked at
  std::uint32_t looks_left_ = 0;  ///< in this step
};

}  // namespace dmm
