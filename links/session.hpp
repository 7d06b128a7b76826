// One conversation with one peer, independent of the connection under it: numbers what is sent, keeps it until it is
// acknowledged, delivers what comes once and in order, and notices when the peer restarted. Between two incarnations
// delivery is exactly once (docs/protocol.md section 4). Pure bookkeeping; the endpoint encodes and sends.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/envelope.hpp"
#include "protocol/time.hpp"

namespace dmm {

/// When a session beats and when it counts as silent. Sessions between a job manager and a resource manager, which may
/// travel along a chain, take three times as long for both.
struct SessionTimes {
  Duration beat = seconds(1);      ///< a link that sent nothing for this long sends a Beat
  Duration silence = seconds(3);   ///< a link that heard nothing for this long is down
  Duration hello = milliseconds(100);  ///< the first repetition of a Hello; doubles up to `beat`
  Duration client_memory = seconds(30);  ///< a silent client's session is forgotten after this
};

/// What a session makes of a numbered message.
enum class Order : std::uint8_t { deliver, duplicate, gap };

/// What a session makes of the sender's incarnation.
enum class Generation : std::uint8_t { same, first, restarted, stale };

class Session {
 public:
  explicit Session(Party peer) : peer_(std::move(peer)) {}

  const Party& peer() const { return peer_; }
  std::uint64_t peer_incarnation() const { return peer_incarnation_; }

  /// Takes notice of the incarnation that a Hello came from; a new one starts both directions afresh. What waits for
  /// a peer that was never heard is kept: it has not been lost with anybody.
  Generation meet(std::uint64_t incarnation);
  /// How a frame of this incarnation stands to the one we know, without taking notice.
  Generation compare(std::uint64_t incarnation) const;

  /// The number for the next message.
  std::uint64_t next_sequence() { return next_sequence_++; }
  /// Keeps an encoded message until it is acknowledged.
  void keep(std::uint64_t sequence, std::string_view bytes);
  /// The peer has everything up to this number.
  void acknowledge(std::uint64_t sequence);
  /// Looks at the number of a message that came in, and counts it if it is the next one.
  Order arrive(std::uint64_t sequence);

  struct Kept {
    std::uint64_t sequence = 0;
    std::uint64_t begin = 0;  ///< of its bytes, counted from the first message that was ever kept
    std::size_t size = 0;
  };
  /// What was kept and not acknowledged yet, oldest first; valid until the session changes.
  std::span<const Kept> unacknowledged() const { return std::span(kept_).subspan(acknowledged_); }
  /// Gives back the room of what is acknowledged: nothing is to be sent for a while.
  void rest();
  /// The bytes of a kept message; valid until the session changes.
  std::string_view bytes_of(const Kept& kept) const {
    return std::string_view(bytes_).substr(static_cast<std::size_t>(kept.begin - begin_), kept.size);
  }
  std::uint64_t delivered() const { return delivered_; }     ///< highest number delivered from the peer
  std::uint64_t last_used() const { return next_sequence_ - 1; }
  bool expects_more(std::uint64_t last) const { return last > delivered_; }

 private:
  Party peer_;
  std::uint64_t peer_incarnation_ = 0;
  std::uint64_t next_sequence_ = 1;
  std::uint64_t delivered_ = 0;
  // What lies before the first message that isn't acknowledged goes now and then: each is moved at most once.
  std::vector<Kept> kept_;
  std::size_t acknowledged_ = 0;  ///< so many at the front of kept_
  std::string bytes_;             ///< of kept_, one after the other
  std::uint64_t begin_ = 0;       ///< where bytes_ begins
};

}  // namespace dmm
