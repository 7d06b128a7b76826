// The course of a few quantities over time in bounded memory. Equally spaced samples are averaged into buckets; when
// there are too many buckets, each two become one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dmm {

class TimeBuckets {
 public:
  static constexpr std::size_t buckets_max = 480;

  /// For this number of quantities.
  explicit TimeBuckets(std::size_t quantities) : quantities_(quantities) {}

  /// A sample of all quantities.
  void add(double at_seconds, const std::vector<double>& values);

  std::size_t size() const { return counts_.size(); }
  /// The mean over a bucket.
  double mean(std::size_t bucket, std::size_t quantity) const {
    return sums_[bucket * quantities_ + quantity] / static_cast<double>(counts_[bucket]);
  }
  /// When the first sample of a bucket was.
  double start_seconds(std::size_t bucket) const { return starts_[bucket]; }
  /// Seconds from one bucket to the next.
  double step_seconds() const;

 private:
  void halve();

  std::size_t quantities_;
  std::uint64_t samples_per_bucket_ = 1;
  std::vector<double> sums_;           ///< by bucket, then quantity
  std::vector<std::uint64_t> counts_;  ///< samples in each bucket
  std::vector<double> starts_;
  double last_seconds_ = 0;
};

}  // namespace dmm
