// Notices a manager that spins: its next deadline is not in the future however often it is settled. Without a pause,
// its daemon would take a whole processor.
#pragma once

#include <cstdint>

#include "manager/contract.hpp"
#include "protocol/time.hpp"

namespace dmm {

class SpinGuard {
 public:
  /// A manager that spins is settled at most this often.
  static constexpr Duration pause_of_spinning = milliseconds(10);

  /// The manager was settled; `due`: it asks to be settled again at once. True when it is first found to spin: log
  /// that.
  bool settled(bool due) {
    spins_ = due ? spins_ + (spins_ < spins_max ? 1 : 0) : 0;
    const bool begins = is_spinning() && !told_;
    told_ |= begins;
    return begins;
  }
  bool is_spinning() const { return spins_ == spins_max; }
  /// How long its daemon waits for frames before it settles the manager again.
  Duration pause() const { return is_spinning() ? pause_of_spinning : Duration{}; }

 private:
  std::uint32_t spins_ = 0;
  bool told_ = false;  ///< once in the life of a daemon
};

}  // namespace dmm
