// One generic walk over each struct's `fields`: a struct is an array of its elements, an enum its number, a strong
// name its text, a duration its microseconds. Nothing here knows any single message.
#include "protocol/codec.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <msgpack.hpp>
#include <optional>
#include <type_traits>
#include <vector>

#include "protocol/fields.hpp"

namespace dmm {
namespace {

/// Bytes, whoever holds them.
template <class T>
concept Text = std::is_same_v<T, std::string> || std::is_same_v<T, ShortText>;

constexpr std::size_t buffer_bytes = 512;  // at first: a grid in one process has a codec for each manager

// ---- the frame -----------------------------------------------------------------------------------------------------

constexpr std::string_view no_signature("\xc4\0", 2);  // an empty byte string

/// What is before an envelope of this size: an array of two, and a byte string with a 32-bit length.
std::array<char, 6> frame_header(std::size_t size) {
  const auto byte = [&](int shift) { return static_cast<char>((size >> shift) & 0xff); };
  return {'\x92', '\xc6', byte(24), byte(16), byte(8), byte(0)};
}
constexpr std::size_t frame_header_bytes = std::tuple_size_v<decltype(frame_header(0))>;

/// The envelope in a frame that is written as we write it: nearly all are, and then there is nothing to parse.
std::optional<std::string_view> plain_payload(std::string_view frame) {
  constexpr std::size_t around = frame_header_bytes + no_signature.size();
  if (frame.size() < around || !frame.ends_with(no_signature)) return std::nullopt;
  const auto header = frame_header(frame.size() - around);
  if (!frame.starts_with(std::string_view(header.data(), header.size()))) return std::nullopt;
  return frame.substr(header.size(), frame.size() - around);
}

// ---- encoding ------------------------------------------------------------------------------------------------------

using Packer = msgpack::packer<msgpack::sbuffer>;

// What packs one value is flattened: the packer is made of small functions, which are inlined only if told to.
[[gnu::flatten]] void pack(Packer& out, bool value) { value ? out.pack_true() : out.pack_false(); }
template <Text T>
[[gnu::flatten]] void pack(Packer& out, const T& value) {
  const std::string_view text = value;
  out.pack_bin(static_cast<std::uint32_t>(text.size()));
  out.pack_bin_body(text.data(), static_cast<std::uint32_t>(text.size()));
}
template <class T>
  requires(std::is_integral_v<T> && std::is_unsigned_v<T> && !std::is_same_v<T, bool>)
[[gnu::flatten]] void pack(Packer& out, T value) {
  out.pack_uint64(value);
}
template <class T>
  requires(std::is_integral_v<T> && std::is_signed_v<T>)
[[gnu::flatten]] void pack(Packer& out, T value) {
  out.pack_int64(value);
}
template <class T>
  requires std::is_enum_v<T>
[[gnu::flatten]] void pack(Packer& out, T value) {
  out.pack_uint64(static_cast<std::uint64_t>(value));
}
[[gnu::flatten]] void pack(Packer& out, Duration value) { out.pack_int64(value.microseconds); }
template <Named T>
[[gnu::flatten]] void pack(Packer& out, const T& value) {
  const std::string_view text = value.text;
  out.pack_str(static_cast<std::uint32_t>(text.size()));
  out.pack_str_body(text.data(), static_cast<std::uint32_t>(text.size()));
}
void pack(Packer& out, const Attributes& map);
template <List T>
void pack(Packer& out, const T& values);

template <Struct T>
void pack(Packer& out, const T& value) {
  std::apply(
      [&](const auto&... element) {
        out.pack_array(sizeof...(element));
        (pack(out, element), ...);
      },
      T::fields(value));
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

// The parser goes over all bytes first, so that nothing of a frame that is broken somewhere is ever looked at. What it
// finds comes to lie in one flat list: an array or a map, then what is in it. The structs are read from that in order.

using Object = msgpack::object;

constexpr std::uint32_t array_elements_max = 100'000;
constexpr std::uint32_t map_pairs_max = 256;
constexpr std::uint32_t depth_max = 24;
constexpr std::size_t objects_kept = 1 << 14;  // one large frame doesn't cost its room for ever

/// Takes down what the parser finds.
struct Listing : msgpack::null_visitor {
  std::vector<Object> objects;  ///< arrays and maps point to nothing: what is in them follows
  std::size_t count = 0;        ///< so many of them are of the present bytes
  std::uint32_t depth = 0;      ///< of arrays and maps that haven't ended
  bool over_limit = false;

  /// Lists what is in these bytes, if they are one object; else why not. Flattened for the reason given above.
  [[gnu::flatten]] std::optional<FrameFault> parse(std::string_view bytes) {
    if (objects.size() > objects_kept) objects = std::vector<Object>();
    count = 0;
    depth = 0;
    over_limit = false;
    std::size_t end = 0;
    const bool whole = msgpack::parse(bytes.data(), bytes.size(), end, *this);
    if (over_limit) return FrameFault::over_limit;
    if (!whole || end != bytes.size()) return FrameFault::not_messagepack;
    return std::nullopt;
  }
  /// Of the outermost array; 0 if it isn't one.
  std::uint32_t elements() const {
    return objects.front().type == msgpack::type::ARRAY ? objects.front().via.array.size : 0;
  }

  Object& add(msgpack::type::object_type type) {
    if (count == objects.size()) grow();
    Object& object = objects[count++];
    object.type = type;
    return object;
  }
  bool visit_nil() { return add(msgpack::type::NIL), true; }
  bool visit_boolean(bool value) { return add(msgpack::type::BOOLEAN).via.boolean = value, true; }
  bool visit_positive_integer(std::uint64_t value) {
    return add(msgpack::type::POSITIVE_INTEGER).via.u64 = value, true;
  }
  bool visit_negative_integer(std::int64_t value) {
    if (value >= 0) return visit_positive_integer(static_cast<std::uint64_t>(value));
    return add(msgpack::type::NEGATIVE_INTEGER).via.i64 = value, true;
  }
  bool visit_float32(float value) { return add(msgpack::type::FLOAT32).via.f64 = value, true; }
  bool visit_float64(double value) { return add(msgpack::type::FLOAT64).via.f64 = value, true; }
  bool visit_str(const char* data, std::uint32_t size) {
    return add(msgpack::type::STR).via.str = {size, data}, true;
  }
  bool visit_bin(const char* data, std::uint32_t size) {
    return add(msgpack::type::BIN).via.bin = {size, data}, true;
  }
  bool visit_ext(const char*, std::uint32_t) { return refuse(); }
  bool start_array(std::uint32_t elements) {
    if (elements > array_elements_max || ++depth > depth_max) return refuse();
    return add(msgpack::type::ARRAY).via.array.size = elements, true;
  }
  bool end_array() { return --depth, true; }
  bool start_map(std::uint32_t pairs) {
    if (pairs > map_pairs_max || ++depth > depth_max) return refuse();
    return add(msgpack::type::MAP).via.map.size = pairs, true;
  }
  bool end_map() { return --depth, true; }
  bool refuse() { return over_limit = true, false; }
  [[gnu::noinline, gnu::cold]] void grow() { objects.resize(2 * objects.size() + 64); }
};

/// The envelope in a frame, whoever wrote it.
std::optional<std::string_view> payload_in(const Listing& listing) {
  if (listing.elements() < 2) return std::nullopt;
  const Object& payload = listing.objects[1];
  const Object& signature = listing.objects[2];
  if (payload.type != msgpack::type::BIN || signature.type != msgpack::type::BIN) return std::nullopt;
  return std::string_view(payload.via.bin.ptr, payload.via.bin.size);
}

/// A place in the list of objects.
class Cursor {
 public:
  explicit Cursor(const std::vector<Object>& objects) : next_(objects.data()) {}

  const Object& take() { return *next_++; }
  /// Passes over so many objects, with all that is in them.
  void skip(std::uint64_t objects) {
    for (; objects > 0; --objects) {
      const Object& object = take();
      if (object.type == msgpack::type::ARRAY) objects += object.via.array.size;
      if (object.type == msgpack::type::MAP) objects += 2 * std::uint64_t{object.via.map.size};
    }
  }

 private:
  const Object* next_;
};

template <class T>
  requires(std::is_integral_v<T> && std::is_unsigned_v<T> && !std::is_same_v<T, bool>)
bool read(Cursor& in, T& value) {
  const Object& object = in.take();
  if (object.type != msgpack::type::POSITIVE_INTEGER || object.via.u64 > std::numeric_limits<T>::max()) return false;
  value = static_cast<T>(object.via.u64);
  return true;
}
template <class T>
  requires(std::is_integral_v<T> && std::is_signed_v<T>)
bool read(Cursor& in, T& value) {
  const Object& object = in.take();
  if (object.type == msgpack::type::POSITIVE_INTEGER) {
    if (object.via.u64 > static_cast<std::uint64_t>(std::numeric_limits<T>::max())) return false;
    value = static_cast<T>(object.via.u64);
    return true;
  }
  if (object.type != msgpack::type::NEGATIVE_INTEGER || object.via.i64 < std::numeric_limits<T>::min()) return false;
  value = static_cast<T>(object.via.i64);
  return true;
}
bool read(Cursor& in, bool& value) {
  const Object& object = in.take();
  if (object.type != msgpack::type::BOOLEAN) return false;
  value = object.via.boolean;
  return true;
}
template <Text T>
bool read(Cursor& in, T& value) {
  const Object& object = in.take();
  if (object.type == msgpack::type::BIN) return value = T(object.via.bin.ptr, object.via.bin.size), true;
  if (object.type == msgpack::type::STR) return value = T(object.via.str.ptr, object.via.str.size), true;
  return false;
}
template <class T>
  requires std::is_enum_v<T>
bool read(Cursor& in, T& value) {
  std::underlying_type_t<T> number = 0;
  if (!read(in, number)) return false;
  value = static_cast<T>(number);  // a later version's number is kept; to_text calls it unknown
  return true;
}
/// A hundred years and no more, so that no sum of an instant and durations overflows.
bool read(Cursor& in, Duration& value) {
  constexpr std::int64_t most = std::int64_t{100} * 366 * 86400 * 1'000'000;
  return read(in, value.microseconds) && value.microseconds <= most && value.microseconds >= -most;
}
template <Named T>
bool read(Cursor& in, T& value) {
  return read(in, value.text);
}
bool read(Cursor& in, Attributes& map);
template <List T>
bool read(Cursor& in, T& values);

template <Struct T>
bool read(Cursor& in, T& value) {
  const Object& array = in.take();
  if (array.type != msgpack::type::ARRAY) return false;
  std::uint32_t left = array.via.array.size;
  const auto next = [&](auto& element) { return left == 0 || (--left, read(in, element)); };
  if (!std::apply([&](auto&... element) { return (next(element) && ...); }, T::fields(value))) return false;
  in.skip(left);  // what a later version added
  return true;
}
bool read(Cursor& in, Attributes& map) {
  const Object& pairs = in.take();
  if (pairs.type != msgpack::type::MAP) return false;
  for (std::uint32_t i = 0; i < pairs.via.map.size; ++i) {
    std::string name, text;
    if (!read(in, name) || !read(in, text)) return false;
    if (!map.emplace(std::move(name), std::move(text)).second) return false;  // doubled keys are refused
  }
  return true;
}
template <List T>
bool read(Cursor& in, T& values) {
  const Object& array = in.take();
  if (array.type != msgpack::type::ARRAY) return false;
  values.resize(array.via.array.size);
  for (auto& value : values)
    if (!read(in, value)) return false;
  if constexpr (std::is_same_v<T, NodeSet>) return is_well_formed(values);  // sorted and disjoint, or set sums lie
  return true;
}

template <std::size_t index = 0>
bool read_message(std::uint16_t type, Cursor& in, Message& message, bool& known) {
  if constexpr (index < std::variant_size_v<Message>) {
    using Candidate = std::variant_alternative_t<index, Message>;
    if (Candidate::type != type) return read_message<index + 1>(type, in, message, known);
    known = true;
    return read(in, message.emplace<Candidate>());
  }
  return known = false;
}

template <class T>
  requires std::is_enum_v<T>
bool in_range(T value, T last) {
  return static_cast<int>(value) <= static_cast<int>(last);
}

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
constexpr std::uint32_t envelope_elements = 11, rest_elements = 5;  // with the message
constexpr std::string_view envelope_start("\x9b\x01");             // an array of them, the version
constexpr std::size_t heading_at = envelope_start.size() + 1;       // after a type below 128

template <class... Elements>
void pack_all(Packer& out, const std::tuple<Elements...>& elements) {
  std::apply([&](const auto&... element) { (pack(out, element), ...); }, elements);
}
template <class... Elements>
bool read_all(Cursor& in, const std::tuple<Elements...>& elements) {
  return std::apply([&](auto&... element) { return (read(in, element) && ...); }, elements);
}

/// The last headings in one direction, with their bytes: half of a small frame that isn't packed or parsed again.
class Headings {
 public:
  struct Heading {
    Party from, to;
    std::uint64_t incarnation = 0, peer = 0;
    std::string bytes;
  };

  /// The bytes of an envelope's heading.
  template <class Any>
  std::string_view bytes_of(const Any& envelope) {
    for (const Heading& one : known_)
      if (heading_fields(one) == heading_fields(envelope) && !one.bytes.empty()) return one.bytes;
    scratch_.clear();
    Packer out(scratch_);
    pack_all(out, heading_fields(envelope));
    Heading& slot = known_[next_++ % known_.size()];
    heading_fields(slot) = heading_fields(envelope);
    slot.bytes.assign(scratch_.data(), scratch_.size());
    return slot.bytes;
  }
  /// The heading of envelope bytes as we write them, if it is known.
  const Heading* find(std::string_view payload) const {
    if (!payload.starts_with(envelope_start) || payload.size() < heading_at || (payload[heading_at - 1] & 0x80))
      return nullptr;
    for (const Heading& one : known_)
      if (!one.bytes.empty() && payload.substr(heading_at).starts_with(one.bytes)) return &one;
    return nullptr;
  }

 private:
  std::array<Heading, 8> known_;
  std::size_t next_ = 0;
  msgpack::sbuffer scratch_{128};
};

Refused refusal(FrameFault fault) { return {fault, 0, {}}; }

/// Reads what follows the heading; why it can't be, if it can't, with as much of the envelope as could be read.
std::optional<Refused> read_rest(Cursor in, std::uint16_t type, Envelope& envelope) {
  if (!read_all(in, rest_fields(envelope)) || envelope.hint.size() > dttl_max)
    return refusal(FrameFault::malformed);
  bool known = false;
  if (read_message(type, in, envelope.message, known)) return std::nullopt;
  envelope.message = {};
  return Refused{known ? FrameFault::malformed : FrameFault::unknown_type, type, std::move(envelope)};
}

}  // namespace

struct Codec::Buffers {
  msgpack::sbuffer out{buffer_bytes};
  Listing listing;
  Headings sent, received;
  std::string rest;  ///< of an envelope without its heading

