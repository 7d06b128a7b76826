// Two heaps: one of jobs, and one of submit times only, which finds whether a buffer is large enough.
#include "workloads/job_order.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <queue>
#include <tuple>

#include "workloads/lines.hpp"
#include "workloads/log_line.hpp"

namespace dmm {
namespace {

/// The standard heap has its greatest element on top; here the earliest job must be on top.
bool job_comes_after(const OrderedJob& a, const OrderedJob& b) {
  return std::tie(a.job.submit_seconds, a.home, a.line) > std::tie(b.job.submit_seconds, b.home, b.line);
}

/// Column 2, the submit time in both formats; nothing for comments, blank and bad lines, and unknown times.
std::optional<double> submit_time_in(std::string_view line) {
  const std::string_view first = take_word(line);
  if (first.empty() || first.front() == ';' || first.front() == '#') return std::nullopt;
  const std::optional<double> submit = number_in(take_word(line));
  return submit && *submit >= 0 ? submit : std::nullopt;
}

}  // namespace

void OrderBuffer::put(const OrderedJob& job) {
  jobs_.push_back(job);
  std::push_heap(jobs_.begin(), jobs_.end(), job_comes_after);
}

OrderedJob OrderBuffer::take() {
  std::pop_heap(jobs_.begin(), jobs_.end(), job_comes_after);
  const OrderedJob job = jobs_.back();
  jobs_.pop_back();
  return job;
}

LogOrder order_of(const std::string& path, std::size_t buffer_jobs) {
  LineFile lines(path);
  std::priority_queue<double, std::vector<double>, std::greater<>> held;
  double latest = -1;  // of all lines
  double given = -1;   // of those that have left the buffer
  LogOrder order = LogOrder::sorted;
  while (lines.is_open() && lines.advance()) {
    const std::optional<double> submit = submit_time_in(lines.line());
    if (!submit) continue;
    if (*submit < latest) order = LogOrder::nearly;
    if (*submit < given) return LogOrder::out_of_order;
    latest = std::max(latest, *submit);
    held.push(*submit);
    if (held.size() > buffer_jobs) {
      given = held.top();
      held.pop();
    }
  }
  return order;
}

}  // namespace dmm
