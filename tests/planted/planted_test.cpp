// A checker that can't fail is not a checker: bugs of one line each are planted in the machines (machine/planted.hpp),
// and runs with faults must find every one of them within a few seeds. Each run is a process of its own, since many of
// the bugs end it with a broken assertion. DMM_VERBOSE=1 tells which checker found which; DMM_BUG=name plants one.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "machine/planted.hpp"
#include "simulator/faults/fault_run.hpp"

namespace dmm {
namespace {

Planted now_planted = Planted::none;

}  // namespace

Planted planted() { return now_planted; }

namespace {

constexpr std::uint64_t seeds_max = 150;

/// What the child of a fork does: plays seeds until something is broken, and says what on standard error.
[[noreturn]] void hunt(std::uint64_t seeds) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    std::fprintf(stderr, "seed %llu: ", static_cast<unsigned long long>(seed));
    FaultRun run(seed, RandomOptions{.trouble = trouble_of(seed)});
    std::string fault = run.play();
    if (fault.empty()) fault = run.check_served();
    if (fault.empty()) continue;
    std::fprintf(stderr, "%s\n", fault.c_str());
    _exit(1);
  }
  _exit(0);
}

/// The last line that a hunt in a process of its own says; empty if it finds nothing.
std::string found(Planted bug, std::uint64_t seeds) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    now_planted = bug;
    std::signal(SIGABRT, SIG_DFL);
    alarm(600);  // a bug may make a run without an end
    hunt(seeds);
  }
  close(ends[1]);
  std::string said;
  char piece[4096];
  for (ssize_t length; (length = read(ends[0], piece, sizeof piece)) > 0;)
    said.append(piece, static_cast<std::size_t>(length));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  const std::size_t last = said.rfind("seed ");
  std::string line = last == std::string::npos ? said : said.substr(last);
  while (!line.empty() && line.back() == '\n') line.pop_back();
  return line.empty() ? "ended by a signal" : line;
}

}  // namespace

TEST_CASE("nothing is found where nothing is planted") { CHECK(found(Planted::none, 10).empty()); }

TEST_CASE("every planted bug is found") {
  const char* const wanted = std::getenv("DMM_BUG");
  for (std::size_t i = 1; i < planted_names.size(); ++i) {
    const std::string name(planted_names[i]);
    if (wanted && name != wanted) continue;
    const std::string by = found(static_cast<Planted>(i), seeds_max);
    if (std::getenv("DMM_VERBOSE")) std::printf("%-24s %s\n", name.c_str(), by.c_str());
    INFO("planted: ", name);
    CHECK_FALSE(by.empty());
  }
}

}  // namespace dmm
