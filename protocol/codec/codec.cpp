// One generic walk over each struct's `fields`: a struct is an array of its elements, an enum its number, a strong
// name its text, a duration its microseconds. Nothing here knows any single message.
#include "protocol/codec/codec.hpp"

#include <msgpuck.h>
#include <algorithm>
#include <array>
#include <concepts>
#include <msgpack.hpp>
#include <optional>
#include <type_traits>
#include <utility>

#include "protocol/codec/reader.hpp"
#include "protocol/fields.hpp"

namespace dmm {
namespace {

/// A type that holds bytes.
template <class T>
concept Text = std::is_same_v<T, std::string> || std::is_same_v<T, ShortText>;

constexpr std::size_t buffer_bytes = 512;  // at first

// ---- the frame -----------------------------------------------------------------------------------------------------

constexpr std::string_view no_signature("\xc4\0", 2);  // an empty byte string

constexpr std::string_view frame_start("\x92\xc6");  // an array of two, a byte string with a 32-bit length
constexpr std::size_t frame_header_bytes = frame_start.size() + sizeof(std::uint32_t);

void write_frame_header(char* to, std::size_t payload_bytes) {
  mp_store_u32(std::ranges::copy(frame_start, to).out, static_cast<std::uint32_t>(payload_bytes));
}

/// The envelope in a frame that is written as we write it: nearly all are, and need no parsing. Empty for any other
/// frame.
std::string_view plain_payload(std::string_view frame) {
  constexpr std::size_t around = frame_header_bytes + no_signature.size();
  if (frame.size() < around || !frame.starts_with(frame_start) || !frame.ends_with(no_signature)) return {};
  const char* size_at = frame.data() + frame_start.size();
  const std::size_t size = mp_load_u32(&size_at);
  return size == frame.size() - around ? std::string_view(size_at, size) : std::string_view();
}

// ---- encoding ------------------------------------------------------------------------------------------------------

/// The request that was encoded or decoded last, with its bytes. Most messages name their request twice, and
/// consecutive messages are often about the same one.
struct LastRequest {
  std::string bytes;  ///< empty: none yet
  RequestId value;
  bool is_ours = false;  ///< the bytes are as we write them; a peer may write the same request in another way
};

struct Packer : msgpack::packer<msgpack::sbuffer> {
  Packer(msgpack::sbuffer& into, LastRequest& of_late) : packer(into), bytes(into), last(of_late) {}
  msgpack::sbuffer& bytes;
  LastRequest& last;
};

// What packs one value is flattened: the packer is made of small functions, which are inlined only if told to.
[[gnu::flatten]] void pack(Packer& out, bool value) { value ? out.pack_true() : out.pack_false(); }
template <Text T>
[[gnu::flatten]] void pack(Packer& out, const T& value) {
  const std::string_view text = value;
  out.pack_bin(static_cast<std::uint32_t>(text.size()));
  out.pack_bin_body(text.data(), static_cast<std::uint32_t>(text.size()));
}
template <class T>
requires(std::is_integral_v<T>&& std::is_unsigned_v<T> && !std::is_same_v<T, bool>)
    [[gnu::flatten]] void pack(Packer& out, T value) {
  out.pack_uint64(value);
}
template <class T>
requires(std::is_integral_v<T>&& std::is_signed_v<T>) [[gnu::flatten]] void pack(Packer& out, T value) {
  out.pack_int64(value);
}
template <class T>
requires std::is_enum_v<T>
[[gnu::flatten]] void pack(Packer& out, T value) { out.pack_uint64(static_cast<std::uint64_t>(value)); }
[[gnu::flatten]] void pack(Packer& out, Duration value) { out.pack_int64(value.microseconds); }
template <Named T>
[[gnu::flatten]] void pack(Packer& out, const T& value) {
  const std::string_view text = value.text;
  out.pack_str(static_cast<std::uint32_t>(text.size()));
  out.pack_str_body(text.data(), static_cast<std::uint32_t>(text.size()));
}
void pack(Packer& out, const RequestId& request);
void pack(Packer& out, const Attributes& map);
template <List T>
void pack(Packer& out, const T& values);

template <Struct T>
void pack_elements(Packer& out, const T& value) {
  std::apply(
      [&](const auto&... element) {
        out.pack_array(sizeof...(element));
        (pack(out, element), ...);
      },
      T::fields(value));
}
template <Struct T>
void pack(Packer& out, const T& value) {
  pack_elements(out, value);
}
void pack(Packer& out, const RequestId& request) {
  if (out.last.is_ours && out.last.value == request) {
    out.bytes.write(out.last.bytes.data(), out.last.bytes.size());
    return;
  }
  const std::size_t begin = out.bytes.size();
  pack_elements(out, request);
  if (request.empty()) return;
  out.last.bytes.assign(out.bytes.data() + begin, out.bytes.size() - begin);
  out.last.value = request;
  out.last.is_ours = true;
}
void pack(Packer& out, const Attributes& map) {
  out.pack_map(static_cast<std::uint32_t>(map.size()));
  for (const auto& [name, value] : map) {
    pack(out, name);
    pack(out, value);
  }
}
template <List T>
void pack(Packer& out, const T& values) {
  out.pack_array(static_cast<std::uint32_t>(values.size()));
  for (const auto& value : values) pack(out, value);
}

// ---- decoding ------------------------------------------------------------------------------------------------------

// Structs are read as the bytes come. A frame that can't be read, or that has elements of a later version, is checked
// as a whole: nothing of a frame that is broken somewhere is ever used.

struct Input : Reader {
  Input(std::string_view bytes, LastRequest& of_late) : Reader(bytes), last(of_late) {}
  LastRequest& last;
};

template <std::integral T>  // bool too
[[gnu::flatten]] bool read(Input& in, T& value) {
  return in.take(value);
}
template <Text T>
[[gnu::flatten]] bool read(Input& in, T& value) {
  std::string_view text;
  if (!in.take_text(text)) return false;
  value.assign(text);
  return true;
}
template <class T>
requires std::is_enum_v<T>
bool read(Input& in, T& value) {
  std::underlying_type_t<T> number = 0;
  if (!read(in, number)) return false;
  value = static_cast<T>(number);  // a later version's number is kept; to_text calls it unknown
  return true;
}
/// As far as durations go, so that no sum of an instant and durations overflows. -1 has a meaning in some places.
bool read(Input& in, Duration& value) {
  if (!read(in, value.microseconds)) return false;
  if (value < microseconds(-1)) value = Duration{};
  value = std::min(value, duration_max);
  return true;
}
template <Named T>
bool read(Input& in, T& value) {
  return read(in, value.text);
}
bool read(Input& in, RequestId& request);
bool read(Input& in, Attributes& map);
template <List T>
bool read(Input& in, T& values);

template <Struct T>
bool read_elements(Input& in, T& value) {
  std::uint32_t left = 0;
  if (!in.take_array(left)) return false;
  const auto next = [&](auto& element) { return left == 0 || (--left, read(in, element)); };
  if (!std::apply([&](auto&... element) { return (next(element) && ...); }, T::fields(value))) return false;
  return in.pass_over(left);  // what a later version added
}
template <Struct T>
bool read(Input& in, T& value) {
  return read_elements(in, value);
}
template <class T>
bool read(Input& in, RareValue<T>& value) {
  T whole;
  if (!read_elements(in, whole)) return false;
  value = std::move(whole);
  return true;
}
bool read(Input& in, RequestId& request) {
  if (!in.last.bytes.empty() && in.take_same(in.last.bytes)) {
    request = in.last.value;
    return true;
  }
  const std::string_view bytes = in.rest();
  if (!read_elements(in, request)) return false;
  // Elements that were passed over must be checked each time that they come.
  if (!request.empty() && !in.passed_over()) {
    in.last.bytes = bytes.substr(0, bytes.size() - in.rest().size());
    in.last.value = request;
    in.last.is_ours = false;
  }
  return true;
}
bool read(Input& in, Attributes& map) {
  std::uint32_t pairs = 0;
  if (!in.take_map(pairs)) return false;
  for (; pairs > 0; --pairs) {
    std::string name, text;
    if (!read(in, name) || !read(in, text)) return false;
    if (!map.emplace(std::move(name), std::move(text)).second) return false;  // doubled keys are refused
  }
  return true;
}
template <List T>
bool read(Input& in, T& values) {
  std::uint32_t elements = 0;
  if (!in.take_array(elements)) return false;
  values.resize(elements);
  for (auto& value : values)
    if (!read(in, value)) return false;
  if constexpr (std::is_same_v<T, NodeSet>) return is_well_formed(values);  // else sums over sets are wrong
  return true;
}

template <std::size_t index = 0>
bool read_message(std::uint16_t type, Input& in, Message& message, bool& known) {
  if constexpr (index < std::variant_size_v<AnyMessage>) {
    using Candidate = std::variant_alternative_t<index, AnyMessage>;
    if (Candidate::type != type) return read_message<index + 1>(type, in, message, known);
    known = true;
    return read(in, message.emplace<Candidate>());
  }
  return known = false;
}

template <class T>
requires std::is_enum_v<T>
bool in_range(T value, T last) { return static_cast<int>(value) <= static_cast<int>(last); }

// The elements of an envelope before the message, in order: version and type of the message, a heading, and the rest.
/// What is the same in all envelopes of a session.
template <class Self>
auto heading_fields(Self& envelope) {
  return std::tie(envelope.from, envelope.to, envelope.incarnation, envelope.peer);
}
template <class Self>
auto rest_fields(Self& envelope) {
  return std::tie(envelope.sequence, envelope.acknowledged, envelope.trace, envelope.hint);
}
constexpr std::uint32_t envelope_elements = 11;  // with the message

template <class... Elements>
void pack_all(Packer& out, const std::tuple<Elements...>& elements) {
  std::apply([&](const auto&... element) { (pack(out, element), ...); }, elements);
}
template <class... Elements>
bool read_all(Input& in, const std::tuple<Elements...>& elements) {
  return std::apply([&](auto&... element) { return (read(in, element) && ...); }, elements);
}

Refused refusal(FrameFault fault) { return {fault, 0, {}}; }

/// Finds the envelope in a frame, also where a peer wrote the frame in another way than we do; returns why it can't.
std::optional<FrameFault> find_payload(std::string_view frame, std::string_view& payload) {
  payload = plain_payload(frame);
  if (!payload.empty()) return std::nullopt;
  if (const auto fault = fault_of(frame)) return *fault;
  Reader in(frame);
  std::uint32_t elements = 0;
  std::string_view signature;
  if (!in.take_array(elements) || elements < 2 || !in.take_bytes(payload) || !in.take_bytes(signature))
    return FrameFault::not_a_frame;
  return std::nullopt;
}

/// Reads the content of an envelope. On a fault: returns it, with as much as could be read.
std::optional<Refused> read_envelope(Input& in, Envelope& envelope) {
  std::uint32_t elements = 0;
  if (!in.take_array(elements) || elements < envelope_elements) return refusal(FrameFault::not_a_frame);
  if (!read(in, envelope.version) || envelope.version != protocol_version)
    return refusal(FrameFault::wrong_version);
  std::uint16_t type = 0;
  if (!read(in, type) || !read_all(in, heading_fields(envelope)) || !in_range(envelope.from.role, Role::client) ||
      !in_range(envelope.to.role, Role::client) || !read_all(in, rest_fields(envelope)) ||
      envelope.hint.size() > dttl_max)
    return refusal(FrameFault::malformed);
  bool known = false;
  if (read_message(type, in, envelope.message, known) && in.pass_over(elements - envelope_elements))
    return std::nullopt;
  envelope.message = Message();
  return Refused{known ? FrameFault::malformed : FrameFault::unknown_type, type, std::move(envelope)};
}

std::optional<Refused> read_frame(std::string_view frame, std::size_t bytes_max, LastRequest& last,
                                  Envelope& envelope) {
  if (frame.size() > bytes_max) return refusal(FrameFault::too_large);
  std::string_view payload;
  if (const auto fault = find_payload(frame, payload)) return refusal(*fault);
  Input in(payload, last);
  auto refused = read_envelope(in, envelope);
  if (refused || in.passed_over() || !in.at_end())
    if (const auto fault = fault_of(payload)) return refusal(*fault);
  return refused;
}

}  // namespace

struct Codec::Buffers {
  msgpack::sbuffer out{buffer_bytes};
  std::size_t tail_at = 0;  ///< in `out`: what follows the heading
  std::string whole;        ///< a frame that was made again, with another heading
  LastRequest last;
};

Codec::Codec() : buffers_(std::make_unique<Buffers>()) {}
Codec::~Codec() = default;

std::string Codec::encode(const Heading& heading) {
  msgpack::sbuffer bytes(buffer_bytes);
  LastRequest none;
  Packer out(bytes, none);
  pack_all(out, heading_fields(heading));
  return {bytes.data(), bytes.size()};
}

std::string_view Codec::encode(const Envelope& whole) {
  const std::string heading = encode(Heading{whole.from, whole.to, whole.incarnation, whole.peer});
  return encode(EnvelopeView{whole.version, heading, whole.sequence, whole.acknowledged, whole.trace, whole.hint,
                             whole.message});
}

std::string_view Codec::encode(const EnvelopeView& envelope) {
  msgpack::sbuffer& bytes = buffers_->out;
  bytes.clear();
  bytes.write(std::array<char, frame_header_bytes>().data(), frame_header_bytes);
  Packer out(bytes, buffers_->last);
  out.pack_array(envelope_elements);
  pack(out, envelope.version);
  pack(out, type_of(envelope.message));
  bytes.write(envelope.heading.data(), envelope.heading.size());
  buffers_->tail_at = bytes.size();
  pack_all(out, rest_fields(envelope));
  std::visit([&](const auto& message) { pack(out, message); }, envelope.message);
  write_frame_header(bytes.data(), bytes.size() - frame_header_bytes);
  bytes.write(no_signature.data(), no_signature.size());
  return {bytes.data(), bytes.size()};
}

std::string_view Codec::tail() const {
  const msgpack::sbuffer& bytes = buffers_->out;
  return std::string_view(bytes.data(), bytes.size() - no_signature.size()).substr(buffers_->tail_at);
}

std::string_view Codec::frame(std::uint16_t type, std::string_view heading, std::string_view tail) {
  std::array<char, 8> start;  // of the envelope
  char* end = mp_encode_array(start.data(), envelope_elements);
  end = mp_encode_uint(mp_encode_uint(end, protocol_version), type);
  const std::string_view front(start.data(), static_cast<std::size_t>(end - start.data()));
  std::string& whole = buffers_->whole;
  whole.resize(frame_header_bytes);
  write_frame_header(whole.data(), front.size() + heading.size() + tail.size());
  whole.append(front).append(heading).append(tail).append(no_signature);
  return whole;
}

OrFault<Envelope, Refused> Codec::decode(std::string_view frame, std::size_t bytes_max) {
  OrFault<Envelope, Refused> result;
  if (auto refused = read_frame(frame, bytes_max, buffers_->last, std::get<Envelope>(result)))
    result = std::move(*refused);
  return result;
}

std::string_view to_text(FrameFault fault) {
  static constexpr std::array<std::string_view, 7> words{
      "too_large", "not_messagepack", "over_limit", "not_a_frame", "wrong_version", "unknown_type", "malformed"};
  return words.at(static_cast<std::size_t>(fault));
}

}  // namespace dmm
