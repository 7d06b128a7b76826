// Stories about jobs with input files: what the site and the resource manager are told of the files, and how long a
// task may wait for them.
#include "tests/jobmgr/job_manager_stage.hpp"

#include "jobmgr/home_files.hpp"
#include "protocol/home_paths.hpp"
#include "protocol/programs.hpp"

namespace job_manager_files_test {

using namespace dmm;
using namespace dmm::job_stage;

namespace {

const SiteName lender("das-3"), other("das-4");

/// A job with files at another site, at no known site, and at the owner of the nodes.
JobDescription reader() {
  JobDescription job = sleeper();
  set_inputs(job, {{"mesh", {{"http://o/mesh", other}, {"http://x/mesh"}, {"http://l/mesh", lender}}, 7'000, {}}});
  return job;
}

/// A job that reads a file at home and stages two back, the second from each task.
JobDescription staged() {
  JobDescription job = sleeper({4, 4});
  set_inputs(job, {{"mesh", {{at_home("/h/mesh")}}, 7'000, {}}, {"data", {{"http://x/data"}}, 0, {}}});
  set_outputs(job, {{"log", at_home("/h/log")}, {"part", at_home("/h/%j.%r")}});
  return job;
}

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

const HomeServerAddress server{"https://h:7", "PIN=", "secret"};

/// A job manager with a file server.
struct ServingStage : Stage {
  ServingStage() { manager.set_home_server(server); }
  std::vector<HomeShare> shared() { return std::exchange(out.shares, {}); }
};

/// Grants nodes for both components; returns the Starts to their resource managers.
std::vector<Start> start_both(Stage& stage, std::uint32_t attempt = 1) {
  stage.hear(site, grant(request(1, attempt), {group(fs0, {0, 1}, 0), group(fs1, {0, 1}, 1)}));
  std::vector<Start> starts = stage.said<Start>(fs0);
  for (const Start& start : stage.said<Start>(fs1)) starts.push_back(start);
  REQUIRE(starts.size() == 2);
  return starts;
}

std::string url_of(const HomeShare& share, const char* what) {
  return server.url + '/' + share.ticket + what + "#pin=PIN=";
}

}  // namespace

TEST_CASE("files: what is at home is named by the server's URL and a ticket for each task [S132h]") {
  ServingStage stage;
  stage.submit({staged()});
  const auto requests = stage.said<Request>(site);
  REQUIRE(requests.at(0).files.size() == 1);
  CHECK(requests[0].files[0] == FileNeed{7'000, {home}});
  const std::vector<Start> starts = start_both(stage);
  const std::vector<HomeShare> shares = stage.shared();
  REQUIRE(shares.size() == 2);
  CHECK(shares[0].ticket.size() == 64);
  CHECK(shares[0].ticket != shares[1].ticket);
  for (std::uint32_t task : {0, 1}) {
    const HomeShare& share = shares[task];
    const Program& program = starts[task].program;
    CHECK(share.job == 1);
    CHECK(share.inputs == std::vector<std::string>{"/h/mesh", ""});
    CHECK(program.inputs[0].replicas[0].url.view() == url_of(share, "/in/0"));
    CHECK(program.inputs[0].bytes == 0);
    CHECK(program.inputs[1].replicas[0].url.view() == "http://x/data");
    CHECK(share.outputs == std::vector<std::string>{task == 0 ? "/h/log" : "", "/h/1." + std::to_string(task)});
  }
  REQUIRE(starts[0].program.outputs.size() == 2);
  CHECK(starts[0].program.outputs[0] == OutputFile{"log", url_of(shares[0], "/out/0")});
  REQUIRE(starts[1].program.outputs.size() == 1);
  CHECK(starts[1].program.outputs[0] == OutputFile{"part", url_of(shares[1], "/out/1")});
}

TEST_CASE("files: an attempt that is over shares nothing, and the next has other tickets [S132h]") {
  ServingStage stage;
  stage.submit({staged()});
  start_both(stage);
  const std::vector<HomeShare> first = stage.shared();
  stage.hear(fs0, not_started(request(1), StartFault::resources));
  Ended other = not_started(request(1), StartFault::resources);
  other.component = 1;
  stage.hear(fs1, other);
  const std::vector<HomeShare> withdrawn = stage.shared();
  REQUIRE(withdrawn.size() == 1);
  CHECK(withdrawn[0].job == 1);
  CHECK(withdrawn[0].ticket.empty());
  stage.pass(seconds(60));
  start_both(stage, 2);
  for (const HomeShare& again : stage.shared())
    for (const HomeShare& before : first) CHECK(again.ticket != before.ticket);
}

TEST_CASE("files: a restarted job manager shares again what runs, under the same tickets [S132h]") {
  ServingStage stage;
  stage.submit({staged()});
  start_both(stage);
  const std::vector<HomeShare> before = stage.shared();
  stage.manager = JobManager(stage.manager.settings());
  stage.manager.set_home_server(server);
  REQUIRE(stage.manager.restore(stage.now, stage.ledger.after_the_process()) == "");
  stage.out = {};
  stage.out.ledger.wanted = true;
  stage.settle();
  const std::vector<HomeShare> after = stage.shared();
  REQUIRE(after.size() == before.size());
  for (std::size_t i = 0; i < after.size(); ++i) CHECK(after[i].ticket == before[i].ticket);
}

TEST_CASE("files: a job manager that lost its server over a restart shares nothing, and goes on [S132h]") {
  ServingStage stage;
  stage.submit({staged()});
  start_both(stage);
  stage.restart();
  CHECK(stage.shared().empty());
  CHECK(stage.state(1) == JobState::starting);
}

TEST_CASE("files: without a server no file goes from home or there, and no other place is taken [S132h]") {
  Stage stage;
  CHECK(has(stage.submit({staged()}).fault, "stage_in: this job manager neither gives nor takes files"));
  JobDescription writer = sleeper();
  set_outputs(writer, {{"log", at_home("/h/log")}});
  CHECK(has(stage.submit({writer}).fault, "stage_out: this job manager neither gives nor takes files"));
  ServingStage serving;
  set_outputs(writer, {{"log", "https://elsewhere/log"}});
  CHECK(has(serving.submit({writer}).fault, "stage_out: 'log': expected a path at home"));
}

TEST_CASE("files: two open jobs bring no file to one place, and elements of an array neither [S146b]") {
  ServingStage stage;
  CHECK(stage.submit({staged()}).fault.empty());
  CHECK(has(stage.submit({staged()}).fault, "stage_out: job 1, which isn't over, writes to /h/log"));
  JobDescription array = sleeper();
  array.array.ranges.push_back({0, 3, 1});
  array.append = true;
  set_outputs(array, {{"log", at_home("/h/array")}});
  CHECK(has(stage.submit({array}).fault, "stage_out: all elements of the array would write to /h/array"));
  set_outputs(array, {{"log", at_home("/h/array.%a")}});
  CHECK(stage.submit({array}).fault.empty());
}

TEST_CASE("files: the resource manager gets the owner's replica first") {
  Stage stage;
  stage.submit({reader()});
  const auto requests = stage.said<Request>(site);
  REQUIRE(requests.size() == 1);
  REQUIRE(requests[0].files.size() == 1);
  CHECK(requests[0].files[0] == FileNeed{7'000, {other, lender}});
  CHECK(requests[0].need.constraints->attributes.at("stages_files") == "yes");
  stage.hear(site, grant(request(1), {group(fs0, {0, 1})}));
  const auto starts = stage.said<Start>(fs0);
  REQUIRE(starts.size() == 1);
  CHECK(starts[0].program.awaits_go);
  const auto& replicas = starts[0].program.inputs[0].replicas;
  CHECK(replicas == std::vector<Replica>{{"http://l/mesh", lender}, {"http://o/mesh", other}, {"http://x/mesh"}});
}

TEST_CASE("files: a path of another site's hosts is no replica here") {
  Stage stage;
  JobDescription job = sleeper();
  const std::vector<Replica> replicas{{"file:///o/mesh", other}, {"file:///mesh"}, {"file:///l/mesh", lender}};
  set_inputs(job, {{"mesh", replicas, 0, {}}, {"only", {{"file:///o/only", other}}, 0, {}}});
  stage.submit({job});
  stage.hear(site, grant(request(1), {group(fs0, {0, 1})}));
  const auto starts = stage.said<Start>(fs0);
  REQUIRE(starts.size() == 1);
  CHECK(starts[0].program.inputs[0].replicas ==
        std::vector<Replica>{{"file:///l/mesh", lender}, {"file:///mesh"}});
  CHECK(starts[0].program.inputs[1].replicas.empty());
}

TEST_CASE("files: a task begins at its Go, when its files are there") {
  Stage stage;
  stage.submit({reader()});
  stage.hear(site, grant(request(1), {group(fs0, {0, 1})}));
  stage.pass(stage.manager.settings().start_limit + seconds(100));
  CHECK(stage.state(1) == JobState::starting);
  CHECK(stage.manager.job(1)->input_files == 1);
  CHECK(stage.said<Go>(fs0).empty());
  stage.hear(fs0, Started{request(1), 0, 7, {}, "-"});
  CHECK(stage.said<Go>(fs0).size() == 1);
  CHECK(stage.state(1) == JobState::running);
}

TEST_CASE("files: those that clusters can keep go ahead of a job that is placed [S88d]") {
  Stage stage;
  JobDescription job = sleeper();
  const std::string sum(64, '5');
  const Replica far{"http://o/f", other}, near{"file:///l/f", lender};
  set_inputs(job, {{"f", {far, near}, 7'000, sum}, {"g", {far}, 7'000, {}}, {"h", {near}, 7'000, sum}});
  stage.submit({job});
  stage.said<Request>(site);
  const std::vector<PlannedPlace> places{{lender, ClusterName("a")}, {other, ClusterName("b")}};
  stage.hear(site, Planned{request(1), places, seconds(3), seconds(4)});
  const auto told = stage.said<Prefetch>(site);
  REQUIRE(told.size() == 2);
  CHECK(told[0].request == request(1));
  CHECK(told[0].site == lender);
  CHECK(told[0].cluster == ClusterName("a"));
  REQUIRE(told[0].files.size() == 2);
  CHECK(told[0].files[0].replicas == std::vector<Replica>{near, far});
  CHECK(told[1].site == other);
  REQUIRE(told[1].files.size() == 1);  // a path on the lender's hosts isn't a source here
  CHECK(told[1].files[0].name.view() == "f");
  stage.hear(site, Planned{request(1, 2), places, seconds(3), seconds(4)});
  stage.hear(site, Planned{request(7), places, seconds(3), seconds(4)});
  CHECK(stage.said<Prefetch>(site).empty());
  stage.hear(site, grant(request(1), {group(fs0, {0, 1})}));
  stage.hear(site, Planned{request(1), places, seconds(3), seconds(4)});
  CHECK(stage.said<Prefetch>(site).empty());
}

TEST_CASE("files: the home site hears which a cluster may keep since a task had them [S88b]") {
  Stage stage;
  JobDescription job = sleeper();
  const std::string sum(64, '5');
  set_inputs(job, {{"f", {{"http://x/f"}}, 7'000, sum}, {"g", {{"http://x/g"}}, 0, sum}});
  stage.submit({job});
  stage.hear(site, grant(request(1), {group(fs0, {0, 1})}));
  stage.pass(seconds(10));
  stage.hear(fs0, Started{request(1), 0, 7, {}, "-"});
  const auto told = stage.said<Staged>(site);
  REQUIRE(told.size() == 1);
  CHECK(told[0].from.empty());
  CHECK(told[0].to == lender);
  CHECK(told[0].lease.owner == lender);
  CHECK(told[0].component == 0);
  CHECK(told[0].files == std::vector<ShortText>{ShortText(sum)});
}

TEST_CASE("files: the home site hears how long files from one other site were under way [S88b]") {
  struct Row {
    const char* what;
    InputFiles files;
    std::uint64_t bytes;  ///< bytes in progress reports; 0: no report comes
  };
  const Replica far{"http://o/f", other}, near{"http://l/f", lender}, third{"http://t/f", SiteName("das-5")};
  for (const Row& row :
       {Row{"one file", {{"f", {far}, 50'000'000, {}}}, 50'000'000},
        Row{"two of one site", {{"f", {far}, 50'000'000, {}}, {"g", {far}, 7, {}}}, 50'000'007},
        Row{"one is there", {{"f", {far}, 50'000'000, {}}, {"g", {far, near}, 7, {}}}, 50'000'000},
        Row{"all are there", {{"f", {near}, 50'000'000, {}}}, 0},
        Row{"a path of another site", {{"f", {{"file:///f", SiteName("das-5")}, far}, 9, {}}}, 9},
        Row{"two sites", {{"f", {far}, 50'000'000, {}}, {"g", {third}, 7, {}}}, 0},
        Row{"no size", {{"f", {far}, 0, {}}}, 0}, Row{"no site", {{"f", {{"http://x/f"}}, 50'000'000, {}}}, 0}}) {
    CAPTURE(row.what);
    Stage stage;
    JobDescription job = sleeper();
    set_inputs(job, row.files);
    stage.submit({job});
    stage.hear(site, grant(request(1), {group(fs0, {0, 1})}));
    REQUIRE(stage.said<Start>(fs0).size() == 1);
    stage.pass(seconds(10));
    stage.hear(fs0, Started{request(1), 0, 7, {}, "-"});
    const auto told = stage.said<Staged>(site);
    REQUIRE(told.size() == (row.bytes > 0 ? 1 : 0));
    if (told.empty()) continue;
    CHECK(told[0].request == request(1));
    CHECK(told[0].from == other);
    CHECK(told[0].to == lender);
    CHECK(told[0].bytes == row.bytes);
    CHECK(told[0].took == seconds(10));
    stage.hear(fs0, Started{request(1), 0, 7, {}, "-"});
    CHECK(stage.said<Staged>(site).empty());
  }
}

TEST_CASE("files: nodes come back with a word on the host that failed the job, and on no other end [S76g]") {
  struct Row {
    Ended end;
    bool host_failed;
  };
  for (const Row& row :
       {Row{not_started(request(1), StartFault::resources), true}, Row{ended(request(1), EndKind::lost), true},
        Row{not_started(request(1), StartFault::executable_missing), false},
        Row{ended(request(1), EndKind::lost_contact), false}, Row{ended(request(1), 1), false}}) {
    CAPTURE(static_cast<int>(row.end.kind));
    Stage stage;
    stage.run_one();
    stage.hear(fs0, row.end);
    const auto released = stage.said<Release>(site);
    REQUIRE(released.size() == 1);
    CHECK(released[0].host_failed == row.host_failed);
  }
}

TEST_CASE("files: a task without its files at the limit gives its nodes back, and runs again") {
  Stage stage;
  stage.submit({reader()});
  stage.hear(site, grant(request(1), {group(fs0, {0, 1})}));
  const JobManagerSettings& settings = stage.manager.settings();
  stage.pass(settings.start_limit + settings.staging_limit + seconds(1));
  CHECK(stage.said<Release>(site).size() == 1);
}

TEST_CASE("files: a file that can't be had fails the job, in the words of the resource manager") {
  Stage stage;
  stage.submit({reader()});
  stage.hear(site, grant(request(1), {group(fs0, {0, 1})}));
  Ended end = not_started(request(1), StartFault::staging);
  end.text = "input file 'mesh' from http://l/mesh: 404";
  stage.hear(fs0, end);
  CHECK(stage.state(1) == JobState::failed);
  CHECK(stage.manager.job(1)->text == end.text);
}

}  // namespace job_manager_files_test
