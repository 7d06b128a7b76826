// How virtual time passes: managers get what is due, and their decisions are performed.
#include "simulator/world/world.hpp"

#include <algorithm>
#include <iterator>

#include "manager/assert.hpp"
#include "manager/planted.hpp"

namespace dmm {
namespace {

/// Effects that feed inputs back are settled again in the same batch, at most this often.
constexpr int rounds_max = 64;

/// The leases that a site wrote or changed; none for other managers.
template <class Record>
std::vector<LeaseId> leases_of(const LedgerChanges<Record>& changes) {
  std::vector<LeaseId> leases;
  if constexpr (std::same_as<LedgerChanges<Record>, decltype(SiteManager::Effects::ledger)>)
    for (const auto& change : changes.list)
      if (const auto* lease = std::get_if<LeaseRecord>(&change.record); lease && !change.erased)
        leases.push_back(lease->id);
  return leases;
}

}  // namespace

Instant World::next_instant() const {
  return std::min(network_.next_arrival(), population_.size() == 0 ? never : wakes_.next());
}

bool World::step() {
  const Instant at = next_instant();
  if (at == never) return false;
  DMM_ASSERT(at >= now_);
  now_ = at;
  ++record_.steps;
  record_.settled.clear();
  record_.written.clear();
  while (network_.next_arrival() <= now_)
    if (auto arrival = network_.take()) deliver(std::move(*arrival));
  while (!population_.size() == 0 && wakes_.next() <= now_) {
    const Address address = wakes_.first();
    wakes_.set(address, never);
    ++record_.events;
    touch(address, report(address));
  }
  settle_touched();
  fall_quiet();
  return true;
}

void World::run_until(Instant until) {
  while (next_instant() <= until) step();
  now_ = std::max(now_, until);
}

template <class T>
void World::trace(Address address, const T& what) {
  if (!settings_.traced) return;
  record_.trace.add(static_cast<std::uint64_t>(now_.microseconds));
  record_.trace.add(static_cast<std::uint64_t>(address));
  record_.trace.add(what);
}

void World::deliver(FrameArrival arrival) {
  Actor& actor = population_[arrival.at];
  ++record_.events;
  if (stalls(actor)) return actor.waiting.push_back(std::move(arrival));
  bool says_something = false;
  actor.driver.visit([&](auto& driver) {
    says_something =
        keys_ ? driver.frame(actor.clock.at(now_), arrival.connection, arrival.bytes, principal_of(arrival))
              : driver.frame(actor.clock.at(now_), arrival.connection, arrival.bytes,
                             population_[arrival.from].principal);
    touch(arrival.at, says_something);
  });
  used_.push_back(arrival.connection);
  if (says_something) trace(arrival.at, std::string_view(arrival.bytes));
}

/// Reports the ends and other news of tasks to a resource manager. Returns whether there were any.
bool World::report(Address address) {
  Actor& actor = population_[address];
  if (actor.frozen || actor.party.role != Role::resource_manager) return false;
  actor.performer.take_reports(now_, actor.reports);
  if (settings_.ledgers &&
      actor.performer.deadlines() != std::exchange(actor.deadlines, actor.performer.deadlines()))
    tell(actor.party, "deadline", {});
  auto* driver = actor.driver.get<ResourceManager>();
  if (!driver) actor.reports.clear();  // a manager that starts later attaches to the tasks
  if (stalls(actor)) return false;     // programs go on without their manager
  const bool stirs = !actor.reports.empty();
  for (TaskReport& report : std::exchange(actor.reports, {}))
    std::visit([&](auto& news) { driver->local(actor.clock.at(now_), std::move(news)); }, report);
  return stirs;
}

void World::take_waiting(Address address) {
  for (FrameArrival& arrival : std::exchange(population_[address].waiting, {})) deliver(std::move(arrival));
  report(address);
  hear_of_size(address);
  touch(address);
}

void World::touch(Address address, bool stirs) {
  Actor& actor = population_[address];
  actor.stirred |= stirs;
  if (!std::exchange(actor.touched, true)) touched_.push_back(address);
}

void World::settle_touched() {
  batch_.swap(touched_);
  std::sort(batch_.begin(), batch_.end());
  for (const Address address : batch_) {
    population_[address].touched = false;
    const bool stirred = population_[address].stirred || population_[address].committed_at != never;
    settle(address);
    if (stirred && !stalls(population_[address])) record_.settled.push_back(address);
  }
  batch_.clear();
}

/// When something is due in the manager's host.
Instant World::report_due(const Actor& actor) {
  return actor.frozen || actor.party.role != Role::resource_manager ? never : actor.performer.next_report();
}

void World::settle(Address address) {
  Actor& actor = population_[address];
  Instant wake = never;
  actor.driver.visit([&](auto& driver) {
    if (!actor.paused) wake = settle(address, driver);
  });
  wake = std::min(wake, report_due(actor));  // also for orders of this step
  // A deadline that isn't in the future is a loop without work: a daemon would burn its processor in it.
  actor.spins = wake <= now_ ? actor.spins + 1 : 0;
  DMM_ASSERT(actor.spins < spins_max);
  wakes_.set(address, wake <= now_ ? now_ + microseconds(1) : wake);
}

/// Runs a batch of a manager that isn't paused: decide, write, perform. Returns when it wants to be called again.
template <class Manager>
Instant World::settle(Address address, Driver<Manager>& driver) {
  Actor& actor = population_[address];
  if (actor.committed_at > now_ && actor.committed_at != never) return actor.committed_at;
  bool again = true;
  if (std::exchange(actor.committed_at, never) != never) {
    perform(address, driver, true);
    take_waiting(address);
  }
  for (int rounds = 0; again; ++rounds) {
    DMM_ASSERT(rounds < rounds_max);
    if (std::exchange(actor.stirred, true))
      driver.settle(actor.clock.at(now_));
    else
      driver.settle_sessions(actor.clock.at(now_));
    if (commit_takes(address, driver)) return actor.committed_at;
    again = perform(address, driver, true) == Performed::fed_back;
  }
  actor.stirred = false;
  return actor.clock.when(driver.next_deadline());
}

/// Whether a slow disk takes time for the decisions. Then they wait in the process, which does nothing else.
template <class Manager>
bool World::commit_takes(Address address, Driver<Manager>& driver) {
  Actor& actor = population_[address];
  if (actor.commit_max == Duration{} || driver.effects.ledger.empty()) return false;
  const auto most = static_cast<std::uint64_t>(actor.commit_max.microseconds);
  if (DMM_PLANT(sent_before_commit)) {
    perform(address, driver, false);
    for (Submission& submission : std::exchange(actor.promised, {}))
      record_.submissions.push_back(std::move(submission));
  }
  actor.committed_at = now_ + microseconds(1 + static_cast<std::int64_t>(disks_.below(most)));
  return true;
}

template <class Manager>
void World::write(Address address, Driver<Manager>& driver) {
  Actor& actor = population_[address];
  if (!driver.effects.ledger.empty()) trace(address, driver.effects.ledger);
  if (auto* ledger = std::get_if<LedgerOf<Manager>>(&actor.ledger)) ledger->apply(driver.effects.ledger);
  if (!driver.effects.ledger.empty()) record_.written.push_back({address, leases_of(driver.effects.ledger)});
  driver.effects.ledger.clear();
  std::ranges::move(actor.promised, std::back_inserter(record_.submissions));
  actor.promised.clear();
}

/// Performs the decisions of a step, with or without its changes to the ledger.
template <class Manager>
Performed World::perform(Address address, Driver<Manager>& driver, bool writes) {
  const auto keep = [&] {
    if (writes) write(address, driver);
    return true;
  };
  const auto log = [&] { tell_of(address, driver.effects.events); };
  return perform_step(
      keep, log, [&] { return perform_own(address, driver); }, [&] { return exchange(address, driver); });
}

void World::tell_of(Address address, std::vector<LogEvent>& events) {
  for (LogEvent& event : events) {
    trace(address, event);
    record_.happenings.push_back({now_, population_[address].party, std::move(event)});
  }
  events.clear();
}

/// Sends frames, and opens and closes connections as the endpoint wants it. Returns whether a new connection wants
/// its Hello.
template <class Manager>
bool World::exchange(Address address, Driver<Manager>& driver) {
  // Messages of a submission during a commit still wait in the list. Else its memory serves the next manager: a large
  // world has thousands of lists.
  std::vector<Outgoing>& messages = driver.effects.messages;
  if (messages.empty()) std::vector<Outgoing>().swap(messages);
  bool dialled = driver.endpoint.has_key_events() && keep_keys(address, driver.endpoint);
  driver.endpoint.take_frames([&](Frame& frame) {
    end_quiet(frame.connection);
    network_.send(now_, address, frame.connection, std::move(frame.bytes));
  });
  for (const Connection connection : driver.endpoint.take_stirred()) end_quiet(connection);
  for (const Connection connection : driver.endpoint.take_hangups()) network_.hang_up(connection);
  for (const DialWanted& wanted : driver.endpoint.take_dials()) {
    if (!has(wanted.peer)) continue;  // no process has that name: nothing answers
    dial(address, address_of(wanted.peer));
    dialled = true;
  }
  return dialled;
}

bool World::perform_own(Address address, Driver<JobManager>& driver) {
  bool fed = false;
  for (const OutputPiece& piece : std::exchange(driver.effects.output, {})) {
    driver.local(population_[address].clock.at(now_),
                 OutputWritten{piece.job, piece.component, piece.stream, piece.serial, {}, piece.last});
    fed = true;
  }
  DMM_ASSERT(population_[address].party.role == Role::job_manager);
  for (const std::uint64_t job : driver.effects.ended)
    if (settings_.hand_out_ended) record_.ended.emplace_back(address, job);
  driver.effects.ended.clear();
  return fed;
}

bool World::perform_own(Address address, Driver<ResourceManager>& driver) {
  for (TaskOrder& order : std::exchange(driver.effects.tasks, {}))
    population_[address].performer.perform(now_, std::move(order));
  return false;
}

std::array<std::uint64_t, message_kinds> World::messages_by_kind() {
  end_all_quiet();
  auto sum = record_.messages_of_dead;
  for (const auto& actor : population_.actors())
    actor->driver.visit([&](const auto& driver) {
      for (std::size_t kind = 0; kind < sum.size(); ++kind)
        sum[kind] += driver.endpoint.counters().sent_by_kind[kind];
    });
  return sum;
}

}  // namespace dmm
