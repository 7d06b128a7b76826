// Which account a job gets, by site and user: the decision alone, on tables.
#include <doctest/doctest.h>

#include "resmgr/backends/process/job_accounts.hpp"

namespace job_accounts_test {

using namespace dmm;

namespace {

const SiteName own{"alpha"};
constexpr const char* no_right = "it lacks CAP_SETUID, which root has";

JobAccountRules range(std::uint32_t first, std::uint32_t last) { return {.first = first, .last = last}; }

// "guest7", "70001", "own", or "refused: ..."
std::string chosen(JobAccounts& accounts, const char* site, const char* user = "ann", const char* why_not = "") {
  const AccountChoice choice = accounts.choose(SiteName(site), user, why_not);
  if (!choice.refusal.empty()) return "refused: " + choice.refusal;
  if (!choice.name.empty()) return choice.name;
  return choice.number == 0 ? "own" : std::to_string(choice.number);
}

}  // namespace

TEST_CASE("job accounts: each site has a number of the range, its own site too, and keeps it") {
  JobAccounts accounts(range(70001, 70003), own);
  CHECK(chosen(accounts, "beta", "ann") == "70001");
  CHECK(chosen(accounts, "gamma", "ann") == "70002");
  CHECK(chosen(accounts, "beta", "bob") == "70001");
  CHECK(chosen(accounts, "alpha", "ann") == "70003");
  CHECK(chosen(accounts, "delta") ==
        "refused: all accounts for jobs, 70001 to 70003, are given to other sites than delta");
  CHECK(accounts.choose(SiteName("beta"), "ann", "").is_new == false);
  CHECK(accounts.kept() == "beta 70001\ngamma 70002\nalpha 70003\n");
}

TEST_CASE("job accounts: a number is new once, and is known again after a restart") {
  JobAccounts first(range(70001, 70003), own);
  first.choose(SiteName("beta"), "ann", "");
  CHECK(first.choose(SiteName("gamma"), "ann", "").is_new);
  JobAccounts second(range(70001, 70003), own);
  CHECK(second.restore(first.kept()) == "");
  CHECK(second.choose(SiteName("gamma"), "ann", "").is_new == false);
  CHECK(chosen(second, "gamma") == "70002");
  CHECK(chosen(second, "beta") == "70001");
  CHECK(chosen(second, "delta") == "70003");
}

TEST_CASE("job accounts: another range gives other numbers, and no site ever gets that of another") {
  JobAccounts moved(range(70002, 70004), own);
  REQUIRE(moved.restore("beta 70001\ngamma 70003\n") == "");
  CHECK(chosen(moved, "beta") == "70002");
  CHECK(chosen(moved, "gamma") == "70003");
  JobAccounts back(range(70001, 70002), own);
  REQUIRE(back.restore(moved.kept()) == "");
  CHECK(chosen(back, "gamma").starts_with("refused: "));
  CHECK(chosen(back, "beta") == "70001");
}

TEST_CASE("job accounts: numbers that something else uses are given to no site") {
  JobAccounts accounts(range(70001, 70003), own, {70001, 70002});
  REQUIRE(accounts.restore("beta 70002\n") == "");
  CHECK(chosen(accounts, "beta") == "70003");
}

TEST_CASE("job accounts: the map goes over the range, and a user over its site") {
  JobAccountRules rules = range(70001, 70001);
  rules.map = {{"beta", "", "beta_jobs"}, {"beta", "ann", "guest7"}, {"alpha", "bob", "bob"}};
  JobAccounts accounts(rules, own);
  CHECK(chosen(accounts, "beta", "ann") == "guest7");
  CHECK(chosen(accounts, "beta", "bob") == "beta_jobs");
  CHECK(chosen(accounts, "alpha", "bob") == "bob");
  CHECK(chosen(accounts, "alpha", "ann") == "70001");
  CHECK(accounts.kept() == "alpha 70001\n");
}

TEST_CASE("job accounts: a user with full trust runs under the manager's own account, and no other user does") {
  JobAccountRules rules = range(70001, 70001);
  rules.required = true;
  rules.map = {{"beta", "slurm", "root", "full"}};
  JobAccounts accounts(rules, own);
  const AccountChoice trusted = accounts.choose(SiteName("beta"), "slurm", "");
  CHECK(trusted.name.empty());
  CHECK(trusted.number == 0);
  CHECK(trusted.refusal.empty());
  CHECK(chosen(accounts, "beta", "ann") == "70001");
}

TEST_CASE("job accounts: what runs under the manager's own account, and what is refused") {
  struct Row {
    bool required;
    std::uint32_t first;
    const char* why_not;
    const char* site;
    const char* expected;
  };
  const Row rows[] = {
      {false, 0, "", "beta", "own"},
      {false, 0, "", "alpha", "own"},
      {false, 70001, no_right, "beta", "own"},
      {false, 70001, no_right, "gamma", "own"},
      {true, 70001, no_right, "alpha", "own"},
      {true, 70001, no_right, "beta",
       "refused: jobs of other sites need an account of their own here, and it lacks CAP_SETUID, which root has"},
      {true, 70001, no_right, "gamma",
       "refused: jobs of other sites need an account of their own here, and it lacks CAP_SETUID, which root has"},
      {true, 0, "", "beta",
       "refused: jobs of other sites need an account of their own here, and none is configured for site beta"},
      {true, 0, "", "gamma", "gamma_jobs"},
      {true, 0, "", "alpha", "own"},
      {true, 70001, "", "beta", "70001"}};
  for (const Row& row : rows) {
    JobAccountRules rules = range(row.first, row.first);
    rules.map = {{"gamma", "", "gamma_jobs"}};
    rules.required = row.required;
    JobAccounts accounts(rules, own);
    CAPTURE(row.expected);
    CHECK(chosen(accounts, row.site, "ann", row.why_not) == row.expected);
  }
}

TEST_CASE("job accounts: what was kept and makes no sense is said by its line") {
  const auto fault = [](const char* kept) { return JobAccounts(range(70001, 70009), own).restore(kept); };
  const std::string expected = "expected the name of a site, a space and a uid above 0";
  CHECK(fault("") == "");
  CHECK(fault("beta 70001") == "");
  CHECK(fault("beta\n") == "line 1: " + expected);
  CHECK(fault("beta 70001\n\n") == "line 2: " + expected);
  CHECK(fault("beta 0\n") == "line 1: " + expected);
  CHECK(fault("beta 70001x\n") == "line 1: " + expected);
  CHECK(fault("beta -1\n") == "line 1: " + expected);
  CHECK(fault(" 70001\n") == "line 1: " + expected);
  CHECK(fault("beta 99999999999\n") == "line 1: " + expected);
  CHECK(fault("beta 70001\ngamma 70001\n") == "line 2: 70001 occurs twice; expected it once");
}

}  // namespace job_accounts_test
