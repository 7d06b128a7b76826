// Input files that a cluster keeps for later jobs.
#include "resmgr/staging/kept_files.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "keys/sha256.hpp"
#include "resmgr/staging/download.hpp"

namespace kept_files_test {

using namespace dmm;
using namespace dmm::staging;
namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream stream(path);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

/// A folder with sources, a place for downloads, and one for kept files.
struct Place {
  fs::path folder;
  KeptFilesRules rules;
  int jobs = 0;

  Place() {
    std::string name = "/tmp/dmm-kept-XXXXXX";
    REQUIRE(mkdtemp(name.data()));
    folder = name;
    for (const char* one : {"to", "kept"}) fs::create_directory(folder / one);
    rules.folder = folder / "kept";
  }
  ~Place() { fs::remove_all(folder); }

  /// A file with this text in the folder of sources.
  InputFile source(const std::string& name, const std::string& text) const {
    const fs::path path = folder / name;
    std::ofstream(path) << text;
    const int descriptor = open(path.c_str(), O_RDONLY);
    const std::string sum = sha256_of(descriptor);
    close(descriptor);
    return {name, {{"file://" + path.string()}}, text.size(), sum};
  }
  /// What the next job finds; or the text of the fault.
  std::string get(const InputFile& file, const TransferLimits& limits = {}) {
    const fs::path to = folder / "to" / std::to_string(jobs++);
    fs::create_directory(to);
    const KeptFiles kept(rules);
    const TransferFault fault = download(file, to, limits, &kept);
    return fault.fault == StartFault::none ? text_of(to / std::string(file.name)) : fault.text;
  }
  fs::path own() const { return fs::path(rules.folder) / std::to_string(geteuid()); }
  fs::path kept(const InputFile& file) const { return own() / std::string(file.sha256); }
  fs::path part(const InputFile& file) const {
    return kept(file).string() + '.' + std::to_string(file.bytes) + ".part";
  }
  std::size_t files() const {
    std::size_t count = 0;
    for (const fs::directory_entry& one : fs::directory_iterator(own())) count += one.path().filename() != "lock";
    return count;
  }
};

TEST_CASE("kept files: the second job needs no transfer") {
  Place place;
  const InputFile file = place.source("mesh", "abc");
  CHECK(place.get(file) == "abc");
  fs::remove(place.folder / "mesh");
  CHECK(place.get(file) == "abc");
  CHECK(place.files() == 1);
}

TEST_CASE("kept files: what a job spoilt there is fetched again") {
  Place place;
  const InputFile file = place.source("mesh", "abc");
  CHECK(place.get(file) == "abc");
  for (const char* spoilt : {"abd", "abcd", ""}) {
    std::ofstream(place.kept(file)) << spoilt;
    CHECK(place.get(file) == "abc");
    CHECK(text_of(place.kept(file)) == "abc");
  }
  fs::remove(place.kept(file));
  fs::create_symlink(place.folder / "mesh", place.kept(file));
  CHECK(place.get(file) == "abc");
}

TEST_CASE("kept files: a file of unknown size or checksum isn't kept, and one without any replica is a fault") {
  Place place;
  InputFile file = place.source("mesh", "abc");
  const InputFile whole = file;
  file.sha256 = {};
  CHECK(place.get(file) == "abc");
  file = whole;
  file.bytes = 0;
  CHECK(place.get(file) == "abc");
  CHECK_FALSE(fs::exists(place.own()));
  file = whole;
  fs::remove(place.folder / "mesh");
  CHECK(place.get(file).find("input file 'mesh' from file://") == 0);
  CHECK(place.files() == 0);
}

TEST_CASE("kept files: what was used longest ago makes room, and what is too large is brought all the same") {
  Place place;
  place.rules.bytes_max = 7;
  const InputFile first = place.source("first", "aaa"), second = place.source("second", "bbb"),
                  third = place.source("third", "ccc"), large = place.source("large", "dddddddd");
  CHECK(place.get(first) == "aaa");
  CHECK(place.get(second) == "bbb");
  fs::last_write_time(place.kept(second), fs::last_write_time(place.kept(first)) - std::chrono::seconds(60));
  CHECK(place.get(third) == "ccc");
  CHECK(fs::exists(place.kept(first)));
  CHECK_FALSE(fs::exists(place.kept(second)));
  CHECK(place.get(large) == "dddddddd");
  CHECK(place.files() == 2);
}

TEST_CASE("kept files: what no job used for its life time goes with the next that comes") {
  Place place;
  const InputFile first = place.source("first", "aaa"), second = place.source("second", "bbb");
  CHECK(place.get(first) == "aaa");
  fs::last_write_time(place.kept(first), fs::file_time_type::clock::now() - std::chrono::hours(25));
  CHECK(place.get(second) == "bbb");
  CHECK_FALSE(fs::exists(place.kept(first)));
}

TEST_CASE("kept files: a file that another process fetches is awaited") {
  Place place;
  const InputFile file = place.source("mesh", "abc");
  fs::create_directory(place.own());
  const int part = open(place.part(file).c_str(), O_RDWR | O_CREAT, 0600);
  REQUIRE(flock(part, LOCK_EX) == 0);
  fs::remove(place.folder / "mesh");  // so that only the kept file is left
  std::string got;
  std::thread job([&] { got = place.get(file); });
  CHECK(write(part, "abc", 3) == 3);
  fs::rename(place.part(file), place.kept(file));
  close(part);
  job.join();
  CHECK(got == "abc");
}

TEST_CASE("kept files: a process that fetches and is silent is waited for no longer") {
  Place place;
  const InputFile file = place.source("mesh", "abc");
  fs::create_directory(place.own());
  const int part = open(place.part(file).c_str(), O_RDWR | O_CREAT, 0600);
  REQUIRE(flock(part, LOCK_EX) == 0);
  CHECK(place.get(file, {.stall = milliseconds(1)}) == "abc");
  CHECK_FALSE(fs::exists(place.kept(file)));
  close(part);
}

TEST_CASE("kept files: a file that a dead process left unfinished is fetched from the start again") {
  Place place;
  const InputFile file = place.source("mesh", "abc");
  fs::create_directory(place.own());
  std::ofstream(place.part(file)) << "xy";
  CHECK(place.get(file) == "abc");
  CHECK(place.files() == 1);
}

TEST_CASE("kept files: where the folder isn't there a job has its files all the same") {
  Place place;
  place.rules.folder = place.folder / "no/such";
  CHECK(place.get(place.source("mesh", "abc")) == "abc");
}

TEST_CASE("kept files: a file that has the wrong bytes is not kept") {
  Place place;
  InputFile file = place.source("mesh", "abc");
  std::ofstream(place.folder / "mesh") << "abd";
  CHECK(place.get(file).find("its SHA-256 is") != std::string::npos);
  CHECK(place.files() == 0);
}

}  // namespace kept_files_test
