// Invented content for well-formed messages: a walk over their fields that replaces some values by implausible ones,
// and puts overheard names in wrong places.
#pragma once

#include <concepts>
#include <limits>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "protocol/messages.hpp"
#include "simulator/world/same_records.hpp"
#include "workloads/random.hpp"

namespace dmm {

class Invention {
 public:
  explicit Invention(std::uint64_t seed) : random_(seed) {}

  /// Remembers the names, requests, leases and parties in the value.
  template <class T>
  void learn(const T& value) {
    if constexpr (std::same_as<T, Message>) {
      std::visit([this](const auto& message) { learn(message); }, value);
    } else if constexpr (Struct<T>) {
      if constexpr (std::same_as<T, RequestId>) remember(requests_, value);
      if constexpr (std::same_as<T, LeaseId>) remember(leases_, value);
      if constexpr (std::same_as<T, Party>) remember(parties_, value);
      if constexpr (std::same_as<T, NodeGroup>) remember(groups_, value);
      std::apply([this](const auto&... field) { (learn(field), ...); }, T::fields(value));
    } else if constexpr (std::same_as<T, SiteName>) {
      remember(names_, value.text);
    } else if constexpr (List<T> && !std::same_as<T, std::string>) {
      for (const auto& element : value) learn(element);
    }
  }

  /// Changes each element of the value with this probability.
  template <class T>
  void change(T& value, double chance) {
    if constexpr (std::same_as<T, Message>) {
      std::visit([&](auto& message) { change(message, chance); }, value);
    } else if constexpr (std::same_as<T, Program>) {
      if (random_.chance(chance)) value.arguments = {"sleep", std::to_string(random_.below(100))};
      change(value.environment, chance);
      change(value.limits, chance);
    } else if constexpr (Struct<T>) {
      change_struct(value, chance);
    } else if constexpr (std::same_as<T, NodeSet>) {
      if (random_.chance(chance)) value = nodes();
    } else if constexpr (List<T> && !std::same_as<T, std::string>) {
      if (random_.chance(chance)) change_length(value);
      for (auto& element : value) change(element, chance);
    } else if (random_.chance(chance)) {
      value = instead(value);
    }
  }

  Random& dice() { return random_; }

 private:
  static constexpr std::size_t remembered_max = 300;
  /// Longer lists are cut.
  static constexpr std::size_t length_max = 2'000;

  template <class T>
  void remember(std::vector<T>& list, const T& value) {
    if (list.size() < remembered_max)
      list.push_back(value);
    else
      list[random_.below(list.size())] = value;
  }

  template <class T>
  bool overheard(const std::vector<T>& list, T& value) {
    if (list.empty() || random_.chance(0.3)) return false;
    value = list[random_.below(list.size())];
    return true;
  }

  template <class T>
  void change_struct(T& value, double chance) {
    bool replaced = false;
    if (random_.chance(chance)) {
      if constexpr (std::same_as<T, RequestId>) replaced = overheard(requests_, value);
      if constexpr (std::same_as<T, LeaseId>) replaced = overheard(leases_, value);
      if constexpr (std::same_as<T, Party>) replaced = overheard(parties_, value);
      if constexpr (std::same_as<T, NodeGroup>) replaced = overheard(groups_, value);
    }
    if (!replaced) std::apply([&](auto&... field) { (change(field, chance), ...); }, T::fields(value));
  }

  template <class T>
  void change_length(T& list) {
    switch (random_.below(5)) {
      case 0: list.clear(); break;
      case 1:
        if (!list.empty()) list.pop_back();
        break;
      case 2:
        if (!list.empty()) list.push_back(typename T::value_type(list[random_.below(list.size())]));
        break;
      case 3: list.emplace_back(); break;
      default:
        for (std::uint64_t more = random_.below(list.size() < length_max ? 100 : 1); more > 0; --more) {
          list.emplace_back();
          change(list.back(), 0.5);
        }
    }
  }

  template <class T>
  T instead(const T& was) {
    if constexpr (std::same_as<T, bool>) {
      return !was;
    } else if constexpr (std::is_enum_v<T>) {
      return static_cast<T>(random_.below(6));
    } else if constexpr (std::integral<T>) {
      return number(was);
    } else if constexpr (std::same_as<T, Duration>) {
      return duration(was);
    } else if constexpr (std::same_as<T, Attributes>) {
      return random_.chance(0.5) ? Attributes{} : Attributes{{text(), text()}, {"arch", "x86_64"}};
    } else if constexpr (Named<T>) {
      return T(ShortText(text()));
    } else {
      return T(text());
    }
  }

  template <std::integral T>
  T number(T was) {
    using Whole = std::make_unsigned_t<T>;
    const auto whole = static_cast<Whole>(was);
    switch (random_.below(8)) {
      case 0: return 0;
      case 1: return 1;
      case 2: return static_cast<T>(whole + 1);
      case 3: return static_cast<T>(whole - 1);
      case 4: return std::numeric_limits<T>::max();
      case 5: return static_cast<T>(random_.below(10));
      case 6: return static_cast<T>(Whole{1} << random_.below(sizeof(T) * 8));
      default: return static_cast<T>(random_.next());
    }
  }

  Duration duration(Duration was);
  std::string text();
  NodeSet nodes();

  Random random_;
  std::vector<RequestId> requests_;
  std::vector<LeaseId> leases_;
  std::vector<Party> parties_;
  std::vector<NodeGroup> groups_;
  std::vector<ShortText> names_;
};

}  // namespace dmm