  /// Reads the envelope of a frame; why it can't be, if it can't.
  std::optional<Refused> read(std::string_view frame, Envelope& envelope);
  std::optional<Refused> read_envelope(std::string_view payload, Envelope& envelope);
  std::optional<Refused> read_after(const Headings::Heading& heading, std::string_view payload, Envelope& envelope);
};

Codec::Codec() : buffers_(std::make_unique<Buffers>()) {}
Codec::~Codec() = default;

std::string_view Codec::encode(const Envelope& whole) {
  return encode(EnvelopeView{whole.version, whole.from, whole.to, whole.incarnation, whole.peer, whole.sequence,
                             whole.acknowledged, whole.trace, whole.hint, whole.message});
}

std::string_view Codec::encode(const EnvelopeView& envelope) {
  msgpack::sbuffer& bytes = buffers_->out;
  bytes.clear();
  bytes.write(frame_header(0).data(), frame_header_bytes);
  Packer out(bytes);
  out.pack_array(envelope_elements);
  pack(out, envelope.version);
  pack(out, type_of(envelope.message));
  const std::string_view heading = buffers_->sent.bytes_of(envelope);
  bytes.write(heading.data(), heading.size());
  pack_all(out, rest_fields(envelope));
  std::visit([&](const auto& message) { pack(out, message); }, envelope.message);
  std::ranges::copy(frame_header(bytes.size() - frame_header_bytes), bytes.data());
  bytes.write(no_signature.data(), no_signature.size());
  return {bytes.data(), bytes.size()};
}

std::variant<Envelope, Refused> Codec::decode(std::string_view frame) {
  std::variant<Envelope, Refused> result;
  if (auto refused = buffers_->read(frame, std::get<Envelope>(result))) result = std::move(*refused);
  return result;
}

std::optional<Refused> Codec::Buffers::read(std::string_view frame, Envelope& envelope) {
  if (frame.size() > frame_bytes_max) return refusal(FrameFault::too_large);
  auto payload = plain_payload(frame);
  if (!payload) {
    if (const auto fault = listing.parse(frame)) return refusal(*fault);
    payload = payload_in(listing);
    if (!payload) return refusal(FrameFault::not_a_frame);
  }
  if (const Headings::Heading* heading = received.find(*payload)) return read_after(*heading, *payload, envelope);
  return read_envelope(*payload, envelope);
}

std::optional<Refused> Codec::Buffers::read_envelope(std::string_view payload, Envelope& envelope) {
  if (const auto fault = listing.parse(payload)) return refusal(*fault);
  if (listing.elements() < envelope_elements) return refusal(FrameFault::not_a_frame);
  Cursor in(listing.objects);
  in.take();
  if (!dmm::read(in, envelope.version) || envelope.version != protocol_version)
    return refusal(FrameFault::wrong_version);
  std::uint16_t type = 0;
  if (!dmm::read(in, type) || !read_all(in, heading_fields(envelope)) ||
      !in_range(envelope.from.role, Role::client) || !in_range(envelope.to.role, Role::client))
    return refusal(FrameFault::malformed);
  received.bytes_of(envelope);  // to be found the next time
  return read_rest(in, type, envelope);
}

/// What follows a known heading is parsed as an array of its own.
std::optional<Refused> Codec::Buffers::read_after(const Headings::Heading& heading, std::string_view payload,
                                                  Envelope& envelope) {
  rest.assign(1, static_cast<char>(0x90 + rest_elements)).append(payload.substr(heading_at + heading.bytes.size()));
  if (const auto fault = listing.parse(rest)) return refusal(*fault);
  heading_fields(envelope) = heading_fields(heading);
  Cursor in(listing.objects);
  in.take();
  return read_rest(in, static_cast<std::uint8_t>(payload[heading_at - 1]), envelope);
}

std::string_view to_text(FrameFault fault) {
  static constexpr std::array<std::string_view, 7> words{
      "too_large",     "not_messagepack", "over_limit", "not_a_frame",
      "wrong_version", "unknown_type",    "malformed"};
  return words.at(static_cast<std::size_t>(fault));
}

}  // namespace dmm
