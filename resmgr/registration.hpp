// Whether the resource manager still has to offer its nodes to its site: after each new session with the site, and
// after a change of the nodes. A counter says which change of the offer the last Register told.
#pragma once

#include <cstdint>

#include "manager/assert.hpp"

namespace dmm {

class Registration {
 public:
  /// The offer changed, or the site may have lost it.
  void want() { ++changes_; }
  bool is_wanted() const { return told_ != changes_; }
  /// Returns whether the offer is to be told, which it counts as from now on.
  bool take() {
    DMM_ASSERT(told_ <= changes_);
    if (!is_wanted()) return false;
    told_ = changes_;
    return true;
  }

 private:
  std::uint64_t changes_ = 0, told_ = 0;
};

}  // namespace dmm
