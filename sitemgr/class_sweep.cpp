// The passes of class_sweep.hpp.
#include "sitemgr/class_sweep.hpp"

#include <limits>

#include "manager/assert.hpp"

namespace dmm {
namespace {

/// Of how many classes a pass of matchmaking finds out in one step whether they fit: some milliseconds.
constexpr std::uint32_t looks_max = 1'024;

}  // namespace

void ClassSweep::begin(const WidthIndex& classes) {
  ++pass_;
  swept_ = first_of_all;
  go_on(classes);
}

void ClassSweep::go_on(const WidthIndex& classes) {
  walk_ = classes.walk_from(std::numeric_limits<std::uint32_t>::max(), swept_);
  looks_left_ = looks_max;
}

LocalRequest* ClassSweep::first_fitting(const WidthIndex& classes, std::uint32_t widest_max) {
  for (; looks_left_ > 0; --looks_left_) {
    const RequestClass* kind = classes.next_of(walk_, widest_max);
    if (!kind) return nullptr;
    DMM_ASSERT(kind->servable && swept_ <= kind->waiting.begin()->first);  // a pass never goes back
    swept_ = behind(kind->waiting.begin()->first);
    if (kind->widest > widest_max || is_misfit(*kind)) continue;
    --looks_left_;
    return kind->waiting.begin()->second;
  }
  return nullptr;
}

}  // namespace dmm
