// Whether two plain values are the same, element by element. Records and their parts name their elements by `fields`,
// and most of them have no comparison of their own.
#pragma once

#include <algorithm>
#include <concepts>
#include <optional>
#include <ranges>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "protocol/fields.hpp"

namespace dmm {

template <class T>
bool same(const T& a, const T& b);

namespace same_records {

template <class T>
struct IsTuple : std::false_type {};
template <class... Ts>
struct IsTuple<std::tuple<Ts...>> : std::true_type {};
template <class A, class B>
struct IsTuple<std::pair<A, B>> : std::true_type {};

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};

template <class T>
struct IsVariant : std::false_type {};
template <class... Ts>
struct IsVariant<std::variant<Ts...>> : std::true_type {};

template <class Tuple, std::size_t... I>
bool all_same(const Tuple& a, const Tuple& b, std::index_sequence<I...>) {
  return (same(std::get<I>(a), std::get<I>(b)) && ...);
}

}  // namespace same_records

template <class T>
bool same(const T& a, const T& b) {
  using namespace same_records;
  if constexpr (std::same_as<T, std::string>) {
    return a == b;
  } else if constexpr (std::ranges::range<T>) {
    return std::ranges::equal(a, b, [](const auto& x, const auto& y) { return same(x, y); });
  } else if constexpr (IsOptional<T>::value) {
    return a.has_value() == b.has_value() && (!a || same(*a, *b));
  } else if constexpr (IsVariant<T>::value) {
    const auto equals_other = [&](const auto& x) { return same(x, std::get<std::decay_t<decltype(x)>>(b)); };
    return a.index() == b.index() && std::visit(equals_other, a);
  } else if constexpr (Struct<T>) {
    return same(T::fields(a), T::fields(b));
  } else if constexpr (IsTuple<T>::value) {
    return all_same(a, b, std::make_index_sequence<std::tuple_size_v<T>>{});
  } else {
    return a == b;
  }
}

}  // namespace dmm
