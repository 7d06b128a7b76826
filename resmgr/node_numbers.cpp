// Giving out numbers; see node_numbers.hpp.
#include "resmgr/node_numbers.hpp"

#include <algorithm>

#include "manager/assert.hpp"

namespace dmm {

void NodeNumbers::restore(std::uint32_t number, std::string name) {
  DMM_ASSERT(present_.empty() && count_ == 0);
  if (number >= nodes_per_manager_max) return;
  if (number >= names_.size()) names_.resize(number + 1);
  names_[number] = {std::move(name), true};
}

void NodeNumbers::configure(std::uint32_t count, const std::vector<std::string>& names) {
  count_ = count;
  present_.clear();
  if (names.empty()) {
    names_.clear();
    if (count > 0) present_ = {{0, count - 1}};
    return;
  }
  renumber(names);
  for (std::uint32_t number = 0; number < names_.size(); ++number)
    if (names_[number].present) append(present_, number);
  DMM_ASSERT(present_.empty() || present_.back().last < size());
}

void NodeNumbers::renumber(const std::vector<std::string>& names) {
  std::vector<std::pair<std::string, std::uint32_t>> known;  // by name
  for (std::uint32_t number = 0; number < names_.size(); ++number) {
    Numbered& one = names_[number];
    if (!one.name.empty()) known.emplace_back(one.name, number);
    if (!one.present) one.name.clear();
    one.present = false;
  }
  std::ranges::sort(known);
  std::vector<std::string> unknown;
  for (const std::string& name : names) {
    const auto found = std::ranges::lower_bound(known, name, {}, &std::pair<std::string, std::uint32_t>::first);
    if (found != known.end() && found->first == name)
      names_[found->second] = {name, true};
    else
      unknown.push_back(name);
  }
  std::size_t next = 0;
  for (std::string& name : unknown) {
    while (next < names_.size() && !names_[next].name.empty()) ++next;
    if (next == names_.size()) names_.emplace_back();
    DMM_ASSERT(names_[next].name.empty());  // it is free
    names_[next] = {std::move(name), true};
  }
  while (!names_.empty() && names_.back().name.empty()) names_.pop_back();
}

NodeSet NodeNumbers::absent() const {
  DMM_ASSERT(present_.empty() || present_.back().last < size());
  return size() == 0 ? NodeSet{} : subtract(NodeSet{{0, size() - 1}}, present_);
}

std::string NodeNumbers::name_of(std::uint32_t number) const {
  if (!is_named()) return std::to_string(number);
  return number < names_.size() ? names_[number].name : std::string();
}

std::vector<std::pair<std::uint32_t, std::string>> NodeNumbers::all() const {
  std::vector<std::pair<std::uint32_t, std::string>> all;
  for (std::uint32_t number = 0; number < size(); ++number)
    if (std::string name = name_of(number); !name.empty()) all.emplace_back(number, std::move(name));
  DMM_ASSERT(is_named() || all.size() == size());
  return all;
}

}  // namespace dmm
