// Orders to read output that the backend hasn't answered yet: the task, the stream, the first byte, and whether the
// answer goes to the job manager as a Piece.
#pragma once

#include <map>
#include <optional>
#include <tuple>

#include "manager/assert.hpp"
#include "resmgr/tasks.hpp"

namespace dmm {

class OutputReads {
 public:
  /// Returns whether no such order waits yet; the later order decides how it is answered.
  bool begin(const TaskId& task, Stream stream, std::uint64_t offset, bool as_piece) {
    return reads_.insert_or_assign({task, stream, offset}, as_piece).second;
  }
  /// The backend answers: whether as a Piece. None: no such order waits any more.
  std::optional<bool> take(const TaskId& task, Stream stream, std::uint64_t offset) {
    const auto read = reads_.find({task, stream, offset});
    if (read == reads_.end()) return std::nullopt;
    const bool as_piece = read->second;
    reads_.erase(read);
    return as_piece;
  }
  /// The task is forgotten.
  void drop(const TaskId& task) {
    auto read = reads_.lower_bound({task, Stream::output, 0});
    while (read != reads_.end() && std::get<TaskId>(read->first) == task) read = reads_.erase(read);
  }
  /// For tests: calls `is_known` for the task of each order, and asserts it.
  template <class IsKnown>
  void check(IsKnown is_known) const {
    for (const auto& [key, as_piece] : reads_) DMM_ASSERT(is_known(std::get<TaskId>(key)));
  }

 private:
  std::map<std::tuple<TaskId, Stream, std::uint64_t>, bool> reads_;
};

}  // namespace dmm
