// Checks that users are told what their programs did, and that every failure had a cause; see fault_run.hpp.
#include <algorithm>

#include "protocol/text.hpp"
#include "simulator/faults/fault_run.hpp"

namespace dmm {
namespace {

/// For this long after an act a grid may still be on its way to fair shares.
constexpr Duration unsettled_for = seconds(60);

/// An act has effects for this long: terms, links that are given up, and rounds of a search.
constexpr Duration felt_for = seconds(150);

bool is_trouble(Act::Kind kind) {
  using Kind = Act::Kind;
  switch (kind) {
    case Kind::submit:
    case Kind::cancel:
    case Kind::heal:
    case Kind::drain:
    case Kind::end_drains:
    case Kind::link: return false;
    default: return true;
  }
}

bool ends_well(const std::vector<TaskPerformer::End>& ends) {
  return std::ranges::all_of(
      ends, [](const TaskPerformer::End& end) { return end.kind == EndKind::exited && end.code == 0; });
}

/// Whether the job was present at as many keeper deaths as a job may be, the last of them in this attempt.
bool is_suspected(const JobView& view, const std::vector<TaskPerformer::End>& ends) {
  return view.keeper_deaths >= JobManagerSettings{}.keeper_deaths_max &&
         std::ranges::any_of(ends, &TaskPerformer::End::keeper_died);
}

bool fails_by_itself(const std::vector<TaskPerformer::End>& ends) {
  return std::ranges::any_of(ends, [](const TaskPerformer::End& end) {
    return end.kind == EndKind::start_failed || (end.kind == EndKind::exited && end.code != 0);
  });
}

/// For a job that goes on without components: whether its remaining components ended well.
bool goes_on_well(const std::vector<TaskPerformer::End>& ends) {
  return !fails_by_itself(ends) && std::ranges::any_of(ends, [](const TaskPerformer::End& end) {
    return end.kind == EndKind::exited && end.code == 0;
  });
}

/// Each element of an array is in one state. The array ends with its last element, in the worst state of all.
std::string fault_of_array(const JobView& view) {
  std::map<JobState, std::uint32_t> counts;
  std::uint32_t all = 0, open = 0;
  for (const ArrayView::Group& group : view.elements->groups) {
    counts[group.state] = group.count;
    all += group.count;
    open += is_over(group.state) ? 0 : group.count;
  }
  if (all != view.elements->size) return "has lost elements";
  if (is_over(view.state) != (open == 0)) return "and its elements disagree whether it is over";
  if (open > 0) return {};
  if (!counts.contains(view.state)) return "ended as no element of it did";
  return view.state == JobState::finished && counts.size() > 1 ? "finished, and elements of it didn't" : "";
}

}  // namespace

/// How the programs of each attempt ended in the hosts. A program that was started twice, because its host lost the
/// first, counts by its last end.
std::map<RequestId, std::vector<TaskPerformer::End>> FaultRun::program_ends() const {
  std::map<TaskId, TaskPerformer::End> last;
  for (const Party& party : world_->parties())
    if (party.role == Role::resource_manager)
      for (const TaskPerformer::End& end : world_->performer(party).ends()) last[end.id] = end;
  std::map<RequestId, std::vector<TaskPerformer::End>> ends;
  for (const auto& [id, end] : last) ends[id.request].push_back(end);
  return ends;
}

std::set<RequestId> FaultRun::attempts_that_died_with_a_keeper() const {
  std::set<RequestId> attempts;
  for (const Party& party : world_->parties())
    if (party.role == Role::resource_manager)
      for (const TaskPerformer::End& end : world_->performer(party).ends())
        if (end.keeper_died) attempts.insert(end.id.request);
  return attempts;
}

/// A job counts a keeper's death only if it was present. In a run without faults no job pays with a rerun, neither
/// for such a death nor for what an owner may do at any time.
std::string FaultRun::fault_of_charges(const JobView& view, const std::set<RequestId>& died) const {
  const RequestId first{view.request.site, view.request.user, view.request.job, 0};
  const auto deaths = std::distance(died.lower_bound(first), died.upper_bound(view.request));
  if (view.keeper_deaths > deaths) return "was at more deaths of keepers than there were";
  if (run_.trouble == Trouble::none && view.reruns > 0) return "is charged for the death of its keeper";
  const bool breaks =
      run_.trouble == Trouble::gentle || run_.trouble == Trouble::harsh || run_.trouble == Trouble::forgetful;
  if (!breaks && view.reruns > 0) return "is charged with a rerun, and nothing broke";
  return {};
}

/// Every outcome matches what the programs of the last attempt did, or what the user or the faults did to them.
std::string FaultRun::check_outcomes() const {
  const auto ends = program_ends();
  const auto died = attempts_that_died_with_a_keeper();
  for (const auto& [job, description] : asked_) {
    if (!world_->is_up(job.first)) continue;
    const auto view = world_->job_manager(job.first)->manager.job(job.second);
    if (!view) continue;
    const auto found = ends.find(view->request);
    const auto programs = found == ends.end() ? std::vector<TaskPerformer::End>() : found->second;
    if (view->elements) {
      if (std::string fault = fault_of_array(*view); !fault.empty()) return to_text(view->request) + " " + fault;
      continue;
    }
    for (const std::string& fault :
         {fault_of_outcome(job, *view, description, programs), fault_of_charges(*view, died)})
      if (!fault.empty()) return to_text(view->request) + " " + fault;
  }
  return {};
}

/// An element also counts as refused if another element was: then the whole array is.
bool FaultRun::was_refused(const JobOfUser& job, const JobView& view) const {
  if (refused_.contains(view.request)) return true;
  if (view.array == 0) return false;
  return std::ranges::any_of(refused_, [&](const RequestId& request) {
    if (request.site != view.request.site || request.user != view.request.user) return false;
    const auto other = world_->job_manager(job.first)->manager.job(request.job);
    return other && other->array == view.array;
  });
}

std::string FaultRun::fault_of_outcome(const JobOfUser& job, const JobView& view,
                                       const JobDescription& description,
                                       const std::vector<TaskPerformer::End>& programs) const {
  switch (view.state) {
    case JobState::finished: {
      const bool went_on = description.goes_on && view.text.starts_with("went on without");
      if (went_on) return goes_on_well(programs) ? "" : "finished, and no program of it did";
      const bool all_ran = description.need.kind == RequestKind::flexible
                               ? !programs.empty()
                               : programs.size() == description.need.components.size();
      return all_ran && ends_well(programs) ? "" : "finished, and its programs didn't";
    }
    case JobState::failed: {
      if (!view.granted) return was_refused(job, view) ? "" : "failed before it had nodes, and wasn't refused";
      return fails_by_itself(programs) || is_suspected(view, programs) ? "" : "failed, and its programs didn't";
    }
    case JobState::cancelled:
      return cancelled_.contains(job) || cancelled_.contains({job.first, view.array}) ||
                     std::ranges::find(hopeless_, view.request) != hopeless_.end()
                 ? ""
                 : "is cancelled, and its user didn't cancel it";
    case JobState::lost: return view.reruns >= description.reruns_max ? "" : "is given up too soon";
    default: return "";
  }
}

/// Checks that an attempt with a component that ran was given up for a reason: a fault, or an owner that took back
/// one of its leases. Without faults, or with single short ones only, just the owner is a reason.
void FaultRun::check_rerun(const Happening& rerun) {
  const bool started = started_.erase(rerun.event.trace) > 0;
  const auto handed = handed_out_.extract(rerun.event.trace);
  if (!started || attempts_that_died_with_a_keeper().contains(rerun.event.trace)) return;
  const auto is_explained = [&](const std::string& lease) { return explained_.contains(lease); };
  if (!handed.empty() && std::ranges::any_of(handed.mapped(), is_explained)) return;
  if (run_.trouble == Trouble::gentle || run_.trouble == Trouble::none) {
    late_fault_ = to_text(rerun.event.trace) + " was interrupted needlessly";
    return;
  }
  if (has_chances_) return;
  if (is_trouble_felt()) return;
  late_fault_ = to_text(rerun.event.trace) + " was interrupted, and nothing had gone wrong for " +
                std::to_string((world_->now() - last_trouble_).microseconds / 1'000'000) + " s";
}

/// In a run of days an effect lasts longer, because a site that is cut off lets jobs of remote users run on for a
/// while.
bool FaultRun::is_trouble_felt() const {
  Duration felt = felt_for;
  if (run_.stretch > 1)
    for (const TopologySite& site : run_.topology.sites)
      felt = std::max(felt, felt_for + site.settings.detached_max);
  return world_->now() - last_trouble_ < felt;
}

/// Notes what the checks of this run need to know about an act.
void FaultRun::note_act(const Act& act) {
  using Kind = Act::Kind;
  if (is_trouble(act.kind)) last_trouble_ = world_->now();
  if (act.kind != Kind::submit && act.kind != Kind::cancel) shares_watch_.excuse(world_->now() + unsettled_for);
  if (act.kind == Kind::drift || act.kind == Kind::jump || act.kind == Kind::slow_disk ||
      act.kind == Kind::report_late)
    has_chances_ = true;
  if (act.kind == Kind::resize) sizes_[act.a].emplace_back(world_->now(), static_cast<std::uint32_t>(act.number));
  if (act.kind == Kind::part || act.kind == Kind::link)
    links_changed_[std::minmax(act.a.site, act.b.site)] = world_->now();
}

void FaultRun::note_started(const Happening& started) {
  for (const auto& program : world_->performer(started.party).running())
    if (program->id.request == started.event.trace) started_.insert(program->id.request);
}

void FaultRun::note(const Happening& happening) {
  const LogEvent& event = happening.event;
  if (happening.party.role == Role::resource_manager && event.name == "started") note_started(happening);
  if (happening.party.role == Role::job_manager && event.name == "rerun") check_rerun(happening);
  if (happening.party.role != Role::site_manager) return;
  const bool may_be_interrupted = run_.trouble == Trouble::harsh || run_.trouble == Trouble::life;
  if (event.name == "reclaim" || (event.name == "lease_ended" && may_be_interrupted && is_trouble_felt()))
    explained_.insert(std::get<std::string>(event.fields.front().value));
  if (event.name == "hand_out")
    for (const LogField& field : event.fields)
      if (field.key == "lease") handed_out_[event.trace].push_back(std::get<std::string>(field.value));
  if (event.name != "refuse") return;
  refused_.insert(event.trace);
  check_refusal(happening);
}

}  // namespace dmm
