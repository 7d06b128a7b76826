// Lists that are nearly always of one or two elements, lists that are nearly always empty, and values that are nearly
// always as they were made.
#pragma once

#include <absl/container/inlined_vector.h>

#include <algorithm>
#include <compare>
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
  RareList(std::initializer_list<T> values) : RareList(std::vector<T>(values)) {}
  RareList(std::vector<T> values)
      : list_(values.empty() ? nullptr : std::make_unique<std::vector<T>>(std::move(values))) {}
  RareList(const RareList& other)
      : list_(other.empty() ? nullptr : std::make_unique<std::vector<T>>(*other.list_)) {}
  RareList(RareList&&) noexcept = default;
  RareList& operator=(RareList other) noexcept {
    list_.swap(other.list_);
    return *this;
  }
  ~RareList() = default;

  operator const std::vector<T>&() const {
    static const std::vector<T> none;
    return list_ ? *list_ : none;
  }
  /// The list, to be changed: it has memory of its own from now on.
  std::vector<T>& edit() {
    if (!list_) list_ = std::make_unique<std::vector<T>>();
    return *list_;
  }
  /// All of it, which is taken out.
  std::vector<T> take() {
    const auto list = std::exchange(list_, nullptr);
    return list ? std::move(*list) : std::vector<T>();
  }
  T* begin() { return list_ ? list_->data() : nullptr; }
  T* end() { return begin() + size(); }
  const T* begin() const { return list_ ? list_->data() : nullptr; }
  const T* end() const { return begin() + size(); }
  std::size_t size() const { return list_ ? list_->size() : 0; }
  bool empty() const { return size() == 0; }
  const T& operator[](std::size_t index) const { return (*list_)[index]; }
  void clear() { list_.reset(); }
  void resize(std::size_t size) { size == 0 ? clear() : edit().resize(size); }
  template <class... Parts>
  T& emplace_back(Parts&&... parts) {
    return edit().emplace_back(std::forward<Parts>(parts)...);
  }
  void push_back(T value) { edit().push_back(std::move(value)); }
  void pop_back() { list_->pop_back(); }
  T& back() { return list_->back(); }
  friend bool operator==(const RareList& a, const RareList& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }
  friend auto operator<=>(const RareList& a, const RareList& b) requires std::three_way_comparable<T> {
    return std::lexicographical_compare_three_way(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  std::unique_ptr<std::vector<T>> list_;
};

/// A value that takes 8 bytes while it is as a T is made: of no limits, with no text. Messages and records hold it as
/// they would hold the T.
template <class T>
class RareValue {
 public:
  RareValue() = default;
  RareValue(T value) : value_(value == unset() ? nullptr : std::make_unique<T>(std::move(value))) {}
  RareValue(const RareValue& other) : value_(other.value_ ? std::make_unique<T>(*other.value_) : nullptr) {}
  RareValue(RareValue&&) noexcept = default;
  RareValue& operator=(RareValue other) noexcept {
    value_.swap(other.value_);
    return *this;
  }
  ~RareValue() = default;

  const T& operator*() const { return value_ ? *value_ : unset(); }
  const T* operator->() const { return &**this; }
  operator const T&() const { return **this; }
  /// The value, to be changed: it has memory of its own from now on.
  T& edit() {
    if (!value_) value_ = std::make_unique<T>();
    return *value_;
  }
  /// Gives the memory back if the value is as it was made.
  void tidy() {
    if (value_ && *value_ == unset()) value_.reset();
  }
  friend bool operator==(const RareValue& a, const RareValue& b) { return *a == *b; }
  friend bool operator==(const RareValue& a, const T& b) { return *a == b; }
  friend auto operator<=>(const RareValue& a, const RareValue& b) requires std::three_way_comparable<T> {
    return *a <=> *b;
  }
  static auto fields(const RareValue& self) { return T::fields(*self); }
  static auto fields(RareValue& self) { return T::fields(self.edit()); }

 private:
  static const T& unset() {
    static const T value{};
    return value;
  }

  std::unique_ptr<T> value_;
};

}  // namespace dmm
