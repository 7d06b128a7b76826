#include "simulator/results/time_buckets.hpp"

namespace dmm {

void TimeBuckets::add(double at_seconds, const std::vector<double>& values) {
  if (counts_.empty() || counts_.back() == samples_per_bucket_) {
    if (counts_.size() == buckets_max) halve();
    counts_.push_back(0);
    starts_.push_back(at_seconds);
    sums_.resize(counts_.size() * quantities_);
  }
  ++counts_.back();
  last_seconds_ = at_seconds;
  double* const sums = sums_.data() + (counts_.size() - 1) * quantities_;
  for (std::size_t i = 0; i < quantities_ && i < values.size(); ++i) sums[i] += values[i];
}

void TimeBuckets::halve() {
  const std::size_t half = counts_.size() / 2;
  for (std::size_t bucket = 0; bucket < half; ++bucket) {
    counts_[bucket] = counts_[2 * bucket] + counts_[2 * bucket + 1];
    starts_[bucket] = starts_[2 * bucket];
    for (std::size_t i = 0; i < quantities_; ++i)
      sums_[bucket * quantities_ + i] =
          sums_[2 * bucket * quantities_ + i] + sums_[(2 * bucket + 1) * quantities_ + i];
  }
  counts_.resize(half);
  starts_.resize(half);
  sums_.resize(half * quantities_);
  samples_per_bucket_ *= 2;
}

double TimeBuckets::step_seconds() const {
  if (starts_.size() > 1) return (starts_.back() - starts_.front()) / static_cast<double>(starts_.size() - 1);
  return last_seconds_ > 0 ? last_seconds_ : 1;
}

}  // namespace dmm
