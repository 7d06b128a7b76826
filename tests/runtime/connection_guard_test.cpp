// Which connections are cut: idle ones that nobody needs, and silent ones while memory grows.
#include "runtime/connection_guard.hpp"

#include <doctest/doctest.h>

#include <algorithm>

namespace connection_guard_test {

using namespace dmm;

namespace {

constexpr std::uint64_t mebibyte = 1024 * 1024;

struct Stage {
  ConnectionGuard::Settings settings;
  ConnectionGuard guard;
  Instant now{seconds(100).microseconds};
  std::vector<int> needed;

  explicit Stage(ConnectionGuard::Settings wanted = {}) : settings(wanted), guard(wanted) {}
  void open(int descriptor) { guard.opened(now, descriptor); }
  void hear(int descriptor) { guard.heard(now, descriptor); }
  void wait(Duration length) { now = now + length; }
  /// As the transport does: what is cut is closed.
  std::vector<int> to_cut(std::uint64_t resident = 100 * mebibyte) {
    const auto is_needed = [&](int descriptor) { return std::ranges::find(needed, descriptor) != needed.end(); };
    std::vector<int> cut = guard.to_cut(now, resident, is_needed);
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

TEST_CASE("connection guard: whoever is heard is not idle") {
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

TEST_CASE("connection guard: of too many connections those heard longest ago are cut, but none that is needed") {
  Stage stage({.connections_max = 3});
  for (int descriptor = 1; descriptor <= 5; ++descriptor) {
    stage.open(descriptor);
    stage.wait(milliseconds(10));
  }
  stage.needed = {1};
  stage.hear(2);
  CHECK(stage.to_cut() == Cut{3, 4});
  CHECK(stage.to_cut() == Cut{});
  CHECK(stage.guard.size() == 3);
}

TEST_CASE("connection guard: growth that nothing explains cuts those alone that said nothing whole of late") {
  Stage stage;
  stage.open(1);
  stage.open(2);
  stage.needed = {1};  // a peer may be the one, too
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

TEST_CASE("connection guard: memory that was given back meanwhile doesn't count") {
  Stage stage;
  stage.open(1);
  for (const std::uint64_t resident : {900, 300, 340, 364}) {
    CHECK(stage.to_cut(resident * mebibyte) == Cut{});
    stage.wait(stage.settings.window);
  }
  CHECK(stage.to_cut(365 * mebibyte) == Cut{1});
}

TEST_CASE("connection guard: endless growth cuts again and again, and nobody who is heard") {
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
