// Files that daemons write for themselves: whole or not at all, and on the disk before the daemon relies on them.
#include "runtime/files.hpp"

#include <doctest/doctest.h>

#include "runtime/incarnation.hpp"
#include "tests/runtime/disk_stage.hpp"
#include "tests/runtime/ledger_stage.hpp"

namespace files_test {

using namespace dmm;

namespace {

using Notes = std::vector<std::string>;

/// What replacing a file does to the disk, in order.
Notes replacing(const LedgerFolder& folder, const std::string& name) {
  return {"wrote " + name + ".new", "synced " + name + ".new", "renamed " + name,
          "synced " + std::filesystem::path(folder.path()).filename().string()};
}

}  // namespace

TEST_CASE("files: a file is replaced as a whole, and is on the disk before anything relies on it") {
  const LedgerFolder folder;
  WatchedDisk disk(folder.path());
  REQUIRE(replace_file(folder.file("one"), "old").empty());
  CHECK(disk.notes() == replacing(folder, "one"));
  disk.break_syncs();
  CHECK(replace_file(folder.file("one"), "new") ==
        "cannot write " + folder.file("one.new") + ": Input/output error");
  disk.repair();
  disk.fill(1);
  CHECK(replace_file(folder.file("one"), "new").find("No space left") != std::string::npos);
  CHECK(folder.content("one") == "old");
}

TEST_CASE("files: a new name that can't be brought to the disk is an error") {
  const LedgerFolder folder;
  WatchedDisk disk(folder.path());
  folder.write("from", "x");
  disk.break_syncs();
  CHECK(rename_synced(folder.file("from"), folder.file("to")).starts_with("cannot sync the folder of "));
}

TEST_CASE("files: numbers of starts grow, even after a clock was set back") {
  const LedgerFolder folder;
  const std::string file = folder.file("incarnation");
  REQUIRE(replace_file(file, "99999999999999\n").empty());
  CHECK(std::get<std::uint64_t>(next_incarnation(file)) == 100'000'000'000'000);
  CHECK(std::get<std::uint64_t>(next_incarnation(file)) == 100'000'000'000'001);
  CHECK(std::holds_alternative<std::string>(next_incarnation(folder.file("no/file"))));
  WatchedDisk disk(folder.path());
  CHECK(std::get<std::uint64_t>(next_incarnation(file)) == 100'000'000'000'002);
  CHECK(disk.notes() == replacing(folder, "incarnation"));  // before any other party hears the number
  disk.break_syncs();
  CHECK(std::holds_alternative<std::string>(next_incarnation(file)));
}

TEST_CASE("files: job numbers are never handed out twice") {
  const LedgerFolder folder;
  const std::string path = folder.file("next-job");
  NumberFile first(path, 100);
  REQUIRE(first.open().empty());
  CHECK(first.first() == 1);
  REQUIRE(first.used_below(5'000).empty());  // then a crash
  NumberFile second(path, 100);
  REQUIRE(second.open().empty());
  CHECK(second.first() >= 5'000);
  REQUIRE(second.close(5'010).empty());  // an orderly end skips no numbers
  NumberFile third(path, 100);
  {
    WatchedDisk disk(folder.path());
    REQUIRE(third.open().empty());
    CHECK(third.first() == 5'010);
    CHECK(disk.notes() == replacing(folder, "next-job"));  // before the first of them is used
    disk.forget_notes();
    CHECK(third.used_below(5'011).empty());  // within the block
    CHECK(disk.notes().empty());
    CHECK(third.used_below(5'100).empty());
    CHECK(disk.notes() == replacing(folder, "next-job"));
    disk.break_syncs();
    CHECK_FALSE(third.used_below(5'200).empty());
  }
  REQUIRE(replace_file(path, "nonsense").empty());
  CHECK(NumberFile(path, 100).open().find("next-job") != std::string::npos);
}

}  // namespace files_test
