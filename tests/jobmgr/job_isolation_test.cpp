// The isolation of a job's last attempt in the job's record, as its resource managers reported it.
#include "protocol/programs.hpp"
#include "tests/jobmgr/job_manager_stage.hpp"

namespace dmm::job_isolation_test {

using namespace job_stage;

TEST_CASE("isolation: a job's record has the isolation of its present attempt, over restarts [S137a]") {
  Stage stage;
  stage.submit({sleeper({4, 4})});
  const auto isolation = [&] {
    const JobView job = *stage.manager.job(1);
    return job.places.empty() ? Few<ShortText>{"no place"} : job.places[0].isolation;
  };
  stage.hear(site, grant(request(1), {group(fs0, {0, 1}, 0), group(fs1, {0, 1}, 1)}));
  CHECK(isolation().empty());
  stage.hear(fs0, Started{request(1), 0, 7, "namespaces, rlimits"});
  stage.hear(fs1, Started{request(1), 1, 8, std::string(isolation_bytes_max + 50, 'x')});
  stage.hear(fs1, Started{request(1), 1, 8, "of another start"});
  const Few<ShortText> both = isolation();
  REQUIRE(both.size() == 3);
  CHECK(both[0] == "namespaces, rlimits");
  CHECK(both[1].size() <= isolation_bytes_max);
  SUBCASE("it is over, after a restart") {
    stage.restart();
    CHECK(isolation() == both);
    stage.hear(fs0, ended(request(1)));
    Ended other = ended(request(1));
    other.component = 1;
    stage.hear(fs1, other);
    CHECK(stage.state(1) == JobState::finished);
    CHECK(isolation() == both);
  }
  SUBCASE("it was interrupted, and runs in another place") {
    stage.hear(site, LeaseEnded{lease, {}, LeaseEnd::reclaimed, true, {}});
    CHECK(stage.manager.job(1)->places.empty());
    stage.hear(site, grant(request(1, 2), {group(fs0, {0, 1}, 0), group(fs1, {0, 1}, 1)}));
    CHECK(isolation().empty());
    stage.hear(fs0, Started{request(1), 0, 7, "late"});
    CHECK(isolation().empty());
    stage.hear(fs0, Started{request(1, 2), 0, 7, "rlimits"});
    CHECK(isolation() == Few<ShortText>{"rlimits"});
  }
  SUBCASE("a resource manager says something else each time") {
    for (const char* const more : {"a", "b", "c"}) stage.hear(fs0, Started{request(1), 0, 7, more});
    CHECK(isolation().size() == isolations_max);
  }
}

}  // namespace dmm::job_isolation_test
