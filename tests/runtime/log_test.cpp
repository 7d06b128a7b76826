// Log lines: JSON that any parser reads, whatever bytes a peer or user put into it; growing files, and levels.
#include "runtime/log.hpp"

#include <doctest/doctest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "runtime/clock.hpp"
#include "runtime/files.hpp"

namespace log_test {

using namespace dmm;

namespace {

struct Folder {
  Folder() {
    char name[] = "/tmp/dmm-log-XXXXXX";
    path = ::mkdtemp(name);
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string path;
};

std::string escaped(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

std::string content(const std::string& path) {
  std::ostringstream out;
  out << std::ifstream(path).rdbuf();
  return out.str();
}

}  // namespace

TEST_CASE("log: JSON strings are right for any bytes") {
  CHECK(escaped("plain") == R"("plain")");
  CHECK(escaped("a\"b\\c\n\t\x01") == R"("a\"b\\c\n\t\u0001")");
  CHECK(escaped("Zoë → 🦀") == "\"Zoë → 🦀\"");
  CHECK(escaped("\xFF") == "\"\xEF\xBF\xBD\"");
  CHECK(escaped("a\xC3") == "\"a\xEF\xBF\xBD\"");                                // cut short
  CHECK(escaped("\xC0\x80") == "\"\xEF\xBF\xBD\xEF\xBF\xBD\"");                  // longer than needed
  CHECK(escaped("\xED\xA0\x80") == "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");  // a surrogate
  CHECK(escaped("\xF4\x90\x80\x80") == "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");  // beyond Unicode
  CHECK(escaped(std::string_view("\0", 1)) == R"("\u0000")");
}

TEST_CASE("log: every pair of bytes makes JSON that a strict parser takes") {
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      const std::string text = {static_cast<char>(first), static_cast<char>(second), 'x'};
      const auto parsed = nlohmann::json::parse(escaped(text), nullptr, false);
      REQUIRE(!parsed.is_discarded());
      REQUIRE(parsed.get<std::string>().ends_with('x'));
    }
  }
}

TEST_CASE("log: an event is one JSON object a line") {
  const LogEvent event{Level::info,
                       "delegate",
                       {SiteName("das-0"), "alice", 17, 2},
                       {{"to", std::string("das \"1\"")},
                        {"dttl", std::int64_t{-4}},
                        {"load", 0.1},
                        {"nothing", std::numeric_limits<double>::quiet_NaN()},
                        {"local", false}}};
  std::string line;
  append_json_line(line, "2026-01-31T12:00:00.000001Z", "sitemgr das-0", event);
  CHECK(line ==
        R"({"time":"2026-01-31T12:00:00.000001Z","level":"info","who":"sitemgr das-0","event":"delegate",)"
        R"("request":"das-0/alice/17.2","to":"das \"1\"","dttl":-4,"load":0.1,"nothing":null,"local":false})");
  std::string brief;
  append_short_line(brief, "2026-01-31T12:00:00.000001Z", event);
  CHECK(brief ==
        "12:00:00.000  info     delegate           das-0/alice/17.2 to=\"das \\\"1\\\"\" dttl=-4 load=0.1 "
        "nothing=null local=false");
}

TEST_CASE(
    "log: a file takes the lines of its level and above; warnings reach it at once, other lines at a flush") {
  const Folder folder;
  const std::string path = folder.path + "/deeper/site.log";
  Log log;
  REQUIRE(log.open({path, false, Level::info, "sitemgr das-0"}).empty());
  log.write(Level::debug, "unseen", {});
  CHECK(log.next_flush() == never);
  log.write(Level::info, "seen", {});
  CHECK(content(path).empty());
  CHECK(log.next_flush() <= monotonic_now() + seconds(1));
  log.flush_due(monotonic_now() + seconds(2));
  CHECK(log.next_flush() == never);
  CHECK(content(path).find("\"seen\"") != std::string::npos);
  log.write(Level::info, "before", {});
  log.write(Level::warning, "after", {});
  std::istringstream lines(content(path));
  std::string line;
  std::vector<std::string> names, times;
  while (std::getline(lines, line)) {
    const auto event = nlohmann::json::parse(line);
    names.push_back(event["event"]);
    times.push_back(event["time"]);
    CHECK(times.back().size() == 27);
  }
  CHECK(names == std::vector<std::string>{"seen", "before", "after"});
  CHECK(std::is_sorted(times.begin(), times.end()));
}

