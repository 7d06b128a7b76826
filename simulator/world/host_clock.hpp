// The monotonic clock of one simulated host. It can run a little too fast or too slow, and jump forward, but never
// stands still or goes back.
#pragma once

#include "protocol/time.hpp"

namespace dmm {

class HostClock {
 public:
  /// The clock's reading at an instant of the world.
  Instant at(Instant world) const {
    if (is_right()) return world;
    return shown_ + microseconds((world - since_).microseconds * rate_ / million);
  }
  /// When the clock first shows this or more; the past counts as now.
  Instant when(Instant shown) const {
    if (shown == never || is_right()) return shown;
    if (shown <= shown_) return since_;
    const std::int64_t left = (shown - shown_).microseconds;
    return left > far_away ? never : since_ + microseconds((left * million + rate_ - 1) / rate_);
  }
  /// Whether the clock shows the world's own time.
  bool is_right() const { return rate_ == million && behind() == Duration{}; }
  /// From now on the clock runs this many millionths too fast; negative: too slow.
  void drift(Instant now, std::int64_t millionths) {
    rebase(now);
    rate_ = million + millionths;
  }
  void jump(Instant now, Duration forward) {
    rebase(now);
    shown_ = shown_ + forward;
  }

 private:
  static constexpr std::int64_t million = 1'000'000;
  static constexpr std::int64_t far_away = std::int64_t{1} << 42;  ///< some fifty days

  Duration behind() const { return shown_ - since_; }
  void rebase(Instant now) {
    shown_ = at(now);
    since_ = now;
  }

  Instant since_{}, shown_{};  ///< instant of the last change in the world, and the reading then
  std::int64_t rate_ = million;
};

}  // namespace dmm
