// How jobs ended, kept in a real folder: found by a later keeper, written again, and removed.
#include "resmgr/keeper/outcomes.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <thread>

#include "tests/backends/keeper_folder_stage.hpp"

namespace keeper_outcomes_test {

using namespace dmm;
using namespace dmm::keeper_folder;
using keeper::Outcome;
using keeper::Outcomes;

namespace {

Outcome outcome_of(std::uint64_t serial, std::int32_t code = 0) {
  Outcome outcome;
  outcome.job.serial = outcome.end.serial = serial;
  outcome.job.name.user = "ann";
  outcome.end.code = code;
  return outcome;
}

std::string bytes_of(const Outcome& outcome) {
  std::string bytes;
  keeper::pack_value(bytes, outcome);
  return bytes;
}

/// The outcomes' directories, in order: "a b".
std::string names_of(const Outcomes& outcomes) {
  std::string names;
  for (const auto& [directory, outcome] : outcomes.all()) names += (names.empty() ? "" : " ") + directory;
  return names;
}

}  // namespace

TEST_CASE("keeper outcomes: a later keeper finds them, until the job's directory is removed") {
  KeeperFolder stage;
  Outcomes outcomes;
  CHECK(outcomes.load(stage.folder, false) == 0);
  outcomes.add("a", outcome_of(7, 3), stage.folder);
  outcomes.add("b", outcome_of(5), stage.folder);
  CHECK_FALSE(outcomes.has_unkept());
  CHECK(names_of(outcomes) == "a b");
  keeper::JobFolder later;
  stage.open(later);
  Outcomes found;
  CHECK(found.load(later, false) == 7);
  REQUIRE(names_of(found) == "a b");
  CHECK(found.all().at("a").job.name.user == "ann");
  CHECK(found.all().at("a").end.code == 3);
  found.remove("a", later);
  found.remove("unknown", later);
  CHECK(names_of(found) == "b");
  CHECK_FALSE(stage.has("outcomes/a"));
  CHECK(Outcomes().load(later, false) == 5);
}

TEST_CASE(
    "keeper outcomes: incomplete ones and those of another build don't count, and go if the start is fresh") {
  Outcome of_another = outcome_of(9);
  ++of_another.version;
  const std::string good = bytes_of(outcome_of(4));
  for (const bool fresh : {false, true}) {
    CAPTURE(fresh);
    KeeperFolder stage;
    stage.write("outcomes/good", good);
    stage.write("outcomes/short", good.substr(0, good.size() - 1));
    stage.write("outcomes/long", good + 'x');
    stage.write("outcomes/other", bytes_of(of_another));
    stage.make("good");
    stage.make("without");
    Outcomes outcomes;
    CHECK(outcomes.load(stage.folder, fresh) == 4);
    CHECK(names_of(outcomes) == "good");
    CHECK(stage.count("outcomes") == (fresh ? 1 : 4));
    CHECK(stage.count("jobs") == (fresh ? 1 : 2));
    CHECK(stage.count("removed") == (fresh ? 4 : 0));
    CHECK(stage.has("outcomes/good"));
    CHECK(stage.has("jobs/good"));
  }
}

TEST_CASE("keeper outcomes: one that the disk refused is written again with the next one, or after a while") {
  KeeperFolder stage;
  Outcomes outcomes;
  std::filesystem::create_directories(stage.path("outcomes/a"));  // a file can't take its place
  outcomes.add("a", outcome_of(1), stage.folder);
  CHECK(outcomes.has_unkept());
  CHECK(outcomes.keep_again() <= keeper::now() + 500'000);
  outcomes.add("b", outcome_of(2), stage.folder);
  CHECK(outcomes.has_unkept());
  CHECK(stage.has("outcomes/b"));
  std::filesystem::remove(stage.path("outcomes/a"));
  outcomes.keep_unkept(stage.folder);
  if (keeper::now() < outcomes.keep_again()) CHECK(outcomes.has_unkept());  // too early
  std::this_thread::sleep_for(std::chrono::microseconds(outcomes.keep_again() - keeper::now()));
  outcomes.keep_unkept(stage.folder);
  CHECK_FALSE(outcomes.has_unkept());
  CHECK(Outcomes().load(stage.folder, false) == 2);
  CHECK(std::filesystem::is_regular_file(stage.path("outcomes/a")));
}

TEST_CASE("keeper outcomes: the next outcome doesn't wait for the time, nor do those before it") {
  KeeperFolder stage;
  Outcomes outcomes;
  std::filesystem::create_directories(stage.path("outcomes/a"));
  std::filesystem::create_directories(stage.path("outcomes/c"));
  outcomes.add("a", outcome_of(1), stage.folder);
  outcomes.add("c", outcome_of(3), stage.folder);
  std::filesystem::remove(stage.path("outcomes/a"));
  outcomes.add("b", outcome_of(2), stage.folder);
  CHECK(std::filesystem::is_regular_file(stage.path("outcomes/a")));
  CHECK(outcomes.has_unkept());
  outcomes.remove("c", stage.folder);  // what is removed need not be kept
  CHECK_FALSE(outcomes.has_unkept());
}

TEST_CASE("keeper outcomes: a job's end has its streams if they are short, and always their lengths") {
  struct Row {
    std::size_t output, error;
    bool has_streams;
  };
  constexpr std::size_t most = 4'096;
  for (const Row& row : {Row{0, 0, true}, Row{3, 5, true}, Row{most - 1, 1, true}, Row{most, 1, false},
                         Row{0, most + 1, false}, Row{100'000, 0, false}}) {
    CAPTURE(row.output);
    CAPTURE(row.error);
    KeeperFolder stage;
    stage.make("a");
    const std::string output(row.output, 'o'), error(row.error, 'e');
    stage.write("jobs/a/output", output);
    stage.write("jobs/a/error", error);
    for (const bool held : {true, false}) {
      CAPTURE(held);
      if (!held) stage.folder.release_streams("a");
      keeper::JobEnded end;
      end.code = 7;
      end = keeper::with_streams(std::move(end), "a", stage.folder);
      CHECK(end.code == 7);
      CHECK(end.output_bytes == row.output);
      CHECK(end.error_bytes == row.error);
      CHECK(end.output == (row.has_streams ? output : ""));
      CHECK(end.error == (row.has_streams ? error : ""));
    }
  }
}

TEST_CASE(
    "keeper outcomes: streams that aren't held are read by their names, but nothing that was put in their place") {
  for (const std::string what : {"nothing", "link", "pipe", "file of another account"}) {
    CAPTURE(what);
    if (what == "file of another account" && ::geteuid() != 0) continue;
    KeeperFolder stage;
    stage.make("a");
    stage.write("secret", "of the host");
    const std::string output = stage.path("jobs/a/output");
    if (what != "nothing") REQUIRE(std::filesystem::remove(output));
    if (what == "link") REQUIRE(::symlink(stage.path("secret").c_str(), output.c_str()) == 0);
    if (what == "pipe") REQUIRE(::mkfifo(output.c_str(), 0600) == 0);
    if (what == "file of another account") {
      REQUIRE(::link(stage.path("secret").c_str(), output.c_str()) == 0);
      REQUIRE(::chown(output.c_str(), 1, 1) == 0);
    }
    if (what == "nothing") stage.write("jobs/a/output", "of the job");
    CHECK(stage.folder.read("a", Stream::output, 0, 100).data == (what == "nothing" ? "of the job" : ""));
    stage.folder.release_streams("a");
    CHECK(stage.folder.read("a", Stream::output, 0, 100).data == (what == "nothing" ? "of the job" : ""));
  }
}

TEST_CASE("keeper outcomes: the streams of a job that is over stay held, unless many are") {
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  const rlimit low{400, before.rlim_max};
  KeeperFolder stage;
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &low) == 0);
  const auto read_of_over_job = [&](const std::string& name) {
    stage.write("jobs/" + name + "/output", "of the job");
    std::filesystem::remove(stage.path("jobs/" + name + "/output"));
    stage.write("jobs/" + name + "/output", "another");
    stage.folder.job_ended(name);
    return stage.folder.read(name, Stream::output, 0, 100).data;
  };
  for (int job = 1; job <= 50; ++job) stage.make(std::to_string(job));  // an eighth of the limit
  CHECK(read_of_over_job("1") == "of the job");
  stage.make("51");
  CHECK(read_of_over_job("2") == "another");
  CHECK(read_of_over_job("3") == "of the job");
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
}

}  // namespace keeper_outcomes_test
