// Proves that checkers can fail. Bugs of one line each are planted in the managers (manager/planted.hpp). Runs with
// faults must find each within some seeds, by the check that is named for it here. All these checks look from outside
// and ask the faulty manager for nothing. If an assertion breaks, or another check finds something, the hunt goes on
// with the next seed. Each hunt is a process of its own, since many bugs end it. DMM_VERBOSE=1 prints what was found
// and what was passed over; DMM_BUG=name plants one bug; DMM_FIRST_SEED=n begins there.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

#include "manager/planted.hpp"
#include "simulator/faults/fault_run.hpp"

namespace dmm {
namespace {

Planted now_planted = Planted::none;

}  // namespace

Planted planted() { return now_planted; }

namespace {

constexpr std::uint64_t seeds_max = 150;  ///< of one hunt
/// Limit for one seed, in seconds: a bug may make a run endless.
constexpr unsigned seed_takes_max = 60;

/// The check that must find a bug.
struct Finder {
  Planted bug;             ///< in the order of manager/planted.hpp
  std::string_view says;   ///< a part of the check's text
  std::uint64_t from = 1;  ///< the first seed; later to save time, if the check finds nothing before it
  std::optional<Trouble> trouble = {};  ///< the trouble of all runs; none: each seed draws its own
  RandomOptions world = {};             ///< other options of the world
};

/// Long enough for things that take an hour or a day.
constexpr RandomOptions two_days{.sites_max = 4, .length = seconds(48 * 3600), .jobs = 0.1};

constexpr RandomOptions keyed{.sites_max = 4, .keyed = true};

constexpr auto finders = std::to_array<Finder>({
    {Planted::no_epoch_check, "went back from a later lease", 501},
    {Planted::clean_too_early, "nodes run a task that their owner thinks free"},
    {Planted::runs_on_unheard, "which hears no manager", 101},
    {Planted::unassign_not_written, "its ledger still has assignments"},
    {Planted::living_tasks_ignored, "runs and no manager knows of it"},
    {Planted::end_not_said, "isn't quiet"},
    {Planted::release_not_forwarded, "nodes didn't come home"},
    {Planted::clean_not_awaited, "leased again as"},
    {Planted::dttl_not_counted, "is longer than its DTTL"},
    {Planted::chain_ignored, "holds a site twice", 551},
    {Planted::claim_not_forwarded, "waits for ever though", 91},
    {Planted::grant_not_written, "its ledger lacks leases"},
    {Planted::unknown_lease_ignored, "nodes run a task that their owner thinks free"},
    {Planted::register_not_compared, "leased again as"},
    {Planted::own_restart_ends_leases, "was interrupted needlessly"},
    {Planted::job_only_committed, "is lost", 111},
    {Planted::outcome_only_committed, "has two outcomes", 71},
    {Planted::end_not_awaited, "runs while attempt", 151},
    {Planted::nodes_not_released, "nodes didn't come home"},
    {Planted::starts_not_repeated, "has no outcome"},
    {Planted::gap_delivered, "has no outcome"},
    {Planted::not_sent_again, "isn't quiet", 41},
    {Planted::sent_before_commit, "is lost", 81},
    {Planted::exit_status_dropped, "finished, and its programs didn't"},
    {Planted::too_large_by_presence, "was refused though", 51},
    {Planted::gone_neighbour_unknown, "its ledger lacks reaches"},
    {Planted::not_renewed, "waits for ever though", 81},
    {Planted::given_up_at_once, "is given up too soon"},
    {Planted::backoff_end_not_told, "waits for ever though", 1161},
    {Planted::turn_ignored, "got less than its share", 81, Trouble::crowd},
    {Planted::keeper_death_charged, "is charged for the death of its keeper"},
    {Planted::reclaim_charged, "is charged with a rerun, and nothing broke", 3, Trouble::life},
    {Planted::wavering_not_told, "relies on", 61},
    {Planted::guard_never_ends, "isn't quiet", 17, Trouble::life, two_days},
    {Planted::go_without_the_others, "of its tasks weren't ready"},
    {Planted::array_never_ends, "has no outcome"},
    {Planted::hold_kept, "stays held for it"},
    {Planted::claim_not_awaited, "which its owner has only offered"},
    {Planted::gate_open, "nothing had gone wrong", 19, Trouble::life, keyed},
    {Planted::key_forgotten, "has no outcome", 108, Trouble::life, keyed},
});

struct Found {
  std::string by;           ///< the check's text; empty if it found nothing
  std::string passed_over;  ///< findings before that, one line for each seed
};

/// The work of a forked child: plays seeds until a check has the wanted finding, and prints all findings on standard
/// error. If no finding is named, any finding will do.
[[noreturn]] void hunt(std::uint64_t first, std::uint64_t last, const Finder& finder) {
  const std::string_view says = finder.says;
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    alarm(seed_takes_max);
    std::fprintf(stderr, "seed %llu: ", static_cast<unsigned long long>(seed));
    RandomOptions options = finder.world;
    options.trouble = finder.trouble.value_or(trouble_of(seed));
    FaultRun run(seed, options);
    if (!says.empty()) run.ignore_own_word();
    std::string fault = run.play();
    if (fault.empty()) fault = run.check_served();
    std::fprintf(stderr, "%s\n", fault.c_str());
    if (!fault.empty() && fault.find(says) != std::string::npos) _exit(1);
  }
  _exit(0);
}

/// Hunts in a process of its own; returns how the process ended, with its output in `said`.
int hunt_apart(const Finder& finder, std::uint64_t first, std::uint64_t last, std::string& said) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    now_planted = finder.bug;
    std::signal(SIGABRT, SIG_DFL);
    hunt(first, last, finder);
  }
  close(ends[1]);
  char piece[4096];
  for (ssize_t length; (length = read(ends[0], piece, sizeof piece)) > 0;)
    said.append(piece, static_cast<std::size_t>(length));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  while (!said.empty() && said.back() == '\n') said.pop_back();
  return status;
}

