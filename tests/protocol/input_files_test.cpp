// Which input files a job may name: their destination and their source.
#include "protocol/input_files.hpp"

#include <doctest/doctest.h>

#include "protocol/home_paths.hpp"
#include "protocol/programs.hpp"

namespace input_files_test {

using namespace dmm;

std::string fault_of_text(std::string_view text) {
  const auto file = parse_input_file(text);
  const auto* fault = std::get_if<1>(&file);
  return fault ? *fault : "";
}

InputFile file(std::string_view name, std::string_view url = "http://h/x") { return {name, {{url}}, 0, {}}; }

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_CASE("input files: an input file is read from NAME=URL, and named after its URL without that") {
  const auto named = std::get<0>(parse_input_file("in/mesh.dat=http://h:8000/a?b=c"));
  CHECK(named.name == "in/mesh.dat");
  CHECK(named.replicas == std::vector<Replica>{{"http://h:8000/a?b=c"}});
  CHECK(std::get<0>(parse_input_file("https://h/data/mesh.dat?version=3#x")).name == "mesh.dat");
  CHECK(std::get<0>(parse_input_file("file:///scratch/ann/a=b.txt")).name == "a=b.txt");
}

TEST_CASE("input files: a logical name stands in the place of a URL") {
  const auto named = std::get<0>(parse_input_file("lfn:physics/mesh.dat"));
  CHECK(named.name == "mesh.dat");
  CHECK(named.replicas[0].url == "lfn:physics/mesh.dat");
  CHECK(std::get<0>(parse_input_file("m=lfn:mesh.dat")).name == "m");
  CHECK(has(fault_of_text("lfn:"), "expected a logical name"));
  CHECK(has(fault_of_text("lfn:/etc/passwd"), "expected a logical name"));
  CHECK(has(fault_of(InputFiles{named}), "expected a URL"));
}

TEST_CASE("input files: a file is in one place at least, and not in too many") {
  InputFile nowhere = file("a");
  nowhere.replicas.clear();
  CHECK(has(fault_of(InputFiles{nowhere}), "expected 1 to 16 places"));
  nowhere.replicas.assign(17, {"http://h/a"});
  CHECK(has(fault_of(InputFiles{nowhere}), "expected 1 to 16 places"));
}

TEST_CASE("input files: a name leads nowhere but below the job's folder") {
  for (const char* name : {"", "/etc/passwd", "../x", "a/../b", ".", "a//b", "a/", "a/."})
    CHECK_MESSAGE(has(fault_of_text(std::string(name) + "=http://h/x"), "expected a name below"), name);
  CHECK(has(fault_of_text(std::string(256, 'n') + "=http://h/x"), "at most 255 bytes"));
  CHECK(fault_of_text("..a/b..=http://h/x").empty());
}

TEST_CASE("input files: a URL is of http, https or file") {
  for (const char* url : {"ftp://h/x", "http://", "file://host/x", "gopher://h/x"})
    CHECK_MESSAGE(has(fault_of_text(std::string("n=") + url), "or a URL that begins with"), url);
  CHECK(has(fault_of_text("n=http://h/a b"), "without blanks"));
  CHECK(has(fault_of_text("n=http://h/a\nHost: b"), "printable"));
  CHECK(has(fault_of_text("n=http://h/" + std::string(2'000, 'x')), "at most 2000"));
}

TEST_CASE("input files: a path without a scheme is one at home") {
  const auto file_in = [](const char* text) { return std::get<0>(parse_input_file(text)); };
  CHECK(file_in("data/mesh.dat") == InputFile{"mesh.dat", {{"home:data/mesh.dat"}}});
  CHECK(file_in("in/m=a=b#c?d") == InputFile{"in/m", {{"home:a=b#c?d"}}});
  CHECK(fault_of(InputFiles{{"m", {{"home:/a b"}}}}).empty());
  CHECK(has(fault_of(InputFiles{{"m", {{"home:data/mesh.dat"}}}}), "the absolute path of a file at home"));
  CHECK(has(fault_of(InputFiles{{"m", {{"home:/a"}, {"http://h/a"}}}}), "expected a URL"));
  CHECK(has(fault_of_text("n="), "expected a file here"));
}

TEST_CASE("input files: an output file has a name below the working directory and a place at home") {
  const auto file_in = [](const char* text) { return std::get<0>(parse_output_file(text)); };
  CHECK(file_in("out/a") == OutputFile{"out/a", "home:out/a"});
  CHECK(file_in("out/a=b=%j") == OutputFile{"out/a", "home:b=%j"});
  for (const char* text : {"", "/a", "../a", "a=", "a=b/", "a\nb=c"})
    CHECK_MESSAGE(std::holds_alternative<WhyNot>(parse_output_file(text)), text);
  CHECK(fault_of(OutputFiles{{"a", "home:/b"}, {"c", "https://h/1"}}).empty());
  CHECK(has(fault_of(OutputFiles{{"a", "home:b"}}), "'a': expected the absolute path"));
  CHECK(has(fault_of(OutputFiles{{"a", "home:/b"}, {"c", "home:/b"}}), "have one name or one place"));
  OutputFiles many;
  for (int i = 0; i < 65; ++i) many.push_back({std::to_string(i), at_home('/' + std::to_string(i))});
  CHECK(has(fault_of(many), "there are 65 files; at most 64"));
}

TEST_CASE("input files: files of one job are in no other's place, and not too many") {
  CHECK(fault_of(InputFiles{file("a"), file("b"), file("ab"), file("d/a")}).empty());
  CHECK(has(fault_of(InputFiles{file("a"), file("a")}), "in each other's place"));
  CHECK(has(fault_of(InputFiles{file("d/a"), file("d")}), "'d/a' and 'd'"));
  InputFiles many;
  for (int i = 0; i < 65; ++i) many.push_back(file(std::to_string(i)));
  CHECK(has(fault_of(many), "there are 65 files; at most 64"));
  InputFile checked = file("a");
  checked.sha256 = "ABC";
  CHECK(has(fault_of(InputFiles{checked}), "'a': expected a SHA-256 of 64 digits"));
}

TEST_CASE("input files: a job with input files asks for nodes that bring them, and works in its own folder") {
  JobDescription job;
  job.program.arguments = {"true"};
  job.need.components.push_back({1, {}, {}});
  set_inputs(job, {file("a")});
  CHECK(fault_of(job).empty());
  CHECK(job.need.constraints->attributes.at(staging_attribute) == staging_value);
  job.program.working_directory = "/scratch";
  CHECK(has(fault_of(job), "stage_in: a job with input files works in a folder of its own"));
  job.program.working_directory = {};
  job.need.constraints.edit().attributes.clear();
  CHECK(has(fault_of(job), "stage_in: its nodes must have the attribute stages_files"));
  set_inputs(job, {});
  job.need.constraints.edit().attributes.clear();
  set_outputs(job, {{"r", "home:/r"}});
  CHECK(fault_of(job).empty());
  CHECK(job.need.constraints->attributes.at(staging_attribute) == staging_value);
}

}  // namespace input_files_test
