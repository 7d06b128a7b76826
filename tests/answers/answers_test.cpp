// Answers to people about a site that is too large for one answer.
#include "runtime/common_verbs.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "daemons/answers/job_view.hpp"
#include "daemons/answers/output_view.hpp"
#include "daemons/answers/site_view.hpp"
#include "tests/jobmgr/job_manager_stage.hpp"
#include "tests/sitemgr/site_manager_stage.hpp"

namespace answers_test {

using namespace dmm;
using namespace dmm::site_stage;

namespace {

using Json = nlohmann::json;

constexpr std::uint32_t many = 4'000;

Party manager_of(std::uint32_t number) { return resource_manager_of(home, "node-" + std::to_string(number)); }

Json asked_of(const SiteManager& manager, const std::string& argument) {
  const auto answer = answer_site(manager, {}, Ask{1, "site", argument});
  REQUIRE(answer.has_value());
  CHECK(answer->fault.empty());
  CHECK(answer->text.size() <= answer_bytes_max);
  return Json::parse(answer->text);
}

}  // namespace

TEST_CASE("answers: a site of 4,000 resource managers is told in one answer, and how many of them it leaves out") {
  SiteManagerEffects out;
  SiteSettings settings = settings_of_home();
  settings.clusters[0].nodes = many;
  SiteManager manager(settings, 1);
  const Instant now{seconds(1000).microseconds};
  for (std::uint32_t number = 1; number <= many; ++number) {
    manager.receive(now, LinkUp{manager_of(number), true, {}, {}}, out);
    Register offered;
    offered.cluster = delft;
    offered.nodes = 1;
    manager.receive(now, Received{manager_of(number), std::move(offered), {}, {}}, out);
  }
  manager.receive(now, Received{manager_of(many), SetAside{{{0, 0}}, false, "it lost its disk"}, {}, {}}, out);
  manager.settle(now, out);

  const Json whole = asked_of(manager, "");
  const std::size_t listed = whole["resource_managers"].size();
  CHECK(listed >= 200);
  CHECK(whole["left_out"]["resource_managers"] == many - listed);
  CHECK(whole["resource_managers"][0]["set_aside"] == "0");  // faulty managers come first
  CHECK(manager.quiet());                                    // a node that is set aside is at home
  CHECK(whole["processors"] == many);
  CHECK_FALSE(whole["left_out"].contains("links"));

  const Json few = asked_of(manager, R"({"limit": 1})");
  CHECK(few["resource_managers"].size() == 1);
  CHECK(few["left_out"]["resource_managers"] == many - 1);
  CHECK(few["links"].size() == 1);
  CHECK(few["left_out"]["links"] == 1);
}

TEST_CASE("answers: sessions with 4,000 resource managers are told in one answer, those with sites first") {
  EndpointSettings settings;
  settings.self = site_manager_of(home);
  settings.admission.resource_managers = true;
  settings.admission.parties = {at_north};
  Endpoint endpoint(settings);
  const Instant now{seconds(1000).microseconds};
  Codec codec;
  const auto greet = [&](const Party& from) {
    const Envelope envelope{
        .from = from, .to = settings.self, .incarnation = 1, .trace = {}, .hint = {}, .message = Hello{}};
    std::vector<Received> messages;
    endpoint.receive(now, 1, codec.encode(envelope), messages);
  };
  for (std::uint32_t number = 1; number <= many; ++number) greet(manager_of(number));
  greet(at_north);
  const auto asked = [&](const std::string& argument) {
    const auto answer = common_answer({}, endpoint, {}, now, Ask{1, "links", argument});
    REQUIRE(answer.has_value());
    CHECK(answer->fault.empty());
    CHECK(answer->text.size() <= answer_bytes_max);
    return Json::parse(answer->text);
  };
  const Json whole = asked("");
  CHECK(whole["links"].size() >= 200);
  CHECK(whole["left_out"] == many + 1 - whole["links"].size());
  CHECK(whole["links"][0]["role"] == "sitemgr");

  const Json few = asked(R"({"limit": 2})");
  CHECK(few["links"].size() == 2);
  CHECK(few["left_out"] == many - 1);
  CHECK(common_answer({}, endpoint, {}, now, Ask{1, "links", R"({"limit": "two"})"})->fault != "");
}

TEST_CASE("answers: jobs with long names come in pages that fit, one after the other") {
  job_stage::Stage stage;
  JobDescription job = job_stage::sleeper();
  job.append = true;  // all have the same files
  int most = 20;
  SUBCASE("long ones") {
    job.name = std::string(200, 'n');
    for (ShortText* path : {&job.output_path, &job.error_path})
      *path = "/" + std::string(250, 'p') + "/" + std::string(250, 'p');
    stage.submit(std::vector<JobDescription>(300, job));
  }
  SUBCASE("of bytes that take six each in JSON, as long as may be") {
    job.name = std::string(255, '\1');
    std::string path;
    for (int part = 0; part < 15; ++part) path += "/" + std::string(255, '\1');
    job.output_path = job.error_path = path;
    stage.submit(std::vector<JobDescription>(300, job));
    most = 301;
  }
  SUBCASE("longer than an answer, of a ledger of before names were checked") {
    stage.submit(std::vector<JobDescription>(300, job));
    auto rows = stage.manager.records();
    for (JobManagerRecord& row : rows)
      if (auto* kept = std::get_if<JobRecord>(&row); kept != nullptr && kept->number % 50 == 0)
        kept->description.name = kept->description.output_path = std::string(110'000, '\1');
    stage.manager = JobManager(job_stage::settings_of_alice());
    REQUIRE(stage.manager.restore(stage.now, std::move(rows)) == "");
  }
  const auto alone = answer_jobs(stage.manager, {}, Ask{1, "job", R"({"job": 50})"}, stage.out);
  REQUIRE(alone.has_value());
  CHECK(alone->fault == "");
  CHECK(alone->text.size() <= answer_bytes_max);
  std::uint64_t from = 0, seen = 0;
  for (int pages = 1;; ++pages) {
    REQUIRE(pages < most);
    const auto answer = answer_jobs(stage.manager, {}, Ask{1, "queue", Json{{"from", from}}.dump()}, stage.out);
    REQUIRE(answer.has_value());
    CHECK(answer->text.size() <= answer_bytes_max);
    const Json page = Json::parse(answer->text);
    for (const Json& one : page["jobs"]) CHECK(one["job"] == ++seen);
    if (page["next"].is_null()) break;
    from = page["next"].get<std::uint64_t>();
  }
  CHECK(seen == 300);
}

TEST_CASE("answers: which stream of a job could not be written, while its output is kept where it ran") {
  job_stage::Stage stage;
  stage.submit({job_stage::sleeper()});
  stage.run_one();
  Ended end = job_stage::ended(job_stage::request(1));
  end.output_bytes = end.error_bytes = 5;
  stage.hear(job_stage::fs0, end);
  const auto bring = [&](Stream stream, const std::string& error) {
    stage.hear(job_stage::fs0, Piece{job_stage::request(1), 0, stream, 0, "hello", true, 5});
    stage.written(1, stream, error);
  };
  bring(Stream::error, "");
  bring(Stream::output, "no room");
  bring(Stream::output, "no room");
  REQUIRE(stage.manager.job(1)->output == OutputState::unwritten);
  const auto streams = [&] {
    const auto answer = answer_output(stage.manager, {}, Ask{1, "output", R"({"job": 1})"}, "/own", stage.out);
    REQUIRE(answer.has_value());
    return Json::parse(answer->text)["streams"];
  };
  CHECK(streams()[0]["unwritten"] == true);
  CHECK(streams()[1]["unwritten"] == false);
  stage.restart(true);
  REQUIRE(stage.manager.job(1)->output == OutputState::unwritten);
  CHECK(!streams()[0].contains("unwritten"));  // no ledger has written it
}

TEST_CASE("answers: jobs are held, released and altered one by one, and what can't be is said") {
  job_stage::Stage stage;
  stage.submit({job_stage::sleeper(), job_stage::sleeper(), job_stage::sleeper()});
  stage.run_one(3);
  const auto order = [&](const std::string& verb, const Json& argument) {
    auto answer = answer_jobs(stage.manager, {}, Ask{1, verb, argument.dump()}, stage.out);
    stage.settle();
    REQUIRE(answer.has_value());
    return *answer;
  };
  const auto done = [&](const std::string& verb, const Json& argument) {
    const Answer answer = order(verb, argument);
    CHECK(answer.fault == "");
    return Json::parse(answer.text);
  };
  Json said = done("hold", {{"jobs", {1, 2, 3, 9}}});
  CHECK(said["changed"] == Json{1, 2});
  CHECK(said["refused"].size() == 2);
  CHECK(said["refused"][0]["reason"] == "job 3 is running: only a job that waits can be held or altered");
  CHECK(done("hold", {{"job", 1}})["unchanged"] == Json{1});
  CHECK(done("job", {{"job", 1}})["held"] == true);
  said = done("alter", {{"job", 1}, {"priority", -4}, {"limit_wall_seconds", 60}, {"held", false}});
  CHECK(said["changed"] == Json{1});
  said = done("job", {{"job", 1}});
  CHECK(said["held"] == false);
  CHECK(said["priority"] == -4);
  CHECK(said["limit_wall_seconds"] == 60);
  CHECK(said["begin_at"].is_null());
  CHECK(done("release", {{"job", 2}})["changed"] == Json{2});
  CHECK(order("hold", {{"job", 9}}).fault == "there is no job 9");
  CHECK(order("hold", Json::object()).fault.starts_with("hold: the argument is"));
  CHECK(order("alter", {{"job", 1}}).fault.starts_with("alter: there is nothing to change"));
  CHECK(order("alter", {{"job", 1}, {"priority", 2'147'483'648}}).fault.starts_with("alter: priority is a whole"));
  CHECK(order("alter", {{"job", 1}, {"priority", UINT64_MAX}}).fault.starts_with("alter: priority is a whole"));
  CHECK(order("alter", {{"job", 1}, {"priority", "high"}}).fault.starts_with("alter: priority is a whole"));
  CHECK(
      order("alter", {{"job", 1}, {"limit_wall_seconds", -1}}).fault.starts_with("alter: limit_wall_seconds is"));
  CHECK(order("alter", {{"job", 1}, {"held", 1}}).fault == "alter: held is true or false");
}

}  // namespace answers_test