TEST_CASE("log: one that was moved away is opened again, and one that can't be goes on where it was") {
  const Folder folder;
  const std::string path = folder.path + "/site.log";
  Log log;
  REQUIRE(log.open({path, false, Level::info, "test"}).empty());
  log.write(Level::info, "first", {});
  std::filesystem::rename(path, path + ".old");
  log.reopen();
  log.write(Level::warning, "second", {});
  CHECK(content(path + ".old").find("\"first\"") != std::string::npos);
  CHECK(content(path + ".old").find("\"second\"") == std::string::npos);
  CHECK(content(path).find("\"second\"") != std::string::npos);
  std::filesystem::rename(path, path + ".old");
  std::filesystem::create_directory(path);
  log.reopen();
  log.write(Level::warning, "third", {});
  CHECK(content(path + ".old").find("\"third\"") != std::string::npos);
}

TEST_CASE("log: one that grows beyond its bound is moved, and a set number of moved ones is kept") {
  const Folder folder;
  Log log;
  REQUIRE(log.open({folder.path + "/site.jsonl", false, Level::info, "test", 1'000, 2}).empty());
  for (int i = 0; i < 100; ++i) log.write(Level::warning, "line", {{"number", std::int64_t{i}}});
  std::size_t files = 0, bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path)) ++files, bytes += entry.file_size();
  CHECK(files == 3);
  CHECK(bytes <= 3'000);
  CHECK(content(folder.path + "/site.jsonl").find("\"number\":99") != std::string::npos);
  std::filesystem::create_symlink("/dev/null", folder.path + "/nowhere");  // it was named, so it is wanted
  Log nowhere;
  REQUIRE(nowhere.open({folder.path + "/nowhere", false, Level::info, "test", 10, 2}).empty());
  for (int i = 0; i < 3; ++i) nowhere.write(Level::warning, "line", {});
  CHECK(std::filesystem::is_symlink(folder.path + "/nowhere"));
}

TEST_CASE("log: one that can't be opened is a text; one that can't be written is survived") {
  Log closed;
  const std::string fault = closed.open({"/proc/no/such/place", false, Level::info, "test"});
  CHECK(fault.find("/proc/no/such/place") != std::string::npos);
  Log full;
  REQUIRE(full.open({"/dev/full", false, Level::info, "a test of a full disk"}).empty());
  for (int i = 0; i < 3; ++i) full.write(Level::warning, "lost", {});
  full.flush();
}

TEST_CASE("log: its times are UTC") {
  CHECK(utc_text(0) == "1970-01-01T00:00:00.000000Z");
  CHECK(utc_text(1'767'225'599'999'999) == "2025-12-31T23:59:59.999999Z");
  const Instant before = monotonic_now();  // operands are evaluated in any order
  CHECK(before <= monotonic_now());
}

TEST_CASE("log: pieces of output land where they belong, and not through a link") {
  const Folder folder;
  const std::string path = folder.path + "/out";
  CHECK(write_piece({path, 0, "hello ", true}).empty());
  CHECK(write_piece({path, 6, "world"}).empty());
  CHECK(content(path) == "hello world");
  CHECK(write_piece({path, 0, "new", true}).empty());
  CHECK(content(path) == "new");
  using std::filesystem::perms;
  CHECK(std::filesystem::status(path).permissions() == (perms::owner_read | perms::owner_write));
  std::filesystem::create_symlink(path, folder.path + "/link");
  CHECK(!write_piece({folder.path + "/link", 0, "x"}).empty());
  CHECK(!write_piece({folder.path, 0, "x"}).empty());
  CHECK(!write_piece({folder.path + "/no/such/out", 0, "x"}).empty());
  CHECK(write_piece({"/dev/null", 0, "x", true, false, true}).empty());
  // A file that can't be synced: the caller is told that it isn't safe.
  CHECK(write_piece({"/proc/self/coredump_filter", 0, "0x33"}).empty());
  CHECK(write_piece({"/proc/self/coredump_filter", 0, "0x33", false, false, true}).starts_with("cannot sync"));
}

}  // namespace log_test
