// Stories about jobs with input files: what the site and the resource manager are told of them, and for how long a
// task may wait for its files.
#include "tests/jobmgr/job_manager_stage.hpp"

#include "protocol/programs.hpp"

namespace job_manager_files_test {

using namespace dmm;
using namespace dmm::job_stage;

namespace {

const SiteName lender("das-3"), other("das-4");

/// A job whose file lies at another site, at no known one, and at the owner of the nodes.
JobDescription reader() {
  JobDescription job = sleeper();
  set_inputs(job, {{"mesh", {{"http://o/mesh", other}, {"http://x/mesh"}, {"http://l/mesh", lender}}, 7'000, {}}});
  return job;
}

}  // namespace

TEST_CASE("files: the resource manager gets the owner's replica first") {
  Stage stage;
  stage.submit({reader()});
  const auto requests = stage.said<Request>(site);
  REQUIRE(requests.size() == 1);
  REQUIRE(requests[0].files.size() == 1);
  CHECK(requests[0].files[0] == FileNeed{7'000, {other, lender}});
  CHECK(requests[0].need.constraints.attributes.at("stages_files") == "yes");
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

TEST_CASE("files: a task whose files aren't there within the limit gives its nodes back, and runs again") {
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
