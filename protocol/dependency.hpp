// A dependency of a job on another job of its job manager (docs/protocol.md section 8.28).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>

namespace dmm {

enum class DependencyKind : std::uint8_t {
  after,         ///< the other has begun to run, or is over
  after_ok,      ///< it has finished
  after_not_ok,  ///< it is over otherwise: failed, cancelled or lost
  after_any,     ///< it is over, in any way
};
constexpr std::size_t dependency_kinds = 4;
/// The word of the command line: "afterok".
std::string_view to_text(DependencyKind kind);

struct Dependency {
  DependencyKind kind = DependencyKind::after;
  std::uint64_t job = 0;    ///< the number of the other job, or of an array
  bool of_element = false;  ///< one element of the array is meant, not all of them
  std::uint32_t index = 0;  ///< of that element
  bool operator==(const Dependency&) const = default;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.kind, self.job, self.of_element, self.index);
  }
};

/// The awaited job or element, as its user names it: "13", or "12_3" for an element.
std::string name_of(const Dependency& dependency);

}  // namespace dmm
