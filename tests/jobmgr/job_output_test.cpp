// The job manager and the output of jobs: fetched while they run and afterwards, cut, unwritten, or left where it is.
#include "tests/jobmgr/job_manager_stage.hpp"

namespace job_output_test {

using namespace dmm;
using namespace dmm::job_stage;

namespace {

constexpr std::uint64_t piece_bytes = 48 * 1024;

Piece piece(std::uint64_t offset, std::string data, std::uint64_t size, bool last = false) {
  return {request(1), 0, Stream::output, offset, std::move(data), last, size};
}

Ended ended_with(std::uint64_t output_bytes, std::uint64_t error_bytes = 0) {
  Ended end = ended(request(1));
  end.output_bytes = output_bytes;
  end.error_bytes = error_bytes;
  return end;
}

/// A running job that wants its output at home.
Stage running(const std::string& output_path = {}, const std::string& error_path = {},
              JobManagerSettings settings = settings_of_alice()) {
  Stage stage(std::move(settings));
  JobDescription job = sleeper();
  job.output_path = output_path;
  job.error_path = error_path;
  stage.submit({job});
  stage.run_one();
  return stage;
}

JobView view_of_one(const Stage& stage) { return *stage.manager.job(1); }

}  // namespace

TEST_CASE("output: large output comes in pieces, as asked for, and is cut at the limit [S142, S144, S144c]") {
  auto settings = settings_of_alice();
  settings.fetch_bytes_max = 100'000;
  Stage stage = running("/home/alice/out", {}, settings);
  stage.hear(fs0, ended_with(1'000'000));
  stage.hear(fs0, Chunk{request(1), 0, Stream::error, 0, "unasked", false, false});
  stage.hear(fs0, piece(piece_bytes, "too early", 1'000'000));
  CHECK(stage.out.output.empty());
  std::uint64_t offset = 0;
  for (auto fetches = stage.said<Fetch>(fs0); !fetches.empty(); fetches = stage.said<Fetch>(fs0)) {
    REQUIRE(fetches.size() == 1);
    CHECK(fetches[0].offset == offset);
    CHECK(fetches[0].unkept);
    CHECK(stage.state(1) == JobState::collecting);
    stage.hear(fs0, piece(offset, std::string(piece_bytes, 'x'), 1'000'000));
    CHECK(stage.said<Fetch>(fs0).empty());  // not before the writer has room
    stage.written(1);
    offset += piece_bytes;
  }
  REQUIRE(stage.out.output.size() == 3);
  CHECK(stage.out.output[0].path == "/home/alice/out");
  CHECK(stage.out.output[0].begins);
  CHECK_FALSE(stage.out.output[1].begins);
  CHECK_FALSE(stage.out.output[1].last);
  CHECK(stage.out.output[2].last);
  CHECK(stage.out.output[2].offset + stage.out.output[2].data.size() == 100'000);
  CHECK(stage.state(1) == JobState::finished);
  CHECK(view_of_one(stage).output == OutputState::cut);
  CHECK(view_of_one(stage).output_text == "standard output is cut: 100000 bytes of it were brought back");
  CHECK(stage.said<Forget>(fs0).size() == 1);
}

TEST_CASE("output: a resource manager without Pieces is understood: its cut Chunk leaves the output cut") {
  Stage stage = running();
  stage.hear(fs0, ended_with(20'000'000));
  stage.hear(fs0, Chunk{request(1), 0, Stream::output, 0, "all that it brings", true, true});
  stage.written(1);
  CHECK(stage.state(1) == JobState::finished);
  CHECK(view_of_one(stage).output == OutputState::cut);
}

TEST_CASE("output: it is taken while the job runs, and not asked for while there is none [S143a, S144a]") {
  Stage stage;
  JobDescription discarded = sleeper();
  discarded.keep_output = false;
  stage.submit({sleeper(), discarded});
  stage.hear(site, grant(request(1), {group(fs0, {0, 1})}));
  stage.hear(site, grant(request(2), {group(fs1, {0, 1})}));
  CHECK(stage.said<Start>(fs0).at(0).streams);
  CHECK_FALSE(stage.said<Start>(fs1).at(0).streams);
  stage.hear(fs0, Started{request(1), 0, 7});
  stage.pass(seconds(60));
  CHECK(stage.said<Fetch>(fs0).empty());
  stage.hear(fs0, Grown{request(1), 0, 5, 0});
  CHECK(stage.said<Fetch>(fs0).at(0).offset == 0);
  stage.hear(fs0, piece(0, "hello ", 6));  // the job has written more meanwhile
  REQUIRE(stage.out.output.size() == 1);
  CHECK(stage.out.output[0].data == "hello ");
  CHECK_FALSE(stage.out.output[0].last);
  stage.written(1);
  CHECK(stage.said<Fetch>(fs0).empty());  // all output is fetched
  CHECK(stage.state(1) == JobState::running);
  Ended end = ended_with(11);
  end.output = "hello world";
  stage.hear(fs0, end);
  REQUIRE(stage.out.output.size() == 2);
  CHECK(stage.out.output[1].offset == 6);
  CHECK(stage.out.output[1].data == "world");
  CHECK(stage.out.output[1].last);
  CHECK_FALSE(stage.out.output[1].begins);
  stage.written(1);
  CHECK(stage.state(1) == JobState::finished);
  CHECK(view_of_one(stage).output == OutputState::complete);
}

TEST_CASE("output: a lost piece is asked for again, but not while its resource manager is silent") {
  Stage stage = running();
  stage.hear(fs0, Grown{request(1), 0, 5, 0});
  CHECK(stage.said<Fetch>(fs0).size() == 1);
  stage.pass(seconds(10));
  CHECK(stage.said<Fetch>(fs0).size() == 1);
  stage.down(fs0);
  stage.pass(seconds(100));
  CHECK(stage.said<Fetch>(fs0).empty());
  stage.up(fs0, false);
  CHECK(stage.said<Fetch>(fs0).size() == 1);
}

TEST_CASE("both streams in one file: its beginning is made once, and then all goes to its end") {
  Stage stage = running("/home/alice/both", "/home/alice/both");
  Ended end = ended_with(4, 4);
  end.output = "out\n";
  end.error = "err\n";
  stage.hear(fs0, end);
  REQUIRE(stage.out.output.size() == 2);
  for (const OutputPiece& one : stage.out.output)
    CHECK((one.appends && one.last && one.path == "/home/alice/both"));
  CHECK(stage.out.output[0].begins);
  CHECK_FALSE(stage.out.output[1].begins);
}

TEST_CASE("output: an attempt that was interrupted leaves nothing of its output behind") {
  Stage stage = running();
  stage.hear(fs0, Grown{request(1), 0, 5, 0});
  stage.hear(fs0, piece(0, "first", 5));
  stage.written(1);
  stage.hear(fs0, ended(request(1), EndKind::lost));
  stage.hear(site, grant(request(1, 2), {group(fs1, {0, 1})}));
  stage.restart();
  stage.hear(fs1, Started{request(1, 2), 0, 7});
  stage.hear(fs1, ended(request(1, 2)));  // this component wrote nothing
  REQUIRE(stage.out.output.size() == 1);
  CHECK((stage.out.output[0].begins && stage.out.output[0].last && stage.out.output[0].data.empty()));
}

TEST_CASE("output: what can't be written is tried again at the end, then stays where the job ran [S144b]") {
  Stage stage = running("/no/such/folder/out");
  stage.hear(fs0, Grown{request(1), 0, 5, 0});
  stage.hear(fs0, piece(0, "hello", 5));
  stage.written(1, Stream::output, "no such folder");
  stage.hear(fs0, Grown{request(1), 0, 10, 0});
  CHECK(stage.said<Fetch>(fs0).size() == 1);  // only of the first
  stage.hear(fs0, ended_with(10'000));
  CHECK(stage.said<Fetch>(fs0).at(0).offset == 0);
  stage.hear(fs0, piece(0, std::string(10'000, 'x'), 10'000, true));
  CHECK(stage.out.output.at(1).begins);
  SUBCASE("it works now") {
    stage.written(1);
    CHECK(view_of_one(stage).output == OutputState::complete);
    CHECK(view_of_one(stage).text == "");
    CHECK(stage.said<Forget>(fs0).size() == 1);
  }
  SUBCASE("it never does") {
    stage.written(1, Stream::output, "no such folder");
    CHECK(stage.state(1) == JobState::finished);
    CHECK(view_of_one(stage).output == OutputState::unwritten);
    CHECK(view_of_one(stage).text == "standard output could not be written: no such folder");
    CHECK(view_of_one(stage).at_lender);
    CHECK(stage.said<Forget>(fs0).empty());
    SUBCASE("until it is fetched once more, into another folder, also after a restart") {
      stage.restart(true);
      stage.up(fs0, true);
      CHECK(stage.said<Fetch>(fs0).empty());
      CHECK(stage.manager.fetch_again(stage.now, 1, stage.out) == "");
      stage.settle();
      CHECK(stage.said<Fetch>(fs0).at(0).offset == 0);
      stage.hear(fs0, piece(0, std::string(10'000, 'x'), 10'000, true));
      CHECK(stage.out.output.back().path == "");
      stage.written(1);
      CHECK(view_of_one(stage).output == OutputState::complete);
      CHECK(view_of_one(stage).text == "");
      CHECK(stage.said<Forget>(fs0).size() == 1);
      CHECK(stage.state(1) == JobState::finished);
      CHECK(stage.manager.fetch_again(stage.now, 1, stage.out).starts_with("nothing of its output is kept"));
    }
    SUBCASE("for an hour") {
      stage.pass(seconds(3600));
      CHECK_FALSE(view_of_one(stage).at_lender);
      CHECK(view_of_one(stage).output == OutputState::unwritten);
    }
    SUBCASE("or until its record goes") {
      CHECK(stage.manager.forget(1));
      stage.settle();
      stage.pass(seconds(3600));
    }
  }
}

TEST_CASE("output: a file system that hangs holds up its own job, is shown, and can be gone round") {
  Stage stage = running("/hung/out");
  Ended end = ended_with(5);
  end.output = "hello";
  stage.hear(fs0, end);
  stage.run_one(2);
  stage.hear(fs0, ended(request(2)));
  CHECK(stage.state(2) == JobState::finished);
  const Instant since = stage.now;
  stage.pass(seconds(10));
  CHECK(stage.state(1) == JobState::collecting);
  CHECK(view_of_one(stage).writing_since == since);
  const auto is_told = [](const LogEvent& event) { return event.name == "output_waits"; };
  CHECK(std::ranges::count_if(stage.out.events, is_told) == 1);
  CHECK(stage.said<Forget>(fs0).size() == 1);  // for the other one
  const OutputPiece hung = stage.out.output.at(0);
  CHECK(stage.manager.fetch_again(stage.now, 1, stage.out) == "");
  stage.settle();
  CHECK(stage.out.output.back().path == "");
  CHECK(stage.out.output.back().data == "hello");
  stage.take(OutputWritten{1, 0, Stream::output, hung.serial, {}, true});  // too late to count
  CHECK(stage.state(1) == JobState::collecting);
  stage.written(1);
  CHECK(stage.state(1) == JobState::finished);
}

TEST_CASE("output: missing output is fetched when its resource manager is heard again") {
  Stage stage = running();
  stage.hear(fs0, ended_with(10'000));
  stage.hear(fs0, piece(0, std::string(6'000, 'x'), 10'000));
  stage.written(1);
  stage.down(fs0);
  stage.pass(seconds(119));
  CHECK(stage.state(1) == JobState::collecting);
  stage.pass(seconds(11));
  CHECK(stage.state(1) == JobState::finished);
  CHECK(view_of_one(stage).output == OutputState::unfetched);
  CHECK(stage.said<Forget>(fs0).empty());
  stage.out.messages.clear();
  SUBCASE("and is whole then") {
    stage.up(fs0, false);
    CHECK(stage.said<Fetch>(fs0).at(0).offset == 6'000);
    stage.hear(fs0, piece(6'000, std::string(4'000, 'x'), 10'000, true));
    stage.written(1);
    CHECK(view_of_one(stage).output == OutputState::complete);
    CHECK(view_of_one(stage).text == "");
    CHECK(stage.said<Forget>(fs0).size() == 1);
  }
  SUBCASE("after a restart it is fetched from its beginning") {
    stage.restart(true);
    CHECK(stage.said<Fetch>(fs0).at(0).offset == 0);
    CHECK(stage.state(1) == JobState::finished);
  }
  SUBCASE("and it has forgotten it") {
    stage.up(fs0, true);
    stage.hear(fs0, piece(6'000, {}, 0, true));
    CHECK(stage.out.output.back().last);  // the existing output is synced
    stage.written(1);
    CHECK(view_of_one(stage).output == OutputState::lost);
  }
  SUBCASE("or is given up after an hour") {
    stage.pass(seconds(3600));
    CHECK(view_of_one(stage).output == OutputState::lost);
    CHECK_FALSE(view_of_one(stage).at_lender);
  }
}

}  // namespace job_output_test
