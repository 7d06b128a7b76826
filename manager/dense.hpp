// Sorted sets and maps that keep many elements side by side in one piece of memory: for the indices that every event
// touches. Unlike with std::set and std::map, any insertion or removal invalidates all references and iterators.
#pragma once

#include <absl/container/btree_map.h>
#include <absl/container/btree_set.h>

namespace dmm {

template <class Key>
using DenseSet = absl::btree_set<Key>;

template <class Key, class Value>
using DenseMap = absl::btree_map<Key, Value>;

}  // namespace dmm
