#include "simulator/faults/sometimes.hpp"

#include "simulator/checkers/log_fields.hpp"

namespace dmm {
std::string_view to_text(Rare state) {
  switch (state) {
    case Rare::grant_crosses_cancel: return "a grant crossed the cancellation of its job";
    case Rare::grant_unwanted: return "a site got a grant that nobody there waited for any more";
    case Rare::claim_lost: return "a lost claim was made good by an inventory";
    case Rare::crash_during_claim: return "a site crashed in the middle of a claim";
    case Rare::release_lost: return "an inventory gave back nodes whose release was lost";
    case Rare::lease_adopted: return "a site that had lost a lease took its place in the chain again";
    case Rare::orphan_ended: return "a lease that nobody vouched for was ended";
    case Rare::lease_unknown: return "an owner took back a lease that it had no record of";
    case Rare::node_lost: return "a lease ended since a resource manager was lost";
    case Rare::detached: return "work went on under a lease that was over";
    case Rare::detached_ended_itself: return "such work came to its own end";
    case Rare::start_refused: return "a start was refused since its lease was over";
    case Rare::lost_contact: return "a resource manager that lost contact ended a job";
    case Rare::keeper_deadline: return "a keeper that heard nobody ended jobs";
    case Rare::task_found_again: return "a restarted resource manager found its tasks alive";
    case Rare::jobs_found_again: return "a job manager with running jobs crashed";
    case Rare::run_again: return "a job was interrupted and ran again";
    case Rare::keeper_died: return "a job whose keeper died ran again after a pause";
    case Rare::suspected: return "a job under which keepers died was failed";
    case Rare::commits_lost: return "a machine crashed and lost commits";
    case Rare::crash_before_commit: return "a crash left a commit undone";
    case Rare::crash_after_commit: return "a crash came after a commit and before anybody heard of it";
    case Rare::job_manager_absent: return "a site took the nodes of an absent job manager back";
    case Rare::reclaimed: return "an owner took lent nodes back";
    case Rare::handed_back: return "a resource manager gave its nodes back while it had a lease";
    case Rare::expired: return "a lease expired";
    case Rare::idle: return "a lease without a job went back to its owner";
    case Rare::overtaken: return "a request that was overtaken for as long as it may be held others back";
    case Rare::co_allocated: return "a job got nodes of several sites at once";
    case Rare::placed_again: return "a part that was refused was placed again, and the others stayed held";
    case Rare::gathering_broken: return "a part of a co-allocated job could not be had, and all were given back";
    case Rare::went_on: return "a job went on without a component that its owner took back";
    case Rare::preempted: return "jobs of low priority ended for one of high priority";
    case Rare::at_longest: return "an owner ended a lease that had lasted as long as its leases may";
    case Rare::interrupted_again: return "owners ended several attempts at one job";
  }
  return {};
}

void Sometimes::note(const std::vector<Happening>& happenings) {
  for (const Happening& happening : happenings) note(happening);
}

void Sometimes::add(const Sometimes& other) {
  for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
}

void Sometimes::note(const Happening& happening) {
  if (happening.event.name == "crashed") return note_crash(happening);
  switch (happening.party.role) {
    case Role::site_manager: return note_site(happening.event);
    case Role::job_manager: return note_job_manager(happening.event);
    case Role::resource_manager: return note_resource_manager(happening.event);
    case Role::client: return;
  }
}

void Sometimes::note_crash(const Happening& happening) {
  const LogEvent& event = happening.event;
  saw(Rare::crash_during_claim, number_field(event, "unclaimed") > 0);
  saw(Rare::jobs_found_again, number_field(event, "running") > 0);
  saw(Rare::commits_lost, number_field(event, "commits_lost") > 0);
  saw(Rare::crash_before_commit, text_field(event, "commit") == "lost");
  saw(Rare::crash_after_commit, text_field(event, "commit") == "done");
}

void Sometimes::note_site(const LogEvent& event) {
  const bool is_grant = event.name == "granted" || event.name == "pass_grant" || event.name == "grant";
  if (event.name == "cancel") cancelled_.insert(event.trace);
  saw(Rare::grant_crosses_cancel, is_grant && cancelled_.contains(event.trace));
  saw(Rare::grant_unwanted, event.name == "release" && field_of<bool>(event, "unused"));
  saw(Rare::claim_lost, event.name == "claim_lost");
  saw(Rare::release_lost, event.name == "returned");
  saw(Rare::lease_adopted, event.name == "adopt");
  saw(Rare::orphan_ended, event.name == "orphan_ended");
  saw(Rare::lease_unknown, event.name == "unknown_lease");
  saw(Rare::job_manager_absent, event.name == "job_manager_absent");
  saw(Rare::reclaimed, event.name == "reclaim");
  saw(Rare::at_longest, event.name == "reclaim" && text_field(event, "reason") == to_text(LeaseEnd::at_longest));
  saw(Rare::preempted, event.name == "reclaim" && text_field(event, "reason") == to_text(LeaseEnd::preempted));
  saw(Rare::overtaken, event.name == "overtaken");
  saw(Rare::co_allocated, event.name == "co_allocated");
  saw(Rare::placed_again, event.name == "placed_again");
  saw(Rare::gathering_broken, event.name == "gathering_ended");
  if (event.name != "lease_ended") return;
  saw(Rare::node_lost, text_field(event, "reason") == "node_lost");
  saw(Rare::expired, text_field(event, "reason") == "expired");
  saw(Rare::idle, text_field(event, "reason") == "idle");
}

void Sometimes::note_job_manager(const LogEvent& event) {
  saw(Rare::run_again, event.name == "rerun");
  saw(Rare::went_on, event.name == "goes_on");
  saw(Rare::interrupted_again, event.name == "rerun" && number_field(event, "interruptions") > 1);
  saw(Rare::keeper_died, event.name == "rerun" && number_field(event, "keeper_deaths") > 0);
  const bool is_suspected = text_field(event, "text").ends_with("it may be the cause, and isn't run again");
  saw(Rare::suspected, event.name == "job_failed" && is_suspected);
}

void Sometimes::note_resource_manager(const LogEvent& event) {
  saw(Rare::lost_contact, event.name == "lost_contact");
  saw(Rare::handed_back, event.name == "hand_back" && number_field(event, "leases") > 0);
  saw(Rare::keeper_deadline, event.name == "deadline");
  saw(Rare::task_found_again, event.name == "restarted" && number_field(event, "tasks") > 0);
  saw(Rare::start_refused, event.name == "refuse" && text_field(event, "fault") == "no_lease");
  saw(Rare::detached, event.name == "detach" && detached_.insert(event.trace).second);
  saw(Rare::detached_ended_itself,
      event.name == "ended" && text_field(event, "kind") == "exited" && detached_.contains(event.trace));
}

}  // namespace dmm
