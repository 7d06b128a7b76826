// The steps of asking.hpp.
#include "jobmgr/asking.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <span>

#include "jobmgr/attempts.hpp"
#include "jobmgr/elements.hpp"
#include "jobmgr/grant_check.hpp"
#include "jobmgr/output.hpp"
#include "jobmgr/recovery.hpp"
#include "jobmgr/routes.hpp"
#include "manager/assert.hpp"
#include "manager/planted.hpp"
#include "protocol/home_paths.hpp"
#include "protocol/text.hpp"

namespace dmm::job_steps {

namespace {
/// How many jobs are asked for in one step: a million that wait must not hold up what runs.
constexpr std::size_t asks_a_step = 1'000;
/// Until an element is asked for again that its site had no place for in its queue.
constexpr Duration pause_at_limit = seconds(2);
/// Thirty years are as good as more.
constexpr std::uint64_t wall_told_max = std::uint64_t{30} * 365 * 86400;

/// Whether the home site may answer this request.
bool is_asked_for(JobStep& s, const Job& job, const RequestId& request) {
  return s.parts.waits_for_nodes(job) && s.parts.request_of(job) == request;
}

/// A task for each component, on its first group of nodes, the others being only held; or one for each group.
void add_tasks(Attempt& attempt, const std::vector<NodeGroup>& nodes, Runner runner) {
  std::set<std::uint32_t> begun;
  for (const NodeGroup& group : nodes) {
    const auto component = static_cast<std::uint16_t>(group.component);
    const bool is_first = begun.insert(component).second;
    if (runner == Runner::per_component && !is_first) continue;
    ComponentRun& task = attempt.components.emplace_back();
    task.manager = group.resource_manager;
    task.nodes = group.nodes;
    task.lease = static_cast<std::uint16_t>(attempt.leases.size());
    task.component = component;
  }
}

void add_lease(Attempt& attempt, Grant& grant, Runner runner) {
  add_tasks(attempt, grant.nodes, runner);
  attempt.leases.push_back({grant.lease, true, never});
  attempt.round_trip = std::max(attempt.round_trip, std::clamp(grant.round_trip, Duration{}, round_trip_max));
  if (attempt.granted.empty())
    attempt.granted = std::move(grant.nodes);
  else
    attempt.granted.insert(attempt.granted.end(), grant.nodes.begin(), grant.nodes.end());
}

Attempt attempt_of(std::span<Grant> grants, Runner runner) {
  Attempt attempt;
  for (Grant& grant : grants) add_lease(attempt, grant, runner);
  std::ranges::stable_sort(attempt.components, {}, &ComponentRun::component);
  static_assert(components_granted_max <= UINT16_MAX);
  DMM_ASSERT(!attempt.components.empty() && attempt.components.size() <= components_granted_max);
  attempt.open = attempt.unstarted = static_cast<std::uint16_t>(attempt.components.size());
  return attempt;
}

Place place_of(const Grant& grant) {
  Place place{grant.lease, grant.chain, {}, {}};
  for (const NodeGroup& group : grant.nodes)
    if (std::find(place.clusters.begin(), place.clusters.end(), group.cluster) == place.clusters.end())
      place.clusters.push_back(group.cluster);
  return place;
}

std::string chain_text(const SiteNames& chain) {
  std::string text;
  for (const SiteName& site : chain) text += (text.empty() ? "" : " > ") + site.text;
  return text;
}

}  // namespace

static void accept(JobStep& s, JobDescription description);
static void ask(JobStep& s, const Job& job);
/// The oldest that ended go.
static void forget_beyond_limit(JobStep& s);
/// Without nodes there is nothing to give back, and a Release that names none would end the lease for other jobs
/// too.
static void give_back(JobStep& s, Grant& grant, bool failed);
/// Takes all leases of a request, or none.
/// Whether the job has these nodes now.
/// `left`: when the grants left the home site, or before that.
static bool take(JobStep& s, const RequestId& request, std::span<Grant> grants, Instant left);
static void record(JobStep& s, Job& job, std::span<Grant> grants, Instant left);
void on(JobStep& s, FromClient from, Submit& submit) {
  if (const Submitted* answer = s.parts.intake.submissions().find(from.party, submit.token)) {
    if (Intake::is_repeated(submit, *answer, s.parts.jobs)) return s.effects.send(from.party, *answer);
    return s.effects.send(from.party,
                          Submitted{submit.token, 0, 0, "this submission was used before, for other jobs"});
  }
  Submitted answer{submit.token, 0, 0, fault_of(submit)};
  const std::size_t open = s.parts.jobs.open() + s.parts.arrays.left();
  if (answer.fault.empty() && open + jobs_of(submit) > s.parts.settings.jobs_max)
    answer.fault = "at most " + std::to_string(s.parts.settings.jobs_max) + " jobs may be open at once";
  for (const JobDescription& job : submit.jobs)
    if (answer.fault.empty()) answer.fault = s.parts.home_files.fault_of(job);
  if (answer.fault.empty()) answer.fault = resolve_dependencies(s.parts, submit);
  if (answer.fault.empty()) answer.fault = s.parts.intake.take_output_paths(submit);
  if (answer.fault.empty()) {
    answer.first_job = s.parts.intake.next_job();
    answer.jobs = static_cast<std::uint32_t>(submit.jobs.size());
    auto dropped = s.parts.intake.submissions().remember(from.party, answer);
    s.parts.unwritten.answer({from.party, answer.token, answer.first_job, answer.jobs}, std::move(dropped));
    for (JobDescription& job : submit.jobs) accept(s, std::move(job));
    DMM_ASSERT(s.parts.intake.next_job() == answer.first_job + answer.jobs);
    for (std::uint32_t i = 0; i < answer.jobs; ++i)
      if (const Job& job = *s.parts.jobs.find(answer.first_job + i); job.is_array())
        add_array(s, job, s.parts.intake.new_numbers(job.description.array.size()));
    // Last: a job of the submission may depend on one that is forgotten for it.
    forget_beyond_limit(s);
  }
  s.effects.send(from.party, answer);
}

void forget_beyond_limit(JobStep& s) {
  while (s.parts.jobs.size() > s.parts.settings.jobs_max) {
    Job& oldest = *s.parts.jobs.oldest_ended();
    tell_all_dependents(s, oldest.number);
    if (oldest.run) leave_attempt(s, oldest);
    const bool is_forgotten = forget(s.parts, oldest.number);
    DMM_ASSERT(is_forgotten);
  }
}

void accept(JobStep& s, JobDescription description) {
  Job job;
  job.number = s.parts.intake.new_number();
  job.processors = total_processors(description.need);
  job.description = std::move(description);
  for (InputFile& file : job.description.program.inputs)
    if (is_at_home(file.replicas[0].url)) file.replicas[0].site = s.parts.settings.site;
  job.submitted = job.waits_since = s.now;
  take_conditions(s, job);
  const Job& added = s.parts.jobs.add(std::move(job));
  s.parts.unwritten.description(added.number);
  s.parts.changed(added, DMM_PLANT(job_only_committed) ? Grade::committed : Grade::synced);
  if (s.effects.wants(Level::info))
    s.effects.log(Level::info, "submitted", s.parts.request_of(added),
                  {{"job", static_cast<std::int64_t>(added.number)},
                   {"processors", static_cast<std::int64_t>(added.processors)}});
}

void ask(JobStep& s, const Job& job) {
  const JobDescription& wanted = job.description;
  DMM_ASSERT(s.parts.waits_for_nodes(job));
  const Duration waited = s.now - job.submitted - job.kept_back;
  const std::uint64_t wall = std::min<std::uint64_t>(wanted.program.limits->wall_seconds, wall_told_max);
  const Duration length = seconds(static_cast<std::int64_t>(wall));
  Request request{s.parts.request_of(job),
                  wanted.need,
                  wanted.dttl,
                  wanted.priority,
                  waited,
                  s.parts.settings.user,
                  length,
                  job.past,
                  needs_of(wanted.program.inputs),
                  wanted.communication};
  tell_site(s, std::move(request), s.parts.request_of(job));
}

void ask_waiting(JobStep& s) {
  if (!s.parts.may_ask()) return;
  const std::vector<std::uint64_t> waiting =
      s.parts.jobs.in(JobState::waiting, s.parts.site.ask_from(), asks_a_step);
  for (const std::uint64_t number : waiting)
    if (const Job& job = *s.parts.jobs.find(number); s.parts.waits_for_nodes(job)) {
      DMM_ASSERT(job.state == JobState::waiting);
      ask(s, job);
    }
  s.parts.site.asked_up_to(waiting.size() < asks_a_step ? s.parts.intake.next_job() : waiting.back() + 1);
}

void ask_again(JobStep& s, Job& job, Duration pause) {
  DMM_ASSERT(job.state == JobState::waiting && !job.run);
  ++job.attempt;
  s.parts.changed(job);
  if (pause > Duration{}) s.parts.pauses.begin(job, s.now + pause);
  ask_if_wanted(s, job);
}

void ask_if_wanted(JobStep& s, const Job& job) {
  if (s.parts.waits_for_nodes(job) && s.parts.site.was_asked_for(job.number)) ask(s, job);
}

void end_pauses(JobStep& s) {
  while (const auto number = s.parts.pauses.due(s.now)) {
    Job& job = *s.parts.jobs.find(*number);
    s.parts.pauses.end(job);
    s.parts.changed(job);
    ask_if_wanted(s, job);
  }
}

void on(JobStep& s, FromSite, const Refuse& refuse) {
  Job* job = s.parts.jobs.find(refuse.request.job);
  if (!job || !is_asked_for(s, *job, refuse.request)) return s.parts.ignore("not_waiting");
  std::string text = "refused: " + std::string(words_for(refuse.reason));
  if (refuse.reason == RefusalReason::too_large)
    text += "; the largest has " + std::to_string(refuse.largest) + " processors";
  if (!refuse.text.empty()) text += "; " + shortened(refuse.text, text_bytes_max);
  job->text = text;
  // Its turn was its job manager's to choose: it waits until fewer requests are open.
  if (job->array != 0 && refuse.reason == RefusalReason::limit_reached) return ask_again(s, *job, pause_at_limit);
  job->ended = s.now;
  close(s, *job, JobEvent::fail);
  if (job->array != 0) refuse_left(s, *job);
}

void on(JobStep& s, FromSite from, Grant& grant) { take(s, grant.request, {&grant, 1}, from.proved); }

void on(JobStep& s, FromSite from, GrantSet& set) {
  if (take(s, set.request, set.grants, from.proved))
    s.parts.jobs.find(set.request.job)->joint.edit().placement = shortened(set.placement, text_bytes_max);
}

bool take(JobStep& s, const RequestId& request, std::span<Grant> grants, Instant left) {
  Job* job = s.parts.jobs.find(request.job);
  const bool is_present = job && s.parts.request_of(*job) == request;
  const auto holds = [&](const Grant& grant) { return s.parts.leases.holds(grant.lease, job->number); };
  // What we use already must not be released.
  if (is_present && std::ranges::any_of(grants, holds)) {
    s.parts.ignore("held_already");
    return false;
  }
  if (!job || !is_asked_for(s, *job, request)) {
    for (Grant& grant : grants) {
      s.effects.log(Level::debug, "grant_unwanted", request, {{"lease", to_text(grant.lease)}});
      give_back(s, grant, false);
    }
    return false;
  }
  if (std::string fault = fault_of_grants(request, grants, job->description.need); !fault.empty()) {
    s.effects.log(Level::error, "grant_broken", request, {{"text", fault}});
    for (Grant& grant : grants) give_back(s, grant, true);
    ask_again(s, *job);
    return false;
  }
  record(s, *job, grants, left);
  return true;
}

void give_back(JobStep& s, Grant& grant, bool failed) {
  if (grant.nodes.empty()) return;
  tell_site(s, Release{grant.lease, std::move(grant.nodes), false, failed}, grant.request);
}

void record(JobStep& s, Job& job, std::span<Grant> grants, Instant left) {
  DMM_ASSERT(job.state == JobState::waiting && !job.run && !grants.empty());
  const RequestId request = s.parts.request_of(job);
  job.granted = s.now;
  job.places.clear();
  if (!job.joint->placement.empty()) job.joint.edit().placement = {};
  for (const Grant& grant : grants) {
    if (s.effects.wants(Level::info))
      s.effects.log(Level::info, "granted", request,
                    {{"lease", to_text(grant.lease)},
                     {"owner", grant.lease.owner.text},
                     {"chain", chain_text(grant.chain)},
                     {"wait_seconds", (s.now - job.submitted).in_seconds()}});
    add_routes(s.effects, grant.nodes, grant.chain);
    job.places.push_back(place_of(grant));
    if (grants.size() > 1) job.places.back().components = components_of(grant.nodes);
    job.origin = grants.size() == 1 ? grant.origin : std::max(job.origin, grant.origin);
    job.tries += grant.tries;
    s.parts.leases.add(s.now, grant.lease, job.number, grant.term, left);
    s.parts.leases.open(grant.lease, job.number);
  }
  job.run = std::make_unique<Attempt>(attempt_of(grants, job.description.program.runner));
  job.run->went = !awaits_go(job);
  s.parts.change(job, JobEvent::granted);
  s.parts.changed(job, Grade::synced);
  for (std::uint32_t i = 0; i < job.run->components.size(); ++i) {
    DMM_ASSERT(!job.run->components[i].nodes.empty());
    s.parts.starts.add(request, i);
  }
}

WhyNot cancel(JobStep& s, std::uint64_t number, Duration grace) {
  Job* job = s.parts.jobs.find(number);
  const auto element = job ? std::nullopt : s.parts.arrays.element_of(number);
  if (element) return cancel_element(s, *element);
  if (!job) return "there is no job " + std::to_string(number);
  const bool cancelling = job->state == JobState::collecting && job->outcome == JobEvent::cancel;
  if (job->state == JobState::cancelled || cancelling) return {};
  if (job->state == JobState::collecting || is_over(job->state)) return name_of(*job) + " has ended already";
  if (job->is_array()) {
    cancel_array(s, *job, grace);
  } else if (job->state == JobState::waiting) {
    cancel_waiting(s, *job);
  } else if (!std::exchange(job->cancel_wanted, true)) {
    s.parts.changed(*job, Grade::synced);
    wind_down(s, *job, grace);
  }
  return {};
}

void cancel_waiting(JobStep& s, Job& job) {
  DMM_ASSERT(job.state == JobState::waiting && !job.run);
  if (s.parts.waits_for_nodes(job)) tell_site(s, Cancel{s.parts.request_of(job)}, s.parts.request_of(job));
  if (job.again_at != never) s.parts.pauses.end(job);
  job.ended = s.now;
  close(s, job, JobEvent::cancel);
}

}  // namespace dmm::job_steps
