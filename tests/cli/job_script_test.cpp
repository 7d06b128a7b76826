// Lines #DMM and #SBATCH of scripts, by tables: the resulting options, the warnings, and the faults.
#include "cli/jobs/job_script.hpp"

#include <doctest/doctest.h>

#include <CLI/CLI.hpp>

#include "cli/jobs/slurm_options.hpp"
#include "cli/jobs/submit_options.hpp"

namespace job_script_test {

using namespace dmm;

namespace {

std::string line_of(const Directive& directive) {
  return directive.option + (directive.has_value ? "=" + directive.value : "") +
         (directive.is_implied ? " (implied)" : "") + " @" + std::to_string(directive.line);
}

/// The result of a head: its options or its fault, then its warnings.
std::string read(const std::string& lines) {
  const JobScript script = read_job_script("#!/bin/sh\n" + lines, "job.sh");
  std::string text;
  const auto add = [&](const std::string& one) { text += (text.empty() ? "" : "; ") + one; };
  if (!script.fault.empty()) return script.fault;
  for (const Directive& directive : script.directives) add(line_of(directive));
  for (const std::string& warning : script.warnings) add("! " + warning);
  return text;
}

struct Row {
  std::string lines, becomes;
};

/// Options of a command line with a script, and the script's options below them.
struct Merged {
  SubmitOptions options;
  std::string fault;
};
Merged merged(std::vector<std::string> words, const std::string& lines) {
  CLI::App app;
  SubmitOptions given;
  add_submit_options(app, given);
  std::ranges::reverse(words);
  app.parse(std::move(words));
  const JobScript script = read_job_script("#!/bin/sh\n" + lines, "job.sh");
  REQUIRE(script.fault == "");
  auto both = with_directives(app, given, script.directives, "job.sh");
  if (const auto* fault = std::get_if<JobFault>(&both)) return {{}, fault->text};
  return {std::get<SubmitOptions>(both), {}};
}

}  // namespace

TEST_CASE("job script: lines of #DMM are options as they are, up to the first command") {
  const Row rows[] = {
      {"", ""},
      {"#DMM --name night -n 4\n", "--name=night @2; -n=4 @2"},
      {"#DMM --name=\"two words\" --wait\n\n  # a remark\n#DMM -n4\n", "--name=two words @2; --wait @2; -n=4 @5"},
      {"#DMM --priority -3 # urgent\n", "--priority=-3 @2"},
      {"#DMM --environment 'A=it'\\''s' --environment B=\n", "--environment=A=it's @2; --environment=B= @2"},
      {"#DMM\t--name x\r\n", "--name=x @2"},
      {"#DMMX --name x\n##DMM --name x\n# DMM --name x\n", ""},
      {"true\n#DMM --name late\n", ""},
      {"#DMM --name x", "--name=x @2"},
      {"#DMM name x\n", "job.sh line 2: expected an option, as in --name value, got 'name'"},
      {"\n#DMM\n", "job.sh line 3: expected an option behind #DMM, as in --name value"},
      {"#DMM --name 'x\n", "job.sh line 2: a quotation has no end"},
      {"#DMM --name x y\n", "job.sh line 2: expected an option, as in --name value, got 'y'"},
      {"#DMM -\n", "job.sh line 2: expected an option, as in --name value, got '-'"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.lines);
    CHECK(read(row.lines) == row.becomes);
  }
}

TEST_CASE("job script: options of #SBATCH that mean the same become ours, each other one is told once") {
  const Row rows[] = {
      {"#SBATCH -n 4 -J night\n", "--name=night @2; --processors=4 @2"},
      {"#SBATCH --ntasks=4 --cpus-per-task=2\n", "--processors=8 @2"},
      {"#SBATCH --ntasks 4\n#SBATCH -c2\n#SBATCH -n6\n", "--processors=12 @4"},
      {"#SBATCH -N2\n",
       "--processors=2 @2; ! job.sh line 2: #SBATCH --nodes: DMM chooses the nodes, and asks for a number of "
       "processors"},
      {"#SBATCH --nodes=2-4 --ntasks-per-node=8\n",
       "--processors=16 @2; ! job.sh line 2: #SBATCH --nodes: DMM takes the least of a range, 2; ! job.sh line 2: "
       "#SBATCH --nodes: DMM chooses the nodes, and asks for a number of processors"},
      {"#SBATCH -n 8 --ntasks-per-node=4\n",
       "--processors=8 @2; ! job.sh line 2: #SBATCH --ntasks-per-node is left out: "
       "DMM chooses how many processors a node gives"},
      {"#SBATCH -t 1:30:00\n", "--limit-wall=5400 @2"},
      {"#SBATCH --output=out-%j.txt\n", "--error-file=out-%j.txt (implied) @2; --output-file=out-%j.txt @2"},
      {"#SBATCH -o out -e err\n", "--error-file=err @2; --output-file=out @2"},
      {"#SBATCH -e err-%4j-100%%\n",
       "--error-file=err-%j-100%% @2; ! job.sh line 2: #SBATCH -e: DMM doesn't replace "
       "%4j; it knows %j, %A and %a: the number of the job and of its array, and its index"},
      {"#SBATCH -e %x-%A_%a.%\n",
       "--error-file=%%x-%A_%a.%% @2; ! job.sh line 2: #SBATCH -e: DMM doesn't replace "
       "%x; it knows %j, %A and %a: the number of the job and of its array, and its index"},
      {"#SBATCH -a 1-10%2 -d afterok:17 -b now+1hour -H --priority=5\n",
       "--array=1-10%2 @2; --dependency=afterok:17 @2; --begin=now+1hour @2; --hold @2; --priority=5 @2"},
      {"#SBATCH -D /scratch -W\n", "--directory=/scratch @2; --wait @2"},
      {"#SBATCH --export=NONE\n", ""},
      {"#SBATCH --export=A=1,B=two\n", "--environment=A=1 @2; --environment=B=two @2"},
      {"#SBATCH --export=ALL,HOME,A=1\n",
       "--environment=A=1 @2; ! job.sh line 2: #SBATCH --export=ALL: a job gets no variable of the shell that "
       "submits it; "
       "name those it needs as NAME=value; ! job.sh line 2: #SBATCH --export: HOME is left out; expected it with "
       "its "
       "value, as NAME=value"},
      {"#SBATCH --mem=4G\n", "--memory-mb=4096 @2"},
      {"#SBATCH --mem 0\n",
       "! job.sh line 2: #SBATCH --mem=0: jobs have all memory of their nodes unless a site says otherwise"},
      {"#SBATCH -p long\n\n#SBATCH -p short --exclusive\n",
       "! job.sh line 2: #SBATCH -p is unknown to DMM and left out; ! job.sh line 4: #SBATCH --exclusive "
       "is unknown to DMM and left out"},
      {"#DMM -n 2\n#SBATCH -n 4\n", "--processors=4 @3; -n=2 @2"},  // #DMM has precedence
      {"#SBATCH -n\n", "job.sh line 2: #SBATCH -n: expected a value"},
      {"#SBATCH -n four\n", "job.sh line 2: #SBATCH -n: expected a whole number from 1, got 'four'"},
      {"#SBATCH -n 0\n", "job.sh line 2: #SBATCH -n: expected a whole number from 1, got '0'"},
      {"#SBATCH -n 99999999999999999999\n",
       "job.sh line 2: #SBATCH -n: expected a whole number from 1, got '99999999999999999999'"},
      {"#SBATCH -N 4-2\n",
       "job.sh line 2: #SBATCH -N: expected a number of nodes from 1, or a range, as in 2-4, got '4-2'"},
      {"#SBATCH --time=soon\n",
       "job.sh line 2: #SBATCH --time: expected a length of time, as in 30, 30:00, 1:30:00, 2-12, "
       "2-12:30 or 2-12:30:00, got 'soon'"},
      {"#SBATCH --mem=4X\n",
       "job.sh line 2: #SBATCH --mem: expected memory of a node in MiB, or with K, M, G or T behind it, as in 4G, "
       "got "
       "'4X'"},
      {"#SBATCH --hold=yes\n", "job.sh line 2: #SBATCH --hold: expected no value, got 'yes'"},
      {"#SBATCH --export==1\n",
       "job.sh line 2: #SBATCH --export: expected names of variables, as in NAME=value,OTHER=value, got '=1'"},
      {"#SBATCH -N 10000000 --ntasks-per-node=10000000 -c 10000000\n",
       "--processors=10000001 @2; ! job.sh line 2: #SBATCH --nodes: DMM chooses the nodes, and asks for a "
       "number of processors"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.lines);
    CHECK(read(row.lines) == row.becomes);
  }
}

TEST_CASE("job script: Slurm's lengths of time and sizes of memory") {
  const std::pair<std::string, std::int64_t> times[] = {
      {"30", 1800},         {"0", 0},
      {"30:05", 1805},      {"1:30:00", 5400},
      {"2-12", 216'000},    {"2-12:30", 217'800},
      {"2-0:0:1", 172'801}, {"UNLIMITED", 0},
      {"INFINITE", 0},      {"", -1},
      {"1:2:3:4", -1},      {"2-", -1},
      {"-5", -1},           {"1::2", -1},
      {"1-2-3", -1},        {"1.5", -1},
      {" 5", -1},           {"99999999999999999999", -1},
      {"9999999999", -1},   {"366001-0", -1},
  };
  for (const auto& [text, expected] : times) {
    CAPTURE(text);
    std::uint64_t seconds = 0;
    const bool is_read = read_slurm_time(text, seconds);
    CHECK(is_read == (expected >= 0));
    if (is_read) CHECK(seconds == static_cast<std::uint64_t>(expected));
  }
  const std::pair<std::string, std::int64_t> sizes[] = {
      {"512", 512}, {"512M", 512}, {"2g", 2048}, {"1T", 1'048'576}, {"1K", 1},           {"2049K", 3},
      {"", -1},     {"G", -1},     {"-1", -1},   {"1P", -1},        {"99999999999T", -1}};
  for (const auto& [text, expected] : sizes) {
    CAPTURE(text);
    std::uint64_t mebibytes = 0;
    const bool is_read = read_slurm_memory(text, mebibytes);
    CHECK(is_read == (expected >= 0));
    if (is_read) CHECK(mebibytes == static_cast<std::uint64_t>(expected));
  }
}

TEST_CASE("job script: the command line goes before what a script says, and #DMM before #SBATCH") {
  const std::string lines = "#SBATCH -n 4 -o s.txt\n#DMM -n 2 --name night --environment A=1\n";
  Merged one = merged({}, lines);
  CHECK(one.fault == "");
  CHECK(one.options.processors == 2);
  CHECK(one.options.name == "night");
  CHECK(one.options.output_file == "s.txt");
  CHECK(one.options.error_file == "s.txt");
  one = merged({"-n", "8", "--environment", "A=2", "--output-file", "here.txt", "--wait"}, lines);
  CHECK(one.fault == "");
  CHECK(one.options.processors == 8);
  CHECK(one.options.environment ==
        std::vector<std::string>{"A=1", "A=2"});  // of two values for one name the later one counts
  CHECK(one.options.output_file == "here.txt");
  CHECK(one.options.error_file == "");  // it only followed from the output option
  CHECK(one.options.wait);
  one = merged({"--components", "3,3"}, lines);
  CHECK(one.fault == "");
  CHECK(one.options.components == "3,3");
  CHECK(one.options.processors == 1);
  one = merged({}, "#DMM -n 4\n#DMM --flexible 24 --component-min 8\n");
  CHECK(one.fault == "");
  CHECK(one.options.flexible == 24);
  CHECK(one.options.component_min == 8);
  CHECK(merged({}, "#SBATCH -n 2\n#SBATCH -a 1-10%3\n").options.array == "1-10%3");
  CHECK(merged({}, "#SBATCH -o s.txt\n#DMM --error-file e.txt\n").options.error_file == "e.txt");
}

TEST_CASE("job script: a wrong option of a script is told with its line") {
  const Row rows[] = {
      {"#DMM --nmae x\n", "job.sh line 2: `dmm submit` has no option --nmae (did you mean \"--name\"?)"},
      {"\n#DMM --help\n", "job.sh line 3: `dmm submit` has no option --help"},
      {"#DMM --script-follows\n", "job.sh line 2: `dmm submit` has no option --script-follows"},
      {"#DMM --name\n", "job.sh line 2: --name: expected a value"},
      {"#DMM --wait yes\n", "job.sh line 2: --wait: expected no value, got 'yes'"},
      {"#DMM --name x\n#DMM --limit-wall soon\n#DMM -n 2\n", "job.sh line 3: "},
  };
  for (const Row& row : rows) {
    CAPTURE(row.lines);
    const std::string fault = merged({}, row.lines).fault;
    CHECK(fault.substr(0, row.becomes.size()) == row.becomes);
  }
}

}  // namespace job_script_test
