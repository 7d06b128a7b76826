// How many processor-seconds this site lent to, or borrowed of, which neighbour, and for which request: the basis of
// charging and of favours between sites. Node time is charged from the grant to the return, also when the request was
// cancelled meanwhile (Iosup et al. 2007, section 4.3).
#pragma once

#include <deque>

#include "protocol/ids.hpp"
#include "protocol/time.hpp"

namespace dmm {

struct UsageRecord {
  enum class Direction : std::uint8_t { lent, borrowed, own };
  LeaseId lease;
  RequestId request;
  SiteName peer;  ///< the neighbour that it was lent to or borrowed from; empty for own use
  Direction direction = Direction::own;
  std::uint32_t processors = 0;  ///< at the grant
  Instant granted{};
  Instant ended{};
  std::uint64_t processor_microseconds = 0;
};

/// What many records come to.
struct UsageTotal {
  std::uint64_t leases = 0;
  std::uint64_t processor_microseconds = 0;
};

/// The last records, bounded; perhaps none.
class UsageLog {
 public:
  explicit UsageLog(std::size_t records_max) : records_max_(records_max) {}
  /// The oldest records go if there are more.
  void set_records_max(std::size_t records_max) {
    records_max_ = records_max;
    trim();
  }
  void add(UsageRecord record) {
    if (records_max_ == 0) return;
    records_.push_back(std::move(record));
    trim();
  }
  /// As a ledger has it; later ones follow without a gap.
  void restore(std::uint64_t number, UsageRecord record) {
    if (records_.empty()) first_ = number;
    records_.push_back(std::move(record));
    trim();
  }
  const std::deque<UsageRecord>& records() const { return records_; }
  /// The number of the oldest record; numbers are consecutive.
  std::uint64_t first() const { return first_; }
  std::uint64_t next() const { return first_ + records_.size(); }

 private:
  void trim() {
    for (; records_.size() > records_max_; ++first_) records_.pop_front();
  }

  std::size_t records_max_;
  std::uint64_t first_ = 1;
  std::deque<UsageRecord> records_;
};

}  // namespace dmm
