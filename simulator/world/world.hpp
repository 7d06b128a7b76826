// A whole grid in virtual time: the same managers and sessions as in the daemons (links/driver.hpp). Around them are
// a simulated network that carries encoded frames, and simulated hosts. A world shows the behaviour of the production
// code; only sockets, processes and the clock are simulated.
//
// One step takes everything that is due at the next instant, feeds it to its managers, and settles each of them once,
// in the order of their addresses. This is a daemon's batch. The same topology, settings and orders give the same
// run: frames, rows of ledgers and log events, byte for byte (`trace_hash`).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "links/driver.hpp"
#include "simulator/world/alarms.hpp"
#include "simulator/world/network.hpp"
#include "simulator/world/population.hpp"
#include "simulator/world/quiet_links.hpp"
#include "simulator/world/run_record.hpp"
#include "simulator/world/site_links.hpp"
#include "simulator/world/world_keys.hpp"
#include "simulator/world/world_settings.hpp"

namespace dmm {

/// What crashes.
enum class Crash : std::uint8_t {
  process,  ///< a manager: its ledger stays as committed, and its programs run on
  host,     ///< the whole host: the ledger goes back to what was synced, and no program survives
};

class World {
 public:
  /// Starts all managers at instant 0. The topology must be complete (link_sites).
  World(Topology topology, WorldSettings settings);

  // ---- time ----
  Instant now() const { return now_; }
  Instant next_instant() const;
  /// Goes to the next instant at which anything is due; false if there is none.
  bool step();
  void run_until(Instant until);
  /// Nodes that aren't free at their owner.
  std::uint64_t nodes_not_home() const { return population_.nodes_not_home(); }
  /// Messages that all managers sent so far, by kind.
  std::array<std::uint64_t, message_kinds> messages_by_kind();
  /// Tells both ends of each quiet link what has gone over it. To be called before their counters and clocks are
  /// read, and before any manager is disturbed.
  void end_all_quiet();
  /// Whether nothing is leased, waits or runs anywhere.
  bool quiet() const { return population_.is_at_rest(); }

  // ---- users ----
  /// The number of the first of `copies` jobs; 0 if they were not accepted.
  std::uint64_t submit(const Party& job_manager, JobDescription job, std::uint32_t copies = 1);
  /// Calls `see` with the job manager's address and the record of each job that ended since the last call, if
  /// hand_out_ended is set. Then drops the record.
  template <class See>
  void take_ended(See see) {
    for (const auto& [address, number] : std::exchange(record_.ended, {})) {
      auto* driver = population_[address].driver.template get<JobManager>();
      if (!driver) continue;
      see(address, *driver->manager.find(number));
      driver->manager.forget(number);
    }
  }
  /// Why the job can't be cancelled; empty if it can.
  std::string cancel(const Party& job_manager, std::uint64_t job);
  /// Delivers a message to a job manager over a user's own connection. Returns the answers there.
  std::vector<Outgoing> ask(const Party& job_manager, const Party& user, Message message);

  // ---- faults ----
  /// Sends a message that the manager didn't decide, as a lying one does. Does nothing if the manager doesn't answer.
  void say(const Party& liar, Outgoing lie);
  void cut(const Party& a, const Party& b) { network().cut(address_of(a), address_of(b)); }
  void heal(const Party& a, const Party& b) { network().heal(address_of(a), address_of(b)); }
  /// For changes to the network.
  Network& network() {
    end_all_quiet();
    return network_;
  }
  const Network& network() const { return network_; }
  /// Without ledgers both kinds of crash lose everything.
  void crash(const Party& party, Crash kind = Crash::process);
  void restart(const Party& party);
  bool is_up(const Party& party) const { return population_[address_of(party)].driver.is_up(); }
  /// Freezes the manager: frames and reports wait for it.
  void pause(const Party& party);
  /// The same, with its host: nothing there goes on.
  void freeze(const Party& party);
  void resume(const Party& party);
  void cut_one_way(const Party& from, const Party& to) { network().cut_one_way(address_of(from), address_of(to)); }
  /// Cuts the party off from all others.
  void isolate(const Party& party);
  void reset(const Party& a, const Party& b) { network().reset(address_of(a), address_of(b)); }
  /// Changes the manager's clock: millionths that it runs too fast (negative: too slow), and jumps.
  void drift(const Party& party, std::int64_t millionths);
  void jump(const Party& party, Duration forward);
  /// From now on a commit takes up to this long. Until it is done, nothing of its step leaves and no other step
  /// begins.
  void slow_disk(const Party& party, Duration longest);
  /// Whether direct connections to a resource manager work.
  void set_reachable(const Party& resource_manager, bool reachable);
  /// From now on reports of the host come later by this time.
  void report_late(const Party& resource_manager, Duration late);
  /// From now on no program starts on these nodes of a resource manager, and this share of the starts on other nodes
  /// fails.
  void fail_starts(const Party& resource_manager, NodeSet broken, double share);
  /// Kills the keeper of a resource manager, with all its programs.
  void lose_programs(const Party& resource_manager);
  /// Other users want the nodes back: the resource manager gives them back and ends within the grace, or a little
  /// later.
  void hand_back(const Party& resource_manager, Duration grace);

