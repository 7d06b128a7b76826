// What a job manager's file server gives out: by ticket, in pieces, and only while the attempt counts.
#include "jobmgr/files/shelf.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace shelf_test {

using namespace dmm;
namespace fs = std::filesystem;

namespace {

const std::string ticket(64, 'a'), other(64, 'b');

struct Place {
  fs::path folder;
  HomeShelf shelf{1'000};
  Place() {
    std::string name = "/tmp/dmm-shelf-XXXXXX";
    REQUIRE(mkdtemp(name.data()));
    folder = name;
    share(ticket);
  }
  ~Place() { fs::remove_all(folder); }
  std::string path(const char* name) const { return folder / name; }
  void share(const std::string& under) { shelf.take({7, under, {path("in"), ""}, {path("sub/out"), ""}}); }
  void withdraw() { shelf.take({7, {}, {}, {}}); }
  std::string text(const char* name) const {
    std::ifstream stream(folder / name);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  }
  std::size_t files() const {
    std::size_t count = 0;
    for (const fs::directory_entry& one : fs::recursive_directory_iterator(folder)) count += one.is_regular_file();
    return count;
  }
  std::unique_ptr<Incoming> bring(std::uint64_t from, std::uint64_t bytes, const std::string& under = ticket) {
    auto made = shelf.bring(under, 0, from, bytes);
    REQUIRE(std::holds_alternative<std::unique_ptr<Incoming>>(made));
    return std::get<0>(std::move(made));
  }
  int refusal(std::uint64_t from, std::uint64_t bytes, const std::string& under = ticket, std::size_t number = 0) {
    auto made = shelf.bring(under, number, from, bytes);
    return std::holds_alternative<ShelfFault>(made) ? std::get<1>(made).status : 0;
  }
  std::uint64_t received() const { return std::get<0>(shelf.received(ticket, 0)); }
};

int status_of(const std::optional<ShelfFault>& fault) { return fault ? fault->status : 0; }

}  // namespace

TEST_CASE("shelf: an input file has its path under its ticket alone [S132h]") {
  Place place;
  CHECK(place.shelf.input(ticket, 0) == place.path("in"));
  CHECK_FALSE(place.shelf.input(ticket, 1));
  CHECK_FALSE(place.shelf.input(ticket, 2));
  CHECK_FALSE(place.shelf.input(other, 0));
  place.withdraw();
  CHECK_FALSE(place.shelf.input(ticket, 0));
}

TEST_CASE("shelf: an output file comes in pieces, and is in its place when it is whole [S132h]") {
  Place place;
  CHECK(place.received() == 0);
  {
    const auto first = place.bring(0, 6);
    CHECK(first->write("abc", 3));
  }  // its connection broke
  CHECK(place.received() == 3);
  CHECK_FALSE(fs::exists(place.path("sub/out")));
  CHECK(place.refusal(0, 6) == 409);
  {
    const auto second = place.bring(3, 6);
    CHECK(second->write("def", 3));
    CHECK_FALSE(second->finish());
  }
  CHECK(place.text("sub/out") == "abcdef");
  CHECK(place.received() == 6);
  CHECK(place.files() == 1);
}

TEST_CASE("shelf: a file is whole for a sender that lost the answer, too [S132h]") {
  Place place;
  CHECK(place.bring(0, 3)->write("abc", 3));
  CHECK_FALSE(place.bring(3, 3)->finish());
  CHECK_FALSE(place.bring(3, 3)->finish());
  CHECK_FALSE(place.bring(3, 3)->write("d", 1));
  CHECK(place.refusal(2, 3) == 409);
  CHECK(place.text("sub/out") == "abc");
  CHECK(place.files() == 1);
}

TEST_CASE("shelf: one connection at a time brings a file, and no more than it announced [S132h]") {
  Place place;
  const auto first = place.bring(0, 3);
  CHECK(place.refusal(0, 3) == 409);
  CHECK_FALSE(first->write("abcd", 4));
  CHECK(status_of(first->finish()) == 413);
  CHECK(place.refusal(0, 1'001, ticket) == 413);
  CHECK(place.refusal(0, 3, other) == 404);
  CHECK(place.refusal(0, 3, ticket, 1) == 404);
  CHECK(place.refusal(0, 3, ticket, 2) == 404);
}

TEST_CASE("shelf: a file that isn't whole stays out of its place [S132h]") {
  Place place;
  const auto first = place.bring(0, 6);
  CHECK(first->write("abc", 3));
  CHECK(status_of(first->finish()) == 409);
  CHECK_FALSE(fs::exists(place.path("sub/out")));
}

TEST_CASE("shelf: a late task puts nothing in a later one's place [S132h]") {
  Place place;
  const auto late = place.bring(0, 3);
  CHECK(late->write("old", 3));
  place.withdraw();
  place.share(other);
  {
    const auto next = place.bring(0, 3, other);
    CHECK(next->write("new", 3));
    CHECK_FALSE(next->finish());
  }
  CHECK_FALSE(late->write("", 0));
  CHECK(status_of(late->finish()) == 404);
  CHECK(place.text("sub/out") == "new");
}

TEST_CASE("shelf: what came in part goes with its attempt [S132h]") {
  Place place;
  { CHECK(place.bring(0, 6)->write("abc", 3)); }
  CHECK(place.files() == 1);
  place.withdraw();
  CHECK(place.files() == 0);
  place.share(other);
  auto late = place.bring(0, 6, other);
  CHECK(late->write("abc", 3));
  place.withdraw();
  late.reset();
  CHECK(place.files() == 0);
}

TEST_CASE("shelf: a repeated Start doesn't share its files a second time [S132h]") {
  Place place;
  { CHECK(place.bring(0, 6)->write("abc", 3)); }
  place.share(ticket);
  CHECK(place.received() == 3);
}

TEST_CASE("shelf: a place that can't be written is named [S132h]") {
  Place place;
  std::ofstream(place.folder / "sub") << "a file where a folder should be";
  auto made = place.shelf.bring(ticket, 0, 0, 3);
  REQUIRE(std::holds_alternative<ShelfFault>(made));
  CHECK(std::get<1>(made).status == 507);
  CHECK(std::get<1>(made).text.find("sub") != std::string::npos);
}

}  // namespace shelf_test
