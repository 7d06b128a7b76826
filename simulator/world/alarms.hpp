// An alarm for each of a number of sleepers, and the sleeper that wakes first. It is a tournament: a change replays
// the matches of one sleeper. The lower number wins among equals, so a run depends on its inputs alone.
#pragma once

#include <vector>

#include "protocol/time.hpp"

namespace dmm {

class Alarms {
 public:
  /// A new sleeper without an alarm; they are numbered from 0.
  void add() {
    alarms_.push_back(never);
    if (alarms_.size() > leaves_) grow();
  }
  /// Sets a sleeper's alarm; `never` for none.
  void set(std::size_t sleeper, Instant at) {
    if (alarms_[sleeper] == at) return;
    alarms_[sleeper] = at;
    for (std::size_t match = (leaves_ + sleeper) / 2; match > 0; match /= 2) play(match);
  }
  Instant of(std::size_t sleeper) const { return alarms_[sleeper]; }
  /// The sleeper that wakes first, and when; `never` if no alarm is set. There must be a sleeper.
  std::size_t first() const { return winners_[1]; }
  Instant next() const { return alarms_[first()]; }

 private:
  void play(std::size_t match) {
    const std::size_t a = winners_[2 * match], b = winners_[2 * match + 1];
    winners_[match] = b < alarms_.size() && alarms_[b] < alarms_[a] ? b : a;
  }
  void grow() {
    leaves_ = leaves_ == 0 ? 2 : 2 * leaves_;
    winners_.resize(2 * leaves_);
    for (std::size_t i = 0; i < leaves_; ++i) winners_[leaves_ + i] = i;
    for (std::size_t match = leaves_ - 1; match > 0; --match) play(match);
  }

  std::vector<Instant> alarms_;
  std::size_t leaves_ = 0;            ///< a power of two
  std::vector<std::size_t> winners_;  ///< of match 1, the final, and so on; behind them the sleepers themselves
};

}  // namespace dmm