  // ---- keys, where managers have any ----
  /// As `dmm rotate`; a manager that doesn't answer does nothing. A site manager starts to use its new key by
  /// `take_key`.
  void rotate_key(const Party& party, Duration overlap);
  void take_key(const Party& party);
  /// As `dmm rotate --site-key`.
  void rotate_site_key(const Party& site_manager);
  /// As `dmm revoke` at the manager's site. From its next start on the manager has another key.
  void revoke_key(const Party& party);
  /// Operators renew expired certificates, and restart managers with revoked keys.
  void mend_keys();
  /// A manager greets the site that it dials in the name of another manager, as if that had been restarted many
  /// times.
  void impersonate(const Party& impostor, const Party& victim);
  /// A process on a copied host, with all keys of the manager, greets the manager's site.
  void clone(const Party& party);
  const WorldKeys* keys() const { return keys_.get(); }

  // ---- owners ----
  /// Gives a resource manager another number of nodes: at once or, if it is down or doesn't answer, at its next
  /// start.
  void resize(const Party& resource_manager, std::uint32_t nodes);
  /// As a SIGHUP: a site takes other settings, and dials the neighbours in them; a site that is down does at its
  /// start. Returns why it refuses; empty if it doesn't.
  std::string reconfigure(const SiteName& name, const SiteSettings& settings);
  /// As `dmm reclaim` and `dmm drain`; a site that doesn't answer does nothing.
  void reclaim(const SiteName& owner, const std::string& lease_or_site, Duration grace);
  void drain(const SiteName& owner, const SiteName& drained);
  void end_drains();

  // ---- looking; nullptr while it is down ----
  const Driver<SiteManager>* site(const SiteName& name) const {
    return population_.driver_of<SiteManager>(site_manager_of(name));
  }
  const Driver<JobManager>* job_manager(const Party& party) const {
    return population_.driver_of<JobManager>(party);
  }
  const Driver<ResourceManager>* resource_manager(const Party& party) const {
    return population_.driver_of<ResourceManager>(party);
  }
  /// How often the managers that are up refused a frame for this reason.
  std::uint64_t refused(const std::string& reason) const { return population_.refused(reason); }
  /// What a manager's own clock shows.
  Instant clock_of(const Party& party) const { return population_[address_of(party)].clock.at(now_); }
  /// Whether the manager's clock shows the world's time.
  bool has_right_clock(const Party& party) const { return population_[address_of(party)].clock.is_right(); }
  /// How a manager's ledger differs from what it should hold by now; empty if it doesn't.
  std::string ledger_fault(const Party& party) const { return population_.ledger_fault(party); }
  /// The number of records in its ledger; 0 without one.
  std::size_t records_of(const Party& party) const { return population_.records_of(party); }
  /// Whether it waits for its disk.
  bool is_committing(const Party& party) const { return population_[address_of(party)].committed_at != never; }
  /// How often it was started.
  std::uint64_t starts_of(const Party& party) const { return population_[address_of(party)].incarnation; }
  const TaskPerformer& performer(const Party& party) const { return population_[address_of(party)].performer; }
  const Topology& topology() const { return population_.topology(); }
  /// Of all clusters.
  std::uint64_t nodes() const { return population_.nodes(); }
  const std::vector<Party>& parties() const { return population_.parties(); }
  Address address_of(const Party& party) const { return population_.address_of(party); }
  bool has(const Party& party) const { return population_.has(party); }
  const std::vector<Submission>& submissions() const { return record_.submissions; }
  /// The managers with something to decide in the last step; others heard only signs of life.
  const std::vector<Address>& settled() const { return record_.settled; }
  /// The managers of settled() that wrote something.
  const std::vector<Written>& written() const { return record_.written; }
  std::vector<Happening> take_happenings() { return std::exchange(record_.happenings, {}); }
  /// Frames that arrived and alarms that rang so far.
  std::uint64_t events() const { return record_.events; }
  /// Instants that were played, without those that were only accounted for.
  std::uint64_t steps() const { return record_.steps; }
  /// The hash of the run, if the world is traced. It covers every frame that told a manager something, every row that
  /// a manager wrote and every event that it logged, with their instants.
  std::uint64_t trace_hash() const { return record_.trace.value(); }

