// The parts of a job manager, and one step over them. Each part owns its state; what happens over several parts is
// in files of free functions beside this one, by subject (docs/architecture.md section 3.2 has the tables).
#pragma once

#include <string>
#include <vector>

#include "jobmgr/arrays.hpp"
#include "jobmgr/component_times.hpp"
#include "jobmgr/effects.hpp"
#include "jobmgr/eligibility.hpp"
#include "jobmgr/held_leases.hpp"
#include "jobmgr/home_files.hpp"
#include "jobmgr/intake.hpp"
#include "jobmgr/job_table.hpp"
#include "jobmgr/job_view.hpp"
#include "jobmgr/managers.hpp"
#include "jobmgr/pauses.hpp"
#include "jobmgr/reruns.hpp"
#include "jobmgr/settings.hpp"
#include "jobmgr/site_link.hpp"
#include "jobmgr/start_queue.hpp"
#include "jobmgr/unwritten.hpp"
#include "manager/dispatch.hpp"

namespace dmm {

struct JobParts {
  explicit JobParts(JobManagerSettings all_settings);

  JobManagerSettings settings;
  JobTable jobs;
  SiteLink site;
  Intake intake;
  HeldLeases leases;
  Managers managers;
  Pauses pauses;
  Eligibility eligibility;
  Arrays arrays;
  StartQueue starts;
  HomeFiles home_files;
  ComponentTimes due;                   ///< every ComponentRun::due
  ComponentTimes looks;                 ///< every ComponentRun::look_due
  std::uint64_t last_piece = 0;         ///< serial of the last piece of output that the shell got
  Unwritten unwritten;                  ///< what the ledger doesn't know yet
  std::vector<std::uint64_t> resuming;  ///< restored jobs with an attempt, before the first event
  Ignored ignored;

  RequestId request_of(const Job& job) const { return {settings.site, settings.user, job.number, job.attempt}; }
  void changed(const Job& job, Grade grade = Grade::committed) { unwritten.change(job.number, grade); }
  void set_due(ComponentRun& component_run, ComponentKey key, Instant at) { due.set(component_run.due, key, at); }
  void set_look(ComponentRun& component_run, ComponentKey key, Instant at) {
    looks.set(component_run.look_due, key, at);
  }
  /// How long an answer from where the attempt runs may take.
  Duration patience(const Attempt& run) const { return settings.confirm_limit + run.round_trip * 2; }
  /// How long a task may take until it runs or, where it awaits a Go, is ready.
  Duration start_limit_of(const Job& job) const {
    const Duration staging = job.description.program.inputs.empty() ? Duration{} : settings.staging_limit;
    return settings.start_limit + staging + job.run->round_trip * 2;
  }
  /// Whether the job's request is open at the home site, or goes out as soon as the site takes requests.
  bool waits_for_nodes(const Job& job) const {
    return job.state == JobState::waiting && job.again_at == never && !job.is_array() &&
           eligibility.is_eligible(job.number);
  }
  /// Lets something happen to a job.
  void change(Job& job, JobEvent event);
  /// Whether jobs that wait may be asked for now.
  bool may_ask() const { return site.may_ask(intake.next_job()); }
  /// Counts a message that is let pass.
  void ignore(std::string_view reason) { ++ignored[reason]; }
};

/// One step of a job manager: its parts, the moment, and where its effects go.
struct JobStep {
  JobParts& parts;
  Instant now;
  JobManagerEffects& effects;
};

/// Between SIGTERM and SIGKILL, where nothing else is said.
constexpr Duration stop_grace = seconds(5);

/// What the site knows already when nodes are released, or must be told beside it.
enum class Returned : std::uint8_t { used, unused, known };

/// What a resource manager speaks about: a component of a job's present attempt, if it is one.
struct Subject {
  Job* job = nullptr;
  ComponentRun* component_run = nullptr;
};

namespace job_steps {

/// To the home site; before the first session with it nothing.
void tell_site(JobStep& s, Message message, const RequestId& about = {});

}  // namespace job_steps
}  // namespace dmm
