// A heap with the next job of each stream.
#include "workloads/merge.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <tuple>
#include <utility>

namespace dmm {
namespace {

struct Head {
  StreamJob job;
  std::size_t stream = 0;
};

/// The standard heap has its greatest element on top; here the earliest job must be on top.
bool head_comes_after(const Head& a, const Head& b) {
  return std::tie(a.job.submit, a.job.home, a.stream) > std::tie(b.job.submit, b.job.home, b.stream);
}

class Merger {
 public:
  explicit Merger(std::vector<JobStream> streams) : streams_(std::move(streams)) {
    for (std::size_t stream = 0; stream < streams_.size(); ++stream) take_from(stream);
  }

  std::optional<StreamJob> next() {
    if (heads_.empty()) return std::nullopt;
    std::pop_heap(heads_.begin(), heads_.end(), head_comes_after);
    Head head = heads_.back();
    heads_.pop_back();
    take_from(head.stream);
    head.job.number = ++jobs_;
    return head.job;
  }

 private:
  void take_from(std::size_t stream) {
    const std::optional<StreamJob> job = streams_[stream]();
    if (!job) return;
    heads_.push_back({*job, stream});
    std::push_heap(heads_.begin(), heads_.end(), head_comes_after);
  }

  std::vector<JobStream> streams_;
  std::vector<Head> heads_;
  std::uint64_t jobs_ = 0;
};

}  // namespace

JobStream merged(std::vector<JobStream> streams) {
  return [merger = std::make_shared<Merger>(std::move(streams))] { return merger->next(); };
}

}  // namespace dmm
