// Connections that others opened to us and that do us harm: those on which nothing is ever said, which would take all
// descriptors, and those on which one endless message comes, which ZeroMQ would keep in memory before anybody sees a
// byte of it. Says which are to be cut; whoever is cut by mistake connects again, and its session goes on.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "protocol/time.hpp"

namespace dmm {

class ConnectionGuard {
 public:
  struct Settings {
    Duration idle = seconds(30);  ///< on which nobody that we know said anything for so long
    std::size_t connections_max = 4'000;
    /// Of our memory while nothing whole came on a connection for at least `window`, which it may be the cause of.
    std::uint64_t growth_bytes = 64 * 1024 * 1024;
    Duration window = milliseconds(500);
  };

  explicit ConnectionGuard(Settings settings) : settings_(settings) {}

  void opened(Instant now, int descriptor);
  void closed(int descriptor) { open_.erase(descriptor); }
  /// A whole frame came on it.
  void heard(Instant now, int descriptor);
  bool empty() const { return open_.empty(); }
  std::size_t size() const { return open_.size(); }

  /// Which to cut now. `resident`: our memory in bytes; `is_needed`: whether a session uses the connection.
  std::vector<int> to_cut(Instant now, std::uint64_t resident, const std::function<bool(int)>& is_needed);

 private:
  struct Seen {
    Instant heard{};                     ///< when a whole frame came, or it was opened
    std::uint64_t least = UINT64_MAX;    ///< our memory since then, at its least
  };
  std::vector<int> growing(Instant now, std::uint64_t resident);

  Settings settings_;
  std::map<int, Seen> open_;  ///< by descriptor
  Instant idle_due_{};  ///< when idle ones are looked for again
};

}  // namespace dmm
