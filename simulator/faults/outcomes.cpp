#include "simulator/faults/outcomes.hpp"

#include <algorithm>

#include "protocol/text.hpp"
#include "simulator/faults/program_ends.hpp"

namespace dmm {
namespace {

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

const JobDescription* Outcomes::find(const JobOfUser& job) const {
  const auto asked = asked_.find(job);
  return asked == asked_.end() ? nullptr : &asked->second;
}

bool Outcomes::is_given_up(const RequestId& request) const {
  return std::ranges::find(hopeless_, request) != hopeless_.end();
}

/// A job counts a keeper's death only if it was present. In a run without faults no job pays with a rerun, neither
/// for such a death nor for what an owner may do at any time.
std::string Outcomes::fault_of_charges(const JobView& view, const std::set<RequestId>& died) const {
  const RequestId first{view.request.site, view.request.user, view.request.job, 0};
  const auto deaths = std::distance(died.lower_bound(first), died.upper_bound(view.request));
  if (view.keeper_deaths > deaths) return "was at more deaths of keepers than there were";
  if (trouble_ == Trouble::none && view.reruns > 0) return "is charged for the death of its keeper";
  const bool breaks = trouble_ == Trouble::gentle || trouble_ == Trouble::harsh || trouble_ == Trouble::forgetful;
  if (!breaks && view.reruns > 0) return "is charged with a rerun, and nothing broke";
  return {};
}

std::string Outcomes::check(const World& world) const {
  const auto ends = program_ends(world);
  const auto died = attempts_that_died_with_a_keeper(world);
  for (const auto& [job, description] : asked_) {
    if (!world.is_up(job.first)) continue;
    const auto view = world.job_manager(job.first)->manager.job(job.second);
    if (!view) continue;
    const auto found = ends.find(view->request);
    const auto programs = found == ends.end() ? std::vector<TaskPerformer::End>() : found->second;
    if (view->elements) {
      if (std::string fault = fault_of_array(*view); !fault.empty()) return to_text(view->request) + " " + fault;
      continue;
    }
    for (const std::string& fault :
         {fault_of_outcome(world, job, *view, description, programs), fault_of_charges(*view, died)})
      if (!fault.empty()) return to_text(view->request) + " " + fault;
  }
  return {};
}

/// An element also counts as refused if another element was: then the whole array is.
bool Outcomes::was_refused(const World& world, const JobOfUser& job, const JobView& view) const {
  if (refused_.contains(view.request)) return true;
  if (view.array == 0) return false;
  return std::ranges::any_of(refused_, [&](const RequestId& request) {
    if (request.site != view.request.site || request.user != view.request.user) return false;
    const auto other = world.job_manager(job.first)->manager.job(request.job);
    return other && other->array == view.array;
  });
}

std::string Outcomes::fault_of_outcome(const World& world, const JobOfUser& job, const JobView& view,
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
      if (!view.granted)
        return was_refused(world, job, view) ? "" : "failed before it had nodes, and wasn't refused";
      return fails_by_itself(programs) || is_suspected(view, programs) ? "" : "failed, and its programs didn't";
    }
    case JobState::cancelled:
      return cancelled_.contains(job) || cancelled_.contains({job.first, view.array}) || is_given_up(view.request)
                 ? ""
                 : "is cancelled, and its user didn't cancel it";
    case JobState::lost: return view.reruns >= description.reruns_max ? "" : "is given up too soon";
    default: return "";
  }
}

}  // namespace dmm
