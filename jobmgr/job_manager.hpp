// The job manager of one user: takes jobs, asks the home site for nodes, starts each job's components on the resource
// managers it was granted, watches them, brings their output back, and releases the nodes. A manager as in
// manager/contract.hpp: no clock, no socket, no file. What it promises:
//   - every accepted job comes to exactly one outcome, and every grant is released once or was ended by the site;
//   - a job runs again only after the end of its old attempt was confirmed, or no party could confirm it for
//     `confirm_limit` after the nodes were given back;
//   - nodes are released in the step in which the last component is known to be over, before the rest of its output is
//     fetched;
//   - no resource manager that has output is told to forget it before it is safe here;
//   - what it must find again after a restart is in effects.ledger before anything that follows from it is sent.
//
// This class is the gate, the order of a step and the public face; its state is in parts (job_step.hpp).
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "jobmgr/conditions.hpp"
#include "jobmgr/job_step.hpp"
#include "manager/contract.hpp"
#include "protocol/or_fault.hpp"

namespace dmm {

class JobManager {
 public:
  using Input = std::variant<Received, LinkUp, LinkDown, LinkPressed, LinkStanding, OutputWritten>;
  using Effects = JobManagerEffects;
  static constexpr Duration stop_grace = dmm::stop_grace;

  explicit JobManager(JobManagerSettings settings);
  // Defined in the .cpp: here, each file that moves or destroys a manager would compile them for all members.
  JobManager(JobManager&&) noexcept;
  JobManager& operator=(JobManager&&) noexcept;
  ~JobManager();

  /// Takes up what the ledger tells of before: once, before any event. Returns why it can't be, or nothing.
  WhyNot restore(Instant now, std::vector<JobManagerRecord> rows);
  /// All rows that the ledger must hold after a settle.
  std::vector<JobManagerRecord> records() const;

  void receive(Instant now, Input input, Effects& effects);
  /// The same of a message, which is most of what comes.
  void receive(Instant now, Received&& message, Effects& effects);
  void settle(Instant now, Effects& effects);
  Instant next_deadline() const;

  /// Nodes reach files at home through this server; before any event.
  void set_home_server(HomeServerAddress server) { parts_.home_files.set(std::move(server)); }

  /// Takes other limits; its user and site stay. Empty, or why they can't be taken, and then nothing changed.
  WhyNot reconfigure(const JobManagerSettings& settings);

  /// Takes a job back, at its user's wish; what runs gets the grace between SIGTERM and SIGKILL. Returns why it
  /// can't be, or nothing; asking again changes nothing. Followed by settle, as any event.
  WhyNot cancel(Instant now, std::uint64_t job, Effects& effects, Duration grace = stop_grace);

  /// Holds, releases or changes a job that waits, at its user's wish; asking again changes nothing. Followed by
  /// settle, as any event.
  Altered alter(Instant now, std::uint64_t job, const Alteration& wanted, Effects& effects);

  /// Fetches the output of a job once more that couldn't be written, or waits for its file system: all of it, into the
  /// manager's own folder. Returns why it can't be, or nothing. Followed by settle, as any event.
  WhyNot fetch_again(Instant now, std::uint64_t job, Effects& effects);

  /// Drops the record of an ended job. False if there is none, it hasn't ended, or jobs that depend on it have yet
  /// to hear of its end. The next settle tells the ledger.
  bool forget(std::uint64_t job);

  // ---- views, for people and tests ----
  std::optional<JobView> job(std::uint64_t number) const;
  /// The record itself, for shells that look at many; nullptr if there is none.
  const Job* find(std::uint64_t number) const { return parts_.jobs.find(number); }
  std::vector<JobView> jobs(const JobQuery& query = {}) const;
  /// The number of an element of an array; nothing if there is no such array, or it has no such index.
  std::optional<std::uint64_t> element(std::uint64_t array, std::uint32_t index) const;
  /// Jobs in a state now; forgotten ones aren't counted. Of an array its elements count instead, as long as the
  /// array is known: also those without a job yet, and those that ended without one.
  std::size_t count(JobState state) const;
  /// How often any job came to a state since the start; `waiting` counts submissions and reruns.
  std::uint64_t ever(JobState state) const;
  std::size_t size() const { return parts_.jobs.size(); }
  /// The number that the next accepted job gets.
  std::uint64_t next_job() const { return parts_.intake.next_job(); }
  /// Grants that are held and renewed, and starts that wait for an answer.
  std::uint32_t grants() const { return parts_.leases.grants(); }
  std::uint32_t starts() const { return parts_.starts.under_way(); }
  bool site_up() const { return parts_.site.is_up(); }
  /// The leases that it holds, one for each job that uses them.
  std::vector<Holding> holdings() const;
  const JobManagerSettings& settings() const { return parts_.settings; }
  const Ignored& ignored() const { return parts_.ignored; }
  /// What doesn't hold that must hold; empty if all is well. Walks everything: for tests and checkers.
  WhyNot broken_invariant() const;

 private:
  JobStep begin(Instant now, Effects& effects);

  JobParts parts_;
};

}  // namespace dmm
