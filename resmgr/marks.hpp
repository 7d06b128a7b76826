// Things to look at again at the next settle, however often they were marked. They are few and live shortly: a vector
// that is sorted when they are taken.
#pragma once

#include <algorithm>
#include <vector>

namespace dmm {

template <class Value>
class Marks {
 public:
  void add(const Value& value) { values_.push_back(value); }
  bool empty() const { return values_.empty(); }
  /// All of them in order, each once, until the next call; what is marked from now on comes with that.
  const std::vector<Value>& take() {
    taken_.clear();
    taken_.swap(values_);
    if (taken_.size() <= 1) return taken_;
    std::sort(taken_.begin(), taken_.end());
    taken_.erase(std::unique(taken_.begin(), taken_.end()), taken_.end());
    return taken_;
  }

 private:
  std::vector<Value> values_, taken_;
};

}  // namespace dmm
