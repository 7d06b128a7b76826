// The background writer of users' files: order, safety, reported errors, and hanging folders.
#include <doctest/doctest.h>

#include <poll.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "runtime/file_writer.hpp"
#include "tests/backends/process_backend_fixture.hpp"

namespace file_writer_test {

using namespace dmm;
using backend_test::TemporaryFolder;

namespace {

std::string content(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// The outcome of the first pieces, by id.
std::map<std::uint64_t, std::string> results(FileWriter& writer, std::size_t count) {
  std::map<std::uint64_t, std::string> all;
  while (all.size() < count) {
    pollfd polled{writer.descriptor(), POLLIN, 0};
    REQUIRE(poll(&polled, 1, 30'000) == 1);
    for (FileWritten& one : writer.take()) all.emplace(one.id, std::move(one.error));
  }
  return all;
}

std::atomic<bool> released{false};
std::string hang_there(const FilePiece& piece) {
  if (piece.path.find("/hung/") != std::string::npos) released.wait(false);
  return write_piece(piece);
}

}  // namespace

TEST_CASE("file writer: pieces of one folder are written in order, two streams to the end of one file") {
  const TemporaryFolder folder;
  FileWriter writer;
  const std::string path = folder.path + "/out", both = folder.path + "/both";
  std::ofstream(path) << "what was there before, and is longer";
  std::string expected;
  for (std::uint64_t i = 0; i < 200; ++i) {
    const std::string line = std::to_string(i) + "\n";
    writer.add(2 * i, {path, expected.size(), line, i == 0, false, i == 199});
    writer.add(2 * i + 1, {both, i % 2 == 0 ? i : 0, line, i == 0, true, i == 199});
    expected += line;
  }
  for (const auto& [id, error] : results(writer, 400)) CHECK(error == "");
  CHECK(content(path) == expected);
  CHECK(content(both) == expected);
}

TEST_CASE("file writer: whatever can't be written is told, and by which file") {
  const TemporaryFolder folder;
  FileWriter writer;
  const std::string path = folder.path + "/out";
  std::filesystem::create_symlink(path, folder.path + "/link");
  REQUIRE(mkfifo((folder.path + "/pipe").c_str(), 0600) == 0);
  const std::string wrong[] = {folder.path + "/no/such/out",
                               folder.path + "/link",
                               folder.path + "/pipe",
                               folder.path,
                               "/proc/version",
                               ""};
  std::uint64_t id = 0;
  for (const std::string& one : wrong) writer.add(id++, {one, 0, "x", true, false, true});
  for (const auto& [which, error] : results(writer, std::size(wrong))) {
    CAPTURE(wrong[which]);
    CHECK(error.starts_with("cannot write"));
    CHECK(error.find(wrong[which]) != std::string::npos);
  }
}

TEST_CASE("file writer: a file that lost what was written gets no hole, and the manager's folder is made again") {
  const TemporaryFolder folder;
  FileWriter writer;
  const std::string path = folder.path + "/out", ours = folder.path + "/outputs/1.out";
  writer.add(1, {path, 0, "first", true});
  CHECK(results(writer, 1)[1] == "");
  std::filesystem::remove(path);
  writer.add(2, {path, 5, "second"});
  CHECK(results(writer, 1)[2].starts_with("cannot go on with " + path + ": of 5 bytes"));
  writer.add(3, {path, 0, "first", true});
  writer.add(4, {path, 5, "second"});
  results(writer, 2);
  CHECK(content(path) == "firstsecond");
  writer.add(5, {.path = ours, .data = "x", .begins = true, .own_folder = true});
  CHECK(results(writer, 1)[5] == "");
  CHECK(content(ours) == "x");
}

TEST_CASE("file writer: a disk without room is told, and what was written before stays") {
  const TemporaryFolder folder;
  FileWriter writer;
  const std::string path = folder.path + "/out";
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
  const auto ignored = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{10'000, before.rlim_max};
  REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0);
  writer.add(1, {path, 0, std::string(8'000, 'x'), true});
  writer.add(2, {path, 8'000, std::string(8'000, 'x'), false, false, true});
  auto told = results(writer, 2);
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, ignored);
  CHECK(told[1] == "");
  CHECK(told[2].starts_with("cannot write " + path + ": "));
  CHECK(std::filesystem::file_size(path) >= 8'000);
}

TEST_CASE("file writer: a file system that hangs holds up what goes there, and nothing else") {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder.path + "/hung");
  {
    FileWriter writer(hang_there);
    writer.add(1, {folder.path + "/hung/a", 0, "x", true, false, true});
    writer.add(2, {folder.path + "/hung/b", 0, "x", true, false, true});
    for (std::uint64_t id = 3; id < 50; ++id)
      writer.add(id, {folder.path + "/" + std::to_string(id), 0, "x", true, false, true});
    CHECK(results(writer, 47).count(1) == 0);
    CHECK(content(folder.path + "/3") == "x");
  }  // and it doesn't delay its end either
  FileWriter writer(hang_there);
  writer.add(1, {folder.path + "/hung/c", 0, "x", true, false, true});
  released = true;
  released.notify_all();
  CHECK(results(writer, 1).at(1) == "");
}

}  // namespace file_writer_test
