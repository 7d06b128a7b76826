// The SHA-256 of files that grow.
#include "resmgr/staging/following_sum.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

#include <unistd.h>

#include "keys/sha256.hpp"

namespace following_sum_test {

using namespace dmm;
using namespace dmm::staging;

/// A file without a name.
struct Unnamed {
  int descriptor = -1;
  Unnamed() {
    std::string name = "/tmp/dmm-sum-XXXXXX";
    descriptor = mkstemp(name.data());
    REQUIRE(descriptor >= 0);
    unlink(name.c_str());
  }
  ~Unnamed() { close(descriptor); }
  void add(const std::string& bytes) const {
    REQUIRE(write(descriptor, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  }
};

TEST_CASE("following sum: it is that of the whole file, whatever pieces the file came in") {
  for (const std::size_t piece : {1'000UL, 1'048'576UL, 3'000'000UL}) {
    const Unnamed file;
    FollowingSum sum(file.descriptor);
    std::uint64_t bytes = 0;
    for (int i = 0; i < 7; ++i) {
      file.add(std::string(piece, static_cast<char>('a' + i)));
      bytes += piece;
      sum.grew(bytes);
    }
    file.add("the end, which is not told");
    CHECK(sum.finish() == sha256_of(file.descriptor));
  }
}

TEST_CASE("following sum: of an empty file, of one that can't be read, and of one that is left") {
  const Unnamed file;
  CHECK(FollowingSum(file.descriptor).finish() ==
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(FollowingSum(-1).finish().empty());
  FollowingSum left(file.descriptor);
  left.grew(5'000'000);
}

}  // namespace following_sum_test
