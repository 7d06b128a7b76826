// Stories about the job manager. Each tells a rule of docs/protocol.md by the messages that it receives and sends. The
// stage is in job_manager_stage.hpp.
#include "tests/jobmgr/job_manager_stage.hpp"

namespace job_manager_test {

using namespace dmm;
using namespace dmm::job_stage;

static_assert(IsManager<JobManager>);

TEST_CASE("job manager: jobs are numbered in order and asked for at the site") {
  Stage stage;
  const Submitted answer = stage.submit({sleeper(), sleeper({2, 2})});
  CHECK(answer.fault == "");
  CHECK(answer.first_job == 1);
  CHECK(answer.jobs == 2);
  const auto requests = stage.said<Request>(site);
  REQUIRE(requests.size() == 2);
  CHECK(requests[1].id == request(2));
  CHECK(requests[1].waited == Duration{});
  CHECK(requests[1].origin_user == "alice");
  CHECK(stage.manager.count(JobState::waiting) == 2);
}

TEST_CASE("job manager: a submission is accepted whole or not at all [S146]") {
  Stage stage;
  JobDescription nameless = sleeper();
  nameless.program.arguments.clear();
  JobDescription far = sleeper();
  far.dttl = 17;
  for (const auto& wrong : {nameless, far, sleeper({}), sleeper({0})}) {
    const Submitted answer = stage.submit({sleeper(), wrong});
    CHECK(answer.fault.starts_with("job 2 of the submission"));
    CHECK(answer.jobs == 0);
  }
  CHECK(stage.submit({}).fault != "");
  CHECK(stage.manager.size() == 0);
  CHECK(stage.said<Request>(site).empty());
}

TEST_CASE("job manager: a repeated token submits nothing twice, another client's token does [S147]") {
  Stage stage;
  const Submit question{9, {sleeper()}};
  stage.hear(client, question);
  stage.hear(client, question);
  const auto answers = stage.said<Submitted>(client);
  REQUIRE(answers.size() == 2);
  CHECK(answers[0].first_job == answers[1].first_job);
  stage.hear({home, Role::client, "cli-2"}, question);
  CHECK(stage.manager.size() == 2);
}

TEST_CASE("job manager: a job that is too long or that no system could start is refused by field [S146a]") {
  Stage stage;
  JobDescription job = sleeper();
  std::string fault;
  SUBCASE("an argument") { job.program.arguments.emplace_back("a\0b", 3), fault = "zero byte"; }
  SUBCASE("a variable") { job.program.environment.emplace_back("A=\0", 3), fault = "zero byte"; }
  SUBCASE("a long name") { job.name = std::string(300, 'n'), fault = "name: it has 300 bytes; at most 255"; }
  SUBCASE("a long script") {
    job.program.script = "#!" + std::string(131'071, '/'), fault = "script: it has 131073";
  }
  SUBCASE("no script") { job.program.script = "echo", fault = "script: line 1: expected #!"; }
  SUBCASE("a long input") { job.program.input = std::string(65'537, 'i'), fault = "input: it has 65537"; }
  SUBCASE("a long argument") { job.program.arguments.emplace_back(140'000, 'x'), fault = "at most 131071"; }
  CHECK(stage.submit({job}).fault.find(fault) != std::string::npos);
  CHECK(stage.submit({sleeper(), job}).fault.find("job 2 of the submission: ") == 0);
  CHECK(stage.manager.size() == 0);
}

TEST_CASE("job manager: a token that was used for other jobs is refused in words [S147]") {
  Stage stage;
  stage.hear(client, Submit{9, {sleeper()}});
  Submit other{9, {sleeper()}};
  SUBCASE("more of them") { other.jobs.push_back(sleeper()); }
  SUBCASE("wider ones") { other.jobs = {sleeper({2})}; }
  SUBCASE("another program") { other.jobs[0].program.arguments = {"true"}; }
  SUBCASE("another script") { other.jobs[0].program.script = "#!/bin/sh\n"; }
  SUBCASE("another input") { other.jobs[0].program.input = "i"; }
  stage.said<Submitted>(client);
  stage.hear(client, other);
  const auto answers = stage.said<Submitted>(client);
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].jobs == 0);
  CHECK(answers[0].fault == "this submission was used before, for other jobs");
  CHECK(stage.manager.size() == 1);
}

TEST_CASE("job manager: ended jobs beyond the limit are forgotten, oldest first; open ones never") {
  auto settings = settings_of_alice();
  settings.jobs_max = 2;
  Stage stage(settings);
  stage.submit({sleeper(), sleeper()});
  CHECK(stage.submit({sleeper()}).fault == "at most 2 jobs may be open at once");
  stage.cancel(2);
  CHECK(stage.submit({sleeper()}).first_job == 3);
  CHECK(stage.manager.job(1).has_value());
  CHECK_FALSE(stage.manager.job(2).has_value());
}

TEST_CASE("job manager: a grant becomes routes, then a Start with the nodes in its environment") {
  Stage stage;
  stage.submit({sleeper()});
  stage.pass(seconds(5));
  stage.hear(site, grant(request(1), {group(fs0, {0, 1})}));
  REQUIRE(stage.out.routes.size() == 1);
  CHECK(stage.out.routes[0].to == fs0);
  CHECK(stage.out.routes[0].endpoint == "tcp://fs0");
  CHECK(stage.out.routes[0].path == SiteNames{home, SiteName("das-1"), SiteName("das-3")});
  const auto starts = stage.said<Start>(fs0);
  REQUIRE(starts.size() == 1);
  CHECK(starts[0].lease == lease);
  CHECK(starts[0].nodes == NodeSet{{0, 1}});
  const auto& environment = starts[0].program.environment;
  const auto has = [&](const char* text) { return std::count(environment.begin(), environment.end(), text) == 1; };
  CHECK(has("DMM_NODES=das-3/delft/fs0:0-1"));
  CHECK(has("DMM_PROCESSORS=4"));
  CHECK(has("DMM_COMPONENTS=1"));
  CHECK(stage.state(1) == JobState::starting);
  stage.hear(fs0, Started{request(1), 0, 7});
  const JobView view = *stage.manager.job(1);
  CHECK(view.state == JobState::running);
  CHECK(view.places.at(0).lease.owner == SiteName("das-3"));
  CHECK(view.hops == 2);
  CHECK(view.tries == 3);
  CHECK(*view.started - view.submitted == seconds(5));
}

TEST_CASE("job manager: a finished job returns its nodes at once, and ends when its output is written [S110]") {
  Stage stage;
  stage.run_one();
  Ended end = ended(request(1));
  end.output = "hello\n";
  end.output_bytes = 6;
  stage.now = stage.now + milliseconds(1200);
  stage.hear(fs0, end);
  const auto releases = stage.said<Release>(site);
  REQUIRE(releases.size() == 1);
  CHECK(releases[0].nodes == std::vector{group(fs0, {0, 1})});
  REQUIRE(stage.out.output.size() == 1);
  CHECK(stage.out.output[0].data == "hello\n");
  CHECK(stage.out.output[0].last);
  CHECK(stage.state(1) == JobState::collecting);
  CHECK(stage.said<Forget>(fs0).empty());
  stage.written(1);
  CHECK(stage.said<Forget>(fs0).size() == 1);
  const JobView view = *stage.manager.job(1);
  CHECK(view.state == JobState::finished);
  CHECK(view.wall == seconds(1));
  CHECK(view.overhead == milliseconds(200));
  CHECK(stage.manager.grants() == 0);
}

TEST_CASE("job manager: nodes that were given back for a finished job aren't released [S139b]") {
  Stage stage;
  const Party own = resource_manager_of(home, "fs0");
  LeaseId under{home, {1, 41}};
  std::vector<NodeGroup> nodes{group(own, {0, 1})};
  bool is_believed = true;
  std::vector<std::uint32_t> components{4};
  SUBCASE("of the home site, for one component") {}
  SUBCASE("of another site: it isn't for its resource manager to say") {
    under = lease;
    is_believed = false;
  }
  SUBCASE("of a job with several components: others may still run on the lease") {
    nodes.push_back(group(own, {2, 3}, 1));
    components = {4, 4};
    is_believed = false;
  }
  stage.up(own, true);
  stage.submit({sleeper(components)});
  stage.hear(site, grant(request(1), nodes, under));
  for (std::uint32_t i = 0; i < components.size(); ++i) {
    CHECK(stage.said<Release>(site).empty());
    Ended end = ended(request(1), 0, i);
    end.gave_back = true;
    stage.hear(own, end);
  }
  CHECK(stage.said<Release>(site).size() == (is_believed ? 0 : 1));
  CHECK(stage.manager.grants() == 0);
  CHECK(stage.manager.job(1)->exit->code == 0);
}

TEST_CASE("job manager: a job fails by its exit status, by a signal, and when its program can't start") {
  Stage stage;
  stage.run_one(1);
  stage.hear(fs0, ended(request(1), 3));
  CHECK(stage.state(1) == JobState::failed);
  CHECK(stage.manager.job(1)->exit->code == 3);
  CHECK(stage.said<Release>(site).size() == 1);
  stage.run_one(2);
  stage.hear(fs0, ended(request(2), EndKind::signalled));
  CHECK(stage.state(2) == JobState::failed);
  stage.submit({sleeper()});
  stage.hear(site, grant(request(3), {group(fs0, {0, 1})}));
  Ended end = not_started(request(3), StartFault::executable_missing);
  end.text = "no program sleep";
  stage.hear(fs0, end);
  CHECK(stage.state(3) == JobState::failed);
  CHECK(stage.manager.job(3)->text == "no program sleep");
  CHECK(stage.said<Release>(site).size() == 2);
  CHECK(stage.said<Forget>(fs0).size() == 2);
}

TEST_CASE("job manager: the text tells why a program didn't start, also where its resource manager says none") {
  Stage stage;
  std::uint64_t job = 0;
  for (const auto& [fault, words] : {std::pair(StartFault::executable_missing, "its program was not found"),
                                     std::pair(StartFault::hung, "it hung while it was started")}) {
    stage.submit({sleeper()});
    stage.hear(site, grant(request(++job), {group(fs0, {0, 1})}));
    stage.hear(fs0, not_started(request(job), fault));
    CHECK(stage.manager.job(job)->text == words);
  }
}

TEST_CASE("job manager: a refused job fails with the reason") {
  Stage stage;
  stage.submit({sleeper()});
  stage.hear(site, Refuse{request(1), RefusalReason::too_large, 64, {}});
  CHECK(stage.state(1) == JobState::failed);
  CHECK(stage.manager.job(1)->text.find("64 processors") != std::string::npos);
}

TEST_CASE("job manager: an unwanted grant goes back, nodes by nodes; one that is in use does not [S88]") {
  Stage stage;
  stage.run_one();
  stage.hear(site, grant(request(1), {group(fs0, {0, 1})}));
  CHECK(stage.said<Release>(site).empty());
  for (const auto& id : {request(1, 2), request(77)}) {
    stage.hear(site, grant(id, {group(fs1, {4, 5})}));
    const auto releases = stage.said<Release>(site);
    REQUIRE(releases.size() == 1);
    CHECK(releases[0].nodes == std::vector{group(fs1, {4, 5})});
  }
  CHECK(stage.state(1) == JobState::running);
}

TEST_CASE("job manager: a waiting job is cancelled at the site; a grant that crosses is given back") {
  Stage stage;
  stage.submit({sleeper()});
  stage.cancel(1);
  stage.cancel(1);
  CHECK(stage.said<Cancel>(site).size() == 1);
  CHECK(stage.state(1) == JobState::cancelled);
  stage.hear(site, grant(request(1), {group(fs0, {0, 1})}));
  CHECK(stage.said<Release>(site).size() == 1);
  CHECK(stage.manager.cancel(stage.now, 5, stage.out) == "there is no job 5");
}

TEST_CASE("job manager: a running job is cancelled when its resource manager has confirmed it") {
  Stage stage;
  stage.run_one();
  stage.cancel(1);
  stage.cancel(1);
  const auto stops = stage.said<Stop>(fs0);
  REQUIRE(stops.size() == 1);
  CHECK(stops[0].grace == seconds(5));
  CHECK(stage.state(1) == JobState::ending);
  stage.hear(fs0, ended(request(1), EndKind::stopped));
  CHECK(stage.state(1) == JobState::cancelled);
  CHECK(stage.said<Release>(site).size() == 1);
  stage.run_one(2);
  stage.hear(fs0, ended(request(2)));
  CHECK(stage.manager.cancel(stage.now, 2, stage.out) == "job 2 has ended already");
}

TEST_CASE("job manager: a component that fails takes the others with it") {
  Stage stage;
  stage.submit({sleeper({4, 4})});
  stage.hear(site, grant(request(1), {group(fs0, {0, 1}, 0), group(fs1, {0, 1}, 1)}));
  stage.hear(fs0, Started{request(1), 0, 7});
  CHECK(stage.state(1) == JobState::starting);
  stage.hear(fs1, not_started(request(1), StartFault::no_directory));
  CHECK(stage.state(1) == JobState::starting);  // the message was about component 0, which isn't fs1's
  Ended end = not_started(request(1), StartFault::no_directory);
  end.component = 1;
  stage.hear(fs1, end);
  CHECK(stage.state(1) == JobState::ending);
  CHECK(stage.said<Stop>(fs0).size() == 1);
  CHECK(stage.said<Release>(site).empty());
  stage.hear(fs0, ended(request(1), EndKind::stopped, 0));
  CHECK(stage.state(1) == JobState::failed);
  CHECK(stage.said<Release>(site).size() == 1);
  CHECK(stage.manager.job(1)->exit->fault == StartFault::no_directory);
}

TEST_CASE("job manager: a component on several resource managers starts at the first, holds the others [S104]") {
  Stage stage;
  stage.submit({sleeper({8})});
  stage.hear(site, grant(request(1), {group(fs0, {0, 1}), group(fs1, {0, 1})}));
  CHECK(stage.said<Start>(fs0).size() == 1);
  CHECK(stage.said<Start>(fs1).empty());
  stage.hear(fs0, Started{request(1), 0, 7});
  // The held nodes are clean, but the program runs on the first node: it is stopped and awaited.
  stage.hear(site, LeaseEnded{lease, {group(fs1, {0, 1})}, LeaseEnd::reclaimed, true, {}});
  CHECK(stage.state(1) == JobState::ending);
  CHECK(stage.said<Stop>(fs0).size() == 1);
  stage.hear(fs0, ended(request(1), EndKind::stopped));
  CHECK(stage.state(1) == JobState::waiting);
  const auto releases = stage.said<Release>(site);
  REQUIRE(releases.size() == 1);
  CHECK(releases[0].nodes == std::vector{group(fs0, {0, 1})});
}

TEST_CASE("job manager: an interrupted job reruns under a new request, with its wait, up to its limit") {
  Stage stage;
  JobDescription job = sleeper();
  job.reruns_max = 1;
  stage.submit({job});
  stage.run_one();
  stage.pass(seconds(20));
  stage.hear(fs0, ended(request(1), EndKind::lost_contact));
  const auto requests = stage.said<Request>(site);
  REQUIRE(requests.size() == 1);
  CHECK(requests[0].id == request(1, 2));
  CHECK(requests[0].waited == seconds(20));
  CHECK(stage.said<Forget>(fs0).size() == 1);
  CHECK(stage.said<Release>(site).size() == 1);
  stage.run_one(1, 2);
  stage.hear(fs0, ended(request(1, 2), EndKind::lost_contact));
  CHECK(stage.state(1) == JobState::lost);
  CHECK(stage.manager.job(1)->reruns == 1);
  CHECK(stage.manager.job(1)->text == "interrupted too often; its resource manager lost contact");
}

TEST_CASE("job manager: an end that the site confirmed isn't awaited, and its lease isn't released [S115, S140]") {
  Stage stage;
  stage.run_one();
  stage.hear(site, LeaseEnded{lease, {}, LeaseEnd::reclaimed, true, {}});
  CHECK(stage.state(1) == JobState::waiting);
  CHECK(stage.said<Release>(site).empty());
  stage.hear(fs0, ended(request(1), EndKind::lease_ended));  // the other side's message, late
  CHECK(stage.said<Forget>(fs0).size() == 1);
  CHECK(stage.state(1) == JobState::waiting);
}

TEST_CASE("job manager: an unconfirmed end is awaited at the resource manager [S115, S116, S137]") {
  Stage stage;
  stage.run_one();
  stage.hear(site, LeaseEnded{lease, {}, LeaseEnd::reclaimed, false, seconds(20)});
  CHECK(stage.state(1) == JobState::ending);
  const auto stops = stage.said<Stop>(fs0);
  REQUIRE(stops.size() == 1);
  CHECK(stops[0].grace == seconds(20));  // the grace that the owner gives
  CHECK(stage.said<Request>(site).empty());
  SUBCASE("which says that it stopped it") {
    stage.hear(fs0, ended(request(1), EndKind::stopped));
    CHECK(stage.state(1) == JobState::waiting);
  }
  SUBCASE("which says that it had finished before") {
    stage.hear(fs0, ended(request(1)));
    CHECK(stage.state(1) == JobState::finished);
  }
  SUBCASE("unless the site confirms it later") {
    stage.hear(site, LeaseEnded{lease, {group(fs0, {0, 1})}, LeaseEnd::node_lost, true, {}});
    CHECK(stage.state(1) == JobState::waiting);
  }
  SUBCASE("which restarted, and is told once more") {
    stage.up(fs0, true);
    CHECK(stage.said<Start>(fs0).empty());
    CHECK(stage.said<Stop>(fs0).at(0).grace == seconds(20));
    stage.hear(fs0, ended(request(1), EndKind::lost));
    CHECK(stage.state(1) == JobState::waiting);
    CHECK(stage.said<Forget>(fs0).size() == 1);
  }
  SUBCASE("but not for ever") {
    stage.pass(seconds(139));
    CHECK(stage.state(1) == JobState::ending);
    stage.pass(seconds(1));
    CHECK(stage.state(1) == JobState::waiting);
    stage.hear(fs0, Started{request(1), 0, 7});  // it lives after all
    CHECK(stage.said<Stop>(fs0).size() == 1);
  }
  CHECK(stage.said<Release>(site).empty());
}

TEST_CASE("job manager: of two jobs on a lease that loses nodes, only the job on these is interrupted") {
  Stage stage;
  stage.submit({sleeper(), sleeper()});
  stage.hear(site, grant(request(1), {group(fs0, {0, 1})}));
  stage.hear(site, grant(request(2), {group(fs0, {2, 3})}));
  stage.hear(site, LeaseEnded{lease, {group(fs0, {3, 9}, 5)}, LeaseEnd::reclaimed, true, {}});
  CHECK(stage.state(1) == JobState::starting);
  CHECK(stage.state(2) == JobState::waiting);
  const auto releases = stage.said<Release>(site);
  REQUIRE(releases.size() == 1);
  CHECK(releases[0].nodes == std::vector{group(fs0, {2, 2})});
  CHECK(stage.manager.grants() == 1);
}

TEST_CASE("job manager: a restarted resource manager is asked about its components by the same Start [S78]") {
  Stage stage;
  stage.run_one();
  stage.down(fs0);
  stage.up(fs0, false);
  CHECK(stage.said<Start>(fs0).empty());
  stage.up(fs0, true);
  CHECK(stage.said<Start>(fs0).at(0).request == request(1));
  CHECK(stage.state(1) == JobState::running);
  SUBCASE("it runs on") {
    stage.hear(fs0, Started{request(1), 0, 7});
    CHECK(stage.state(1) == JobState::running);
  }
  SUBCASE("it has ended meanwhile") {
    stage.hear(fs0, ended(request(1)));
    CHECK(stage.state(1) == JobState::finished);
  }
  SUBCASE("it is lost") {
    stage.hear(fs0, ended(request(1), EndKind::lost));
    CHECK(stage.state(1) == JobState::waiting);
    CHECK(stage.said<Release>(site).size() == 1);
    CHECK(stage.said<Request>(site).at(0).id == request(1, 2));
  }
}

TEST_CASE("job manager: a silent resource manager is given up: nodes back first, as long again, then rerun") {
  Stage stage;
  stage.run_one();
  stage.down(fs0);
  stage.pass(seconds(119));
  CHECK(stage.said<Release>(site).empty());
  stage.pass(seconds(1));
  CHECK(stage.said<Release>(site).size() == 1);
  CHECK(stage.state(1) == JobState::ending);
  stage.pass(seconds(125));  // the grace, and the limit
  CHECK(stage.state(1) == JobState::waiting);
  CHECK(stage.said<Release>(site).empty());
}

TEST_CASE("job manager: no resource manager is given up while the site is out of reach, too") {
  Stage stage;
  stage.run_one();
  stage.down(site);
  stage.down(fs0);
  stage.pass(seconds(3600));
  CHECK(stage.state(1) == JobState::running);
  stage.up(site, false);
  stage.pass(seconds(119));
  stage.up(fs0, false);
  stage.pass(seconds(600));
  CHECK(stage.state(1) == JobState::running);
}

TEST_CASE("job manager: a limited number of Starts are under way at a time, in order of the grants") {
  auto settings = settings_of_alice();
  settings.starts_at_once = 2;
  Stage stage(settings);
  stage.submit({sleeper(), sleeper(), sleeper(), sleeper()});
  for (std::uint32_t job = 1; job <= 4; ++job)
    stage.hear(site, grant(request(job), {group(fs0, {2 * job, 2 * job + 1})}));
  CHECK(stage.said<Start>(fs0).size() == 2);
  stage.cancel(3);
  CHECK(stage.state(3) == JobState::cancelled);
  stage.hear(fs0, Started{request(1), 0, 7});
  const auto starts = stage.said<Start>(fs0);
  REQUIRE(starts.size() == 1);
  CHECK(starts[0].request == request(4));
  CHECK(stage.manager.starts() == 2);
}

TEST_CASE("job manager: a lease that Beats stop vouching for starts nothing after its term [S103, S121]") {
  auto settings = settings_of_alice();
  settings.starts_at_once = 1;
  Stage stage(settings);
  stage.submit({sleeper(), sleeper()});
  stage.hear(site, grant(request(1), {group(fs0, {0, 1})}));
  Grant brief = grant(request(2), {group(fs1, {0, 1})}, {SiteName("das-3"), {1, 42}});
  brief.term = milliseconds(1'500);
  stage.hear(site, brief);
  stage.pass(seconds(1));
  CHECK(stage.said<Renew>(site).empty());
  SUBCASE("they vouch") {
    CHECK(stage.said<Start>(fs1).empty());
    stage.pass(seconds(1));  // the other job has made it wait for long enough
    CHECK(stage.said<Start>(fs1).size() == 1);
  }
  SUBCASE("they don't") {
    stage.take(LinkStanding{site, false, {}, stage.now - seconds(1)});
    stage.now = stage.now + milliseconds(800);
    stage.hear(fs0, Started{request(1), 0, 7});
    CHECK(stage.said<Start>(fs1).empty());
    CHECK(stage.state(1) == JobState::running);
    CHECK(stage.state(2) == JobState::waiting);
    CHECK(stage.manager.job(2)->attempt == 2);
    CHECK(stage.manager.job(2)->reruns == 0);  // nothing was started, so no rerun counts
  }
  SUBCASE("they don't speak for one: it waits for word") {
    stage.hear(site, Renewed{{}, {{{SiteName("das-3"), {1, 42}}, not_known}}, {}});
    stage.hear(fs0, Started{request(1), 0, 7});
    CHECK(stage.said<Start>(fs1).empty());
    CHECK(stage.manager.job(2)->attempt == 1);
    stage.hear(site, Renewed{{}, {{{SiteName("das-3"), {1, 42}}, seconds(2)}}, {}});
    CHECK(stage.said<Start>(fs1).size() == 1);
  }
}

TEST_CASE("job manager: what a Grant promises counts before Beats speak for its lease, from when it left [S121]") {
  auto settings = settings_of_alice();
  settings.starts_at_once = 1;
  Stage stage(settings);
  stage.submit({sleeper(), sleeper()});
  stage.hear(site, grant(request(1), {group(fs0, {0, 1})}));
  Grant early = grant(request(2), {group(fs1, {0, 1})}, {SiteName("das-3"), {1, 42}});
  early.term = seconds(10);
  Received said{site, early, {}, {}};
  said.proved = stage.now - seconds(9);
  stage.take(std::move(said));
  stage.hear(site, Renewed{{}, {{early.lease, not_known}}, {}});
  SUBCASE("in time") {
    stage.now = stage.now + milliseconds(800);
    stage.hear(fs0, Started{request(1), 0, 7});
    CHECK(stage.said<Start>(fs1).size() == 1);
  }
  SUBCASE("too late: it waits for word") {
    stage.now = stage.now + milliseconds(900);
    stage.hear(fs0, Started{request(1), 0, 7});
    CHECK(stage.said<Start>(fs1).empty());
    CHECK(stage.manager.job(2)->attempt == 1);
  }
}

TEST_CASE("job manager: a restarted site is asked again for all that waits, with its waits [S83]") {
  Stage stage;
  stage.run_one();
  stage.submit({sleeper()});
  stage.out.messages.clear();
  stage.pass(seconds(7));
  stage.up(site, false);
  CHECK(stage.said<Request>(site).empty());
  stage.out.messages.clear();
  stage.up(site, true);
  CHECK(std::holds_alternative<Inventory>(stage.out.messages.at(0).message));
  const auto requests = stage.said<Request>(site);
  REQUIRE(requests.size() == 1);
  CHECK(requests[0].id == request(2));
  CHECK(requests[0].waited == seconds(7));
  CHECK(stage.state(1) == JobState::running);
  CHECK(stage.manager.grants() == 1);
  stage.hear(fs0, ended(request(1)));
  CHECK(stage.state(1) == JobState::finished);
}

TEST_CASE("job manager: components have files of their own; unwanted output is not asked for") {
  Stage stage;
  JobDescription kept = sleeper({4, 4});
  kept.output_path = "out";
  JobDescription unwanted = sleeper();
  unwanted.keep_output = false;
  stage.submit({kept, unwanted});
  stage.hear(site, grant(request(1), {group(fs0, {0, 1}, 0), group(fs1, {0, 1}, 1)}));
  stage.hear(fs0, ended(request(1), 0, 0));
  stage.hear(fs1, ended(request(1), 0, 1));
  REQUIRE(stage.out.output.size() == 2);
  CHECK(stage.out.output[0].path == "out");
  CHECK(stage.out.output[1].path == "out.1");
  CHECK(stage.out.output[1].component == 1);
  stage.run_one(2);
  Ended end = ended(request(2));
  end.output_bytes = 1'000'000;
  stage.hear(fs0, end);
  CHECK(stage.said<Fetch>(fs0).empty());
  CHECK(stage.said<Forget>(fs0).size() == 1);
  CHECK(stage.state(2) == JobState::finished);
}

TEST_CASE("job manager: a message from the wrong role is faulted, a Fault is not") {
  Stage stage;
  stage.submit({sleeper()});
  stage.hear(fs0, grant(request(1), {group(fs0, {0, 1})}));
  CHECK(stage.said<Fault>(fs0).size() == 1);
  const Party stranger = site_manager_of(SiteName("das-1"));
  stage.hear(stranger, Refuse{request(1), RefusalReason::too_large, 0, {}});
  CHECK(stage.said<Fault>(stranger).size() == 1);
  stage.hear(stranger, Fault{});
  CHECK(stage.said<Fault>(stranger).empty());
  CHECK(stage.state(1) == JobState::waiting);
}

TEST_CASE("job manager: jobs are listed by number and by state") {
  Stage stage;
  stage.submit({sleeper(), sleeper(), sleeper()});
  stage.cancel(2);
  CHECK(stage.manager.jobs({JobState::waiting, 0, 10}).size() == 2);
  CHECK(stage.manager.jobs({JobState::waiting, 2, 10}).at(0).number == 3);
  CHECK(stage.manager.jobs({{}, 2, 1}).at(0).number == 2);
  CHECK(stage.manager.ever(JobState::cancelled) == 1);
}

}  // namespace job_manager_test
