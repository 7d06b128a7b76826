// The hash of everything that happens in a simulated world: arriving frames, rows of ledgers, log events. Two runs
// with the same hash did the same, so it shows whether a change of the code preserves behaviour.
#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <ranges>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>

#include "manager/effects.hpp"
#include "manager/ledger.hpp"
#include "simulator/world/same_records.hpp"

namespace dmm {

class TraceHash {
 public:
  std::uint64_t value() const { return value_; }

  void add(std::uint64_t word) {
    value_ = (value_ ^ word) * 0x9E3779B97F4A7C15ULL;
    value_ ^= value_ >> 32;
  }
  /// Depends on every byte, taken eight at a time.
  void add(std::string_view bytes) {
    add(bytes.size());
    for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), sizeof(std::uint64_t)))) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data(), std::min(bytes.size(), sizeof word));
      add(word);
    }
  }
  void add(const LogEvent& event) {
    add(static_cast<std::uint64_t>(event.level));
    add(event.name);
    add_value(event.trace);
    for (const LogField& field : event.fields) {
      add(field.key);
      add_value(field.value);
    }
  }
  template <class Record>
  void add(const LedgerChanges<Record>& changes) {
    add(static_cast<std::uint64_t>(changes.grade));
    for (const auto& change : changes.list) {
      add(static_cast<std::uint64_t>(change.erased));
      std::visit([&](const auto& row) { add(std::string_view(row.table)), add(std::string_view(row.key())); },
                 change.record);
      if (!change.erased) add_value(change.record);
    }
  }

 private:
  /// Element by element, as `same` compares.
  template <class T>
  void add_value(const T& value) {
    using namespace same_records;
    if constexpr (std::convertible_to<const T&, std::string_view>) {
      add(std::string_view(value));
    } else if constexpr (std::same_as<T, ShortText>) {
      add(value.view());
    } else if constexpr (Named<T>) {
      add_value(value.text);
    } else if constexpr (requires { value.microseconds; }) {
      add(static_cast<std::uint64_t>(value.microseconds));
    } else if constexpr (std::ranges::range<T>) {
      add(static_cast<std::uint64_t>(std::ranges::distance(value)));
      for (const auto& one : value) add_value(one);
    } else if constexpr (IsOptional<T>::value) {
      add(static_cast<std::uint64_t>(value.has_value()));
      if (value) add_value(*value);
    } else if constexpr (IsVariant<T>::value) {
      add(static_cast<std::uint64_t>(value.index()));
      std::visit([&](const auto& one) { add_value(one); }, value);
    } else if constexpr (IsTuple<T>::value) {
      std::apply([&](const auto&... all) { (add_value(all), ...); }, value);
    } else if constexpr (Struct<T>) {
      add_value(T::fields(value));
    } else if constexpr (std::floating_point<T>) {
      add(std::bit_cast<std::uint64_t>(static_cast<double>(value)));
    } else {
      add(static_cast<std::uint64_t>(value));
    }
  }

  std::uint64_t value_ = 14695981039346656037ULL;
};

}  // namespace dmm
