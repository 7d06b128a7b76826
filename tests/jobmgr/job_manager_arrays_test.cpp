// Arrays of jobs: one submission and one line; each element runs by itself.
#include <set>

#include "tests/jobmgr/job_manager_stage.hpp"

namespace job_manager_arrays_test {

using namespace dmm;
using namespace dmm::job_stage;

namespace {

JobDescription array_of(std::string_view indices) {
  JobDescription job = sleeper();
  job.array = std::get<ArrayIndices>(parse_array(indices));
  return job;
}

std::uint64_t element(const Stage& stage, std::uint64_t array, std::uint32_t index) {
  return stage.manager.element(array, index).value();
}

void run_and_end(Stage& stage, std::uint64_t job, std::int32_t code = 0) {
  const LeaseId under{SiteName("das-3"), {1, 1000 + job}};
  stage.hear(site, grant(request(job), {group(fs0, {0, 1})}, under));
  stage.hear(fs0, Started{request(job), 0, 7});
  stage.hear(fs0, ended(request(job), code));
}

std::string text_of_group(const Stage& stage, std::uint64_t array, JobState state) {
  const JobView view = stage.manager.job(array).value();
  for (const ArrayView::Group& group : view.elements->groups)
    if (group.state == state) return group.indices;
  return "none";
}

}  // namespace

TEST_CASE("job arrays: an array is one job for its user, and each element is asked for and run alone [S150]") {
  Stage stage;
  const Submitted answer = stage.submit({array_of("0-4:2"), sleeper()});
  CHECK(answer.fault == "");
  CHECK(answer.first_job == 1);
  CHECK(answer.jobs == 2);
  const auto asked = stage.said<Request>(site);
  REQUIRE(asked.size() == 4);
  CHECK(asked[0].id == request(2));  // the other job has the next number; the numbers of elements follow
  CHECK(asked[1].id == request(3));
  CHECK(stage.manager.count(JobState::waiting) == 4);
  CHECK(stage.state(1) == JobState::waiting);
  run_and_end(stage, element(stage, 1, 2));
  const auto starts = stage.said<Start>(fs0);
  REQUIRE(starts.size() == 1);
  const auto& environment = starts[0].program.environment;
  const auto has = [&](const char* variable) { return std::ranges::count(environment, variable) == 1; };
  CHECK(has("DMM_ARRAY_ID=1"));
  CHECK(has("DMM_ARRAY_INDEX=2"));
  CHECK(has("DMM_ARRAY_COUNT=3"));
  CHECK(has("SLURM_ARRAY_TASK_ID=2"));
  CHECK(stage.state(4) == JobState::finished);
  CHECK(text_of_group(stage, 1, JobState::finished) == "2");
  CHECK(text_of_group(stage, 1, JobState::waiting) == "0,4");
  run_and_end(stage, 3);
  CHECK(stage.state(1) == JobState::waiting);
  run_and_end(stage, 5);
  CHECK(stage.state(1) == JobState::finished);
  CHECK(stage.manager.job(1)->exit->code == 0);
  CHECK(stage.manager.ever(JobState::finished) == 3);  // only the elements; the array isn't counted
}

TEST_CASE("job arrays: a job may depend on one element, whether that is asked for yet or not [S150a]") {
  Stage stage;
  stage.submit({array_of("0-2%1")});  // its elements are jobs 2 to 4
  const auto after = [](DependencyKind kind, std::uint32_t index) {
    JobDescription job = sleeper();
    job.dependencies = {{kind, 1, true, index}};
    return job;
  };
  CHECK(stage.submit({after(DependencyKind::after_ok, 7)}).fault == "dependency: array 1 has no element 7");
  stage.submit({after(DependencyKind::after_ok, 0), after(DependencyKind::after_ok, 2),
                after(DependencyKind::after_any, 2), after(DependencyKind::after, 1)});
  CHECK(stage.manager.job(6)->awaits == std::vector<Dependency>{{DependencyKind::after_ok, 1, true, 2}});
  std::set<std::uint64_t> asked;
  const auto is_asked = [&](std::uint64_t job) {
    for (const Request& one : stage.said<Request>(site)) asked.insert(one.id.job);
    return asked.contains(job);
  };
  run_and_end(stage, 2);
  CHECK(is_asked(5));
  CHECK_FALSE(is_asked(6));
  CHECK_FALSE(is_asked(8));
  SUBCASE("an element that never ran counts by its outcome") {
    stage.cancel(4);
    CHECK(stage.state(6) == JobState::cancelled);
    CHECK(stage.manager.job(6)->text ==
          "job 1_2 was cancelled, and this job was to run only after job 1_2 finished");
    CHECK(is_asked(7));
    CHECK_FALSE(is_asked(8));
  }
  SUBCASE("an array that is cancelled as a whole ends what waits for its elements") {
    stage.cancel(1);
    CHECK(stage.state(6) == JobState::cancelled);
    CHECK(is_asked(7));
  }
  SUBCASE("over a restart") {
    stage.restart();
    stage.up(site, true);
    CHECK(stage.manager.job(6)->awaits == std::vector<Dependency>{{DependencyKind::after_ok, 1, true, 2}});
    run_and_end(stage, 3);
    CHECK(is_asked(8));
    run_and_end(stage, 4);
    CHECK(is_asked(6));
  }
}

TEST_CASE("job arrays: an array ends as the worst of its elements, and says which these were") {
  Stage stage;
  stage.submit({array_of("1-4")});
  run_and_end(stage, element(stage, 1, 2), 3);
  run_and_end(stage, element(stage, 1, 3), 2);
  run_and_end(stage, element(stage, 1, 1));
  SUBCASE("in one life of the job manager") {}
  SUBCASE("over its restart") {
    stage.restart();
    stage.up(site, false);
    stage.up(fs0, false);
  }
  run_and_end(stage, element(stage, 1, 4));
  CHECK(stage.state(1) == JobState::failed);
  CHECK(stage.manager.job(1)->exit->code == 3);
  CHECK(stage.manager.job(1)->text == "2 of 4 elements failed: 2-3");
}

TEST_CASE("job arrays: an array is finished if its cancellation came after all its elements had finished") {
  Stage stage;
  stage.submit({array_of("1-2")});
  run_and_end(stage, element(stage, 1, 1));
  const std::uint64_t last = element(stage, 1, 2);
  stage.hear(site, grant(request(last), {group(fs0, {0, 1})}));
  stage.hear(fs0, Started{request(last), 0, 7});
  Ended end = ended(request(last));
  end.output_bytes = 100;
  stage.hear(fs0, end);
  stage.cancel(1);  // while the output is fetched
  stage.hear(fs0, Chunk{request(last), 0, Stream::output, 0, "all", true, false});
  stage.take(OutputWritten{last, 0, Stream::output, 1, {}, true});
  CHECK(stage.state(last) == JobState::finished);
  CHECK(stage.state(1) == JobState::finished);
  CHECK(text_of_group(stage, 1, JobState::cancelled) == "none");
}

TEST_CASE("job arrays: elements of a large array become jobs as those before them get nodes") {
  Stage stage;
  stage.submit({array_of("0-9999")});
  CHECK(stage.said<Request>(site).size() == elements_waiting_max);
  CHECK(stage.manager.count(JobState::waiting) == 10'000);
  CHECK(stage.manager.job(element(stage, 1, 9000))->state == JobState::waiting);
  CHECK(stage.manager.job(element(stage, 1, 9000))->attempt == 0);
  run_and_end(stage, element(stage, 1, 0));
  const auto next = stage.said<Request>(site);
  REQUIRE(next.size() == 1);
  CHECK(next[0].id == request(element(stage, 1, elements_waiting_max)));
  CHECK(text_of_group(stage, 1, JobState::waiting) == "1-9999");
}

TEST_CASE("job arrays: an array with a limit has no more elements with nodes, over a restart too [S150]") {
  Stage stage;
  stage.submit({array_of("0-9%2")});
  CHECK(stage.said<Request>(site).size() == 2);
  run_and_end(stage, element(stage, 1, 0));
  CHECK(stage.said<Request>(site).size() == 1);
  stage.restart();
  stage.up(site, true);
  CHECK(stage.said<Request>(site).size() == 2);
  CHECK(text_of_group(stage, 1, JobState::finished) == "0");
}

TEST_CASE("job arrays: an element ranks by its age as a job, so a long array leaves others a place [S150c]") {
  Stage stage;
  stage.submit({array_of("0-2%1")});
  CHECK(stage.said<Request>(site).at(0).waited == Duration{});
  stage.pass(seconds(50));
  run_and_end(stage, element(stage, 1, 0));
  const auto next = stage.said<Request>(site);
  REQUIRE(next.size() == 1);
  CHECK(next[0].waited == Duration{});
}

TEST_CASE("job arrays: an array is cancelled as a whole, and one element by itself") {
  Stage stage;
  stage.submit({array_of("0-999")});
  const std::uint64_t first = element(stage, 1, 0), far = element(stage, 1, 900);
  stage.cancel(far);
  CHECK(stage.state(far) == JobState::cancelled);
  stage.cancel(far);
  stage.cancel(first);
  CHECK(text_of_group(stage, 1, JobState::cancelled) == "0,900");
  const std::uint64_t runs = element(stage, 1, 1);
  stage.hear(site, grant(request(runs), {group(fs0, {0, 1})}));
  stage.hear(fs0, Started{request(runs), 0, 7});
  stage.cancel(1);
  CHECK(stage.state(1) == JobState::running);  // because of the element that is being stopped
  CHECK(stage.said<Stop>(fs0).size() == 1);
  stage.restart();
  stage.up(site, false);
  stage.up(fs0, false);
  stage.hear(fs0, ended(request(runs), EndKind::stopped));
  CHECK(stage.state(1) == JobState::cancelled);
  CHECK(text_of_group(stage, 1, JobState::cancelled) == "0-999");
  CHECK(stage.manager.count(JobState::waiting) == 0);
}

TEST_CASE("job arrays: elements that ended before they became jobs are in all totals, over a restart too") {
  Stage stage;
  stage.submit({array_of("0-999")});
  const auto total = [&] {
    std::size_t jobs = 0;
    for (std::size_t i = 0; i < job_state_count; ++i) jobs += stage.manager.count(static_cast<JobState>(i));
    return jobs;
  };
  stage.cancel(element(stage, 1, 900));
  CHECK(stage.manager.count(JobState::cancelled) == 1);
  CHECK(stage.manager.ever(JobState::cancelled) == 1);
  CHECK(total() == 1'000);
  run_and_end(stage, element(stage, 1, 0));
  CHECK(stage.manager.forget(element(stage, 1, 0)));
  stage.settle();
  CHECK(stage.manager.count(JobState::finished) == 1);
  CHECK(stage.manager.ever(JobState::finished) == 1);
  CHECK(total() == 1'000);
  stage.cancel(1);
  CHECK(stage.manager.count(JobState::cancelled) == 999);
  CHECK(stage.manager.ever(JobState::cancelled) == 999);
  stage.restart();
  CHECK(stage.manager.count(JobState::cancelled) == 999);
  CHECK(stage.manager.ever(JobState::cancelled) == 999);
  CHECK(stage.manager.ever(JobState::finished) == 1);
  CHECK(total() == 1'000);
}

TEST_CASE("job arrays: an array refused for what it asks for fails without asking for each element [S150d]") {
  Stage stage;
  stage.submit({array_of("0-9999")});
  CHECK(stage.said<Request>(site).size() == elements_waiting_max);
  SUBCASE("too large") {
    stage.hear(site, Refuse{request(element(stage, 1, 0)), RefusalReason::too_large, 64, {}});
    CHECK(text_of_group(stage, 1, JobState::failed) == "0,256-9999");
    CHECK(stage.said<Request>(site).empty());
    for (std::uint32_t index = 1; index < elements_waiting_max; ++index)
      stage.hear(site, Refuse{request(element(stage, 1, index)), RefusalReason::too_large, 64, {}});
    CHECK(stage.state(1) == JobState::failed);
    CHECK(stage.manager.job(1)->text.starts_with("refused: too large for every cluster"));
  }
  SUBCASE("too many requests of its user") {
    stage.hear(site, Refuse{request(element(stage, 1, 0)), RefusalReason::limit_reached, 0, {}});
    CHECK(stage.state(element(stage, 1, 0)) == JobState::waiting);
    CHECK(text_of_group(stage, 1, JobState::failed) == "none");
    CHECK(stage.said<Request>(site).empty());
    stage.pass(seconds(2));
    const auto again = stage.said<Request>(site);
    REQUIRE(again.size() == 1);
    CHECK(again[0].id.job == element(stage, 1, 0));
    CHECK(again[0].id.attempt == 2);
  }
}

TEST_CASE("job arrays: hold and release, begin times and dependencies are of an array as a whole") {
  Stage stage;
  stage.submit({sleeper()});
  JobDescription array = array_of("0-9");
  array.dependencies = {{DependencyKind::after_ok, 1}};
  stage.submit({array});
  JobDescription after = sleeper();
  after.dependencies = {{DependencyKind::after_any, 2}};
  const std::uint64_t last = stage.submit({after}).first_job;
  stage.out.messages.clear();
  SUBCASE("met") {
    stage.run_one(1);
    stage.hear(fs0, ended(request(1)));
    CHECK(stage.said<Request>(site).size() == 10);
    CHECK(stage.manager.alter(stage.now, 2, {.held = true}, stage.out).changed);
    stage.settle();
    CHECK(stage.said<Cancel>(site).size() == 10);
    CHECK(stage.manager.alter(stage.now, 2, {.held = false, .priority = 7}, stage.out).changed);
    stage.settle();
    const auto again = stage.said<Request>(site);
    REQUIRE(again.size() == 10);
    CHECK(again[0].priority == 7);
    stage.cancel(2);
    CHECK(stage.state(2) == JobState::cancelled);
    CHECK(stage.said<Request>(site).size() == 1);  // of the job that depends on the whole array
  }
  SUBCASE("never to be met") {
    stage.run_one(1);
    stage.hear(fs0, ended(request(1), 1));
    CHECK(stage.state(2) == JobState::cancelled);
    CHECK(stage.manager.job(2)->text.starts_with("job 1 failed, and this job"));
    CHECK(stage.said<Request>(site).at(0).id == request(last));
  }
}

TEST_CASE("job arrays: elements that were altered by themselves, or that wait for their turn") {
  Stage stage;
  stage.submit({array_of("0-999")});
  const std::uint64_t first = element(stage, 1, 0), far = element(stage, 1, 999);
  CHECK(stage.manager.alter(stage.now, first, {.priority = 9}, stage.out).changed);
  stage.settle();
  CHECK(stage.manager.alter(stage.now, far, {.priority = 8}, stage.out).changed);
  CHECK(stage.manager.job(far)->priority == 8);
  const auto descriptions = [&] {
    return std::ranges::count_if(stage.manager.records(), [](const JobManagerRecord& row) {
      return std::holds_alternative<JobRecord>(row);
    });
  };
  CHECK(descriptions() == 2);  // of the array, and of the element that differs
  CHECK(stage.manager.alter(stage.now, 1, {.wall_seconds = 77}, stage.out).changed);
  stage.settle();
  CHECK(descriptions() == 2);
  stage.restart();
  CHECK(stage.manager.job(element(stage, 1, 1))->limit_wall_seconds == 77);
  CHECK(stage.manager.job(first)->limit_wall_seconds == 77);
  CHECK(stage.manager.job(first)->priority == 9);
  CHECK(stage.manager.job(element(stage, 1, 1))->priority == 0);
  CHECK(stage.manager.job(far)->limit_wall_seconds == 77);
  CHECK(stage.manager.job(far)->priority == 8);
}

TEST_CASE("job arrays: elements without a job are held and let go alone, and take their turn after all [S150e]") {
  Stage stage;
  stage.submit({array_of("0-5%2")});  // jobs 2 to 7
  const auto alter = [&](std::uint32_t index, const Alteration& wanted) {
    const Altered altered =
        stage.manager.alter(stage.now, index == 99 ? 1 : element(stage, 1, index), wanted, stage.out);
    stage.settle();
    CHECK(altered.fault == "");
    return altered.changed;
  };
  CHECK(alter(2, {.held = true}));
  CHECK(alter(4, {.held = true, .priority = 7, .wall_seconds = 60}));
  CHECK_FALSE(alter(4, {.held = true}));
  CHECK(stage.manager.job(1)->elements->held.indices == "2,4");
  SUBCASE("in one life of the job manager") {}
  SUBCASE("over its restart") {
    stage.restart();
    stage.up(site, true);
    stage.up(fs0, true);
  }
  CHECK(stage.manager.job(element(stage, 1, 4))->held);
  for (const std::uint32_t index : {0, 1, 3}) run_and_end(stage, element(stage, 1, index));
  CHECK(text_of_group(stage, 1, JobState::waiting) == "2,4-5");
  run_and_end(stage, element(stage, 1, 5));
  stage.said<Request>(site);
  SUBCASE("released by itself") {
    CHECK(alter(4, {.held = false}));
    const auto asked = stage.said<Request>(site);
    REQUIRE(asked.size() == 1);
    CHECK(asked[0].id == request(6));
    CHECK(asked[0].priority == 7);
    CHECK(stage.manager.job(1)->elements->held.indices == "2");
  }
  SUBCASE("released with their array") {
    CHECK(alter(99, {.held = true}));
    CHECK(alter(99, {.held = false}));
    CHECK(stage.said<Request>(site).size() == 2);
  }
  SUBCASE("cancelled") {
    stage.cancel(element(stage, 1, 2));
    stage.cancel(1);
    CHECK(stage.state(1) == JobState::cancelled);
    CHECK(stage.manager.alter(stage.now, element(stage, 1, 4), {.held = false}, stage.out).fault ==
          "element 1_4 has ended already");
  }
}

TEST_CASE("job arrays: an element is named by its array and its index, whatever its own number is") {
  Stage stage;
  stage.submit({array_of("3-4")});
  const std::uint64_t first = element(stage, 1, 3);
  run_and_end(stage, first);
  CHECK(stage.manager.cancel(stage.now, first, stage.out) == "element 1_3 has ended already");
  CHECK(stage.manager.alter(stage.now, first, {.held = true}, stage.out).fault == "element 1_3 has ended already");
}

TEST_CASE("job arrays: an interrupted element runs again, and an ended array is forgotten with its elements") {
  Stage stage;
  stage.submit({array_of("0-1")});
  const std::uint64_t first = element(stage, 1, 0);
  stage.hear(site, grant(request(first), {group(fs0, {0, 1})}));
  stage.hear(fs0, Started{request(first), 0, 7});
  stage.hear(fs0, ended(request(first), EndKind::lease_ended));
  stage.pass(seconds(600));
  CHECK(stage.state(first) == JobState::waiting);
  CHECK(stage.manager.job(first)->attempt == 2);
  stage.cancel(1);
  CHECK(stage.state(1) == JobState::cancelled);
  CHECK(stage.manager.forget(1));
  stage.settle();
  CHECK(stage.manager.size() == 0);
  CHECK_FALSE(stage.manager.job(first));
}

TEST_CASE("job arrays: elements that were forgotten are still told by their array, over a restart") {
  Stage stage;
  stage.submit({array_of("0-3")});
  const std::uint64_t first = element(stage, 1, 0);
  run_and_end(stage, first);
  CHECK(stage.manager.forget(first));
  stage.settle();
  stage.restart();
  CHECK(stage.state(first) == JobState::finished);
  CHECK(text_of_group(stage, 1, JobState::finished) == "0");
}

TEST_CASE("job arrays: a submission is counted with all elements, and repeated with its array") {
  JobManagerSettings settings = settings_of_alice();
  settings.jobs_max = 1'000;
  Stage stage(settings);
  CHECK(stage.submit({array_of("0-999")}).fault == "at most 1000 jobs may be open at once");
  CHECK(stage.submit({array_of("0-989")}).fault == "");
  --stage.token;
  CHECK(stage.submit({array_of("0-989")}).first_job == 1);
  --stage.token;
  CHECK(stage.submit({array_of("0-988")}).fault == "this submission was used before, for other jobs");
  CHECK(stage.submit({array_of("0-9")}).fault == "at most 1000 jobs may be open at once");
}

TEST_CASE(
    "job arrays: an element that is reclaimed again and again pauses for 64 s at most, the others don't [S138c]") {
  Stage stage;
  stage.submit({array_of("0-1")});
  const std::uint64_t reclaimed = element(stage, 1, 0), other = element(stage, 1, 1);
  stage.said<Request>(site);
  for (const std::int64_t pause : {0, 1, 2, 4, 8, 16, 32, 64, 64, 64}) {
    const std::uint32_t attempt = stage.manager.job(reclaimed)->attempt;
    stage.run_one(reclaimed, attempt);
    stage.hear(site, LeaseEnded{lease, {}, LeaseEnd::reclaimed, true, {}});
    const Instant again_at = stage.manager.job(reclaimed)->again_at;
    CHECK((again_at == never ? Duration{} : again_at - stage.now) == seconds(pause));
    stage.pass(seconds(pause));
    CHECK(stage.said<Request>(site).size() == 1);
  }
  CHECK(stage.manager.job(other)->again_at == never);
  stage.run_one(other);
  stage.hear(site, LeaseEnded{lease, {}, LeaseEnd::reclaimed, true, {}});
  CHECK(stage.manager.job(other)->again_at == never);  // its own first interruption
}

TEST_CASE("job arrays: rows of a ledger that say impossible things of an array are refused") {
  Stage stage;
  stage.submit({array_of("0-9%2")});
  run_and_end(stage, element(stage, 1, 0));
  const auto fault_with = [&](auto change) {
    std::vector<JobManagerRecord> rows = stage.manager.records();
    for (JobManagerRecord& row : rows)
      if (auto* progress = std::get_if<ProgressRecord>(&row)) change(*progress);
    JobManager restored(settings_of_alice());
    return restored.restore(stage.now, std::move(rows));
  };
  const auto of_array = [](auto change) {
    return [change](ProgressRecord& row) {
      if (row.elements) change(row);
    };
  };
  CHECK(fault_with([](ProgressRecord&) {}) == "");
  CHECK(fault_with(of_array([](ProgressRecord& row) {
          row.elements->left = {{0, 9}};
        })).find("doesn't have") != std::string::npos);
  CHECK(fault_with(of_array([](ProgressRecord& row) {
          row.elements->left = {{9, 10}};
        })) == "job 1: an element that there isn't, or is twice");
  CHECK(fault_with(of_array([](ProgressRecord& row) {
          row.elements->left = {{5, 7}, {6, 6}};
        })) == "job 1: an element that there isn't, or is twice");
  CHECK(fault_with(of_array([](ProgressRecord& row) { row.elements.reset(); })) ==
        "job 1: an array without elements");
  CHECK(fault_with([](ProgressRecord& row) { row.array = row.array == 0 ? 0 : 77; }) == "job 2: no description");
  CHECK(fault_with(of_array([](ProgressRecord& row) { row.elements->left.pop_back(); })) != "");
}

}  // namespace job_manager_arrays_test
