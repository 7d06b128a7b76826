// Which file belongs to which open job.
#include "jobmgr/output_paths.hpp"

#include <doctest/doctest.h>

namespace dmm::output_paths_test {
namespace {

JobDescription writing(const char* output, const char* error = "", bool append = false) {
  JobDescription job;
  job.output_path = output;
  job.error_path = error;
  job.append = append;
  return job;
}

}  // namespace

TEST_CASE("a job's number stands for %j in the names of its files, and no other percent sign means anything") {
  CHECK(expanded("/tmp/%j.out", 17) == "/tmp/17.out");
  CHECK(expanded("%j%j", 3) == "33");
  CHECK(expanded("100%%j %d %", 3) == "100%j %d %");
  CHECK(expanded("", 3) == "");
}

TEST_CASE("two open jobs never write to one file, unless both only append to it [S146b]") {
  OutputPaths paths;
  CHECK(paths.take(1, writing("/a", "/a")) == "");
  CHECK(paths.take(2, writing("/b", "/a")).starts_with("error_file: job 1, which isn't over, writes to /a; expected"));
  CHECK(paths.take(2, writing("/b", "/c")) == "");
  CHECK(paths.take(3, writing("/a", "", true)).starts_with("output_file: job 1"));
  paths.give_back(1, writing("/a", "/a"));
  CHECK(paths.take(3, writing("/a", "", true)) == "");
  CHECK(paths.take(4, writing("/a", "", true)) == "");
  paths.give_back(3, writing("/a", "", true));
  CHECK(paths.take(5, writing("/a")).starts_with("output_file: job 4"));
  paths.give_back(4, writing("/a", "", true));
  CHECK(paths.take(5, writing("/a")) == "");
  CHECK(paths.take(6, writing("/%j")) == "");
  CHECK(paths.take(7, writing("/%j")) == "");
  CHECK(paths.take(8, writing("/7")).starts_with("output_file: job 7"));
  CHECK(paths.take(8, writing("/dev/null", "/dev/null")) == "");
  CHECK(paths.take(9, writing("/dev/null")) == "");
  JobDescription discards = writing("/7");
  discards.keep_output = false;
  CHECK(paths.take(9, discards) == "");
}

TEST_CASE("what was accepted before there was such a rule goes on, and keeps others away") {
  OutputPaths paths;
  paths.restore(1, writing("/a"));
  paths.restore(2, writing("/a"));
  paths.give_back(1, writing("/a"));
  CHECK(!paths.take(3, writing("/a")).empty());
  paths.give_back(2, writing("/a"));
  CHECK(paths.size() == 0);
}

}  // namespace dmm::output_paths_test
