// What the tests of ordinary life in simulated grids share: a world with a topology, jobs that sleep, and counts of
// what the managers sent and keep.
#pragma once

#include "simulator/world/world.hpp"

#include <doctest/doctest.h>

#include <string>

namespace dmm::life_stage {

inline Topology topology_of(const std::string& text) {
  auto read = parse_topology(text, "life_test");
  if (const auto* error = std::get_if<ConfigError>(&read)) FAIL(error->text);
  return std::get<Topology>(std::move(read));
}

inline WorldSettings quiet_world(Duration latency = milliseconds(5)) {
  WorldSettings settings;
  settings.level = Level::error;
  settings.count_by_request = true;
  settings.network.latency = latency;
  return settings;
}

inline JobDescription sleeper(std::uint32_t processors, std::int64_t length, std::uint32_t dttl = 5) {
  JobDescription job;
  job.need.components = {{processors, {}, {}}};
  job.program.arguments = {"sleep", std::to_string(length)};
  job.dttl = dttl;
  return job;
}

inline JobView view_of(const World& world, const Submission& submission) {
  const auto job = world.job_manager(submission.job_manager)->manager.job(submission.number);
  REQUIRE(job);
  return *job;
}

}  // namespace dmm::life_stage
