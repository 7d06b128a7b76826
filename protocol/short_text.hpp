// A text in 16 bytes, half of the size of a std::string. Names are in every message, key and record, and nearly all are
// short. The size of a running job's records decides how fast a large grid is simulated (docs/performance.md).
#pragma once

#include <array>
#include <bit>
#include <compare>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace dmm {

/// Any bytes. Up to `inline_max` of them are kept in place, so that copies and comparisons are of two numbers; a longer
/// text has memory of its own.
class ShortText {
 public:
  static constexpr std::size_t inline_max = 15;

  ShortText() = default;
  ShortText(std::string_view text) { set(text); }
  ShortText(const char* bytes, std::size_t size) { set({bytes, size}); }
  ShortText(const std::string& text) { set(text); }
  ShortText(const char* text) { set(text); }
  ShortText(const ShortText& other) : words_(other.words_) {
    if (other.is_long()) [[unlikely]]
      copy_long();
  }
  ShortText(ShortText&& other) noexcept : words_(std::exchange(other.words_, Words{})) {}
  ShortText& operator=(const ShortText& other) { return *this = ShortText(other); }
  ShortText& operator=(ShortText&& other) noexcept {
    std::swap(words_, other.words_);
    return *this;
  }
  ~ShortText() { clear(); }

  void assign(std::string_view text) {
    clear();
    words_ = Words{};
    set(text);
  }

  std::string_view view() const {
    if (is_long()) return long_text();
    return {reinterpret_cast<const char*>(words_.data()), tag()};
  }
  operator std::string_view() const { return view(); }
  operator std::string() const { return std::string(view()); }
  bool empty() const { return tag() == 0; }
  std::size_t size() const { return view().size(); }

  /// A hash, continued from `seed`; its upper bits are the best.
  std::uint64_t table_hash(std::uint64_t seed) const {
    constexpr std::uint64_t odd = 0x9E3779B97F4A7C15ULL;
    if (is_long()) return (seed ^ std::hash<std::string>{}(long_text())) * odd;
    const std::uint64_t first = (seed ^ words_[0]) * odd;
    return (first ^ (first >> 32) ^ words_[1]) * odd;
  }

  friend bool operator==(const ShortText& a, const ShortText& b) {
    if (a.words_[0] == b.words_[0] && a.words_[1] == b.words_[1]) return true;
    return a.is_long() && b.is_long() && a.long_text() == b.long_text();
  }
  /// By bytes, as std::string.
  friend std::strong_ordering operator<=>(const ShortText& a, const ShortText& b) {
    if (a.is_long() || b.is_long()) return a.view() <=> b.view();
    const std::strong_ordering first = in_order(a.words_[0]) <=> in_order(b.words_[0]);
    return first != 0 ? first : in_order(a.words_[1]) <=> in_order(b.words_[1]);
  }

 private:
  using Words = std::array<std::uint64_t, 2>;
  static constexpr unsigned char long_tag = 0xff;
  static constexpr std::size_t tag_at = 15;

  /// The number of bytes, or the mark of a long text. Unused bytes are 0, so that equal texts have equal words.
  unsigned char tag() const { return reinterpret_cast<const unsigned char*>(words_.data())[tag_at]; }
  bool is_long() const { return tag() == long_tag; }
  /// A number that is greater if the bytes are. The tag comes last, so that a prefix is less than the whole.
  static std::uint64_t in_order(std::uint64_t word) {
    return std::endian::native == std::endian::little ? __builtin_bswap64(word) : word;
  }
  void clear() {
    if (is_long()) [[unlikely]]
      free_long();
  }
  // Kept out of line, so that the common case of copies and ends of names is inlined.
  [[gnu::noinline, gnu::cold]] void copy_long() {
    words_[0] = std::bit_cast<std::uint64_t>(new std::string(long_text()));
  }
  [[gnu::noinline, gnu::cold]] void free_long() { delete &long_text(); }
  const std::string& long_text() const { return *std::bit_cast<const std::string*>(words_[0]); }
  void set(std::string_view text) {
    auto* bytes = reinterpret_cast<unsigned char*>(words_.data());
    if (text.size() > inline_max) {
      words_[0] = std::bit_cast<std::uint64_t>(new std::string(text));
      bytes[tag_at] = long_tag;
      return;
    }
    // In pieces of a fixed size, which are copied without a call.
    const char* from = text.data();
    if (text.size() & 8) std::memcpy(bytes, from, 8), bytes += 8, from += 8;
    if (text.size() & 4) std::memcpy(bytes, from, 4), bytes += 4, from += 4;
    if (text.size() & 2) std::memcpy(bytes, from, 2), bytes += 2, from += 2;
    if (text.size() & 1) *bytes = static_cast<unsigned char>(*from);
    reinterpret_cast<unsigned char*>(words_.data())[tag_at] = static_cast<unsigned char>(text.size());
  }

  Words words_{};
};

// Templates, so that only a ShortText itself is ever accepted.
template <std::same_as<ShortText> T, class Other>
std::string operator+(const T& a, const Other& b) {
  return std::string(a) + b;
}
template <std::same_as<ShortText> T>
std::string operator+(std::string a, const T& b) {
  return std::move(a.append(b.view()));
}
template <std::same_as<ShortText> T>
std::string operator+(char a, const T& b) {
  return std::string(1, a).append(b.view());
}

}  // namespace dmm
