// How many rows of a list an answer to people has: as many as are asked for, and as fit. An answer is bounded, a site
// isn't; what is left out is counted beside the list.
#pragma once

#include <cstddef>

namespace dmm {

class AnswerRows {
 public:
  /// At most `rows` rows of `bytes` bytes in all.
  AnswerRows(std::size_t rows, std::size_t bytes) : rows_(rows), bytes_(bytes) {}

  /// Whether no other row may be added.
  bool is_full() const { return rows_ == 0; }
  /// Counts a row that is this long as text; false if it doesn't fit. Then no later one does: none is missing between
  /// others.
  bool take(std::size_t bytes) {
    if (bytes >= bytes_) rows_ = 0;
    if (is_full()) return false;
    --rows_;
    bytes_ -= bytes + 1;
    return true;
  }

 private:
  std::size_t rows_, bytes_;
};

}  // namespace dmm
