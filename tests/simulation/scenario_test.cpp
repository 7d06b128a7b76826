// Runs every file of tests/scenarios and compares what happened with what the file expects, to the letter.
// DMM_REWRITE=1 writes what happened into the files instead: read the difference before keeping it.
// DMM_SCENARIO=name runs one file alone.
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

TEST_CASE("scenarios happen as they are told") {
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
