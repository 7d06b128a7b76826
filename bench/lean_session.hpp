// The benchmark's side of a session with a site manager. It is as cheap as possible, so that a benchmark measures the
// site manager and not its load. A frame is encoded once, by the real codec, and afterwards only gets new numbers. Of
// an arriving frame only the needed elements are read. The session neither keeps nor resends frames: a healthy
// connection loses none, and if one is lost, the benchmark fails.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/role.hpp"
#include "protocol/codec/codec.hpp"

namespace dmm::bench {

/// Steps over MessagePack values as a site manager writes them.
class Cursor {
 public:
  explicit Cursor(std::string_view bytes)
      : at_(reinterpret_cast<const unsigned char*>(bytes.data())), end_(at_ + bytes.size()) {}

  std::uint64_t number() {
    const unsigned char head = byte();
    if (head < 0x80) return head;
    if (head < 0xcc || head > 0xcf) fail("a number was expected in a frame");
    return big_endian(std::size_t{1} << (head - 0xcc));
  }
  bool truth() { return byte() == 0xc3; }
  /// Enters an array; returns its length.
  std::uint64_t array() {
    const unsigned char head = byte();
    if ((head & 0xf0) == 0x90) return head & 0x0f;
    if (head != 0xdc && head != 0xdd) fail("an array was expected in a frame");
    return big_endian(head == 0xdc ? 2 : 4);
  }
  /// Enters a byte string; returns its length.
  std::uint64_t binary() {
    const unsigned char head = byte();
    if (head < 0xc4 || head > 0xc6) fail("a byte string was expected in a frame");
    return big_endian(std::size_t{1} << (head - 0xc4));
  }
  /// Steps over the next value; returns its bytes.
  std::string_view skip() {
    const unsigned char* const begin = at_;
    pass();
    return {reinterpret_cast<const char*>(begin), static_cast<std::size_t>(at_ - begin)};
  }

 private:
  unsigned char byte() {
    if (at_ >= end_) fail("a frame is too short");
    return *at_++;
  }
  std::uint64_t big_endian(std::size_t bytes) {
    std::uint64_t value = 0;
    for (; bytes > 0; --bytes) value = value << 8 | byte();
    return value;
  }
  void pass() {
    const unsigned char head = byte();
    if (head < 0x80 || head >= 0xe0 || (head >= 0xc0 && head <= 0xc3)) return;
    if (head < 0x90) return pass_values(2 * (head & 0x0fu));
    if (head < 0xa0) return pass_values(head & 0x0fu);
    if (head < 0xc0) return pass_bytes(head & 0x1fu);
    if (head <= 0xc6) return pass_bytes(big_endian(std::size_t{1} << (head - 0xc4)));
    if (head >= 0xcc && head <= 0xcf) return pass_bytes(std::uint64_t{1} << (head - 0xcc));
    if (head >= 0xd0 && head <= 0xd3) return pass_bytes(std::uint64_t{1} << (head - 0xd0));
    if (head >= 0xd9 && head <= 0xdb) return pass_bytes(big_endian(std::size_t{1} << (head - 0xd9)));
    if (head == 0xdc || head == 0xdd) return pass_values(big_endian(head == 0xdc ? 2 : 4));
    if (head == 0xde || head == 0xdf) return pass_values(2 * big_endian(head == 0xde ? 2 : 4));
    fail("a frame has a value of an unknown kind");
  }
  void pass_values(std::uint64_t values) {
    for (; values > 0; --values) pass();
  }
  void pass_bytes(std::uint64_t bytes) {
    if (bytes > static_cast<std::uint64_t>(end_ - at_)) fail("a frame is too short");
    at_ += bytes;
  }

