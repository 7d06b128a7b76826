#include "simulator/faults/lost_time.hpp"

namespace dmm {
namespace {

/// A job manager runs a job again after four terms, 40 s here. A manager has no excuse for overlaps if it was frozen,
/// and its clock jumped, for less than this in all. The difference to 40 s is for clocks that are 5 % slow, and for
/// programs that hang when they are killed.
constexpr Duration out_of_time_max = seconds(36) - TaskPerformer::hang_takes;

}  // namespace

bool LostTime::note(const Act& act, Instant now) {
  if (act.kind == Act::Kind::freeze) frozen_.emplace(act.a, now);
  if (act.kind == Act::Kind::jump) out_of_time_[act.a] += act.length;
  if (act.kind == Act::Kind::resume)
    if (const auto since = frozen_.find(act.a); since != frozen_.end()) {
      out_of_time_[act.a] += now - since->second;
      frozen_.erase(since);
    }
  const auto it = out_of_time_.find(act.a);
  return it != out_of_time_.end() && it->second > out_of_time_max;
}

}  // namespace dmm
