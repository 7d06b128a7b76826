// Lists that are nearly always of one or two elements, and lists that are nearly always empty.
#pragma once

#include <absl/container/inlined_vector.h>

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

namespace dmm {

/// A list that keeps its first `in_place` elements without memory of their own; a longer one has memory as a vector
/// has.
template <class T, std::size_t in_place = 1>
using Few = absl::InlinedVector<T, in_place>;

/// A list that takes 8 bytes while nothing was put into it.
template <class T>
class RareList {
 public:
  using value_type = T;

  RareList() = default;
  RareList(std::initializer_list<T> values) : list_(std::make_unique<std::vector<T>>(values)) {}
  RareList(const RareList& other)
      : list_(other.empty() ? nullptr : std::make_unique<std::vector<T>>(*other.list_)) {}
  RareList(RareList&&) noexcept = default;
  RareList& operator=(RareList other) noexcept {
    list_.swap(other.list_);
    return *this;
  }
  ~RareList() = default;

  T* begin() { return list_ ? list_->data() : nullptr; }
  T* end() { return begin() + size(); }
  const T* begin() const { return list_ ? list_->data() : nullptr; }
  const T* end() const { return begin() + size(); }
  std::size_t size() const { return list_ ? list_->size() : 0; }
  bool empty() const { return size() == 0; }
  const T& operator[](std::size_t index) const { return (*list_)[index]; }
  void clear() { list_.reset(); }
  void resize(std::size_t size) { size == 0 ? clear() : made().resize(size); }
  template <class... Parts>
  T& emplace_back(Parts&&... parts) {
    return made().emplace_back(std::forward<Parts>(parts)...);
  }
  void push_back(T value) { made().push_back(std::move(value)); }
  void pop_back() { list_->pop_back(); }
  T& back() { return list_->back(); }

 private:
  std::vector<T>& made() {
    if (!list_) list_ = std::make_unique<std::vector<T>>();
    return *list_;
  }

  std::unique_ptr<std::vector<T>> list_;
};

}  // namespace dmm
