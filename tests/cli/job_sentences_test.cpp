// `dmm why` of jobs that run or are over, and of those that wait and whose site can't be asked.
#include "cli/job_sentences.hpp"

#include <doctest/doctest.h>

namespace job_sentences_test {

using namespace dmm;

namespace {

/// Began to run a hundred seconds after 1970, at beta for a user of alpha.
ToldJob running() {
  return job_from_json({{"job", 1},
                        {"state", "running"},
                        {"request", "alpha/ann/1"},
                        {"processors", 12},
                        {"submitted", 90.0},
                        {"granted", 99.0},
                        {"started", 100.0},
                        {"place", {{"owner", "beta"}, {"chain", {"beta", "alpha"}}}},
                        {"keep_output", true},
                        {"nodes", {{"beta/nodes", "0-11"}}},
                        {"limit_wall_seconds", 3600}});
}

void expect(const std::vector<std::string>& lines, std::initializer_list<const char*> parts) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  CAPTURE(text);
  for (const char* part : parts) {
    CAPTURE(part);
    CHECK(text.find(part) != std::string::npos);
  }
}

}  // namespace

TEST_CASE("why: of a running job, its nodes, how long it runs, and where its output comes") {
  expect(job_sentences(running(), {"/tmp/1.out", "/tmp/1.err"}, 150),
         {"it is running on beta/nodes 0-11, lent by way of beta > alpha.", "It has run for 50.0 s",
          "is ended after 1 h 00 min by its own limit", "Its output: /tmp/1.out", "Its error output: /tmp/1.err"});
}

TEST_CASE("why: of an ended job, its exit status or signal, where, for how long, and where its output is") {
  ToldJob job = running();
  job.state = "failed";
  job.exit_kind = "exited", job.exit_code = 3;
  job.wall_seconds = 42, job.ended = 142;
  job.nodes.clear();
  expect(job_sentences(job, {"/tmp/1.out", ""}, 202),
         {"It ended with exit status 3, on nodes of beta, lent by way of beta > alpha, after 42.0 s, 60.0 s ago.",
          "Its output: /tmp/1.out"});
  job.exit_kind = "signalled", job.exit_code = 9, job.keep_output = false, job.text = "too much memory";
  expect(job_sentences(job, {}, 202),
         {"It was ended by signal 9", "What is on record of it: too much memory.", "Its output was discarded"});
  job.exit_kind = "start_failed", job.exit_fault = "executable_missing";
  expect(job_sentences(job, {}, 202), {"It could not be started: executable missing"});
  job.exit_kind.clear(), job.owner.clear();
  expect(job_sentences(job, {}, 202), {"It never ran"});
}

TEST_CASE("why: without its site manager a job's own job manager tells what it knows") {
  ToldJob job = running();
  job.state = "waiting";
  expect(unasked_sentences(job, false, "sitemgr alpha is not there", 95),
         {"It asks for 12 processors, and has waited 5.0 s.",
          "doesn't reach its site manager: nothing is granted until", "The site: sitemgr alpha is not there"});
  job.reruns = 1;
  expect(unasked_sentences(job, true, "", 95), {"It ran before", "has asked its site for nodes"});
}

}  // namespace job_sentences_test
