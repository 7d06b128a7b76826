#include "jobmgr/going_on.hpp"

#include <algorithm>
#include <utility>

#include "jobmgr/asking.hpp"
#include "jobmgr/attempts.hpp"
#include "jobmgr/losing.hpp"
#include "jobmgr/reruns.hpp"
#include "manager/assert.hpp"

namespace dmm {
namespace {

EndClass end_of(const ComponentRun& component_run) {
  return classify(component_run.end, component_run.interrupted, component_run.stopping);
}

}  // namespace

bool is_left_behind(const Job& job, const ComponentRun& component_run) {
  DMM_ASSERT(job.run != nullptr);
  if (!job.description.goes_on || !job.run->went || job.cancel_wanted) return false;
  const bool is_taken = component_run.cause && is_owners_right(*component_run.cause);
  const bool ends = component_run.interrupted || component_run.end.known;
  return is_taken && ends && end_of(component_run) == EndClass::interrupted;
}

bool has_rest(const Job& job) {
  return std::ranges::any_of(job.run->components, [&](const ComponentRun& one) {
    if (is_left_behind(job, one)) return false;
    if (one.phase != ComponentPhase::over) return !one.interrupted;
    return end_of(one) == EndClass::good || end_of(one) == EndClass::bad;
  });
}

std::vector<ComponentEnd> ends_of(const Job& job) {
  const bool goes_on = has_rest(job);
  std::vector<ComponentEnd> ends;
  for (const ComponentRun& one : job.run->components)
    ends.push_back(goes_on && is_left_behind(job, one) ? ComponentEnd{} : ComponentEnd{end_of(one), one.order});
  return ends;
}

std::string text_of_left_behind(const Job& job) {
  if (!job.description.goes_on) return {};
  std::string text;
  for (const ComponentRun& one : job.run->components)
    if (is_left_behind(job, one))
      text += (text.empty() ? "" : ", ") + std::to_string(one.component) + " (" +
              text_of_interruption(one, job.run->lease_of(one).lease.owner) + ")";
  return text.empty() ? text : "went on without component " + text;
}

void job_steps::wind_down_or_go_on(JobStep& s, Job& job, Duration grace) {
  const std::string left_behind = text_of_left_behind(job);
  const bool is_other_trouble = std::ranges::any_of(
      job.run->components, [&](const ComponentRun& one) { return one.order > 0 && !is_left_behind(job, one); });
  if (left_behind.empty() || is_other_trouble || job.state == JobState::ending || !has_rest(job))
    return wind_down(s, job, grace);
  const auto count = static_cast<std::uint16_t>(std::ranges::count_if(
      job.run->components, [&](const ComponentRun& one) { return is_left_behind(job, one); }));
  if (std::exchange(job.run->left_behind, count) != count && s.effects.wants(Level::info))
    s.effects.log(Level::info, "goes_on", s.parts.request_of(job), {{"text", left_behind}});
  release_left_behind(s, job);
  if (job.run->open == 0) attempt_over(s, job);
}

void job_steps::release_left_behind(JobStep& s, Job& job) {
  for (std::size_t lease = 0; lease < job.run->leases.size(); ++lease) {
    const auto is_of_use = [&](const ComponentRun& one) {
      return one.lease == lease && !(one.phase == ComponentPhase::over && is_left_behind(job, one));
    };
    if (std::ranges::none_of(job.run->components, is_of_use)) release_lease(s, job, lease, Returned::used);
  }
}

}  // namespace dmm
