// The real logs, if the environment variable DMM_TRACES names their folder (pwa/*.swf.gz and other/*.mwf.gz): how many
// lines each has, how many can be replayed, and the content of their headers. Without it a message says that nothing
// was tested.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "workloads/log_reader.hpp"
#include "workloads/replay.hpp"

namespace traces_test {

using namespace dmm;

namespace {

struct TraceFacts {
  const char* file;
  std::uint64_t lines;
  std::uint64_t unusable;   ///< without submit time, run time or size
  std::int64_t processors;  ///< in the header; 0 if not said
  std::int64_t unix_start;  ///< in the header; 0 if not said
};

constexpr TraceFacts traces[] = {
    {"pwa/CEA-Curie-2011-2.1-cln.swf.gz", 312'826, 17'286, 93'312, 1'296'571'124},
    {"pwa/DAS2-fs1-2003-1.swf.gz", 40'315, 2'021, 64, 1'041'377'305},
    {"pwa/HPC2N-2002-2.2-cln.swf.gz", 202'871, 0, 240, 1'027'839'845},
    {"pwa/KTH-SP2-1996-2.1-cln.swf.gz", 28'476, 9, 100, 843'480'031},
    {"pwa/LANL-CM5-1994-4.1-cln.swf.gz", 122'060, 5, 1'024, 781'275'672},
    {"pwa/LCG-2005-1.swf.gz", 188'041, 521, 24'515, 1'132'444'805},
    {"pwa/LLNL-Thunder-2007-1.1-cln.swf.gz", 121'039, 7'426, 4'008, 1'170'175'078},
    {"pwa/LPC-EGEE-2004-1.2-cln.swf.gz", 234'889, 20'567, 140, 1'091'615'532},
    {"pwa/METACENTRUM-2009-2.swf.gz", 103'656, 3'712, 0, 0},
    {"pwa/NASA-iPSC-1993-3.1-cln.swf.gz", 18'239, 173, 128, 749'458'803},
    {"pwa/RICC-2010-2.swf.gz", 447'794, 10, 0, 0},
    {"pwa/SDSC-BLUE-2000-4.2-cln.swf.gz", 243'306, 10'770, 1'152, 956'700'003},
    {"pwa/SDSC-DS-2004-2.1-cln.swf.gz", 96'069, 11'176, 1'664, 1'078'605'840},
    {"pwa/SDSC-Par-1996-3.1-cln.swf.gz", 32'135, 7, 400, 820'090'437},
    {"pwa/SDSC-SP2-1998-4.2-cln.swf.gz", 59'715, 5'681, 128, 893'466'664},
    {"pwa/Sandia-Ross-2001-1.1-cln.swf.gz", 57'882, 2'287, 1'524, 1'007'061'086},
    {"other/wagap-2013-sample.mwf.gz", 17'900, 2, 0, 0},
};

/// Whether the environment names the folder; prints a message if not.
bool has_traces() {
  if (std::getenv("DMM_TRACES") != nullptr) return true;
  MESSAGE("skipped: DMM_TRACES doesn't name a folder with the real logs");
  return false;
}

/// The log's path; empty, with a message, if it isn't there.
std::string trace(const char* file) {
  const std::filesystem::path path = std::filesystem::path(std::getenv("DMM_TRACES")) / file;
  if (std::filesystem::exists(path)) return path.string();
  MESSAGE("skipped: no " << path.string());
  return "";
}

/// Reads to the end; returns how many lines of the first log became jobs or were left out.
LogTally replayed(ReplayOptions options) {
  auto opened = LogReplay::open(std::move(options));
  const auto* const error = std::get_if<WorkloadError>(&opened);
  REQUIRE_MESSAGE(error == nullptr, error->text);
  auto& replay = std::get<LogReplay>(opened);
  Instant last{};
  while (const auto job = replay.next()) {
    REQUIRE(job->submit >= last);
    last = job->submit;
  }
  CHECK(replay.error() == "");
  return replay.tallies()[0];
}

}  // namespace

TEST_CASE("traces: the real logs have as many jobs as their description says") {
  if (!has_traces()) return;
  for (const TraceFacts& facts : traces) {
    const std::string path = trace(facts.file);
    if (path.empty()) continue;
    CAPTURE(path);
    LogReader reader(path, BadLines::fatal);
    while (reader.next()) {
    }
    CHECK(reader.error() == "");
    CHECK(reader.format() == LogFormat::swf);
    CHECK(reader.counts().lines == facts.lines);
    CHECK(reader.counts().unusable == facts.unusable);
    CHECK(reader.header().processors.value_or(0) == facts.processors);
    CHECK(reader.header().unix_start_seconds.value_or(0) == facts.unix_start);
  }
}

TEST_CASE("traces: the logs of the golden values of the reproduction have all of their jobs") {
  if (!has_traces()) return;
  const std::pair<const char*, std::uint64_t> rows[] = {{"pwa/KTH-SP2-1996-2.1-cln.swf.gz", 28'467},
                                                        {"pwa/SDSC-SP2-1998-4.2-cln.swf.gz", 54'034},
                                                        {"pwa/DAS2-fs1-2003-1.swf.gz", 38'294}};
  for (const auto& [file, kept] : rows) {
    const std::string path = trace(file);
    if (path.empty()) continue;
    CAPTURE(path);
    CHECK(replayed({.logs = {{.path = path}}}).kept == kept);
  }
}

TEST_CASE("traces: the clusters of the Czech grid are in column 16") {
  if (!has_traces()) return;
  const std::string path = trace("pwa/METACENTRUM-2009-2.swf.gz");
  if (path.empty()) return;
  const std::uint64_t jobs[] = {137, 1231, 662, 4710, 542, 16598, 9047, 8159, 2000, 1073, 18063, 39335, 378, 1721};
  std::uint64_t all = 0;
  for (std::uint32_t cluster = 0; cluster < 14; ++cluster) {
    const LogTally tally = replayed(
        {.logs = {{.path = path, .column = LogColumn::partition, .clusters = {{std::to_string(cluster + 1), 0}}}},
         .order = OrderPolicy::buffer});
    CHECK(tally.kept <= jobs[cluster]);
    CHECK(tally.kept + tally.file.unusable >= jobs[cluster]);
    all += tally.kept;
  }
  CHECK(all == 103'656 - 3'712);
}

TEST_CASE("traces: three centres overlap in real time") {
  if (!has_traces()) return;
  ReplayOptions options{.alignment = Alignment::unix_time};
  for (const char* const file :
       {"pwa/HPC2N-2002-2.2-cln.swf.gz", "pwa/SDSC-DS-2004-2.1-cln.swf.gz", "pwa/LPC-EGEE-2004-1.2-cln.swf.gz"}) {
    const std::string path = trace(file);
    if (path.empty()) return;
    options.logs.push_back({.path = path,
                            .cluster = static_cast<std::uint32_t>(options.logs.size()),
                            .from_seconds = 1'095'206'400,  // 2004-09-15 00:00 UTC
                            .to_seconds = 1'112'313'600});  // 2005-04-01 00:00 UTC
  }
  auto opened = LogReplay::open(options);
  const auto* const error = std::get_if<WorkloadError>(&opened);
  REQUIRE_MESSAGE(error == nullptr, error->text);
  auto& replay = std::get<LogReplay>(opened);
  Instant last{};
  std::uint64_t jobs = 0;
  for (; const auto job = replay.next(); ++jobs) last = job->submit;
  CHECK(last.microseconds / 86'400'000'000 == 197);  // the 198th day
  const std::vector<LogTally> tallies = replay.tallies();
  CHECK(tallies[0].kept == 36'742);
  CHECK(tallies[1].kept == 45'451);
  CHECK(tallies[2].kept == 167'807);
  CHECK(jobs == 250'000);  // by chance a round number
}

}  // namespace traces_test
