// The reader's front: the format of a file, the Grid Workloads Format, and the content of headers. Lines of the
// Standard Workload Format and faults of files are in swf_test.cpp.
#include "workloads/log_reader.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/temporary_file.hpp"

namespace log_reader_test {

using namespace dmm;

namespace {

using Kind = LogLine::Kind;

std::string grid_record(const std::string& first_eleven, const std::string& user, const std::string& site) {
  return first_eleven + " " + user + " group0 app0 queue1 -1 " + site + " " + site +
         " UNITARY -1 -1 -1 -1 -1 -1 -1 -1 VO0 -1";
}

std::vector<TraceJob> read_all(LogReader& reader) {
  std::vector<TraceJob> jobs;
  while (const auto job = reader.next()) jobs.push_back(*job);
  return jobs;
}

LogHeader header_of(const std::string& lines) {
  LogHeader header;
  std::string_view rest = lines;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    read_header_line(rest.substr(0, end), header);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  return header;
}

}  // namespace

TEST_CASE("log reader: a grid record's columns go where the format says, and names get numbers") {
  GwfNames names;
  const LogLine line = parse_gwf_line(
      "12\t1104538455\t30\t1800\t8\t17.25\t1024\t16\t7200\t-1\t1\tuser7\tgroup0\tapp1\tqueue0\t-1\tG1/site1/c1\t"
      "G1/site1\tUNITARY\t-1\t-1\t-1\t-1\t-1\t-1\t-1\t-1\tVO\t-1\r",
      names);
  REQUIRE(line.kind == Kind::job);
  CHECK(line.job == TraceJob{.number = 12,
                             .submit_seconds = 1104538455,
                             .wait_seconds = 30,
                             .run_seconds = 1800,
                             .processors = 8,
                             .requested_seconds = 7200,
                             .status = 1,
                             .user = 0,
                             .partition = -1,
                             .queue = 0,
                             .site = 0});
  const LogLine second = parse_gwf_line(grid_record("13 1104538460 0 5 -1 -1 -1 2 -1 -1 0", "user8", "7"), names);
  REQUIRE(second.kind == Kind::job);
  CHECK(second.job.processors == 2);
  CHECK(second.job.user == 1);
  CHECK(second.job.site == 1);
  CHECK(names.sites.name_of(0) == "G1/site1/c1");
  CHECK(names.sites.name_of(1) == "7");
  CHECK(names.sites.name_of(2) == "");
  CHECK(names.sites.name_of(-1) == "");
}

TEST_CASE("log reader: a line of the grid format is a job, a comment, unusable or bad") {
  GwfNames names;
  const auto kind_of = [&names](const std::string& line) { return parse_gwf_line(line, names).kind; };
  CHECK(kind_of("") == Kind::comment);
  CHECK(kind_of("  # JobID SubmitTime WaitTime") == Kind::comment);
  CHECK(kind_of(grid_record("1 0 0 -1 4 -1 -1 4 -1 -1 5", "u", "s")) == Kind::unusable);
  CHECK(kind_of(grid_record("1 0 0 9 -1 -1 -1 -1 -1 -1 1", "u", "s")) == Kind::unusable);
  CHECK(kind_of(grid_record("1 0 0 9.5 4 -1 -1 4 -1 -1 1", "-1", "-1")) == Kind::job);
  CHECK(parse_gwf_line("1 0 0 9 4", names).reason == "5 columns; expected 29");
  CHECK(parse_gwf_line("1 0 x 9 4", names).reason == "column 3 (WaitTime) is \"x\"; expected a number");
  CHECK(parse_gwf_line(grid_record("1 -7 0 9 4 -1 -1 4 -1 -1 1", "u", "s"), names).reason ==
        "column 2 (SubmitTime) is \"-7\"; expected a time from 0, or -1 for unknown");
}

TEST_CASE("log reader: the format is told by the file's name, else by its first line") {
  const std::string grid_line = grid_record("1 0 0 9 4 -1 -1 4 -1 -1 1", "u", "s");
  const std::string standard_line = "1 0 0 9 4 -1 -1 4 -1 -1 1 1 1 1 1 1 -1 -1";
  CHECK(format_by_name_or_line("das2.gwf", standard_line) == LogFormat::gwf);
  CHECK(format_by_name_or_line("das2.gwf.gz", standard_line) == LogFormat::gwf);
  CHECK(format_by_name_or_line("log.swf", "# no comment here") == LogFormat::swf);
  CHECK(format_by_name_or_line("sample.mwf.gz", grid_line) == LogFormat::swf);
  CHECK(format_by_name_or_line("jobs.log", "#JobID SubmitTime") == LogFormat::gwf);
  CHECK(format_by_name_or_line("jobs.log", "  # JobID") == LogFormat::gwf);
  CHECK(format_by_name_or_line("jobs.log", grid_line) == LogFormat::gwf);
  CHECK(format_by_name_or_line("jobs.log", "; Version: 2.2") == LogFormat::swf);
  CHECK(format_by_name_or_line("jobs.log", standard_line) == LogFormat::swf);
  CHECK(format_by_name_or_line("jobs.log", "1 0 0 9 64 1 1 64 9 9 1 6 1 1 -1 1 1 1 {12} q_1d 1:ppn=64") ==
        LogFormat::swf);
}

TEST_CASE("log reader: one front reads both formats, counts, and names bad lines") {
  const TemporaryFile grid("\n# The Grid Workloads Archive\n# UnixStartTime: 1104538455\n" +
                           grid_record("1 5 0 9 4 -1 -1 4 -1 -1 1", "u1", "G1/site1/c1") + "\nrubbish\n" +
                           grid_record("2 6 0 -1 4 -1 -1 4 -1 -1 5", "u1", "G1/site1/c2") + "\n" +
                           grid_record("3 4 0 9 4 -1 -1 4 -1 -1 1", "u2", "G1/site1/c2") + "\n");
  LogReader reader(grid.path(), BadLines::skip);
  const std::vector<TraceJob> jobs = read_all(reader);
  CHECK(reader.error() == "");
  CHECK(reader.format() == LogFormat::gwf);
  CHECK(reader.header().unix_start_seconds == 1104538455);
  REQUIRE(jobs.size() == 2);
  CHECK(reader.counts().lines == 4);
  CHECK(reader.counts().unusable == 1);
  REQUIRE(reader.counts().bad == 1);
  CHECK(reader.counts().bad_messages[0] == grid.path() + ":5: column 1 (JobID) is \"rubbish\"; expected a number");
  CHECK(reader.names_of(LogColumn::site, jobs[1].site).text == "G1/site1/c2");
  LogReader strict(grid.path(), BadLines::fatal);
  CHECK(read_all(strict).size() == 1);
  CHECK(strict.error() == reader.counts().bad_messages[0]);
  LogReader forced(grid.path(), BadLines::skip, LogFormat::swf);
  CHECK(read_all(forced).empty());

  const TemporaryFile standard("; Partition:  3 grid.kiae.ru   \n1 0 0 9 4 -1 -1 4 -1 -1 1 1 1 1 2 3 -1 -1\n");
  LogReader other(standard.path(), BadLines::fatal);
  REQUIRE(read_all(other).size() == 1);
  CHECK(other.format() == LogFormat::swf);
  CHECK(other.names_of(LogColumn::partition, 3).text == "3");
  CHECK(other.names_of(LogColumn::partition, 3).header == "grid.kiae.ru");
  CHECK(other.names_of(LogColumn::queue, 3).header == "");
  CHECK(other.names_of(LogColumn::partition, -1).text == "-1");
}

TEST_CASE("log reader: headers are read however they are written") {
  const LogHeader header = header_of(
      "; UnixStartTime: 1078605840\n"
      ";      TimeZone: 3600              # DEPRECATED\n"
      ";TimeZoneString: Europe/Amsterdam  # CET\n"
      "    ;   MaxNodes: 184  ( 6,  171,   7)\n"
      "\t; MaxProcs : 1664 (72, 1368, 224)\n"
      "; MaxProcs: 7\n"
      ";MaxJobs: many\n"
      "; Note: and the MaxNodes: field counts 3 more\n"
      "; Partition:  1  interactive partition (  5 p655 nodes ( 8 proc, 16GB ) )\n"
      "; Partition:  2\n"
      "; Partition: all of them\n"
      "1 0 MaxProcs: 9\n");
  CHECK(header.unix_start_seconds == 1078605840);
  CHECK(header.processors == 1664);
  CHECK(header.nodes == 184);
  CHECK_FALSE(header.jobs);
  CHECK(header.time_zone == "Europe/Amsterdam");
  REQUIRE(header.partitions.size() == 1);
  CHECK(header.partitions.at(1) == "interactive");
  CHECK(header_of("; MaxNodes: 400 (48 interactive, 352 batch)").nodes == 400);
  CHECK(header_of("; MaxProcs: 100, then 50").processors == 100);
  for (const char* const line :
       {"; MaxProcs:", "; MaxProcs: -1", "; MaxProcs: 0", "; MaxProcs: 1e3", "; MaxProcs: x9",
        "; MaxProcs: 99999999999999999999", "MaxProcs: 9", "; MaxProcs 9", ";:", ";", ""}) {
    CAPTURE(line);
    CHECK_FALSE(header_of(line).processors);
  }
}

}  // namespace log_reader_test
