// Requests in RSL: parsed, made into jobs, and refused with line and column.
#include "cli/jobs/rsl.hpp"

#include <doctest/doctest.h>

#include <random>

#include "cli/jobs/rsl_job.hpp"

namespace rsl_test {

using namespace dmm;

namespace {

RslJob good(const std::string& text) {
  auto read = parse_rsl_job(text, "job.rsl");
  if (const auto* fault = std::get_if<JobFault>(&read)) FAIL(fault->text);
  return std::get<RslJob>(read);
}

std::string bad(const std::string& text) {
  auto read = parse_rsl_job(text, "job.rsl");
  if (std::holds_alternative<RslJob>(read)) return "it was read";
  return std::get<JobFault>(read).text;
}

}  // namespace

TEST_CASE("rsl: a multi-request is one job, a component for each part") {
  const RslJob request = good(
      "(* two clusters *)\n"
      "+( &(count=8) (executable=/bin/sh) (arguments=-c \"echo \"\"$1\"\"\" 'it''s')\n"
      "    (resourceManagerContact=\"fs0:2119/jobmanager-pbs\") (label=\"subjob 0\") )\n"
      " ( &(Count = 4) (executable=/bin/sh) (arguments=-c \"echo \"\"$1\"\"\" 'it''s')\n"
      "    (resource_manager_contact=das-1/fs1) (label=\"subjob 1\")(jobType=mpi) )\n");
  const JobDescription& job = request.job;
  CHECK(job.name == "sh");
  CHECK(job.program.arguments == std::vector<std::string>{"/bin/sh", "-c", "echo \"$1\"", "it's"});
  CHECK(job.need.kind == RequestKind::fixed);
  REQUIRE(job.need.components.size() == 2);
  CHECK(job.need.components[0] == Component{8, {}, ClusterName("fs0")});
  CHECK(job.need.components[1] == Component{4, SiteName("das-1"), ClusterName("fs1")});
  CHECK(request.warnings == std::vector<std::string>{"job.rsl line 3: label is unknown to DMM and left out",
                                                     "job.rsl line 5: jobType is unknown to DMM and left out"});
}

TEST_CASE("rsl: what means the same is taken") {
  const RslJob request = good(
      "&(executable = my # _ # program)(directory=/scratch)(environment=(A 1)(B \"two words\"))\n"
      " (stdin=/data/in)(stdout=/data/out-%j)(stderr=^!/data/e!!r!)(max_Wall_Time=90)");
  CHECK(request.job.program.arguments == std::vector<std::string>{"my_program"});
  CHECK(request.job.program.working_directory == "/scratch");
  CHECK(request.job.program.environment == std::vector<std::string>{"A=1", "B=two words"});
  CHECK(request.job.program.limits->wall_seconds == 5400);
  CHECK(request.input_file == "/data/in");
  CHECK(request.job.output_path == "/data/out-%j");
  CHECK(request.job.error_path == "/data/e!r");
  CHECK(request.job.need.kind == RequestKind::non_fixed);
  CHECK(request.job.need.components == std::vector<Component>{{1, {}, {}}});
  CHECK(request.warnings.empty());
  CHECK(good("(executable=true)").job.program.arguments == std::vector<std::string>{"true"});
  CHECK(good("+(&(executable=true)(count=2))(&(executable=true)(count=3))").job.need.components.size() == 2);
}

TEST_CASE("rsl: what is wrong is told with its line and column") {
  const std::pair<std::string, std::string> rows[] = {
      {"", "line 1, column 1: expected ( and a relation, as in (count=4); found the end of the file"},
      {"&", "line 1, column 2: expected ( and a relation, as in (count=4); found the end of the file"},
      {"&(", "line 1, column 3: expected the name of an attribute; found the end of the file"},
      {"&(count", "line 1, column 8: expected = behind the name of an attribute; found the end of the file"},
      {"&(count=", "line 1, column 9: expected a value or ); found the end of the file"},
      {"&(count=4", "line 1, column 10: expected a value or ); found the end of the file"},
      {"&(count>=4)(executable=a)", "line 1, column 8: expected = behind the name of an attribute; found >"},
      {"&(executable=a)x", "line 1, column 16: expected the end of the request; found x"},
      {"&(executable=a)\n )", "line 2, column 2: expected the end of the request; found )"},
      {"+(&(executable=a)", "line 1, column 18: expected ) behind a component; found the end of the file"},
      {"+", "line 1, column 2: expected ( and a component; found the end of the file"},
      {"+()", "line 1, column 3: expected ( and a relation, as in (count=4); found )"},
      {"|(executable=a)", "line 1, column 1: alternatives aren't read; expected &; found |"},
      {"&(executable=\"a)", "line 1, column 14: a quoted text has no end"},
      {"&(executable=a)(* x", "line 1, column 16: a comment has no end; found ("},
      {"&(executable=$(HOME))", "line 1, column 14: variables aren't read; expected a value; found $"},
      {"&(executable=a b)", "line 1, column 3: executable: expected one value"},
      {"&(executable=)", "line 1, column 3: executable: expected one value"},
      {"&(count=4)", "line 1, column 2: expected an executable"},
      {"&(executable=a)(count=0)", "line 1, column 17: count: expected a whole number from 1 to 10000000"},
      {"&(executable=a)(count=4x)", "line 1, column 17: count: expected a whole number from 1 to 10000000"},
      {"&(executable=a)(count=4)(Count=4)", "line 1, column 26: Count occurs twice; expected it once"},
      {"&(executable=a)(arguments=(b))", "line 1, column 27: arguments: expected a text, not a list"},
      {"&(executable=a)(environment=(A))", "line 1, column 29: environment: expected pairs, as in (NAME value)"},
      {"&(executable=a)(environment=A=1)", "line 1, column 30: expected a value; found ="},
      {"&(executable=a)(stdin=gsiftp://x/y)",
       "line 1, column 17: stdin: expected the path of a file here, got a URL"},
      {"&(executable=a)(resourceManagerContact=\"a b\")",
       "line 1, column 17: resourceManagerContact: expected CLUSTER or SITE/CLUSTER, got 'a b'"},
      {"+(&(executable=a))\n (&(executable=b))",
       "line 2, column 4: executable: expected that of the first component; the components of a job run one "
       "program"},
  };
  for (const auto& [text, fault] : rows) {
    CAPTURE(text);
    CHECK(bad(text) == "job.rsl " + fault);
  }
  CHECK(bad("&(executable=a)(directory=here)") ==
        "job.rsl: directory: expected an absolute path, where the job runs");
  CHECK(bad("+(&(executable=a)(resourceManagerContact=x))(&(executable=a))") ==
        "job.rsl: the request: each component of a fixed request names its site or its cluster");
  CHECK(bad("&(executable=a)(x=" + std::string(1'000'000, '(')).find("lists are nested too deep") !=
        std::string::npos);
}

TEST_CASE("rsl: texts of any bytes are read or refused") {
  const std::string whole =
      "+(&(count=8)(executable=/bin/sh)(arguments=a \"b\" (c d) ^!x!))(&(* *)(count = 4)(x='y'#z))";
  std::mt19937 dice(7);
  for (int round = 0; round < 20'000; ++round) {
    std::string text = whole;
    for (auto changes = dice() % 4; changes > 0; --changes) {
      const std::size_t at = dice() % text.size();
      if (dice() % 3 == 0)
        text.resize(at + 1);
      else
        text[at] = dice() % 2 == 0 ? "+&|()=\"'^#$* \n"[dice() % 14] : static_cast<char>(dice());
    }
    const auto read = parse_rsl_job(text, "job.rsl");
    CHECK((std::holds_alternative<RslJob>(read) || !std::get<JobFault>(read).text.empty()));
  }
}

}  // namespace rsl_test
