// Which node has which number. Leases name nodes by number, so a node keeps its number for as long as it is known,
// however the configuration lists it; what sticks to a node (the fence) sticks to its name. Without names, node 7 is
// called "7".
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "protocol/resources.hpp"

namespace dmm {

class NodeNumbers {
 public:
  /// An earlier start gave this number; before `configure`.
  void restore(std::uint32_t number, std::string name);
  /// Numbers the configured nodes, `count` of them without names: those that are known as before, new ones with the
  /// lowest numbers that are free. A number is free when its node wasn't configured the last time either: leases on it
  /// are over by then.
  void configure(std::uint32_t count, const std::vector<std::string>& names);

  /// The ledger's row of the number is to be written or erased.
  void changed(std::uint32_t number) { changed_.insert(number); }
  std::set<std::uint32_t> take_changed() { return std::exchange(changed_, {}); }

  /// One more than the greatest number.
  std::uint32_t size() const { return is_named() ? static_cast<std::uint32_t>(names_.size()) : count_; }
  bool is_named() const { return !names_.empty(); }
  /// Numbers that are nodes now, and those below `size` that aren't.
  const NodeSet& present() const { return present_; }
  NodeSet absent() const;
  std::string name_of(std::uint32_t number) const;
  /// All numbers with their names, in order.
  std::vector<std::pair<std::uint32_t, std::string>> all() const;

 private:
  struct Numbered {
    std::string name;  ///< empty: the number is free
    bool present = false;
  };
  void renumber(const std::vector<std::string>& names);

  std::uint32_t count_ = 0;
  std::vector<Numbered> names_;  ///< by number; none without names
  NodeSet present_;
  std::set<std::uint32_t> changed_;
};

}  // namespace dmm
