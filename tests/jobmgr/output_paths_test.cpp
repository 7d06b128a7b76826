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

TEST_CASE("output paths: %j in a file name is the job's number, and no other percent sign means anything") {
  const OutputNames names{17, 17, 0};
  CHECK(expanded("/tmp/%j.out", names) == "/tmp/17.out");
  CHECK(expanded("%j%j", names) == "1717");
  CHECK(expanded("100%%j %d %", names) == "100%j %d %");
  CHECK(expanded("", names) == "");
  CHECK(expanded("%A-%a-%r", names) == "17-0-0");
}

TEST_CASE("output paths: %A and %a are an element's array and index, and %r is the number of a task") {
  CHECK(expanded("%A_%a.%r.%j", {22, 17, 4, 2}) == "17_4.2.22");
  CHECK(expanded("%A_%a_%j%%a", {std::nullopt, 17, std::nullopt}) == "17_%a_%j%%a");
  CHECK(names_task("x%r"));
  CHECK_FALSE(names_task("x%%r"));
}

TEST_CASE("output paths: elements of arrays write to one file only if they append [S150]") {
  OutputPaths paths;
  const auto array = [](const char* output, bool append = false) {
    JobDescription job = writing(output, "", append);
    job.array.ranges.push_back({0, 9});
    return job;
  };
  CHECK(paths.take(1, array("/a"))
            .starts_with("output_file: all elements of the array would write to /a; expected %a"));
  CHECK(paths.take(1, array("/a%%a")).starts_with("output_file: all elements"));
  CHECK(paths.take(1, array("/a", true)) == "");
  CHECK(paths.take(2, array("/a%a")) == "");
  CHECK(paths.take(3, array("/a%a")).starts_with("output_file: job 2, which isn't over, writes to /a%a"));
  CHECK(paths.take(3, array("/%A-%a")) == "");
  CHECK(paths.take(4, array("/%A-%a")) == "");
  paths.give_back(2, array("/a%a"));
  CHECK(paths.take(5, array("/a%a")) == "");
}

TEST_CASE("output paths: two open jobs never write to one file, unless both only append [S146b]") {
  OutputPaths paths;
  CHECK(paths.take(1, writing("/a", "/a")) == "");
  CHECK(paths.take(2, writing("/b", "/a"))
            .starts_with("error_file: job 1, which isn't over, writes to /a; expected"));
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

TEST_CASE("output paths: what was accepted before this rule goes on, and keeps others away") {
  OutputPaths paths;
  paths.restore(1, writing("/a"));
  paths.restore(2, writing("/a"));
  paths.give_back(1, writing("/a"));
  CHECK(!paths.take(3, writing("/a")).empty());
  paths.give_back(2, writing("/a"));
  CHECK(paths.size() == 0);
}

}  // namespace dmm::output_paths_test
