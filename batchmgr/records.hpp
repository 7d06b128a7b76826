// What a batch manager finds again after a restart: how long nodes stayed free of local jobs. It finds its pilots in
// the batch system.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>

#include "protocol/time.hpp"

namespace dmm {

/// A spell without local jobs that a node had, and that is over.
struct SpellRecord {
  std::uint64_t number = 0;  ///< in the order in which spells ended
  Duration length;

  static constexpr std::string_view table = "spells";
  static constexpr std::array<std::string_view, 2> columns{"number", "length"};
  std::string key() const { return std::to_string(number); }
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.number, self.length);
  }
};

using BatchRecord = std::variant<SpellRecord>;

}  // namespace dmm
