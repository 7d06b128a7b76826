// PartKey: the name of one search for one part of a request, and what is drawn from it.
#pragma once

#include "manager/lookup.hpp"
#include "protocol/ids.hpp"
#include "protocol/time.hpp"

namespace dmm {

/// Names one search for one part of a request.
struct PartKey {
  RequestId request;
  std::uint32_t part = 0;
  std::uint32_t round = 0;
  auto operator<=>(const PartKey&) const = default;
};
/// The low bits depend on all of it: two requests that are alike in one round aren't in the next.
inline std::uint64_t stable_hash(const PartKey& key) {
  const std::uint64_t hash =
      (stable_hash(key.request) ^ (key.part * 0x100000001B3ULL) ^ (std::uint64_t{key.round} << 17)) *
      0x9E3779B97F4A7C15ULL;
  return hash ^ (hash >> 32);
}

inline std::uint64_t table_hash(const PartKey& key) {
  return table_hash(table_hash(key.request) ^ key.part ^ (std::uint64_t{key.round} << 32));
}

/// Between 3/4 and 5/4 of the pause, by the search's own hash: what failed together doesn't come back together.
inline Duration spread(Duration pause, const PartKey& key) {
  return pause * (768 + static_cast<std::int64_t>(stable_hash(key) % 512)) / 1024;
}

}  // namespace dmm
