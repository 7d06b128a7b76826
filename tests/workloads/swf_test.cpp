// The reader of logs: the kind of each line, and the text that refuses a bad one. Also files that are compressed,
// truncated or missing, and shapes of real logs that naive readers don't expect.
#include "workloads/swf.hpp"

#include <doctest/doctest.h>
#include <zlib.h>

#include <string>
#include <vector>

#include "tests/temporary_file.hpp"
#include "workloads/swf_reader.hpp"

namespace swf_test {

using namespace dmm;

namespace {

using Kind = SwfLine::Kind;

std::string gzipped(const std::string& content) {
  const TemporaryFile file("");
  const gzFile out = gzopen(file.path().c_str(), "wb9");
  gzwrite(out, content.data(), static_cast<unsigned>(content.size()));
  gzclose(out);
  return file.content();
}

std::vector<TraceJob> read_all(SwfReader& reader) {
  std::vector<TraceJob> jobs;
  while (const auto job = reader.next()) jobs.push_back(*job);
  return jobs;
}

/// A complete record of a job with this number and submit time.
std::string record(int number, int submit) {
  return std::to_string(number) + " " + std::to_string(submit) + " 5 100 4 -1 -1 4 200 -1 1 7 -1 -1 1 3 -1 -1\n";
}

}  // namespace

TEST_CASE("swf: a record's columns go where the format says") {
  const SwfLine line = parse_swf_line("  12 3600 30 1800 8 17.25 1024 16 7200 -1 5 42 3 9 2 6 -1 -1");
  REQUIRE(line.kind == Kind::job);
  CHECK(line.job == TraceJob{.number = 12,
                             .submit_seconds = 3600,
                             .wait_seconds = 30,
                             .run_seconds = 1800,
                             .processors = 8,
                             .requested_seconds = 7200,
                             .status = 5,
                             .user = 42,
                             .partition = 6,
                             .queue = 2});
}

TEST_CASE("swf: a line is a job, a comment, unusable or bad") {
  struct Row {
    const char* line;
    Kind kind;
  };
  const Row rows[] = {
      {"", Kind::comment},
      {" \t\r", Kind::comment},
      {"; MaxProcs: 1664 (72, 1368, 224)", Kind::comment},
      {"   ;   MaxJobs: many", Kind::comment},
      {";1 0 0 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1", Kind::comment},
      {"0 0 -1 1 1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1", Kind::job},    // number 0, all else unknown
      {"1 0 -1 1 -1 -1 -1 1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1\r", Kind::job},  // the requested size counts
      {"1\t0\t-1\t1\t1\t-1\t-1\t1\t-1\t-1\t-1\t-1\t-1\t-1\t-1\t-1\t-1\t-1", Kind::job},
      {"1 1356996147 0 9 64 1 1 64 9 9 1 6 1 1 -1 1 1 1 {12,12,12} q_1d 1:ppn=64", Kind::job},  // 21 columns
      {"1 0 -1 1 1 -1 -1 -1 -1 -1 265 -1 -1 -1 -1 -1 -1 -1", Kind::job},      // an exit code as status
      {"1 0 0 -1 4 -1 -1 4 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1", Kind::unusable},   // no run time
      {"1 0 0 0 4 -1 -1 4 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1", Kind::unusable},    // a run time of 0
      {"1 0 0 9 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1", Kind::unusable},  // no size
      {"1 0 0 9 0 -1 -1 0 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1", Kind::unusable},    // a size of 0
      {"1 -1 -1 -1 -1 -1 -1 -1 -1 -1 1 1 1 1 1 1 -1 -1", Kind::unusable},     // no submit time: LLNL Thunder
      {"1 -2 0 9 4 -1 -1 4 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1", Kind::bad},
      {"-1 0 0 9 4 -1 -1 4 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1", Kind::bad},
      {"1 0 0 9 4 -1 -1 4 -1 -1 -1 -1 -1 -1 -1 -1 -1", Kind::bad},  // 17 columns
      {"1 0 0 9 10000000 -1 -1 4 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1", Kind::job},
      {"1 0 0 9 10000001 -1 -1 4 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1", Kind::bad},
      {"1 0 0 9 4 -1 -1 10000001 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1", Kind::bad},
      {"1 10000000000 0 9 4 -1 -1 4 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1", Kind::job},
      {"1 10000000001 0 9 4 -1 -1 4 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1", Kind::bad},
      {"1 0 0 10000000001 4 -1 -1 4 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1", Kind::bad},
      {"1 0.4 -1.0 9.6 4 17.25 +1 4 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1", Kind::bad},  // no plus signs
      {"1 0.4 -1.0 9.6 4 17.25 1 4 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1", Kind::job},
      {"1 nan 0 9 4 -1 -1 4 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1", Kind::bad},
      {"1 0 0 inf 4 -1 -1 4 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1", Kind::bad},
      {"1 0 0 1e300 4 -1 -1 4 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1", Kind::bad},
      {"1 0 0 9 4 -1 -1 4 -1 -1 -1 -1 -1 x -1 -1 -1 -1", Kind::bad},
      {"not a log at all", Kind::bad},
  };
  for (const Row& row : rows) {
    CAPTURE(row.line);
    CHECK(parse_swf_line(row.line).kind == row.kind);
  }
}

TEST_CASE("swf: the size to replay is column 5, else column 8") {
  CHECK(parse_swf_line("1 0 0 9 6 -1 -1 4 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1").job.processors == 6);
  CHECK(parse_swf_line("1 0 0 9 0 -1 -1 4 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1").job.processors == 4);
  CHECK(parse_swf_line("1 0 0 9 -1 -1 -1 4 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1").job.processors == 4);
}

TEST_CASE("swf: a bad line is refused with what is wrong and what was expected") {
  CHECK(parse_swf_line("1 -5 0 9 4 -1 -1 4 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1").reason ==
        "column 2 (submit time) is \"-5\"; expected a time from 0, or -1 for unknown");
  CHECK(parse_swf_line("1 0 0 9 10000001 -1 -1 4 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1").reason ==
        "column 5 (processors) is \"10000001\"; expected at most 10000000");
  CHECK(parse_swf_line("1 0 0 9").reason == "4 columns; expected 18");
  CHECK(parse_swf_line("{ \"jobs\": [\x1b[2J").reason == "column 1 (job number) is \"{\"; expected a number");
  CHECK(parse_swf_line("1 0 abcdefghijklmnopqrstuvwxyz\x07").reason ==
        "column 3 (wait time) is \"abcdefghijklmnopqrstuvwx...\"; expected a number");
  CHECK(parse_swf_line("1 \x1b[2J").reason == "column 2 (submit time) is \"?[2J\"; expected a number");
}

TEST_CASE("swf: plain and compressed files read alike, in the order of the file, with or without a last newline") {
  const std::string content = "  ; MaxProcs: 1664 (72, 1368, 224)\n\n" + record(3, 900) + record(3, 100) +
                              "; a comment in the middle\r\n" + record(9, 500);
  const std::string in_two_members = gzipped(record(3, 900)) + gzipped(record(3, 100) + record(9, 500));
  for (const std::string& bytes :
       {content, content.substr(0, content.size() - 1), gzipped(content), in_two_members}) {
    const TemporaryFile file(bytes);
    SwfReader reader(file.path(), BadLines::fatal);
    const auto jobs = read_all(reader);
    CHECK(reader.error() == "");
    REQUIRE(jobs.size() == 3);
    CHECK(jobs[0].submit_seconds == 900);
    CHECK(jobs[1].submit_seconds == 100);
    CHECK(jobs[2].submit_seconds == 500);
    CHECK(reader.counts().lines == 3);
  }
}

TEST_CASE("swf: bad lines are skipped and counted, or end the reading; unusable ones are neither") {
  const TemporaryFile file("; header\n" + record(1, 0) + "oops\n" + record(2, 10) +
                           "3 20 0 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1\n1 2 3\n" + record(4, 30));
  SwfReader skipping(file.path(), BadLines::skip);
  CHECK(read_all(skipping).size() == 3);
  CHECK(skipping.error() == "");
  CHECK(skipping.counts().lines == 6);
  CHECK(skipping.counts().usable == 3);
  CHECK(skipping.counts().unusable == 1);
  CHECK(skipping.counts().bad == 2);
  REQUIRE(skipping.counts().bad_messages.size() == 2);
  CHECK(skipping.counts().bad_messages[0] ==
        file.path() + ":3: column 1 (job number) is \"oops\"; expected a number");
  CHECK(skipping.counts().bad_messages[1] == file.path() + ":6: 3 columns; expected 18");

  SwfReader strict(file.path(), BadLines::fatal);
  CHECK(read_all(strict).size() == 1);
  CHECK(strict.error() == file.path() + ":3: column 1 (job number) is \"oops\"; expected a number");
  CHECK_FALSE(strict.next());  // and stays there
}

TEST_CASE("swf: only the first of many bad lines are kept") {
  std::string content;
  for (int i = 0; i < 1000; ++i) content += "?\n";
  const TemporaryFile file(content);
  SwfReader reader(file.path(), BadLines::skip);
  CHECK(read_all(reader).empty());
  CHECK(reader.counts().bad == 1000);
  CHECK(reader.counts().bad_messages.size() == SwfCounts::bad_messages_max);
}

TEST_CASE("swf: a truncated or damaged compressed file is an error that names the file, and no job is made up") {
  std::string content;
  for (int i = 0; i < 20000; ++i) content += record(i + 1, i * 7919 % 100000);
  const std::string whole = gzipped(content);
  for (const std::size_t kept : {whole.size() - 1, whole.size() - 9, whole.size() / 2, std::size_t{12}}) {
    CAPTURE(kept);
    const TemporaryFile file(whole.substr(0, kept));
    SwfReader reader(file.path(), BadLines::fatal);
    const auto jobs = read_all(reader);
    CHECK(jobs.size() <= 20000);
    CHECK(reader.counts().bad == 0);  // the truncated line isn't counted as a line
    const std::string expected = file.path() + ": truncated: the compressed data ends early after line ";
    CHECK(reader.error().starts_with(expected));
    for (std::size_t i = 0; i < jobs.size(); ++i) REQUIRE(jobs[i].number == i + 1);
  }
  std::string damaged = whole;
  damaged[whole.size() / 2] = static_cast<char>(damaged[whole.size() / 2] ^ 0x55);
  const TemporaryFile file(damaged);
  SwfReader reader(file.path(), BadLines::skip);
  read_all(reader);
  CHECK(reader.error().starts_with(file.path() + ": corrupt compressed data: "));
}

TEST_CASE("swf: a file that can't be opened or read is an error") {
  SwfReader missing("/nonexistent/log.swf", BadLines::skip);
  CHECK_FALSE(missing.next());
  CHECK(missing.error() == "/nonexistent/log.swf: can't be opened: No such file or directory");
  SwfReader folder(DMM_SOURCE_DIR, BadLines::skip);
  CHECK_FALSE(folder.next());
  CHECK(folder.error().starts_with(DMM_SOURCE_DIR ": can't be read: Is a directory"));
}

TEST_CASE("swf: an empty file has no jobs and no error") {
  const TemporaryFile file("");
  SwfReader reader(file.path(), BadLines::fatal);
  CHECK_FALSE(reader.next());
  CHECK(reader.error() == "");
  CHECK(reader.counts().lines == 0);
}

TEST_CASE("swf: a line without end is bad, and the line after it is read") {
  const TemporaryFile file(std::string(3 * SwfReader::line_bytes_max, '1') + "\n" + record(2, 5));
  SwfReader reader(file.path(), BadLines::skip);
  CHECK(read_all(reader).size() == 1);
  CHECK(reader.counts().bad == 1);
  CHECK(reader.counts().bad_messages[0] == file.path() + ":1: longer than 1048576 bytes; expected a record");
}

}  // namespace swf_test
