// What a job manager finds again after a restart: what users submitted, how far each job has come, and which
// submissions were answered. All of it is synced before anybody hears of it: nobody else could say it again.
#pragma once

#include <array>
#include <optional>

#include "jobmgr/job.hpp"
#include "machine/ledger.hpp"

namespace dmm {

/// An accepted job, as submitted. Written once.
struct JobRecord {
  std::uint64_t number = 0;
  Instant submitted{};
  JobDescription description;

  static constexpr std::string_view table = "jobs";
  static constexpr std::array<std::string_view, 3> columns{"number", "submitted", "description"};
  std::string key() const { return std::to_string(number); }
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.number, self.submitted, self.description);
  }
};

/// A component of the attempt under way.
struct TaskRecordOfJob {
  Party manager;
  NodeSet nodes;
  TaskPhase phase = TaskPhase::queued;
  bool interrupted = false;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.manager, self.nodes, self.phase, self.interrupted);
  }
};

/// How far a job has come: its attempt before anything of it is started, its outcome before anybody hears of it.
struct ProgressRecord {
  std::uint64_t number = 0;
  JobState state = JobState::waiting;
  std::uint32_t attempt = 1;
  std::uint32_t reruns = 0;
  bool cancel_wanted = false;
  JobEvent outcome = JobEvent::finish;
  std::optional<Instant> granted, started, ended;
  Duration wall;
  std::optional<EndKind> exit_kind;
  std::int32_t exit_code = 0;
  StartFault exit_fault = StartFault::none;
  std::string text;
  LeaseId lease;  ///< of the present attempt, or where it ran
  std::vector<SiteName> chain;
  std::vector<ClusterName> clusters;
  Origin origin = Origin::local;
  std::uint32_t tries = 0;
  std::vector<NodeGroup> nodes;  ///< of the attempt, as granted
  std::vector<NodeGroup> held;   ///< what is left to be released
  std::vector<TaskRecordOfJob> tasks;

  static constexpr std::string_view table = "progress";
  static constexpr std::array<std::string_view, 22> columns{
      "number",    "state",     "attempt",    "reruns", "cancel_wanted", "outcome", "granted",  "started",
      "ended",     "wall",      "exit_kind",  "exit_code", "exit_fault", "text",    "lease",    "chain",
      "clusters",  "origin",    "tries",      "nodes",  "held",          "tasks"};
  std::string key() const { return std::to_string(number); }
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.number, self.state, self.attempt, self.reruns, self.cancel_wanted, self.outcome, self.granted,
                    self.started, self.ended, self.wall, self.exit_kind, self.exit_code, self.exit_fault, self.text,
                    self.lease, self.chain, self.clusters, self.origin, self.tries, self.nodes, self.held, self.tasks);
  }
};

/// A submission that was answered: said again, it submits nothing twice.
struct SubmissionRecord {
  Party client;
  std::uint64_t token = 0;
  std::uint64_t first_job = 0;
  std::uint32_t jobs = 0;

  static constexpr std::string_view table = "submissions";
  static constexpr std::array<std::string_view, 4> columns{"client", "token", "first_job", "jobs"};
  std::string key() const { return client.name + "#" + std::to_string(token); }
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.client, self.token, self.first_job, self.jobs);
  }
};

using JobManagerRecord = std::variant<JobRecord, ProgressRecord, SubmissionRecord>;

}  // namespace dmm
