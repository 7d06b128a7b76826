// MessagePack objects one after another, out of untrusted bytes.
#pragma once

#include <msgpuck.h>

#include <concepts>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "protocol/codec/codec.hpp"

namespace dmm {

/// Why these bytes aren't one MessagePack object, within the limits of the protocol, and nothing else.
std::optional<FrameFault> fault_of(std::string_view bytes);

/// Takes one object after another. Each function returns whether the next object was of that kind; after a failure,
/// further results mean nothing. It never reads beyond the bytes, whatever is in them.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  /// An integer, in any encoding, that this type can hold.
  template <std::integral Number>
  bool take(Number& number);
  bool take(bool& value);
  /// Bytes of kind `str` or `bin`; they stay where they are.
  bool take_text(std::string_view& text);
  /// Bytes of kind `bin`.
  bool take_bytes(std::string_view& bytes);
  /// The number of elements of the array that begins here; no more than there are bytes left.
  bool take_array(std::uint32_t& elements);
  /// The number of pairs of the map that begins here.
  bool take_map(std::uint32_t& pairs);
  /// Passes over this number of objects with all that is in them; whether it could.
  bool pass_over(std::uint64_t objects);

  bool at_end() const { return at_ == end_; }
  /// All bytes that aren't taken yet.
  std::string_view rest() const { return {at_, static_cast<std::size_t>(end_ - at_)}; }
  /// Takes these bytes, of any kind, if they come next.
  bool take_same(std::string_view bytes) {
    if (!rest().starts_with(bytes)) return false;
    at_ += bytes.size();
    return true;
  }
  /// Whether anything was passed over.
  bool passed_over() const { return passed_over_; }

 private:
  friend std::optional<FrameFault> fault_of(std::string_view bytes);
  /// Passes over `objects` objects, with arrays and maps nested at most `depth` deep; why it can't.
  std::optional<FrameFault> skip(std::uint64_t objects, std::uint32_t depth);
  int kind() const;
  bool take(std::uint32_t size, std::string_view& bytes);

  const char* at_;
  const char* end_;
  bool passed_over_ = false;

  static constexpr std::uint32_t array_elements_max = 100'000;
  static constexpr std::uint32_t map_pairs_max = 256;
  static constexpr int nothing = -1;
};

// msgpuck trusts its caller. Before it takes an object, the caller must check the object's kind, and that there are
// enough bytes for its head. mp_check_X says how many bytes are missing; 0 or less is enough.

/// The kind of the object that begins here.
inline int Reader::kind() const { return at_ < end_ ? static_cast<int>(mp_typeof(*at_)) : nothing; }

template <std::integral Number>
bool Reader::take(Number& number) {
  // Nearly all numbers are this small: the byte is the number.
  if (at_ < end_ && static_cast<unsigned char>(*at_) <= 0x7f) {
    number = static_cast<Number>(*at_++);
    return true;
  }
  const auto keep = [&number](auto taken) {
    number = static_cast<Number>(taken);
    return std::in_range<Number>(taken);
  };
  const int what = kind();
  if (what == MP_UINT && mp_check_uint(at_, end_) <= 0) return keep(mp_decode_uint(&at_));
  return what == MP_INT && mp_check_int(at_, end_) <= 0 && keep(mp_decode_int(&at_));
}

inline bool Reader::take(bool& value) {
  if (kind() != MP_BOOL) return false;
  value = mp_decode_bool(&at_);
  return true;
}

inline bool Reader::take_text(std::string_view& text) {
  if (kind() != MP_STR) return take_bytes(text);
  return mp_check_strl(at_, end_) <= 0 && take(mp_decode_strl(&at_), text);
}

inline bool Reader::take_bytes(std::string_view& bytes) {
  const bool has_size = end_ - at_ > 1;  // where there is no more, mp_check_binl of msgpuck 1.0.3 asserts
  return kind() == MP_BIN && has_size && mp_check_binl(at_, end_) <= 0 && take(mp_decode_binl(&at_), bytes);
}

inline bool Reader::take(std::uint32_t size, std::string_view& bytes) {
  if (size > end_ - at_) return false;
  bytes = {at_, size};
  at_ += size;
  return true;
}

inline bool Reader::take_array(std::uint32_t& elements) {
  if (kind() != MP_ARRAY || mp_check_array(at_, end_) > 0) return false;
  elements = mp_decode_array(&at_);
  return elements <= array_elements_max && elements <= end_ - at_;
}

inline bool Reader::take_map(std::uint32_t& pairs) {
  if (kind() != MP_MAP || mp_check_map(at_, end_) > 0) return false;
  pairs = mp_decode_map(&at_);
  return pairs <= map_pairs_max;
}

}  // namespace dmm
