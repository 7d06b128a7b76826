// The kinds of values that messages and records are made of, for code that walks over them.
#pragma once

#include <concepts>

#include "protocol/short_text.hpp"

namespace dmm {

/// Names its elements, in order, by `fields`.
template <class T>
concept Struct = requires(T& value) {
  T::fields(value);
};
/// Elements of one type, one after another.
template <class T>
concept List = requires(T& values) {
  values.emplace_back();
};
/// A strong name: nothing but a text.
template <class T>
concept Named = requires(T& value) {
  { value.text } -> std::same_as<ShortText&>;
}
&&!Struct<T>;

}  // namespace dmm
