// What kinds of values messages and records are made of, for whoever walks them.
#pragma once

#include <concepts>
#include <string>

namespace dmm {

/// Names its elements, in order, by `fields`.
template <class T>
concept Struct = requires(T& value) { T::fields(value); };
/// A strong name: nothing but a text.
template <class T>
concept Named = requires(T& value) {
  { value.text } -> std::same_as<std::string&>;
} && !Struct<T>;

}  // namespace dmm
