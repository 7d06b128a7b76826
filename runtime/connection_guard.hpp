// Which incoming connections are cut because they do harm. A connection is a *stranger* until a session of an admitted
// party uses it: idle and half-open connections, bad handshakes and unknown keys are all strangers. Strangers have a
// limited number of places, so that they never take the place of a known peer. Strangers that stay idle or say much are
// cut as well. So is a connection with a message without end, which ZeroMQ keeps in memory before we see a byte of it.
//
// A known peer is cut for a message without end alone; it connects again, and its session goes on.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "protocol/time.hpp"

namespace dmm {

class ConnectionGuard {
 public:
  struct Settings {
    Duration idle = seconds(30);  ///< a stranger that is silent for longer is cut
    std::size_t strangers_max = 1'000;
    std::size_t connections_max = 4'000;  ///< strangers have fewer places when known peers come near this number
    std::uint32_t stranger_frames_max = 256;
    /// Our memory may grow by this much while nothing whole comes on a connection that may be the cause.
    std::uint64_t growth_bytes = 64 * 1024 * 1024;
    Duration window = milliseconds(500);  ///< without a whole frame, where received bytes aren't known
  };

  /// A connection as the kernel knows it.
  struct Source {
    std::uint64_t cookie = 0;   ///< no two sockets have the same one; 0: not known
    std::uint64_t address = 0;  ///< of the far end
  };

  /// What is asked about a connection, by its descriptor.
  struct Questions {
    std::function<bool(int)> is_needed;  ///< whether a session uses it
    /// Bytes that the kernel received on it; nothing if the kernel doesn't count them.
    std::function<std::optional<std::uint64_t>(int)> received;
  };

  explicit ConnectionGuard(Settings settings) : settings_(settings) {}

  /// Settings that leave half of the descriptors to the rest of the daemon and to connections that are accepted before
  /// the guard hears of them.
  static Settings within(Settings wanted, std::size_t descriptors);
  void change(Settings settings) { settings_ = settings; }

  void opened(Instant now, int descriptor, Source source);
  void closed(int descriptor);
  /// A whole frame came on it.
  void heard(Instant now, int descriptor);
  /// No connection could be accepted because no descriptor is left: all strangers are cut.
  void exhausted() { exhausted_ = true; }

  bool empty() const { return open_.empty(); }
  std::size_t size() const { return open_.size(); }
  bool knows(int descriptor) const { return open_.contains(descriptor); }
  std::uint64_t cookie_of(int descriptor) const;

  /// Whether `to_cut` is to be called at once.
  bool is_urgent() const;
  /// The connections to cut now. `resident`: our memory in bytes.
  std::vector<int> to_cut(Instant now, std::uint64_t resident, const Questions& questions);

 private:
  struct Seen {
    Source source;
    Instant opened{};
    Instant heard{};                   ///< when a whole frame came, or it was opened
    std::uint64_t least = UINT64_MAX;  ///< the least memory that we had since then
    std::uint64_t received = 0;        ///< by the kernel, when we last looked after a whole frame
    bool fresh = false;                ///< a whole frame came since we looked
    bool known = false;                ///< a session used it when we last asked
    std::uint32_t frames = 0;          ///< of a stranger
  };
  std::size_t strangers_allowed() const;
  bool may_grow(Instant now, int descriptor, Seen& seen, std::uint64_t resident, const Questions& questions) const;
  std::vector<int> growing(Instant now, std::uint64_t resident, const Questions& questions);
  std::vector<int> strangers_to_cut(Instant now, const Questions& questions);

  Settings settings_;
  std::map<int, Seen> open_;  ///< by descriptor
  std::size_t known_ = 0;     ///< of them
  Instant due_{};             ///< when strangers are looked for again
  bool exhausted_ = false;
  bool talked_ = false;  ///< a stranger said more than it may, if it still is one
};

}  // namespace dmm
