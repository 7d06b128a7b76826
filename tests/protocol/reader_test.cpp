// What a reader accepts, in every encoding of it; and that it never reads beyond its bytes.
#include "protocol/codec/reader.hpp"

#include <doctest/doctest.h>

#include <msgpack.hpp>

#include "workloads/random.hpp"

namespace reader_test {

using namespace dmm;
using namespace std::string_literals;

namespace {

template <class Value>
std::string packed(const Value& value) {
  msgpack::sbuffer bytes;
  msgpack::pack(bytes, value);
  return {bytes.data(), bytes.size()};
}

}  // namespace

TEST_CASE("reader: an integer of any encoding, and none that is cut short") {
  const auto natural = [](const std::string& bytes, std::uint64_t expected) {
    CAPTURE(expected);
    std::uint64_t number = expected + 1;
    Reader in(bytes);
    REQUIRE(in.take(number));
    CHECK(number == expected);
    CHECK(in.at_end());
    for (std::size_t size = 0; size < bytes.size(); ++size)
      CHECK_FALSE(Reader(std::string_view(bytes).substr(0, size)).take(number));
  };
  for (const std::uint64_t number : {0ULL, 127ULL, 128ULL, 255ULL, 256ULL, 65535ULL, 65536ULL, 1ULL << 32, ~0ULL})
    natural(packed(number), number);
  natural("\xd0\x05"s, 5);  // signed, and longer than needed
  natural("\xd1\x00\x05"s, 5);
  natural("\xcf\0\0\0\0\0\0\0\x05"s, 5);

  for (const std::int64_t number :
       std::initializer_list<std::int64_t>{0, -1, -32, -33, -129, -32769, INT32_MIN, INT64_MIN, INT64_MAX}) {
    const std::string bytes = packed(number);
    std::int64_t taken = 1;
    REQUIRE(Reader(bytes).take(taken));
    CHECK(taken == number);
    std::uint64_t unsigned_taken = 0;
    CHECK(Reader(bytes).take(unsigned_taken) == (number >= 0));
  }
  std::int64_t number = 0;
  CHECK_FALSE(Reader(packed(~0ULL)).take(number));
  CHECK_FALSE(Reader("\xa1x").take(number));
}

TEST_CASE("reader: texts, bytes, arrays and maps of every size") {
  for (const std::size_t size : {0UL, 1UL, 15UL, 16UL, 31UL, 32UL, 255UL, 256UL, 65535UL, 65536UL}) {
    CAPTURE(size);
    const std::string text(size, 'x');
    for (const std::string& bytes : {packed(text), packed(std::vector<char>(size, 'x'))}) {
      std::string_view taken;
      Reader in(bytes);
      REQUIRE(in.take_text(taken));
      CHECK(taken == text);
      CHECK(in.at_end());
      CHECK_FALSE(Reader(std::string_view(bytes).substr(0, bytes.size() - 1)).take_text(taken));
    }
    std::string_view taken;
    CHECK_FALSE(Reader(packed(text)).take_bytes(taken));
    std::uint32_t elements = 0;
    const std::string array = packed(std::vector<int>(size, 7));
    REQUIRE(Reader(array).take_array(elements));
    CHECK(elements == size);
    if (size > 0) CHECK_FALSE(Reader(std::string_view(array).substr(0, array.size() - 1)).take_array(elements));
    CHECK_FALSE(fault_of(array).has_value());
  }
  std::uint32_t pairs = 0;
  REQUIRE(Reader("\x81\x01\x02").take_map(pairs));
  CHECK(pairs == 1);
}

TEST_CASE("reader: what is announced isn't believed") {
  std::uint32_t elements = 0;
  CHECK_FALSE(Reader("\xdd\x00\x01\x86\xa0"s).take_array(elements));  // announces 100,000 elements and has none
  CHECK(fault_of("\xdd\x00\x01\x86\xa0"s) == FrameFault::not_messagepack);
  CHECK(fault_of("\xdd\x00\x01\x86\xa1"s) == FrameFault::over_limit);
  CHECK(fault_of("\xdd\xff\xff\xff\xff"s) == FrameFault::over_limit);
  CHECK(fault_of("\xdf\x00\x00\x01\x01"s) == FrameFault::over_limit);
  CHECK(fault_of(std::string(24, '\x91') + "\x01") == std::nullopt);
  CHECK(fault_of(std::string(25, '\x91') + "\x01") == FrameFault::over_limit);
  CHECK(fault_of("\xd4\x01\x01"s) == FrameFault::over_limit);  // an extension
  CHECK(fault_of("\xc1"s) == FrameFault::not_messagepack);
  CHECK(fault_of("\x01\x01"s) == FrameFault::not_messagepack);
  CHECK(fault_of("\xdb\xff\xff\xff\xffx"s) == FrameFault::not_messagepack);
}

TEST_CASE("reader: whether random bytes are one object, it says as another parser does") {
  const std::uint64_t seed = 20261122;
  CAPTURE(seed);
  Random random(seed);
  int whole = 0;
  for (int i = 0; i < 50'000; ++i) {
    std::string bytes(1 + random.below(12), '\0');
    for (char& c : bytes)
      c = static_cast<char>(random.below(3) == 0 ? random.below(256) : 0x80 + random.below(0x30));
    const auto fault = fault_of(bytes);
    if (fault == FrameFault::over_limit) continue;
    bool expected = false;
    try {
      std::size_t end = 0;
      msgpack::unpack(bytes.data(), bytes.size(), end);
      expected = end == bytes.size();
    } catch (const msgpack::unpack_error&) {
    }
    CAPTURE(i);
    REQUIRE(!fault.has_value() == expected);
    whole += expected;
  }
  CHECK(whole > 1000);
}

}  // namespace reader_test
