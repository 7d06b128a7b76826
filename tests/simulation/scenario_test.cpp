// Runs every file of tests/scenarios and compares what happens with the file's expectation, to the letter.
// DMM_REWRITE=1 writes what happens into the files instead: read the difference before you keep it. DMM_SCENARIO=name
// runs only one file.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "scenario.hpp"

namespace {

std::string read(const std::filesystem::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The first line in which two texts differ, for people.
std::string difference(const std::string& expected, const std::string& given) {
  std::istringstream a(expected), b(given);
  for (int number = 1;; ++number) {
    std::string x, y;
    const bool more_a = static_cast<bool>(std::getline(a, x)), more_b = static_cast<bool>(std::getline(b, y));
    if (!more_a && !more_b) return {};
    if (more_a != more_b || x != y)
      return "line " + std::to_string(number) + "\n  expected: " + x + "\n  happened: " + y;
  }
}

}  // namespace

TEST_CASE("scenarios: one that names a party that there isn't, or too little, is refused with its line") {
  const auto fault_of = [](const std::string& command) -> std::string {
    try {
      dmm::Scenario().replay("site home nodes=2 users=u\n\nrun-until 2\n----\n\n# mistaken\n" + command +
                             "\n----\n");
    } catch (const std::exception& error) {
      return error.what();
    }
    return "no fault";
  };
  const auto told = [](const std::string& command, const std::string& why) {
    return "line 7, \"" + command + "\": " + why;
  };
  for (const std::string command :
       {"submit home/nobody 1 run 5", "cancel home/nobody 1", "crash home/nobody", "restart home/nobody",
        "cut home home/nobody", "unreachable home/nobody", "show chain home/nobody/1", "show why home/nobody/1"})
    CHECK(fault_of(command) == told(command, "there is no home/nobody"));
  for (const std::string command : {"drain nosite", "drain home nosite", "show queue nosite", "show leases nosite",
                                    "show usage nosite", "crash nosite"})
    CHECK(fault_of(command) == told(command, "there is no nosite"));
  CHECK(fault_of("submit nosite/u 1 run 5") == told("submit nosite/u 1 run 5", "there is no nosite/u"));
  CHECK(fault_of("submit home 1 run 5") == told("submit home 1 run 5", "home is no jobmgr"));
  CHECK(fault_of("drain home/u") == told("drain home/u", "home/u is no sitemgr"));
  CHECK(
      fault_of("show nosite") ==
      told("show nosite", "there is no \"show nosite\": show queue, leases, usage, chain, why, jobs or messages"));
  for (const std::string command : {"show queue", "submit home/u", "cancel home/u", "crash"})
    CHECK(fault_of(command) ==
          told(command, "a word is missing, or a number is too large; scenario.hpp lists the commands"));
  CHECK(fault_of("cancel home/u one") ==
        told("cancel home/u one", "expected a number; scenario.hpp lists the commands"));
  CHECK(fault_of("submit home/u 1 run 5") == "no fault");
}

TEST_CASE("scenarios: they happen as they are told") {
  const std::filesystem::path folder = std::string(DMM_SOURCE_DIR) + "/tests/scenarios";
  const char* only = std::getenv("DMM_SCENARIO");
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".txt" && (!only || entry.path().stem() == only))
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  CHECK_FALSE(files.empty());
  for (const auto& file : files) {
    const std::string expected = read(file);
    CAPTURE(file.filename().string());
    std::string happened;
    try {
      happened = dmm::Scenario().replay(expected);
    } catch (const std::exception& error) {
      FAIL_CHECK(std::string(error.what()));
      continue;
    }
    if (std::getenv("DMM_REWRITE"))
      std::ofstream(file) << happened;
    else if (happened != expected)
      FAIL_CHECK(difference(expected, happened));
  }
}