  const unsigned char* at_;
  const unsigned char* end_;
};

/// Marks that a frame is encoded with, to be found and overwritten by numbers: 9 bytes each in MessagePack.
constexpr std::uint64_t sequence_mark = 0xd1d2d3d4d5d6d701, acknowledged_mark = 0xd1d2d3d4d5d6d702,
                        job_mark = 0xd1d2d3d4d5d6d703;

inline std::array<char, 8> big_endian(std::uint64_t value) {
  std::array<char, 8> bytes;
  for (std::size_t i = 0; i < 8; ++i) bytes[i] = static_cast<char>(value >> (8 * (7 - i)));
  return bytes;
}

/// A frame that is encoded once and sent many times, each time with other numbers.
class Stamp {
 public:
  Stamp() = default;
  /// `frame` contains the marks. With `open_end` the message is left out and appended at each use.
  Stamp(std::string_view frame, bool open_end) : bytes_(frame) {
    if (open_end) {
      Cursor cursor(bytes_);
      cursor.array();
      cursor.binary();
      cursor.array();
      std::size_t length = 7;  // the beginnings of the frame and the envelope
      for (int element = 0; element < 10; ++element) length += cursor.skip().size();
      bytes_.resize(length);
    }
    prefix_ = bytes_.size();
    for (const std::uint64_t mark : {sequence_mark, acknowledged_mark, job_mark}) {
      const std::array<char, 8> wanted = big_endian(mark);
      const std::string_view needle(wanted.data(), wanted.size());
      for (std::size_t at = bytes_.find(needle); at != std::string::npos; at = bytes_.find(needle, at + 8))
        places_.emplace_back(mark, at);
    }
  }

  /// The frame with these numbers.
  std::string_view with(std::uint64_t sequence, std::uint64_t acknowledged, std::uint64_t job) {
    for (const auto& [mark, at] : places_) {
      const auto bytes = big_endian(mark == sequence_mark ? sequence : mark == job_mark ? job : acknowledged);
      std::copy(bytes.begin(), bytes.end(), bytes_.begin() + static_cast<std::ptrdiff_t>(at));
    }
    return bytes_;
  }
  /// The same, followed by a message of two elements.
  std::string_view with(std::uint64_t sequence, std::uint64_t acknowledged, std::uint64_t job,
                        std::string_view first, std::string_view second) {
    with(sequence, acknowledged, job);
    bytes_.resize(prefix_);
    bytes_ += '\x92';
    bytes_.append(first).append(second);
    const std::uint64_t length = bytes_.size() - 6;
    for (std::size_t i = 0; i < 4; ++i) bytes_[2 + i] = static_cast<char>(length >> (8 * (3 - i)));
    return bytes_.append("\xc4\0", 2);
  }

 private:
  std::string bytes_;
  std::size_t prefix_ = 0;
  std::vector<std::pair<std::uint64_t, std::size_t>> places_;
};

/// An arrived numbered message: its type, and its elements as MessagePack.
struct Arrived {
  std::uint16_t type = 0;
  std::string_view elements;
};

/// What a user needs of a Grant.
struct Granted {
  std::uint64_t job = 0;
  std::string_view lease;  ///< as MessagePack
};

inline Granted granted(const Arrived& grant) {
  Cursor cursor(grant.elements);
  cursor.array();
  cursor.array();
  cursor.skip();
  cursor.skip();
  Granted result{cursor.number(), {}};
  for (int element = 0; element < 3; ++element) cursor.skip();  // attempt, part, round
  result.lease = cursor.skip();
  return result;
}

class LeanSession {
 public:
  /// `incarnation` must be greater than in any earlier session of this party.
  LeanSession(Party self, Party manager, std::uint64_t incarnation, std::uint32_t dttl = 5)
      : self_(std::move(self)), manager_(std::move(manager)), incarnation_(incarnation), dttl_(dttl) {}

  bool is_open() const { return peer_ != 0; }
  /// Whether the manager said Hello and awaits an answer.
  bool owes_hello() const { return owes_hello_; }
  /// Whether a Beat must acknowledge: 64 messages came since the last send.
  bool owes_beat() const { return arrived_since_sent_ >= 64; }

  /// From now on Hellos show this certificate.
  void show(std::string certificate) { certificate_ = std::move(certificate); }

