// Programs that no system could start, and texts longer than a limit, are refused with the field and the limit.
#include "protocol/programs.hpp"

#include <doctest/doctest.h>

namespace programs_test {

using namespace dmm;

namespace {

JobDescription job() {
  JobDescription job;
  job.program.arguments = {"true"};
  job.need.components.push_back({1, {}, {}});
  return job;
}

std::string path_of(std::size_t bytes) {
  std::string path;
  while (path.size() < bytes) path += "/" + std::string(std::min<std::size_t>(bytes - path.size() - 1, 200), 'p');
  return path;
}

std::string script_of(std::size_t bytes) {
  const std::string head = "#!/bin/sh\n";
  return head + std::string(bytes - head.size(), '#');
}

}  // namespace

TEST_CASE("programs: sizes of a job are checked, each with its field and its limit") {
  JobDescription at_limit = job(), beyond = job();
  std::string fault;
  SUBCASE("an argument") {
    at_limit.program.arguments.emplace_back(131'071, 'x');
    beyond.program.arguments.emplace_back(131'072, 'x');
    fault = "command: argument 1 has 131072 bytes; at most 131071";
  }
  SUBCASE("a variable") {
    at_limit.program.environment.push_back("A=" + std::string(131'069, 'x'));
    beyond.program.environment.push_back("A=" + std::string(131'070, 'x'));
    fault = "environment: variable 0 has 131072 bytes; at most 131071";
  }
  SUBCASE("all together") {
    at_limit.program.arguments = {"true", std::string(100'000, 'x'), std::string(53'593, 'x')};
    beyond.program.arguments = {"true", std::string(100'000, 'x'), std::string(53'594, 'x')};
    fault = "command and environment: all of it, with a byte behind each text, has 153601 bytes; at most 153600";
  }
  SUBCASE("very many of them") {
    at_limit.program.arguments.resize(150'000);
    at_limit.program.arguments[0] = "true";
    beyond.program.arguments.resize(154'000);
    beyond.program.arguments[0] = "true";
    fault = "command and environment: all of it, with a byte behind each text, has 154004 bytes; at most 153600";
  }
  SUBCASE("the name of the program") {
    at_limit.program.arguments = {std::string(255, 'x')};
    beyond.program.arguments = {std::string(256, 'x')};
    fault = "command: a name in the path has 256 bytes; at most 255";
  }
  SUBCASE("the working directory") {
    at_limit.program.working_directory = path_of(4'095);
    beyond.program.working_directory = path_of(4'096);
    fault = "working_directory: it has 4096 bytes; at most 4095";
  }
  SUBCASE("a path for output") {
    at_limit.output_path = path_of(4'095);
    beyond.output_path = path_of(4'096);
    fault = "output_file: it has 4096 bytes; at most 4095";
  }
  SUBCASE("a name in a path for errors") {
    at_limit.error_path = "/tmp/" + std::string(255, 'e') + "/x";
    beyond.error_path = "/tmp/" + std::string(256, 'e') + "/x";
    fault = "error_file: a name in the path has 256 bytes; at most 255";
  }
  SUBCASE("the job's name") {
    at_limit.name = std::string(255, 'n');
    beyond.name = std::string(256, 'n');
    fault = "name: it has 256 bytes; at most 255";
  }
  CHECK(fault_of(at_limit) == "");
  CHECK(fault_of(beyond) == fault);
}

TEST_CASE("programs: sizes of a script and of input are checked, and of all that travels with each Start") {
  JobDescription at_limit = job(), beyond = job();
  std::string fault;
  SUBCASE("a script") {
    at_limit.program.script = script_of(131'072);
    beyond.program.script = script_of(131'073);
    fault = "script: it has 131073 bytes; at most 131072";
  }
  SUBCASE("input") {
    at_limit.program.input = std::string(65'536, 'i');
    beyond.program.input = std::string(65'537, 'i');
    fault = "input: it has 65537 bytes; at most 65536";
  }
  SUBCASE("what travels with each Start") {
    at_limit.program.script = script_of(131'072);
    at_limit.program.input = std::string(65'536, 'i');
    at_limit.program.arguments = {"job.sh", std::string(32'760, 'x')};
    beyond = at_limit;
    beyond.program.arguments.back() += 'x';
    fault = "command, environment, script, input and names of files: all of it has 229377 bytes; at most 229376";
  }
  CHECK(fault_of(at_limit) == "");
  CHECK(fault_of(beyond) == fault);
}

TEST_CASE("programs: zero bytes, no program and hops without end are refused") {
  JobDescription bad = job();
  std::string fault;
  SUBCASE("a zero byte in a path") {
    bad.output_path = std::string_view("/tmp/a\0b", 8);
    fault = "output_file: a zero byte is in it";
  }
  SUBCASE("in an argument") {
    bad.program.arguments.emplace_back("a\0b", 3);
    fault = "command: argument 1 has a zero byte in it";
  }
  SUBCASE("no program") {
    bad.program.arguments.clear();
    fault = "command: it names no program; expected a program and its arguments";
  }
  SUBCASE("a script without an interpreter") {
    bad.program.script = "echo hello\n";
    fault = "script: line 1: expected #! and the path of an interpreter, as in #!/bin/sh";
  }
  SUBCASE("hops") {
    bad.dttl = 17;
    fault = "dttl: 17 is above 16";
  }
  SUBCASE("no processors") {
    bad.need.components[0].processors = 0;
    fault = "the request: a component needs at least 1 processor";
  }
  CHECK(fault_of(bad) == fault);
}

TEST_CASE("programs: a program that alone is warned runs once, without a launcher") {
  JobDescription good = job();
  good.program.warns_program_only = true;
  CHECK(fault_of(good) == "");
  JobDescription bad = good;
  SUBCASE("a runner") { bad.program.runner = Runner::per_node; }
  SUBCASE("components") { bad.need.components.push_back({1, {}, {}}); }
  SUBCASE("chosen components") { bad.need.kind = RequestKind::flexible; }
  SUBCASE("files") {
    set_outputs(bad, {std::get<OutputFile>(parse_output_file("result.dat=/home/ann/result.dat"))});
  }
  CHECK(fault_of(bad) == "warn_program_only: expected one component, run once in it, without files to be brought");
}

TEST_CASE("programs: conditions of a job are checked, each with its field and its limit [S146c]") {
  JobDescription at_limit = job(), beyond = job();
  std::string fault;
  SUBCASE("a begin time") {
    at_limit.begin_seconds = 315'619'200;
    beyond.begin_seconds = 315'619'201;
    fault = "begin: it is 315619201 s off; at most 315619200";
  }
  SUBCASE("dependencies") {
    at_limit.dependencies.resize(64);
    for (Dependency& one : at_limit.dependencies) one.job = 1;
    beyond.dependencies = at_limit.dependencies;
    beyond.dependencies.push_back({DependencyKind::after, 2});
    fault = "dependency: there are 65 of them; at most 64";
  }
  SUBCASE("a kind of dependency of a later version") {
    at_limit.dependencies = {{DependencyKind::after_any, 1}};
    beyond.dependencies = {{DependencyKind{4}, 1}};
    fault = "dependency: kind 4 is unknown; expected after, afterok, afternotok or afterany";
  }
  SUBCASE("a job that can't be") {
    beyond.dependencies = {{DependencyKind::after, 0}};
    fault = "dependency: there is no job 0; numbers begin with 1";
  }
  CHECK(fault_of(at_limit) == "");
  CHECK(fault_of(beyond) == fault);
}

TEST_CASE("programs: the first line of a script is read as the kernel reads it, or its fault is told") {
  struct Row {
    std::string script, interpreter, argument, fault;
  };
  const std::string long_path = "/" + std::string(251, 'p');
  const Row rows[] = {
      {"#!/bin/sh\necho", "/bin/sh", "", ""},
      {"#!/bin/sh", "/bin/sh", "", ""},
      {"#! \t/usr/bin/env  python3 -u \t\nx", "/usr/bin/env", "python3 -u", ""},
      {"#!" + long_path + "\n", long_path, "", ""},
      {"#!/" + long_path + "\n", "", "", "line 1: it has 255 bytes; at most 254"},
      {"", "", "", "line 1: expected #! and the path of an interpreter, as in #!/bin/sh"},
      {"\n#!/bin/sh\n", "", "", "line 1: expected #! and the path of an interpreter, as in #!/bin/sh"},
      {"#!\n", "", "", "line 1: expected the absolute path of an interpreter behind #!, got ''"},
      {"#!sh\n", "", "", "line 1: expected the absolute path of an interpreter behind #!, got 'sh'"},
      {"#!/bin/sh\r\n", "", "",
       "line 1: it ends with a carriage return; expected lines that end with a line feed"},
      {std::string("#!/bin/sh\0x\n", 12), "", "", "line 1: a zero byte is in it"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.script);
    const auto read = head_of_script(row.script);
    const auto* fault = std::get_if<1>(&read);
    CHECK((fault ? *fault : "") == row.fault);
    const ScriptHead head = fault ? ScriptHead() : std::get<0>(read);
    CHECK(head.interpreter == row.interpreter);
    CHECK(head.argument == row.argument);
  }
}

}  // namespace programs_test
