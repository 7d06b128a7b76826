// Logs of live job managers as a workload: which jobs are taken, and which are left out.
#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "cli/simulate/recording.hpp"

namespace dmm::recording_test {
namespace {

/// A folder with one log, gone with the test.
class LogFolder {
 public:
  explicit LogFolder(const std::string& lines)
      : path_(std::filesystem::temp_directory_path() / ("dmm-recording-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(path_ / "logs");
    std::ofstream(path_ / "logs" / "jobmgr-home-u.jsonl") << lines;
  }
  ~LogFolder() { std::filesystem::remove_all(path_); }
  std::string text() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

std::string submitted(const char* time, const char* job, int processors) {
  return std::string(R"({"time":"2026-01-31T)") + time +
         R"(Z","level":"info","who":"jobmgr home/u","event":"submitted","request":"home/u/)" + job +
         R"(","job":1,"processors":)" + std::to_string(processors) + "}\n";
}
std::string finished(const char* request, double seconds) {
  return std::string(
             R"({"time":"2026-01-31T13:00:00Z","level":"info","who":"jobmgr home/u","event":"job_finished",)") +
         R"("request":"home/u/)" + request + R"(","job":1,"wall_seconds":)" + std::to_string(seconds) + "}\n";
}

Grid grid() {
  Grid grid = equal_clusters(2, 8);
  grid.clusters[0].name = "home/small";
  grid.clusters[0].processors = 2;
  grid.clusters[1].name = "home/large";
  return grid;
}

}  // namespace

TEST_CASE("recording: it has the jobs that finished, from the first submission on") {
  const LogFolder folder(submitted("12:00:10", "2", 4) + submitted("12:00:00", "1", 1) + "not json\n" +
                         submitted("12:00:20", "3", 1) + submitted("12:00:30", "4", 9) + finished("1", 5) +
                         finished("2.2", 7.5) + finished("4", 1));
  const auto read = read_recording(folder.text(), grid(), 10);
  REQUIRE(std::holds_alternative<Recording>(read));
  const Recording& recording = std::get<Recording>(read);
  REQUIRE(recording.jobs->size() == 2);
  const StreamJob& first = recording.jobs->at(0);
  CHECK(first.submit == Instant{});
  CHECK(first.run == seconds(50));
  CHECK(first.home == 0);
  const StreamJob& second = recording.jobs->at(1);
  CHECK(second.submit == Instant{} + seconds(100));
  CHECK(second.run == seconds(75));  // from its second attempt
  CHECK(second.home == 1);           // the first cluster that is wide enough
  CHECK(recording.without_end == 1);
  CHECK(recording.without_home == 1);
  JobStream stream = stream_of(recording);
  CHECK(stream()->number == 1);
  CHECK(stream()->number == 2);
  CHECK_FALSE(stream().has_value());
}

TEST_CASE("recording: a folder without logs, or without a job, is a fault, and the fault says so") {
  const auto nothing = read_recording("/nonexistent", grid(), 1);
  REQUIRE(std::holds_alternative<CommandFault>(nothing));
  CHECK(std::get<CommandFault>(nothing).text == "--recording: there are no logs (*.jsonl) in /nonexistent");
  const LogFolder folder(submitted("12:00:00", "1", 1));
  CHECK(std::holds_alternative<CommandFault>(read_recording(folder.text(), grid(), 1)));
}

}  // namespace dmm::recording_test
