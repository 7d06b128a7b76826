// Waiting jobs in the order of arrival, with an index. Finding the first job from a place on that fits takes
// logarithmic time. So an event costs about the same with a hundred thousand waiting jobs as with none.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "manager/assert.hpp"
#include "workloads/job_stream.hpp"

namespace dmm {

class WaitingQueue {
 public:
  /// The place of a job. Later arrivals have greater places; valid until the next push.
  using Place = std::size_t;
  static constexpr Place none = std::numeric_limits<Place>::max();

  bool empty() const { return count_ == 0; }
  std::size_t size() const { return count_; }
  void push(const StreamJob& job);
  /// The place of the job that waits longest; there must be one.
  Place front() const { return front_; }
  const StreamJob& at(Place place) const { return jobs_[place]; }
  void erase(Place place);

  /// The fewest processors that a waiting job wants; more than any cluster has if no job waits.
  std::uint32_t narrowest() const { return tree_.size() > 1 ? tree_[1].processors : nothing.processors; }

  /// The first job at or after `from` for which `fits(processors, estimate)` holds; `none` if there is none. `fits`
  /// must be monotonic: if it holds for some values it must hold for smaller ones. It is called with the minima of
  /// many jobs.
  template <class Fits>
  Place first(Place from, const Fits& fits) const {
    if (from >= end_) return none;
    std::size_t node = from + capacity();
    while (true) {
      if (tree_[node].processors != nothing.processors && fits(tree_[node].processors, tree_[node].estimate)) {
        if (node >= capacity()) return node - capacity();
        node *= 2;
        continue;
      }
      while (node % 2 == 1) node /= 2;  // go up while it is the right child; the root is odd and gives 0
      if (node == 0) return none;
      ++node;
    }
  }
  /// The first job at or after `from` of at most `most` processors.
  Place first_fit(Place from, std::uint32_t most) const {
    return first(from, [=](std::uint32_t processors, Duration) { return processors <= most; });
  }

  /// Moves all jobs, in the order of arrival, to the end of `jobs`.
  void drain_to(std::vector<StreamJob>& jobs);

 private:
  /// The minima over the jobs under a node. The two can come from different jobs.
  struct Least {
    std::uint32_t processors;
    Duration estimate;
    bool operator==(const Least&) const = default;
  };
  static constexpr Least nothing{std::numeric_limits<std::uint32_t>::max(),
                                 {std::numeric_limits<std::int64_t>::max()}};

  std::size_t capacity() const { return jobs_.size(); }
  static Least least(const Least& a, const Least& b) {
    return {a.processors < b.processors ? a.processors : b.processors,
            a.estimate < b.estimate ? a.estimate : b.estimate};
  }
  bool is_taken(Place place) const { return tree_[place + capacity()].processors != nothing.processors; }
  void close_ranks();

  std::vector<StreamJob> jobs_;  ///< by place; the size is a power of two
  std::vector<Least> tree_;      ///< node n has the children 2n and 2n + 1; the leaf of place p is capacity + p
  std::size_t front_ = 0;
  std::size_t end_ = 0;  ///< the first place that was never used
  std::size_t count_ = 0;
};

/// Sorts jobs that several queues handed over into the order of arrival.
void sort_by_arrival(std::vector<StreamJob>& jobs);

}  // namespace dmm