/// The first finding of the finder's check; if it names no check, also a broken assertion.
Found find(const Finder& finder, std::uint64_t seeds) {
  const char* const begin = std::getenv("DMM_FIRST_SEED");
  std::uint64_t first = begin ? std::strtoull(begin, nullptr, 10) : finder.from;
  const std::uint64_t last = first + seeds - 1;
  Found found;
  while (first <= last) {
    std::string said;
    const int status = hunt_apart(finder, first, last, said);
    const std::size_t line = said.rfind("seed ");
    REQUIRE(line != std::string::npos);
    const bool is_found = WIFEXITED(status) && WEXITSTATUS(status) == 1;
    const bool is_over = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (is_found || (WIFSIGNALED(status) && finder.says.empty())) found.by = said.substr(line);
    if (is_found) said.resize(line);
    found.passed_over += said + "\n";
    if (is_over || !found.by.empty()) break;
    first = std::strtoull(said.c_str() + line + 5, nullptr, 10) + 1;
  }
  return found;
}

void print_passed_over(const std::string& lines) {
  for (std::size_t begin = 0; begin < lines.size();) {
    const std::size_t end = lines.find('\n', begin);
    const std::string line = lines.substr(begin, end - begin);
    if (!line.empty() && !line.ends_with(": ")) std::printf("%26s(%s)\n", "", line.c_str());
    begin = end + 1;
  }
}

}  // namespace

TEST_CASE("planted bugs: nothing is found where nothing is planted") {
  CHECK(find({Planted::none, ""}, 10).by == "");
}

TEST_CASE("planted bugs: each is found by the check that is named for it") {
  const char* const wanted = std::getenv("DMM_BUG");
  REQUIRE(finders.size() == planted_names.size() - 1);
  for (std::size_t i = 0; i < finders.size(); ++i) {
    REQUIRE(finders[i].bug == static_cast<Planted>(i + 1));
    const std::string name(planted_names[i + 1]);
    if (wanted && name != wanted) continue;
    const Found found = find(finders[i], seeds_max);
    if (std::getenv("DMM_VERBOSE")) {
      std::printf("%-24s %s\n", name.c_str(), found.by.c_str());
      print_passed_over(found.passed_over);
    }
    INFO("planted: ", name, ", to be found by: ", finders[i].says);
    CHECK(found.by != "");
  }
}

}  // namespace dmm
