// Lists that are nearly always of one or two elements.
#pragma once

#include <absl/container/inlined_vector.h>

namespace dmm {

/// A list whose first `in_place` elements need no memory of their own; more of them move to memory as a vector's do.
template <class T, std::size_t in_place = 1>
using Few = absl::InlinedVector<T, in_place>;

}  // namespace dmm
