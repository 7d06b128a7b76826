// Records as JSON text and back, by one walk over their `columns` and `fields`, in the ledger (ledger.hpp).
//
// A row is an object by column. A column that has its default is left out, so no default may ever change. Values in
// a column are written as on the wire. A struct is an array of its elements, in order; a map is an array of pairs. An
// enum is its number, a name its text, a duration its microseconds, an absent optional null.
//
// An instant is wall time, in microseconds since 1970 UTC, so that it means the same after a restart of the machine;
// "never" if there is none. Text that is not UTF-8 is {"hex": "..."}: every byte comes back.
#pragma once

#include <algorithm>
#include <charconv>
#include <concepts>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "manager/ledger.hpp"
#include "protocol/fields.hpp"
#include "protocol/resources.hpp"
#include "protocol/time.hpp"

namespace dmm {

namespace record_json {

using Json = nlohmann::json;

template <class T>
concept Number = std::is_integral_v<T> && !std::is_same_v<T, bool>;
template <class T>
concept Enum = std::is_enum_v<T>;

/// Appends text, whatever its bytes.
void append_text(std::string& out, std::string_view text);
/// Reads text back; false if it is no text.
bool read_text(const Json& in, std::string& text);

/// Whether both are written alike.
template <class T>
bool are_alike(const T& one, const T& other) {
  if constexpr (Struct<T>) {
    const auto these = T::fields(one), those = T::fields(other);
    return [&]<std::size_t... index>(std::index_sequence<index...>) {
      return (are_alike(std::get<index>(these), std::get<index>(those)) && ...);
    }
    (std::make_index_sequence<std::tuple_size_v<decltype(these)>>{});
  } else if constexpr (List<T>) {
    return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                      [](const auto& a, const auto& b) { return are_alike(a, b); });
  } else if constexpr (requires { one.has_value(); }) {
    return one.has_value() == other.has_value() && (!one || are_alike(*one, *other));
  } else {
    return one == other;
  }
}

/// Appends values. `clock` is the offset from this process's clock to wall-clock time.
class Writer {
 public:
  Writer(std::string& out, Duration clock) : out_(out), clock_(clock) {}

  void write(bool value) { out_ += value ? "true" : "false"; }
  void write(const std::string& value) { append_text(out_, value); }
  void write(Duration value) { write(value.microseconds); }
  void write(Instant value) {
    if (value == never)
      out_ += "\"never\"";
    else
      write((value + clock_).microseconds);
  }
  template <Number T>
  void write(T value) {
    char digits[24];
    out_.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
  }
  template <Enum T>
  void write(T value) {
    write(static_cast<std::underlying_type_t<T>>(value));
  }
  void write(const ShortText& value) { append_text(out_, value); }
  template <Named T>
  void write(const T& value) {
    write(value.text);
  }
  template <class T>
  void write(const std::optional<T>& value) {
    if (value)
      write(*value);
    else
      out_ += "null";
  }
  template <List T>
  void write(const T& values) {
    char before = '[';
    for (const auto& value : values) next(before, value);
    close(before, '[', ']');
  }
  void write(const Attributes& map) {
    char before = '[';
    for (const auto& [name, value] : map) next(before, std::vector<std::string>{name, value});
    close(before, '[', ']');
  }
  template <Struct T>
  void write(const T& value) {
    char before = '[';
    std::apply([&](const auto&... element) { (next(before, element), ...); }, T::fields(value));
    close(before, '[', ']');
  }
  template <LedgerRow R>
  void write_row(const R& row) {
    static const R unset;
    char before = '{';
    std::size_t column = 0;
    const auto one = [&](const auto& element, const auto& usual) {
      const std::string_view name = R::columns[column++];
      if (column > 1 && are_alike(element, usual)) return;
      ((out_ += std::exchange(before, ',')) += '"') += name;
      out_ += "\":";
      write(element);
    };
    const auto elements = R::fields(row), usuals = R::fields(unset);
    [&]<std::size_t... index>(std::index_sequence<index...>) {
      (one(std::get<index>(elements), std::get<index>(usuals)), ...);
    }
    (std::make_index_sequence<std::tuple_size_v<decltype(elements)>>{});
    close(before, '{', '}');
  }

 private:
  template <class T>
  void next(char& before, const T& value) {
    out_ += std::exchange(before, ',');
    write(value);
  }
  void close(char before, char opening, char closing) {
    if (before == opening) out_ += opening;
    out_ += closing;
  }

