// One conversation with one peer, independent of the connection under it. It numbers what is sent, keeps it until
// it is acknowledged, and knows what is still to be sent or sent again. It delivers what comes once and in order,
// and notices when the peer restarted. Between two incarnations delivery is exactly once (docs/protocol.md section
// 4). Pure bookkeeping; the endpoint encodes and sends.
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
  Duration beat = seconds(1);            ///< a link that sent nothing for this long sends a Beat
  Duration silence = seconds(3);         ///< a link that heard nothing for this long is down
  Duration hello = milliseconds(100);    ///< the first repetition of a Hello; doubles up to `beat`
  Duration client_memory = seconds(30);  ///< a silent client's session is forgotten after this
  Duration peer_memory = seconds(600);   ///< that of any other party that is no longer needed
};

/// What sessions may take of memory and of the network (docs/operations.md lists all limits).
struct SessionLimits {
  std::size_t kept_bytes = 16 * 1024 * 1024;          ///< not acknowledged, of one session
  std::size_t kept_bytes_client = 4 * 1024 * 1024;    ///< of a client's
  std::size_t kept_bytes_all = 256 * 1024 * 1024;     ///< of all sessions together
  std::size_t resend_bytes = 128 * 1024;              ///< sent again before any of it is acknowledged
  std::size_t assembly_bytes_all = 32 * 1024 * 1024;  ///< of messages without their last fragment yet
  std::size_t peers = 20'000;
  std::size_t clients = 1'000;
  std::size_t clients_uncertified = 100;  ///< of these: over tcp, without a certificate
  std::size_t strangers = 64;             ///< parties that aren't admitted and are remembered, for people
  std::size_t direct_connections = 200;   ///< that a job manager opens to resource managers
};

/// What a session makes of a numbered message.
enum class Order : std::uint8_t { deliver, duplicate, gap };

/// What a session makes of the sender's incarnation.
enum class Generation : std::uint8_t { same, first, restarted, stale };

/// A message that a session keeps: its type, and its frame's bytes behind the heading.
struct KeptMessage {
  std::uint16_t type = 0;
  std::string_view tail;
};

class Session {
 public:
  explicit Session(Party peer) : peer_(std::move(peer)) {}

  const Party& peer() const { return peer_; }
  std::uint64_t peer_incarnation() const { return peer_incarnation_; }

  /// Takes notice of the incarnation that a Hello came from; a new one starts both directions afresh. What waits for
  /// a peer that was never heard is kept: it has not been lost with an earlier one.
  Generation meet(std::uint64_t incarnation);
  /// What `meet` would return for this incarnation; changes nothing.
  Generation compare(std::uint64_t incarnation) const;
  /// Forgets the incarnation that the last Hello came from: nothing was said to it yet.
  void unmeet() { peer_incarnation_ = 0; }
  /// Another process took the peer's name: starts afresh with it, whatever its incarnation is.
  void meet_other(std::uint64_t incarnation);
  /// Starts both directions afresh; what was kept is gone.
  void reset();

  /// Keeps a message under the next number until it is acknowledged; it is still to be sent.
  void keep(const KeptMessage& message);
  /// The peer has everything up to this number.
  void acknowledge(std::uint64_t sequence);
  /// Looks at the number of a message that came in, and counts it if it is the next one.
  Order arrive(std::uint64_t sequence);

  /// How many were kept and not acknowledged yet, and the memory that they take.
  std::size_t unacknowledged() const { return kept_; }
  std::size_t kept_bytes() const { return bytes_.size() - acknowledged_; }

  /// Whether anything is to be sent, for the first time or again.
  bool has_unsent() const { return sent_ < kept_; }
  /// The messages that were sent since the last rewind and aren't acknowledged, and the bytes that they are kept in.
  std::size_t in_flight() const { return sent_; }
  std::size_t bytes_in_flight() const { return unsent_at_ - acknowledged_; }
  /// The bytes behind the heading of the next message to be sent.
  std::size_t next_bytes() const { return head_at(unsent_at_).size; }
  /// The next message to be sent, which then counts as sent; valid until the session changes.
  KeptMessage take_unsent();
  /// All that isn't acknowledged is to be sent again.
  void rewind();

  /// Gives back the room of what is acknowledged: nothing is to be sent for a while.
  void go_dormant() { bytes_.shrink_to_fit(); }
  std::uint64_t delivered() const { return delivered_; }  ///< highest number delivered from the peer
  std::uint64_t next_sequence() const { return next_sequence_; }
  std::uint64_t last_used() const { return next_sequence_ - 1; }
  std::uint64_t last_sent() const { return last_used() - (kept_ - sent_); }
  std::uint64_t last_acknowledged() const { return last_used() - kept_; }
  bool expects_more(std::uint64_t last) const { return last > delivered_; }

 private:
  /// What stands before each kept message.
  struct Head {
    std::uint32_t size = 0;
    std::uint16_t type = 0;
  };
  static constexpr std::size_t head_bytes = 6;
  Head head_at(std::size_t position) const;

  Party peer_;
  std::uint64_t peer_incarnation_ = 0;
  std::uint64_t next_sequence_ = 1;
  std::uint64_t delivered_ = 0;
  std::uint64_t first_kept_ = 0;  ///< the number of the oldest, if any is kept
  std::size_t kept_ = 0;
  std::size_t sent_ = 0;  ///< how many of the kept are sent
  // What is acknowledged goes now and then: each message is moved at most once.
  std::size_t acknowledged_ = 0;  ///< how many bytes at the front of bytes_ are acknowledged
  std::size_t unsent_at_ = 0;     ///< in bytes_: the first that is to be sent
  std::string bytes_;             ///< of what is kept, one after the other, each behind its head
};

}  // namespace dmm
