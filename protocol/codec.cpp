// One generic walk over each struct's `fields`: a struct is an array of its elements, an enum its number, a strong
// name its text, a duration its microseconds. Nothing here knows any single message.
#include "protocol/codec.hpp"

#include <array>
#include <msgpack.hpp>
#include <type_traits>

#include "protocol/fields.hpp"

namespace dmm {
namespace {

constexpr std::size_t frame_header_bytes = 6;  // array of two, and a byte string with a 32-bit length

// ---- encoding ------------------------------------------------------------------------------------------------------

struct StringBuffer {
  std::string bytes;
  void write(const char* data, std::size_t size) { bytes.append(data, size); }
};
using Packer = msgpack::packer<StringBuffer>;

void pack(Packer& out, bool value) { value ? out.pack_true() : out.pack_false(); }
void pack(Packer& out, const std::string& value) {
  out.pack_bin(static_cast<std::uint32_t>(value.size()));
  out.pack_bin_body(value.data(), static_cast<std::uint32_t>(value.size()));
}
template <class T>
  requires(std::is_integral_v<T> && std::is_unsigned_v<T> && !std::is_same_v<T, bool>)
void pack(Packer& out, T value) {
  out.pack_uint64(value);
}
template <class T>
  requires(std::is_integral_v<T> && std::is_signed_v<T>)
void pack(Packer& out, T value) {
  out.pack_int64(value);
}
template <class T>
  requires std::is_enum_v<T>
void pack(Packer& out, T value) {
  out.pack_uint64(static_cast<std::uint64_t>(value));
}
void pack(Packer& out, Duration value) { out.pack_int64(value.microseconds); }
template <Named T>
void pack(Packer& out, const T& value) {
  out.pack_str(static_cast<std::uint32_t>(value.text.size()));
  out.pack_str_body(value.text.data(), static_cast<std::uint32_t>(value.text.size()));
}
void pack(Packer& out, const Attributes& map);
template <class T>
void pack(Packer& out, const std::vector<T>& values);

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
template <class T>
void pack(Packer& out, const std::vector<T>& values) {
  out.pack_array(static_cast<std::uint32_t>(values.size()));
  for (const auto& value : values) pack(out, value);
}

// ---- decoding ------------------------------------------------------------------------------------------------------

using Object = msgpack::object;

template <class T>
  requires(std::is_integral_v<T> && std::is_unsigned_v<T> && !std::is_same_v<T, bool>)
bool read(const Object& in, T& value) {
  if (in.type != msgpack::type::POSITIVE_INTEGER || in.via.u64 > std::numeric_limits<T>::max()) return false;
  value = static_cast<T>(in.via.u64);
  return true;
}
template <class T>
  requires(std::is_integral_v<T> && std::is_signed_v<T>)
bool read(const Object& in, T& value) {
  if (in.type == msgpack::type::POSITIVE_INTEGER) {
    if (in.via.u64 > static_cast<std::uint64_t>(std::numeric_limits<T>::max())) return false;
    value = static_cast<T>(in.via.u64);
    return true;
  }
  if (in.type != msgpack::type::NEGATIVE_INTEGER || in.via.i64 < std::numeric_limits<T>::min()) return false;
  value = static_cast<T>(in.via.i64);
  return true;
}
bool read(const Object& in, bool& value) {
  if (in.type != msgpack::type::BOOLEAN) return false;
  value = in.via.boolean;
  return true;
}
bool read(const Object& in, std::string& value) {
  if (in.type == msgpack::type::BIN) return value.assign(in.via.bin.ptr, in.via.bin.size), true;
  if (in.type == msgpack::type::STR) return value.assign(in.via.str.ptr, in.via.str.size), true;
  return false;
}
template <class T>
  requires std::is_enum_v<T>
bool read(const Object& in, T& value) {
  std::underlying_type_t<T> number = 0;
  if (!read(in, number)) return false;
  value = static_cast<T>(number);  // a later version's number is kept; to_text calls it unknown
  return true;
}
/// A hundred years and no more, so that no sum of an instant and durations overflows.
bool read(const Object& in, Duration& value) {
  constexpr std::int64_t most = std::int64_t{100} * 366 * 86400 * 1'000'000;
  return read(in, value.microseconds) && value.microseconds <= most && value.microseconds >= -most;
}
template <Named T>
bool read(const Object& in, T& value) {
  return read(in, value.text);
}
bool read(const Object& in, Attributes& map);
template <class T>
bool read(const Object& in, std::vector<T>& values);

template <Struct T>
bool read(const Object& in, T& value) {
  if (in.type != msgpack::type::ARRAY) return false;
  const auto& array = in.via.array;
  return std::apply(
      [&](auto&... element) {
        std::uint32_t index = 0;
        const auto next = [&](auto& target) {
          const bool ok = index >= array.size || read(array.ptr[index], target);
          ++index;
          return ok;
        };
        return (next(element) && ...);
      },
      T::fields(value));
}
bool read(const Object& in, Attributes& map) {
  if (in.type != msgpack::type::MAP) return false;
  for (std::uint32_t i = 0; i < in.via.map.size; ++i) {
    std::string name, text;
    if (!read(in.via.map.ptr[i].key, name) || !read(in.via.map.ptr[i].val, text)) return false;
    if (!map.emplace(std::move(name), std::move(text)).second) return false;  // doubled keys are refused
  }
  return true;
}
template <class T>
bool read(const Object& in, std::vector<T>& values) {
  if (in.type != msgpack::type::ARRAY) return false;
  values.resize(in.via.array.size);
  for (std::uint32_t i = 0; i < in.via.array.size; ++i)
    if (!read(in.via.array.ptr[i], values[i])) return false;
  if constexpr (std::is_same_v<T, NodeRange>) return is_well_formed(values);  // sorted and disjoint, or set sums lie
  return true;
}

template <std::size_t index = 0>
bool read_message(std::uint16_t type, const Object& in, Message& message, bool& known) {
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

/// The elements of an envelope before the message, in order.
template <class Self>
auto head_fields(Self& envelope, std::uint16_t& type) {
  return std::tie(envelope.version, type, envelope.from, envelope.to, envelope.incarnation, envelope.peer,
                  envelope.sequence, envelope.acknowledged, envelope.trace, envelope.hint);
}
constexpr std::uint32_t envelope_elements = 11;

const msgpack::unpack_limit limits(100'000, 256, frame_bytes_max, frame_bytes_max, 0, 24);

/// Room for the objects of a usual frame: a grid in one process has a codec for each manager.
constexpr std::size_t zone_bytes = 2048;

}  // namespace

struct Codec::Buffers {
  StringBuffer out;
  msgpack::zone zone{zone_bytes};
};

Codec::Codec() : buffers_(std::make_unique<Buffers>()) {}
Codec::~Codec() = default;

std::string_view Codec::encode(const Envelope& whole) {
  return encode(EnvelopeView{whole.version, whole.from, whole.to, whole.incarnation, whole.peer, whole.sequence,
                             whole.acknowledged, whole.trace, whole.hint, whole.message});
}

std::string_view Codec::encode(const EnvelopeView& envelope) {
  std::string& bytes = buffers_->out.bytes;
  bytes.assign("\x92\xc6\0\0\0\0", frame_header_bytes);
  Packer out(buffers_->out);
  std::uint16_t type = type_of(envelope.message);
  out.pack_array(envelope_elements);
  std::apply([&](const auto&... element) { (pack(out, element), ...); }, head_fields(envelope, type));
  std::visit([&](const auto& message) { pack(out, message); }, envelope.message);
  const std::size_t size = bytes.size() - frame_header_bytes;
  for (std::size_t i = 0; i < 4; ++i) bytes[2 + i] = static_cast<char>((size >> (8 * (3 - i))) & 0xff);
  bytes.append("\xc4\0", 2);  // the signature: an empty byte string
  return bytes;
}

std::variant<Envelope, Refused> Codec::decode(std::string_view frame) try {
  Refused refused;
  const auto refuse = [&](FrameFault fault) { return refused.fault = fault, refused; };
  if (frame.size() > frame_bytes_max) return refuse(FrameFault::too_large);
  buffers_->zone.clear();
  const auto unpack = [&](std::string_view bytes, std::size_t& end) {
    return msgpack::unpack(buffers_->zone, bytes.data(), bytes.size(), end,
                           [](msgpack::type::object_type, std::size_t, void*) { return true; }, nullptr, limits);
  };
  std::size_t end = 0;
  const Object outer = unpack(frame, end);
  if (end != frame.size()) return refuse(FrameFault::not_messagepack);
  if (outer.type != msgpack::type::ARRAY || outer.via.array.size < 2) return refuse(FrameFault::not_a_frame);
  const Object* parts = outer.via.array.ptr;
  if (parts[0].type != msgpack::type::BIN || parts[1].type != msgpack::type::BIN)
    return refuse(FrameFault::not_a_frame);
  const std::string_view inner(parts[0].via.bin.ptr, parts[0].via.bin.size);
  end = 0;
  const Object whole = unpack(inner, end);
  if (end != inner.size()) return refuse(FrameFault::not_messagepack);
  if (whole.type != msgpack::type::ARRAY || whole.via.array.size < envelope_elements)
    return refuse(FrameFault::not_a_frame);
  const Object* elements = whole.via.array.ptr;

  std::variant<Envelope, Refused> result;
  Envelope& envelope = std::get<Envelope>(result);
  if (!read(elements[0], envelope.version) || envelope.version != protocol_version)
    return refuse(FrameFault::wrong_version);
  std::uint16_t type = 0;
  std::uint32_t index = 0;
  const bool head_ok = std::apply([&](auto&... element) { return (read(elements[index++], element) && ...); },
                                  head_fields(envelope, type));
  if (!head_ok || !in_range(envelope.from.role, Role::client) || !in_range(envelope.to.role, Role::client) ||
      envelope.hint.size() > dttl_max)
    return refuse(FrameFault::malformed);
  bool known = false;
  if (read_message(type, elements[index], envelope.message, known)) return result;
  refused.type = type;
  refused.head = std::move(envelope);
  refused.head.message = {};
  return refuse(known ? FrameFault::malformed : FrameFault::unknown_type);
} catch (const msgpack::unpack_error& error) {
  const bool size = dynamic_cast<const msgpack::size_overflow*>(&error) != nullptr;
  return Refused{size ? FrameFault::over_limit : FrameFault::not_messagepack, 0, {}};
}

std::string_view to_text(FrameFault fault) {
  static constexpr std::array<std::string_view, 7> words{
      "too_large",     "not_messagepack", "over_limit", "not_a_frame",
      "wrong_version", "unknown_type",    "malformed"};
  return words.at(static_cast<std::size_t>(fault));
}

}  // namespace dmm