  std::string& out_;
  Duration clock_;
};

/// Reads values; false for a value that isn't what it should be.
class Reader {
 public:
  explicit Reader(Duration clock) : clock_(clock) {}

  bool read(const Json& in, bool& value) const {
    if (!in.is_boolean()) return false;
    value = *in.get_ptr<const bool*>();
    return true;
  }
  bool read(const Json& in, std::string& value) const { return read_text(in, value); }
  bool read(const Json& in, Duration& value) const { return read(in, value.microseconds); }
  bool read(const Json& in, Instant& value) const {
    if (const auto* word = in.get_ptr<const std::string*>()) return value = never, *word == "never";
    if (!read(in, value.microseconds)) return false;
    value = value - clock_;
    return true;
  }
  template <Number T>
  bool read(const Json& in, T& value) const {
    if (in.is_number_unsigned()) return narrow(*in.get_ptr<const std::uint64_t*>(), value);
    return in.is_number_integer() && narrow(*in.get_ptr<const std::int64_t*>(), value);
  }
  template <Enum T>
  bool read(const Json& in, T& value) const {
    std::underlying_type_t<T> number = 0;
    if (!read(in, number)) return false;
    value = static_cast<T>(number);
    return true;
  }
  bool read(const Json& in, ShortText& value) const {
    std::string text;
    if (!read_text(in, text)) return false;
    value = text;
    return true;
  }
  template <Named T>
  bool read(const Json& in, T& value) const {
    return read(in, value.text);
  }
  template <class T>
  bool read(const Json& in, std::optional<T>& value) const {
    if (in.is_null()) return value.reset(), true;
    return read(in, value.emplace());
  }
  template <List T>
  bool read(const Json& in, T& values) const {
    if (!in.is_array()) return false;
    values.clear();
    for (const Json& element : in)
      if (!read(element, values.emplace_back())) return false;
    if constexpr (std::is_same_v<T, NodeSet>) return is_well_formed(values);
    return true;
  }
  bool read(const Json& in, Attributes& map) const {
    std::vector<std::vector<std::string>> pairs;
    if (!read(in, pairs)) return false;
    map.clear();
    for (std::vector<std::string>& pair : pairs)
      if (pair.size() != 2 || !map.emplace(std::move(pair[0]), std::move(pair[1])).second) return false;
    return true;
  }
  template <Struct T>
  bool read(const Json& in, T& value) const {
    return std::apply(
        [&](auto&... element) {
          // A struct grows at its end: an earlier version wrote fewer elements, and those that it lacks keep their
          // defaults.
          if (!in.is_array() || in.size() > sizeof...(element)) return false;
          std::size_t index = 0;
          return ((index == in.size() || read(in[index++], element)) && ...);
        },
        T::fields(value));
  }
  template <class T>
  bool read(const Json& in, RareValue<T>& value) const {
    T whole;
    if (!read(in, whole)) return false;
    value = std::move(whole);
    return true;
  }
  /// The first column that is wrong; empty if there is none. Columns that are missing keep their defaults. The first
  /// column is never missing: it tells a row from others.
  template <LedgerRow R>
  std::string_view read_row(const Json& in, R& row) const {
    std::size_t column = 0;
    const auto one = [&](auto& element) {
      const auto found = in.find(R::columns[column]);
      if (found == in.end() ? column == 0 : !read(*found, element)) return false;
      return ++column > 0;
    };
    const bool ok = std::apply([&](auto&... element) { return (one(element) && ...); }, R::fields(row));
    return ok ? std::string_view() : R::columns[column];
  }

 private:
  template <class Wide, Number T>
  static bool narrow(Wide number, T& value) {
    if (!std::in_range<T>(number)) return false;
    value = static_cast<T>(number);
    return true;
  }

  Duration clock_;
};

}  // namespace record_json

/// A row as JSON.
template <LedgerRow R>
std::string to_json(const R& row, Duration clock) {
  std::string out;
  record_json::Writer(out, clock).write_row(row);
  return out;
}

/// A row from JSON. What is wrong, naming its column; empty if nothing is.
template <LedgerRow R>
std::string from_json(std::string_view text, Duration clock, R& row) {
  const auto json = record_json::Json::parse(text, nullptr, false);
  if (!json.is_object()) return "the record is no JSON object";
  row = R{};
  const std::string_view column = record_json::Reader(clock).read_row(json, row);
  return column.empty() ? std::string()
                        : "column \"" + std::string(column) + "\" is missing or holds something else";
}

}  // namespace dmm
