// What goes wrong in a world: managers and their hosts crash, freeze and come back, clocks and disks go wrong, programs
// are lost, parties are cut off, and managers lie.
#include <algorithm>

#include "simulator/world/world.hpp"
#include "workloads/samplers.hpp"

namespace dmm {
namespace {

/// Leases without a Claim so far.
std::int64_t offers_of(const SiteManager& site) {
  std::int64_t offers = 0;
  for (const LeaseId& id : site.leases().all()) offers += site.leases().get(id).state == LeaseState::offered;
  return offers;
}

}  // namespace

void World::crash(const Party& party, Crash kind) {
  end_all_quiet();
  const Address address = address_of(party);
  Actor& actor = population_[address];
  if (settings_.ledgers) lose(actor, kind);
  actor.driver.stop();
  if (!settings_.ledgers || kind == Crash::host) actor.performer.die();
  actor.paused = actor.frozen = false;
  actor.committed_at = never;
  actor.promised.clear();
  actor.waiting.clear();
  actor.reports.clear();
  network_.abandon(address);
  wakes_.set(address, std::max(now_, actor.performer.next_report()));
  for (Submission& submission : record_.submissions)
    submission.abandoned |= !settings_.ledgers && submission.job_manager == party;
}

/// A commit under way may or may not reach the ledger, but its messages never leave.
void World::lose(Actor& actor, Crash kind) {
  std::vector<LogField> fields{{"what", std::string(kind == Crash::host ? "machine" : "process")}};
  actor.driver.visit([&](auto& driver) {
    using Manager = std::decay_t<decltype(driver.manager)>;
    auto& ledger = std::get<LedgerOf<Manager>>(actor.ledger);
    if constexpr (std::is_same_v<Manager, SiteManager>) fields.push_back({"unclaimed", offers_of(driver.manager)});
    if constexpr (std::is_same_v<Manager, JobManager>)
      fields.push_back({"running", static_cast<std::int64_t>(driver.manager.count(JobState::running))});
    if (actor.committed_at != never) {
      const bool done = disks_.chance(0.5);
      fields.push_back({"commit", std::string(done ? "done" : "lost")});
      if (done) ledger.apply(driver.effects.ledger);
    }
    if (kind == Crash::host) {
      const std::size_t all = ledger.unsynced();
      const std::size_t kept = disks_.chance(0.5) ? 0 : disks_.below(all + 1);
      fields.push_back({"commits_lost", static_cast<std::int64_t>(all - kept)});
      ledger.lose_unsynced(kept);
    }
    for (std::size_t i = 0; i < record_.messages_of_dead.size(); ++i)
      record_.messages_of_dead[i] += driver.endpoint.counters().sent_by_kind[i];
  });
  tell(actor.party, "crashed", std::move(fields));
}

void World::restart(const Party& party) {
  if (is_up(party)) crash(party);
  start(address_of(party));
  settle_touched();
}

void World::pause(const Party& party) {
  end_all_quiet();
  population_[address_of(party)].paused = true;
}

void World::freeze(const Party& party) {
  end_all_quiet();
  Actor& actor = population_[address_of(party)];
  actor.paused = actor.frozen = true;
}

void World::resume(const Party& party) {
  end_all_quiet();
  const Address address = address_of(party);
  population_[address].paused = population_[address].frozen = false;
  take_waiting(address);
  settle_touched();
}

void World::isolate(const Party& party) {
  for (const Party& other : population_.parties())
    if (other != party) cut(party, other);
}

void World::drift(const Party& party, std::int64_t millionths) {
  end_all_quiet();
  population_[address_of(party)].clock.drift(now_, millionths);
  touch(address_of(party));  // its deadlines are at other instants now
  settle_touched();
}

void World::jump(const Party& party, Duration forward) {
  end_all_quiet();
  population_[address_of(party)].clock.jump(now_, forward);
  touch(address_of(party));
  settle_touched();
}

void World::slow_disk(const Party& party, Duration longest) {
  end_all_quiet();
  population_[address_of(party)].commit_max = longest;
}

void World::set_reachable(const Party& party, bool reachable) {
  population_[address_of(party)].reachable = reachable;
}

void World::report_late(const Party& party, Duration late) {
  population_[address_of(party)].performer.report_late(late);
}

void World::fail_starts(const Party& party, NodeSet broken, double share) {
  const Address address = address_of(party);
  population_[address].performer.fail_starts(std::move(broken), share, derived_seed(settings_.seed, address));
}

void World::lose_programs(const Party& party) {
  population_[address_of(party)].performer.lose_all(now_);
  touch(address_of(party));
  settle_touched();
}

// ---- lies -----------------------------------------------------------------------------------------------------

void World::say(const Party& liar, Outgoing lie) {
  const Address address = address_of(liar);
  population_[address].driver.visit([&](auto& driver) {
    if (!stalls(population_[address])) driver.effects.messages.push_back(std::move(lie));
  });
  touch(address);
  settle_touched();
}

}  // namespace dmm
