// One conversation with one peer, independent of the connection under it: numbers what is sent, keeps it until it is
// acknowledged, delivers what comes once and in order, and notices when the peer restarted. Between two incarnations
// delivery is exactly once (docs/protocol.md section 4). Pure bookkeeping; the endpoint encodes and sends.
#pragma once

#include <cstdint>
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
  /// Keeps an encoded message until it is acknowledged. Each that was given a number is kept, in order.
  void keep(std::uint64_t sequence, std::string_view bytes);
  /// The peer has everything up to this number.
  void acknowledge(std::uint64_t sequence);
  /// Looks at the number of a message that came in, and counts it if it is the next one.
  Order arrive(std::uint64_t sequence);

  /// How many were kept and not acknowledged yet.
  std::size_t unacknowledged() const { return kept_; }
  /// Hands the bytes of each of them to `see`, oldest first; the session must not change meanwhile.
  template <class See>
  void each_unacknowledged(See see) const {
    std::string_view left = std::string_view(bytes_).substr(acknowledged_);
    for (std::size_t i = 0; i < kept_; ++i) {
      const std::size_t size = size_at(left);
      see(left.substr(sizeof(Size), size));
      left.remove_prefix(sizeof(Size) + size);
    }
  }
  /// Gives back the room of what is acknowledged: nothing is to be sent for a while.
  void rest() { bytes_.shrink_to_fit(); }
  std::uint64_t delivered() const { return delivered_; }     ///< highest number delivered from the peer
  std::uint64_t last_used() const { return next_sequence_ - 1; }
  bool expects_more(std::uint64_t last) const { return last > delivered_; }

 private:
  using Size = std::uint32_t;
  static Size size_at(std::string_view bytes);

  Party peer_;
  std::uint64_t peer_incarnation_ = 0;
  std::uint64_t next_sequence_ = 1;
  std::uint64_t delivered_ = 0;
  std::uint64_t first_kept_ = 0;  ///< the number of the oldest, if any is kept
  std::size_t kept_ = 0;
  // What is acknowledged goes now and then: each message is moved at most once.
  std::size_t acknowledged_ = 0;  ///< so many bytes at the front of bytes_
  std::string bytes_;             ///< of what is kept, one after the other, each behind its size
};

}  // namespace dmm