 private:
  void start(Address address);
  EndpointSettings endpoint_settings(const Actor& actor) const;
  Admission admission_of(const Actor& actor) const;
  void dial(Address address, Address listener);
  void dial_again(Address address, std::optional<Address> one);
  bool keep_keys(Address address, Endpoint& endpoint);
  void greet_as(const Party& party, Connection connection, std::uint64_t incarnation, Hello greeting);
  Principal principal_of(const FrameArrival& arrival) const;
  void deliver(FrameArrival arrival);
  bool report(Address address);
  void settle(Address address);
  void take_waiting(Address address);
  void hear_of_size(Address address);
  template <class Manager>
  Instant settle(Address address, Driver<Manager>& driver);
  template <class Manager>
  bool commit_takes(Address address, Driver<Manager>& driver);
  template <class Manager>
  void write(Address address, Driver<Manager>& driver);
  template <class Manager>
  Performed perform(Address address, Driver<Manager>& driver, bool writes);
  void tell_of(Address address, std::vector<LogEvent>& events);
  template <class Manager>
  bool exchange(Address address, Driver<Manager>& driver);
  template <class Manager>
  void restore(Actor& actor, Driver<Manager>& driver);
  void lose(Actor& actor, Crash kind);
  template <class Order>
  void order(const SiteName& name, Order give);
  void tell(const Party& party, std::string_view name, std::vector<LogField> fields) {
    record_.happenings.push_back({now_, party, LogEvent{Level::warning, name, {}, std::move(fields)}});
  }
  bool perform_own(Address, Driver<SiteManager>&) { return false; }
  bool perform_own(Address address, Driver<JobManager>& driver);
  bool perform_own(Address address, Driver<ResourceManager>& driver);
  template <class T>
  void trace(Address address, const T& what);
  void touch(Address address, bool stirs = true);
  Endpoint* endpoint_of(Address address);
  bool is_regular(const Actor& actor) const;
  /// One side of a connection.
  struct LinkEnd {
    Address address = 0;
    Endpoint* endpoint = nullptr;
    Peer* peer = nullptr;  ///< what it knows of the other side
  };
  std::array<LinkEnd, 2> ends_of(Connection connection);
  bool may_fall_quiet(Connection connection, const std::array<LinkEnd, 2>& ends) const;
  void fall_quiet();
  void look_ahead(Address address);
  static Instant report_due(const Actor& actor);
  void end_quiet(Connection connection);
  void settle_touched();

  Population population_;
  WorldSettings settings_;
  SiteLinks site_links_;
  Network network_;
  std::unique_ptr<WorldKeys> keys_;                           ///< null: the network knows its parties
  std::shared_ptr<Codec> codec_ = std::make_shared<Codec>();  ///< of all managers
  Instant now_{};
  QuietLinks quiet_;
  std::vector<Connection> used_;          ///< connections with an arrival in this step
  std::vector<Address> resting_;          ///< managers with a link that fell quiet in this step; several times
  Alarms wakes_;                          ///< when each manager or its host is due
  std::vector<Address> touched_, batch_;  ///< to be settled at the end of this step; being settled
  std::uint64_t questions_ = 0;           ///< submissions so far
  Random disks_;                          ///< how long commits take, and which survive a crash
  RunRecord record_;
};

}  // namespace dmm
