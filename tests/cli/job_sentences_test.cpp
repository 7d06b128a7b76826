// `dmm why` of jobs that run or have ended, and of waiting jobs if their site can't be asked.
#include "cli/jobs/job_sentences.hpp"

#include <doctest/doctest.h>

#include "cli/terminal/json_text.hpp"

namespace job_sentences_test {

using namespace dmm;

namespace {

/// A job that began to run a hundred seconds after 1970, at beta, for a user of alpha.
ToldJob running() {
  return job_from_json({{"job", 1},
                        {"state", "running"},
                        {"request", "alpha/ann/1"},
                        {"processors", 12},
                        {"submitted", 90.0},
                        {"granted", 99.0},
                        {"started", 100.0},
                        {"waits_since", 90.0},
                        {"ran_from", 110.0},
                        {"place", {{"owner", "beta"}, {"chain", {"beta", "alpha"}}}},
                        {"keep_output", true},
                        {"nodes", {{"beta/nodes", "0-11"}}},
                        {"limit_wall_seconds", 3600}});
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

void expect(const std::vector<std::string>& lines, std::initializer_list<const char*> parts) {
  const std::string text = joined(lines);
  CAPTURE(text);
  for (const char* part : parts) {
    CAPTURE(part);
    CHECK(text.find(part) != std::string::npos);
  }
}

}  // namespace

TEST_CASE("why: of a running job, its nodes, how long it runs, and where its output comes") {
  expect(job_sentences(running(), {{"/tmp/1.out", true, {}}, {"/tmp/1.err", false, {}}}, 150),
         {"It is running on beta/nodes 0-11, lent by way of beta > alpha.", "It has run for 40.0 s",
          "is ended after 1 h 00 min by its own limit", "Its output: /tmp/1.out",
          "Its error output goes to /tmp/1.err, where nothing is yet."});
}

TEST_CASE("why: what isolation the last attempt got, while it runs and afterwards") {
  ToldJob job = running();
  CHECK(joined(job_sentences(job, {}, 150)).find("isolation") == std::string::npos);  // its managers are older
  job.isolation = texts_in({{"isolation", {"namespaces, rlimits", "rlimits"}}}, "isolation");
  const char* const told = "Its isolation from other jobs and the host: namespaces, rlimits; elsewhere rlimits.";
  expect(job_sentences(job, {}, 150), {told});
  job.state = "finished", job.exit_kind = "exited";
  expect(job_sentences(job, {}, 150), {told});
}

TEST_CASE("why: a job between two states tells which manager's word it awaits, and for how long yet") {
  ToldJob job = running();
  job.heads = {{"beta/nodes", false, 170.0}};
  expect(job_sentences(job, {}, 150),
         {"It is running on", "waits to hear from beta/nodes, which can't be reached, for 20.0 s"});
  job.state = "starting", job.heads = {{"beta/nodes", true, 160.0}};
  expect(job_sentences(job, {}, 150),
         {"It is starting on", "waits for beta/nodes to say that it runs, for 10.0 s more at most."});
  job.heads = {{"alpha/nodes", true, 160.0}, {"beta/nodes", false, 160.0}};
  expect(job_sentences(job, {}, 150),
         {"waits for beta/nodes, which can't be reached, to say that it runs, for 10.0 s"});
  job.heads = {{"beta/nodes", true, 160.0}};
  job.state = "ending";
  expect(job_sentences(job, {}, 150),
         {"It is being ended on", "waits for beta/nodes to say that nothing of it runs any more, for"});
  job.state = "collecting", job.heads[0].until = {}, job.wall_seconds = 12, job.writing_seconds = 30;
  expect(job_sentences(job, {}, 150), {"Its program is over, after 12.0 s.", "is being brought from beta/nodes",
                                       "waiting for the file system here for 30.0 s"});
}

TEST_CASE("why: of an ended job, its exit status or signal, where, for how long, and where its output is") {
  ToldJob job = running();
  job.state = "failed";
  job.exit_kind = "exited", job.exit_code = 3;
  job.wall_seconds = 42, job.ended = 142;
  job.nodes.clear();
  expect(job_sentences(job, {{"/tmp/1.out", true, {}}, {}}, 202),
         {"It ended with exit status 3, on nodes of beta, lent by way of beta > alpha, after 42.0 s.",
          "It was over 60.0 s ago.", "Its output: /tmp/1.out"});
  expect(job_sentences(job, {{"/tmp/1.out", false, {}}, {}}, 202), {"It wrote no output."});
  job.exit_kind = "signalled", job.exit_code = 9, job.keep_output = false, job.text = "too much memory";
  expect(job_sentences(job, {}, 202),
         {"It was ended by signal 9", "Recorded reason: too much memory.", "Its output was discarded"});
  job.exit_kind = "start_failed", job.exit_fault = "executable_missing";
  expect(job_sentences(job, {}, 202), {"It could not be started: its program was not found"});
  job.exit_fault = "hung";
  expect(job_sentences(job, {}, 202), {"It could not be started: it hung while it was started"});
  job.exit_fault = "of_a_later_version";
  expect(job_sentences(job, {}, 202), {"It could not be started: of a later version"});
  job.exit_kind.clear(), job.places.clear(), job.wall_seconds = 0;
  expect(job_sentences(job, {}, 202), {"It never ran."});
  job.ran_before_seconds = 2;
  expect(job_sentences(job, {}, 202), {"It doesn't run again.", "Earlier attempts at it ran for 2.0 s in all."});
}

TEST_CASE("why: output that could not be written has no place here, and the user is told how to fetch it") {
  ToldJob job = running();
  job.state = "finished", job.exit_kind = "exited", job.nodes.clear();
  job.output_state = "unwritten", job.at_lender = true;
  const OutputPlaces places{{"/nosuchdir/x", true, true}, {"/tmp/1.err", true, false}};
  const auto lines = job_sentences(job, places, 202);
  expect(lines, {"Its output could not be written to /nosuchdir/x.", "Its error output: /tmp/1.err",
                 "Output that could not be written is still where the job ran, on nodes of beta, lent by way of "
                 "beta > alpha.",
                 "`dmm output alpha/ann/1 --fetch` brings all of its output into its job manager's folder."});
  CHECK(joined(lines).find("Its output: ") == std::string::npos);

  job.at_lender = false;  // later its job manager doesn't know which of the two applied
  const auto later = job_sentences(job, {{"/nosuchdir/x", true, {}}, {"/tmp/1.err", true, {}}}, 9000);
  expect(later, {"Its output was to go to /nosuchdir/x.", "Its error output was to go to /tmp/1.err.",
                 "Output that could not be written is no longer kept anywhere."});
  CHECK(joined(later).find("--fetch") == std::string::npos);
}

TEST_CASE("queue: a job tells in one cell how it ended, what it awaits, and how often it was interrupted") {
  ToldJob job = running();
  CHECK(outcome_text(job, 150) == "");
  job.text = "reclaimed by its owner, beta";
  job.interruptions = 1;
  CHECK(outcome_text(job, 150) == "reclaimed by its owner, beta");
  job.reruns = 1;
  CHECK(outcome_text(job, 150) == "interrupted 2 x; reclaimed by its owner, beta");
  job.state = "waiting", job.again_at = 162;
  CHECK(outcome_text(job, 150) == "pauses 12.0 s; interrupted 2 x; reclaimed by its owner, beta");
  CHECK(outcome_text(job, 162) == "interrupted 2 x; reclaimed by its owner, beta");
  job.reruns = job.interruptions = 0, job.text.clear(), job.again_at = {};
  job.state = "ending", job.heads = {{"beta/nodes", false, 170.0}};
  CHECK(outcome_text(job, 150) ==
        "waits for beta/nodes, which can't be reached, to report its end, for 20.0 s more at most");
  job.state = "collecting", job.heads = {{"beta/nodes", true, {}}}, job.writing_seconds = 30;
  job.exit_kind = "exited", job.exit_code = 3;
  CHECK(outcome_text(job, 150) ==
        "exit status 3; output comes from beta/nodes; the file system here has been busy for 30.0 s");
  job.state = "lost", job.text = "interrupted too often; its nodes were lost", job.reruns = 3, job.exit_kind = "";
  CHECK(outcome_text(job, 150) == job.text);
  job.state = "failed", job.reruns = 0, job.exit_kind = "exited";
  CHECK(outcome_text(job, 150) == "exit status 3");
}

TEST_CASE("why: a job that was interrupted tells how often, by which owners, and what it costs") {
  ToldJob job = running();
  CHECK(earlier_sentences(job, 150).empty());
  job.state = "waiting", job.text = "reclaimed by its owner, beta";
  job.ran_before_seconds = 300, job.reruns = 1, job.keeper_deaths = 2, job.false_starts = 1, job.interruptions = 2;
  job.interrupted_by = {"gamma", "beta"};
  expect(earlier_sentences(job, 490),
         {"Earlier attempts at it ran for 5 min 00 s in all.",
          "It was submitted 6 min 40 s ago, and has waited for 1 min 40 s in all", "Faults ended it 1 time; each",
          "with its keeper 2 times",
          "Owners interrupted it by their right 2 times: gamma, beta; that doesn't count as a rerun.",
          "Its nodes were gone before it ran, 1 time"});
  job.interruptions = 3;
  job.causes = {{"gamma", "at_longest", 1}, {"beta", "reclaimed", 2}, {"beta", "preempted", 1}};
  expect(earlier_sentences(job, 490),
         {"Owners and its site interrupted it 3 times: lease at its longest at gamma (1), reclaimed by beta (2), "
          "preempted by a job of high priority at beta (1); that doesn't count as a rerun."});
  job.interruptions = 2;
  job.causes = {{"alpha", "preempted", 2}};
  expect(earlier_sentences(job, 490),
         {"Its site interrupted it 2 times: preempted by a job of high priority at alpha (2); "
          "that doesn't count as a rerun."});
  job.interruptions = 7;
  job.causes = {{"beta", "node_removed", 1}, {"beta", "link_removed", 1}, {"beta", "of_later", 1}};
  expect(earlier_sentences(job, 490),
         {"node removed by beta (1), link removed on the way to beta (1), "
          "of later by beta (1), and earlier ones (4); that doesn't count as a rerun."});
  CHECK(!pauses(job, 150));
  job.again_at = 162;
  CHECK(pauses(job, 150));
  CHECK(!pauses(job, 162));
  expect(pause_sentences(job, 150), {"pauses for 12.0 s more", "reclaimed by its owner, beta."});
}

TEST_CASE("why: without its site manager a job's own job manager tells what it knows") {
  ToldJob job = running();
  job.state = "waiting";
  expect(unasked_sentences(job, false, "not admitted", "sitemgr alpha is not there", 95),
         {"It asks for 12 processors, and has waited 5.0 s.",
          "doesn't reach its site manager: nothing is granted until",
          "last error of the connection: not admitted.", "The site: sitemgr alpha is not there"});
  expect(unasked_sentences(job, true, "", "", 95), {"has asked its site for nodes"});
}

TEST_CASE("why and queue: what keeps a waiting job back, and what ends that") {
  ToldJob job =
      job_from_json({{"job", 12},
                     {"state", "waiting"},
                     {"request", "alpha/ann/12"},
                     {"held", true},
                     {"begin_at", 3'760.0},
                     {"dependencies", {{{"kind", "afterok"}, {"job", 9}}, {{"kind", "after"}, {"job", 10}}}}});
  REQUIRE(job.is_kept_back());
  expect(kept_back_sentences(job, 160),
         {"It is held by its user; `dmm release alpha/ann/12` lets it go on.",
          "It begins no earlier than 1970-01-01", ", in 1 h 00 min.",
          "It waits for job 9 to finish, for job 10 to begin.", "Its site isn't asked for nodes before that"});
  CHECK(outcome_text(job, 160).starts_with("held by its user; not before 1970-01-01"));
  CHECK(outcome_text(job, 160).ends_with("in 1 h 00 min; waits for job 9 to finish, and for 1 other"));
  job.held = false, job.begin_at = {}, job.dependencies = {{"afternotok", 9}};
  CHECK(outcome_text(job, 160) == "waits for job 9 to end without finishing");
  job.dependencies = {{"afterany", 9}};
  CHECK(outcome_text(job, 160) == "waits for job 9 to end");
  job.dependencies.clear();
  CHECK_FALSE(job.is_kept_back());
  CHECK(outcome_text(job, 160) == "");
}

}  // namespace job_sentences_test