  // ---- frames to send; each is valid until the next is made ----
  std::string_view hello() {
    const bool answer = std::exchange(owes_hello_, false);
    return encode(Hello{delivered_, answer, "bench", {}, 0, no_stamp, no_stamp, certificate_}, {}, 0, delivered_);
  }
  std::string_view beat(CapacityHint hint = {}) {
    return encode(Beat{false, sequence_, false}, {}, 0, delivered_, std::move(hint));
  }
  /// Any numbered message; slower, since it is encoded each time.
  std::string_view message(Message message) { return encode(std::move(message), {}, ++sequence_, delivered_); }
  std::string_view request(std::uint64_t job) { return stamped(request_).with(++sequence_, delivered_, job); }
  /// Gives back all nodes of a lease.
  std::string_view release(std::string_view lease, std::uint64_t job) {
    return stamped(release_).with(++sequence_, delivered_, job, lease, "\x90");
  }
  std::string_view clean(std::string_view lease, std::string_view nodes) {
    return stamped(clean_).with(++sequence_, delivered_, 0, lease, nodes);
  }

  // ---- frames that came in ----
  /// The numbered message in a frame; nothing if the frame has none.
  std::optional<Arrived> take(std::string_view frame) {
    Cursor cursor(frame);
    cursor.array();
    cursor.binary();
    cursor.array();
    cursor.number();  // version
    const auto type = static_cast<std::uint16_t>(cursor.number());
    cursor.skip();  // from
    cursor.skip();  // to
    const std::uint64_t incarnation = cursor.number();
    cursor.skip();  // peer
    const std::uint64_t sequence = cursor.number();
    for (int element = 0; element < 3; ++element) cursor.skip();  // acknowledged, trace, hint
    const std::string_view elements = cursor.skip();
    if (type == Hello::type) on_hello(incarnation, elements);
    if (type == Fault::type) fail("the site manager answers with a fault: " + std::string(elements));
    if (sequence == 0 || incarnation != peer_) return std::nullopt;
    if (sequence <= delivered_) return std::nullopt;  // sent again around a Hello
    if (sequence != delivered_ + 1) fail("a message was lost");
    delivered_ = sequence;
    ++arrived_since_sent_;
    return Arrived{type, elements};
  }

 private:
  void on_hello(std::uint64_t incarnation, std::string_view elements) {
    Cursor cursor(elements);
    cursor.array();
    cursor.number();
    if (!cursor.truth()) owes_hello_ = true;
    if (peer_ != 0) return;
    peer_ = incarnation;
    const RequestId id{self_.site, self_.name, job_mark, 1};
    Request request;
    request.id = id;
    request.need.components = {{.processors = 1, .site = {}, .cluster = {}}};
    request.dttl = dttl_;
    request.origin_user = self_.name;
    request_ = Stamp(encode(request, id, sequence_mark, acknowledged_mark), false);
    release_ = Stamp(encode(Release{}, id, sequence_mark, acknowledged_mark), true);
    clean_ = Stamp(encode(Clean{}, {}, sequence_mark, acknowledged_mark), true);
  }
  Stamp& stamped(Stamp& stamp) {
    arrived_since_sent_ = 0;
    return stamp;
  }
  std::string_view encode(Message message, const RequestId& trace, std::uint64_t sequence,
                          std::uint64_t acknowledged, CapacityHint hint = {}) {
    arrived_since_sent_ = 0;
    const Envelope envelope{.from = self_,
                            .to = manager_,
                            .incarnation = incarnation_,
                            .peer = peer_,
                            .sequence = sequence,
                            .acknowledged = acknowledged,
                            .trace = trace,
                            .hint = std::move(hint),
                            .message = std::move(message)};
    return codec_.encode(envelope);
  }

  Party self_, manager_;
  std::uint64_t incarnation_;
  std::uint32_t dttl_;
  Codec codec_;
  std::uint64_t peer_ = 0;  ///< the manager's incarnation; 0 before its Hello
  std::uint64_t sequence_ = 0, delivered_ = 0;
  std::string certificate_;
  std::uint32_t arrived_since_sent_ = 0;
  bool owes_hello_ = false;
  Stamp request_, release_, clean_;
};

}  // namespace dmm::bench
