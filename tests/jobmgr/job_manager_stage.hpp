// The stage of the stories about the job manager das-0/alice. The test plays its site and its resource managers, with
// short functions for their messages. The ledger is compared after every step.
#pragma once

#include "jobmgr/job_manager.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/checked_ledger.hpp"
#include "tests/said.hpp"

namespace dmm::job_stage {

inline const SiteName home("das-0");
inline const Party site = site_manager_of(home);
inline const Party client{home, Role::client, "cli-1"};
inline const Party fs0 = resource_manager_of(SiteName("das-3"), "fs0");
inline const Party fs1 = resource_manager_of(SiteName("das-3"), "fs1");
inline const LeaseId lease{SiteName("das-3"), {1, 41}};

inline JobManagerSettings settings_of_alice() {
  JobManagerSettings settings;
  settings.site = home;
  settings.user = "alice";
  return settings;
}

inline JobDescription sleeper(std::vector<std::uint32_t> components = {4}) {
  JobDescription job;
  job.name = "sleeper";
  job.program.arguments = {"sleep", "1"};
  for (std::uint32_t processors : components) job.need.components.push_back({processors, {}, {}});
  return job;
}

inline RequestId request(std::uint64_t job, std::uint32_t attempt = 1) { return {home, "alice", job, attempt}; }

inline NodeGroup group(const Party& manager, NodeRange range, std::uint32_t component = 0) {
  return {manager, ClusterName("delft"), {range}, 2, "tcp://" + manager.name, component};
}

inline Grant grant(const RequestId& id, std::vector<NodeGroup> nodes, const LeaseId& under = lease) {
  Grant made;
  made.request = id;
  made.lease = under;
  made.nodes = std::move(nodes);
  made.term = seconds(30);
  made.chain = {SiteName("das-3"), SiteName("das-1"), home};
  made.origin = Origin::intra_grid;
  made.tries = 3;
  return made;
}

inline Ended ended(const RequestId& id, std::int32_t code = 0, std::uint32_t component = 0) {
  Ended end;
  end.request = id;
  end.component = component;
  end.code = code;
  end.wall = seconds(1);
  return end;
}
inline Ended ended(const RequestId& id, EndKind kind, std::uint32_t component = 0) {
  Ended end = ended(id, 0, component);
  end.kind = kind;
  return end;
}
inline Ended not_started(const RequestId& id, StartFault fault) {
  Ended end = ended(id, EndKind::start_failed);
  end.fault = fault;
  return end;
}

struct Stage {
  JobManager manager;
  JobManagerEffects out;
  Instant now{seconds(1000).microseconds};
  std::uint64_t token = 0;
  CheckedLedger<JobManager> ledger;

  explicit Stage(JobManagerSettings settings = settings_of_alice()) : manager(std::move(settings)) {
    out.ledger.wanted = true;
    up(site, true);
    up(fs0, true);
    up(fs1, true);
  }
  void take(JobManager::Input input) {
    manager.receive(now, std::move(input), out);
    settle();
  }
  void settle() {
    manager.settle(now, out);
    REQUIRE(manager.broken_invariant() == "");
    ledger.take(out.ledger, manager);
  }
  /// The process, or the machine with it, ends and starts again. No other party is in contact yet.
  void restart(bool with_machine = false) {
    manager = JobManager(manager.settings());
    REQUIRE(manager.restore(now, with_machine ? ledger.after_the_host() : ledger.after_the_process()) == "");
    out = {};
    out.ledger.wanted = true;
    settle();
  }
  void hear(const Party& from, Message message) { take(Received{from, std::move(message), {}, {}}); }
  void up(const Party& peer, bool restarted) {
    take(LinkUp{peer, restarted, {}, {}});
    take(LinkStanding{peer, true, {}, now});
  }
  void down(const Party& peer) {
    take(LinkStanding{peer, false, {}, now});
    take(LinkDown{peer});
  }
  /// Lets time pass, with a settle at every deadline on the way, as a shell does.
  void pass(Duration length) {
    const Instant until = now + length;
    while (manager.next_deadline() <= until) {
      now = std::max(now, manager.next_deadline());
      settle();
    }
    now = until;
    settle();
  }
  Submitted submit(std::vector<JobDescription> jobs) {
    hear(client, Submit{++token, std::move(jobs)});
    return said<Submitted>(client).at(0);
  }
  /// Takes the messages of one type to a party since the last call.
  template <class M>
  std::vector<M> said(const Party& to) {
    return take_said<M>(out.messages, to);
  }
  void cancel(std::uint64_t job) {
    CHECK(manager.cancel(now, job, out) == "");
    settle();
  }
  /// The shell has written the last piece that it was given of a stream, or could not.
  void written(std::uint64_t job, Stream stream = Stream::output, std::string error = {}) {
    const auto& pieces = out.output;
    const auto piece = std::find_if(pieces.rbegin(), pieces.rend(), [&](const OutputPiece& one) {
      return one.job == job && one.stream == stream;
    });
    REQUIRE(piece != pieces.rend());
    take(OutputWritten{job, piece->component, stream, piece->serial, std::move(error), piece->last});
  }
  JobState state(std::uint64_t job) const { return manager.job(job)->state; }
  /// A job of one component that runs on nodes 0 and 1 of fs0.
  void run_one(std::uint64_t job = 1, std::uint32_t attempt = 1) {
    if (!manager.job(job)) submit({sleeper()});
    hear(site, grant(request(job, attempt), {group(fs0, {0, 1})}));
    hear(fs0, Started{request(job, attempt), 0, 7});
    REQUIRE(state(job) == JobState::running);
    out.messages.clear();
  }
};

}  // namespace dmm::job_stage
