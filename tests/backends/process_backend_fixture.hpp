// What tests of the `process` backend share: a backend with its real keeper in a folder of its own, and waits. Every
// wait is for an event, with a bound. A few things have no event (a process that is not our child vanishes); these are
// polled for.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <sstream>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "resmgr/backends/process/backend.hpp"

namespace dmm::backend_test {

using Steady = std::chrono::steady_clock;
constexpr auto patience = std::chrono::seconds(20);

inline bool until(const std::function<bool()>& condition) {
  const auto deadline = Steady::now() + patience;
  while (!condition()) {
    if (Steady::now() > deadline) return false;
    usleep(2000);
  }
  return true;
}

inline std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Whether a process is there and isn't a zombie.
inline bool runs(pid_t process) {
  const std::string line = contents("/proc/" + std::to_string(process) + "/stat");
  const auto name_end = line.rfind(')');
  return name_end != std::string::npos && line[name_end + 2] != 'Z' && line[name_end + 2] != 'X';
}

struct TemporaryFolder {
  std::string path;
  TemporaryFolder() {
    char name[] = "/tmp/dmm-process-XXXXXX";
    path = mkdtemp(name);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
};

inline TaskId task(std::uint64_t job, std::uint32_t component = 0) {
  return {{SiteName("north_1"), "alice", job, 1}, component};
}

inline std::string name_of(int job, int component = 0) {
  return "north%5F1_alice_" + std::to_string(job) + ".1." + std::to_string(component);
}
// A task's directory, and the folder in it that the task runs in.
inline std::string directory_in(const std::string& folder, int job, int component = 0) {
  return folder + "/jobs/" + name_of(job, component);
}
inline std::string home_in(const std::string& folder, int job, int component = 0) {
  return directory_in(folder, job, component) + '/' + "work";
}

using Opened = std::variant<std::unique_ptr<ProcessBackend>, std::string>;
// Without namespaces only the keeper itself ends what jobs leave behind, and jobs see the same process numbers as the
// test. So most tests run without. The tests of keeper_isolation_test.cpp run with namespaces, and so do whole grids.
inline Opened try_open(const std::string& folder, Duration keep = seconds(60), Duration lock_wait = seconds(10),
                       bool outlive = false, JobRules jobs = {.isolate = false}, Duration beat = seconds(1)) {
  return ProcessBackend::open({.directory = folder,
                               .keep = keep,
                               .keeper_executable = DMM_BINARY_DIR "/keeper",
                               .lock_wait = lock_wait,
                               .outlive = outlive,
                               .jobs = jobs,
                               .beat = beat});
}

// A backend as its resource manager holds it, and waits for tests.
struct Manager {
  std::string path;
  std::unique_ptr<ProcessBackend> backend;
  std::vector<TaskReport> reports;
  std::vector<LogEvent> events;

  explicit Manager(std::string folder, Duration keep = seconds(60), bool outlive = false,
                   JobRules jobs = {.isolate = false}, Duration beat = seconds(1))
      : Manager(folder, try_open(folder, keep, seconds(10), outlive, jobs, beat)) {}
  Manager(std::string folder, Opened opened) : path(std::move(folder)) {
    if (const auto* fault = std::get_if<std::string>(&opened)) FAIL(*fault);
    backend = std::move(std::get<0>(opened));
  }
  void start(const TaskId& id, Program program) { backend->perform(StartTask{id, std::move(program)}); }
  void start(const TaskId& id, std::vector<std::string> arguments) {
    start(id, {std::move(arguments), {}, {}, {}});
  }
  void shell(const TaskId& id, const std::string& script) { start(id, {"sh", "-c", script}); }

  template <class Report>
  Report await(const TaskId& id) {
    const auto deadline = Steady::now() + patience;
    for (;;) {
      for (auto report = reports.begin(); report != reports.end(); ++report) {
        auto* const found = std::get_if<Report>(&*report);
        if (!found || found->id != id) continue;
        Report result = std::move(*found);
        reports.erase(report);
        return result;
      }
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Steady::now()).count();
      pollfd polled{backend->descriptor(), POLLIN, 0};
      if (left <= 0 || poll(&polled, 1, static_cast<int>(left)) <= 0) FAIL("no report in time");
      collect();
    }
  }
  void collect() {
    for (auto& report : backend->take_reports()) reports.push_back(std::move(report));
    for (auto& event : backend->take_events()) events.push_back(std::move(event));
  }
  // Waits until the backend has this event to log; returns its text.
  std::string event(std::string_view name) {
    const auto there = [&] { return std::ranges::find(events, name, &LogEvent::name); };
    REQUIRE(until([&] { return collect(), there() != events.end(); }));
    return std::get<std::string>(there()->fields.back().value);
  }
  bool has_ended(const TaskId& id) {
    collect();
    return std::ranges::any_of(reports, [&](const TaskReport& report) {
      const auto* const end = std::get_if<TaskEnded>(&report);
      return end && end->id == id;
    });
  }
  TaskEnded ended(const TaskId& id) { return await<TaskEnded>(id); }
  TaskEnded run(const TaskId& id, Program program) {
    start(id, std::move(program));
    return ended(id);
  }
  TaskEnded run_shell(const TaskId& id, const std::string& script) {
    return run(id, {{"sh", "-c", script}, {}, {}, {}});
  }
  std::string directory(int job, int component = 0) const { return directory_in(path, job, component); }
  std::string home(int job, int component = 0) const { return home_in(path, job, component); }
  // Waits until a task has written a file with a complete line; returns the number in it.
  pid_t number_in(const std::string& file) {
    REQUIRE(until([&] { return contents(file).find('\n') != std::string::npos; }));
    return std::atoi(contents(file).c_str());
  }
};

// A script that writes the number of a process that left its group, lost its parents and cleared its environment.
inline const std::string daemonise =
    "python3 -c 'import os,time\n"
    "if os.fork(): os._exit(0)\n"
    "os.setsid()\n"
    "if os.fork(): os._exit(0)\n"
    "open(os.environ[\"HOME\"]+\"/daemon\",\"w\").write(str(os.getpid())+chr(10))\n"
    "os.execve(\"/bin/sleep\",[\"sleep\",\"1000\"],{})'; ";

struct OwnFolder {
  TemporaryFolder folder;
};

// A manager with a folder of its own.
struct Fixture : OwnFolder, Manager {
  explicit Fixture(Duration keep = seconds(60), JobRules jobs = {.isolate = false})
      : Manager(folder.path, keep, false, jobs) {}
};

}  // namespace dmm::backend_test
