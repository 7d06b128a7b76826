// Which connections are cut: of strangers that stay idle, are too many or send much; and how much memory may grow.
#include "runtime/connection_guard.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>

namespace connection_guard_test {

using namespace dmm;

namespace {

constexpr std::uint64_t mebibyte = 1024 * 1024;

struct Stage {
  ConnectionGuard::Settings settings;
  ConnectionGuard guard;
  Instant now{seconds(100).microseconds};
  std::vector<int> needed;
  std::map<int, std::uint64_t> received;  ///< bytes by the kernel, where it counts them

  explicit Stage(ConnectionGuard::Settings wanted = {}) : settings(wanted), guard(wanted) {}
  void open(int descriptor, std::uint64_t address = 0) { guard.opened(now, descriptor, {1, address}); }
  /// One after another, from one address.
  void open_all(int first, int last, std::uint64_t address = 0) {
    for (int descriptor = first; descriptor <= last; ++descriptor, wait(milliseconds(1)))
      open(descriptor, address);
  }
  void hear(int descriptor) { guard.heard(now, descriptor); }
  void wait(Duration length) { now = now + length; }
  /// Closes what the guard wants to be cut, as the transport does.
  std::vector<int> to_cut(std::uint64_t resident = 100 * mebibyte) {
    const auto is_needed = [&](int descriptor) { return std::ranges::find(needed, descriptor) != needed.end(); };
    const auto received_on = [&](int descriptor) {
      const auto count = received.find(descriptor);
      return count == received.end() ? std::nullopt : std::optional(count->second);
    };
    std::vector<int> cut = guard.to_cut(now, resident, {is_needed, received_on});
    for (const int descriptor : cut) guard.closed(descriptor);
    return cut;
  }
};

using Cut = std::vector<int>;

}  // namespace

TEST_CASE("connection guard: an idle connection is cut after its limit, unless it is needed") {
  Stage stage;
  stage.open(1);
  stage.open(2);
  stage.needed = {2};
  stage.wait(stage.settings.idle - milliseconds(1));
  CHECK(stage.to_cut() == Cut{});
  stage.wait(stage.settings.idle / 8);
  CHECK(stage.to_cut() == Cut{1});
  CHECK(stage.guard.size() == 1);
  stage.wait(stage.settings.idle * 10);
  CHECK(stage.to_cut() == Cut{});
  stage.needed = {};
  stage.wait(stage.settings.idle);
  CHECK(stage.to_cut() == Cut{2});
  CHECK(stage.guard.empty());
}

TEST_CASE("connection guard: a connection that is heard is not idle") {
  Stage stage;
  stage.open(1);
  stage.open(2);
  for (int i = 0; i < 3; ++i) {
    stage.wait(stage.settings.idle / 2);
    stage.hear(1);
    stage.hear(9);  // never opened
  }
  CHECK(stage.to_cut() == Cut{2});
  CHECK(stage.guard.size() == 1);
}

TEST_CASE("connection guard: of too many strangers the oldest are cut, and no known peer") {
  Stage stage({.strangers_max = 8});
  stage.open_all(1, 9);
  stage.needed = {1};
  CHECK(stage.guard.is_urgent());
  CHECK(stage.to_cut() == Cut{});  // eight strangers
  CHECK(!stage.guard.is_urgent());
  stage.open(10);
  stage.hear(2);  // doesn't make it younger
  CHECK(stage.guard.is_urgent());
  CHECK(stage.to_cut() == Cut{2, 3});
  CHECK(!stage.guard.is_urgent());
  stage.needed = {1, 4, 5, 6, 7, 8, 9, 10};
  stage.open_all(11, 19);
  CHECK(stage.to_cut() == Cut{11, 12});
  CHECK(stage.guard.size() == 15);
}

TEST_CASE("connection guard: of many strangers a thirty-second is cut at a time") {
  Stage stage({.strangers_max = 320});
  stage.open_all(1, 320);
  CHECK(!stage.guard.is_urgent());
  stage.open(321);
  CHECK(stage.to_cut().size() == 11);
}

TEST_CASE("connection guard: strangers make room from the address that has the most of them") {
  Stage stage({.strangers_max = 8});
  stage.open_all(1, 2, 7);
  stage.open_all(11, 16, 8);
  stage.open_all(21, 21, 9);
  CHECK(stage.to_cut() == Cut{11, 12});
  stage.open_all(3, 5, 7);
  CHECK(stage.to_cut() == Cut{1, 2, 13});
}

TEST_CASE("connection guard: known peers leave strangers fewer places, but some") {
  Stage stage({.strangers_max = 80, .connections_max = 50});
  for (int descriptor = 1; descriptor <= 30; ++descriptor) stage.needed.push_back(descriptor);
  stage.open_all(1, 50);
  CHECK(stage.to_cut().empty());
  stage.open_all(51, 80);
  CHECK(stage.to_cut().size() == 31);  // of 50; 20 places are left
  for (int descriptor = 31; descriptor <= 60; ++descriptor) stage.needed.push_back(descriptor);
  stage.open_all(31, 60);
  stage.open_all(90, 100);
  stage.to_cut();
  CHECK(stage.guard.size() == 60 + 9);
}

TEST_CASE("connection guard: a stranger that says much is cut, and a known peer may") {
  Stage stage({.stranger_frames_max = 5});
  stage.open_all(1, 2);
  stage.needed = {2};
  for (int i = 0; i < 5; ++i) stage.hear(1), stage.hear(2);
  CHECK(stage.to_cut() == Cut{});
  for (int i = 0; i < 5; ++i) stage.hear(2);
  CHECK(!stage.guard.is_urgent());
  stage.hear(1);
  CHECK(stage.guard.is_urgent());
  CHECK(stage.to_cut() == Cut{1});
  CHECK(!stage.guard.is_urgent());
}

TEST_CASE("connection guard: all strangers go when no descriptor is left") {
  Stage stage;
  stage.open_all(1, 5);
  stage.needed = {3};
  stage.guard.exhausted();
  CHECK(stage.guard.is_urgent());
  CHECK(stage.to_cut() == Cut{1, 2, 4, 5});
  CHECK(!stage.guard.is_urgent());
}

TEST_CASE("connection guard: a descriptor that is used again belongs to a stranger") {
  Stage stage({.strangers_max = 1});
  stage.open_all(1, 2);
  stage.needed = {1, 2};
  CHECK(stage.to_cut().empty());
  stage.needed = {};
  stage.open(1);
  stage.open(2);  // the message about the previous connection's end was lost
  CHECK(stage.guard.is_urgent());
  CHECK(stage.to_cut().size() == 2);
}

TEST_CASE("connection guard: half of the descriptors and an eighth are the most that it gives away") {
  for (const std::size_t limit : {64, 256, 1'024, 4'096, 8'192, 1'000'000}) {
    const auto settings = ConnectionGuard::within({}, limit);
    CHECK(settings.connections_max <= limit / 2);
    CHECK(settings.strangers_max <= limit / 8);
    CHECK(settings.strangers_max >= 8);
  }
  CHECK(ConnectionGuard::within({}, 8'192).strangers_max == 1'000);
  CHECK(ConnectionGuard::within({}, 1'024).strangers_max == 128);
  CHECK(ConnectionGuard::within({.strangers_max = 3}, 8'192).strangers_max == 3);
}

TEST_CASE("connection guard: growth that nothing explains cuts those alone that said nothing whole of late") {
  Stage stage;
  stage.open(1);
  stage.open(2);
  stage.needed = {1};  // it may also be a peer's connection
  CHECK(stage.to_cut(100 * mebibyte) == Cut{});
  stage.wait(stage.settings.window);
  stage.hear(2);
  stage.open(3);
  CHECK(stage.to_cut(165 * mebibyte) == Cut{1});
  stage.wait(stage.settings.window);
  CHECK(stage.to_cut(165 * mebibyte) == Cut{});  // it grows no more
}

TEST_CASE("connection guard: a message without end is cut however slowly it comes, also of a peer") {
  Stage stage;
  std::uint64_t resident = 100 * mebibyte;
  stage.open(1);
  stage.open(2);
  stage.needed = {1, 2};
  CHECK(stage.to_cut(resident) == Cut{});
  Cut cut;
  std::uint64_t grown = 0;
  for (; cut.empty() && grown < 1'000 * mebibyte; grown += mebibyte) {
    stage.wait(stage.settings.window);
    stage.hear(2);
    cut = stage.to_cut(resident + grown);
  }
  CHECK(cut == Cut{1});
  CHECK(grown <= 66 * mebibyte);
}

TEST_CASE("connection guard: where received bytes are known, only a connection that memory can grow by is cut") {
  Stage stage;
  stage.open_all(1, 4);
  stage.needed = {1, 2, 3, 4};
  stage.received = {{1, 900 * mebibyte}, {2, 500}, {3, 0}, {4, 0}};
  for (const int descriptor : {1, 2, 3, 4}) stage.hear(descriptor);
  CHECK(stage.to_cut(100 * mebibyte) == Cut{});
  stage.wait(milliseconds(250));
  stage.received[1] += 15 * mebibyte;  // together they receive less than memory may grow by
  stage.received[3] += 40 * mebibyte;
  CHECK(stage.to_cut(160 * mebibyte) == Cut{});
  CHECK(stage.to_cut(165 * mebibyte) == Cut{3});
  stage.hear(1);
  stage.received[4] += 90 * mebibyte;
  CHECK(stage.to_cut(300 * mebibyte) == Cut{4});
}

TEST_CASE("connection guard: memory that was given back meanwhile doesn't count") {
  Stage stage;
  stage.open(1);
  for (const std::uint64_t resident : {900, 300, 340, 364}) {
    CHECK(stage.to_cut(resident * mebibyte) == Cut{});
    stage.wait(stage.settings.window);
  }
  CHECK(stage.to_cut(365 * mebibyte) == Cut{1});
}

TEST_CASE("connection guard: endless growth cuts again and again, but no connection that is heard") {
  Stage stage;
  std::uint64_t resident = 100 * mebibyte;
  stage.open(1);
  for (int i = 0; i < 20; ++i, resident += 10 * mebibyte) {
    CHECK(stage.to_cut(resident) == Cut{});
    stage.wait(stage.settings.window);
    stage.hear(1);
  }
  for (int descriptor = 2; descriptor <= 4; ++descriptor) {
    stage.open(descriptor);
    Cut cut;
    for (int i = 0; i < 4; ++i) {
      stage.wait(stage.settings.window / 2);
      for (const int one : stage.to_cut(resident)) cut.push_back(one);
      resident += 40 * mebibyte;
      stage.hear(1);
    }
    CHECK(cut == Cut{descriptor});
  }
  CHECK(stage.guard.size() == 1);
}

}  // namespace connection_guard_test
