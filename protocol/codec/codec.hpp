// Bytes to envelopes and back. A frame is an array of two byte strings: the envelope, and its signature (empty for
// now). Everything is a positional array that only grows at its end: elements that we don't know are ignored, and
// missing elements keep their defaults. All input is checked before it is trusted (docs/protocol.md section 4).
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "protocol/envelope.hpp"
#include "protocol/or_fault.hpp"

namespace dmm {

/// Why bytes were refused.
enum class FrameFault : std::uint8_t {
  too_large,        ///< more bytes than the limit
  not_messagepack,  ///< bytes are missing, or left over
  over_limit,       ///< deeper or longer than the limits of the decoder
  not_a_frame,      ///< not an array of envelope and signature
  wrong_version,    ///< a protocol version that we don't speak
  unknown_type,     ///< a message type that we don't know
  malformed,        ///< an element of the wrong type or out of its range
};
std::string_view to_text(FrameFault fault);

/// Largest frame in bytes.
constexpr std::size_t frame_bytes_max = 256 * 1024;
/// Largest message in bytes, which travels in fragments.
constexpr std::size_t message_bytes_max = 4 * 1024 * 1024;

/// The part of refused bytes that could be read, so that the sender can be told and its session goes on.
struct Refused {
  FrameFault fault = FrameFault::malformed;
  std::uint16_t type = 0;  ///< 0 if it could not be read
  Envelope head;           ///< all but the message; its sender has an empty site if it could not be read
};

/// The part of the envelope that is the same in a whole session: half of a small frame, so it is encoded once.
struct Heading {
  const Party& from;
  const Party& to;
  std::uint64_t incarnation = 0;
  std::uint64_t peer = 0;
};

/// An envelope by reference, so that nothing is copied before it is encoded.
struct EnvelopeView {
  std::uint8_t version = protocol_version;
  std::string_view heading;  ///< encoded
  std::uint64_t sequence = 0;
  std::uint64_t acknowledged = 0;
  const RequestId& trace;
  const CapacityHint& hint;
  const Message& message;
};

/// Encodes and decodes frames. It keeps buffers between calls: use one codec for each thread, shared by all sessions
/// there.
class Codec {
 public:
  Codec();
  ~Codec();
  Codec(const Codec&) = delete;
  Codec& operator=(const Codec&) = delete;

  static std::string encode(const Heading& heading);
  /// The frame of an envelope; valid until the next call.
  std::string_view encode(const EnvelopeView& envelope);
  std::string_view encode(const Envelope& envelope);
  /// The bytes behind the heading of the frame that was encoded last; valid as long as that frame.
  std::string_view tail() const;
  /// Makes a frame of a message of this type again, from a present heading and an earlier tail; valid until the next
  /// call.
  std::string_view frame(std::uint16_t type, std::string_view heading, std::string_view tail);
  /// The envelope of a frame, or why there is none.
  OrFault<Envelope, Refused> decode(std::string_view frame, std::size_t bytes_max = frame_bytes_max);

 private:
  struct Buffers;
  std::unique_ptr<Buffers> buffers_;
};

}  // namespace dmm
