// What the tests of views share: simulated grids, and their managers' real answers to people.
#pragma once

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "daemons/answers/job_view.hpp"
#include "daemons/answers/site_view.hpp"
#include "runtime/common_verbs.hpp"
#include "simulator/world/world.hpp"

namespace dmm::views_stage {

using Json = nlohmann::ordered_json;

inline Topology grid_of(const std::string& text) {
  auto read = parse_topology(text, "views_test");
  if (const auto* error = std::get_if<ConfigError>(&read)) FAIL(error->text);
  return std::get<Topology>(std::move(read));
}

inline WorldSettings calm_world() {
  WorldSettings settings;
  settings.level = Level::error;
  settings.network.latency = milliseconds(1);
  return settings;
}

inline JobDescription job_of(std::uint32_t processors, std::uint32_t dttl = 5) {
  JobDescription job;
  job.need.components = {{processors, {}, {}}};
  job.program.arguments = {"sleep", "1000"};
  job.dttl = dttl;
  return job;
}

inline Instant at(double from_begin) { return Instant{} + from_seconds(from_begin); }
inline ViewTime time_of(const World& world) { return {world.now(), 1'700'000'000'000'000}; }

/// An answer as JSON; the test fails if no manager answered.
inline Json read_answer(const std::optional<Answer>& answer) {
  REQUIRE(answer);
  REQUIRE_MESSAGE(answer->fault.empty(), answer->fault);
  return Json::parse(answer->text);
}

inline Json ask_site(const World& world, const SiteName& site, const std::string& verb,
                     const Json& argument = {}) {
  const auto* driver = world.site(site);
  REQUIRE(driver);
  const Ask ask{1, verb, argument.is_null() ? std::string() : argument.dump()};
  if (verb == "links")
    return read_answer(common_answer({}, driver->endpoint, driver->manager.ignored(), world.now(), ask));
  Json json = read_answer(answer_site(driver->manager, time_of(world), ask));
  json["site"] = site.text;
  return json;
}

inline Json ask_jobs(const World& world, const Party& user, const std::string& verb, const Json& argument = {}) {
  const auto* driver = world.job_manager(user);
  REQUIRE(driver);
  JobManager& jobs = const_cast<JobManager&>(driver->manager);  // a question changes nothing
  JobManagerEffects effects;
  return read_answer(
      answer_jobs(jobs, time_of(world), {1, verb, argument.is_null() ? "" : argument.dump()}, effects));
}

}  // namespace dmm::views_stage
