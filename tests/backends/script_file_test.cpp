// Scripts and standard input that come with a task: written into the task's folder, run by the script's first line, and
// removed with the task.
#include <doctest/doctest.h>

#include "process_backend_fixture.hpp"
#include "resmgr/backends/process/script_file.hpp"

namespace script_file_test {

using namespace dmm;
using namespace dmm::backend_test;

namespace {

Program script(const std::string& text, std::vector<std::string> arguments = {"job.sh"}) {
  Program program;
  program.arguments = std::move(arguments);
  program.script = text;
  return program;
}

}  // namespace

TEST_CASE("script: it runs with its name, its arguments and its exit status, in the job's own folder") {
  Fixture f;
  const TaskEnded end = f.run(task(1), script("#!/bin/sh -u\necho \"$0|$1|$2\"; pwd; stat -c %a \"$0\"; exit 7\n",
                                              {"night run/job.sh", "two words", "$HOME"}));
  CHECK(end.kind == EndKind::exited);
  CHECK(end.code == 7);
  CHECK(end.output == f.directory(1) + "/job.sh|two words|$HOME\n" + f.home(1) + "\n700\n");
  Program elsewhere = script("#!/bin/sh\npwd\n");
  elsewhere.working_directory = "/usr";
  CHECK(f.run(task(2), elsewhere).output == "/usr\n");
  f.backend->perform(RemoveTask{task(1)});
  CHECK(until([&] { return !std::filesystem::exists(f.directory(1)); }));
}

TEST_CASE("script: the first line gives the interpreter one argument, as the kernel does") {
  Fixture f;
  const TaskEnded end = f.run(task(1), script("#!/bin/echo -n  two  words \n", {"job.sh", "x"}));
  CHECK(end.output == "-n  two  words " + f.directory(1) + "/job.sh x\n");
}

TEST_CASE("script: a missing interpreter is told by its name, and is no fault of the node's") {
  Fixture f;
  const TaskEnded end = f.run(task(1), script("#!/no/such/shell\n"));
  CHECK(end.kind == EndKind::start_failed);
  CHECK(end.fault == StartFault::executable_missing);
  CHECK(end.text == "can't run job.sh with the interpreter /no/such/shell: No such file or directory");
}

TEST_CASE("script: a name that means something else in the job's folder or to a shell is not kept") {
  for (const std::string name : {"output", "error", "work", "input", "", ".job", "-c", "a b", "a;b", "a\nb"})
    CHECK(keeper::script_name_of(name) == "script");
  CHECK(keeper::script_name_of(std::string(101, 'n')) == "script");
  CHECK(keeper::script_name_of("job-1_a.sh") == "job-1_a.sh");
  Fixture f;
  CHECK(f.run(task(1), script("#!/bin/sh\necho $0\n", {"output"})).output == f.directory(1) + "/script\n");
}

TEST_CASE("input: every byte of it comes, and then the end; without any it is /dev/null") {
  Fixture f;
  std::string bytes;
  for (int i = 0; i < 65'536; ++i) bytes += static_cast<char>(i * 7 + i / 256);
  Program program{{"sh", "-c", "cat; readlink /proc/self/fd/0 >&2"}, {}, {}, {}};
  program.input = bytes;
  const TaskEnded end = f.run(task(1), program);
  CHECK(end.output_bytes == bytes.size());
  f.backend->perform(ReadOutput{task(1), Stream::output, 40'000});
  CHECK(f.await<OutputRead>(task(1)).data == bytes.substr(40'000));
  CHECK_FALSE(std::filesystem::exists(f.directory(1) + "/input"));
  program.input = {};
  CHECK(f.run(task(2), program).error == "/dev/null\n");
}

}  // namespace script_file_test
