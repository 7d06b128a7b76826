// A whole grid in virtual time: the same managers and sessions as in the daemons (links/driver.hpp), around them
// a simulated network that carries encoded frames, and simulated hosts. What is seen here is what the
// production code does; only sockets, processes and the clock are made up.
//
// One step takes everything that is due at the next instant, feeds it to the managers it is for, and settles each
// of them once, in the order of their addresses: that is a daemon's batch. The same topology, settings and orders
// give the same run: frames, rows of ledgers and log events, byte for byte (`trace_hash`).
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "jobmgr/job_manager.hpp"
#include "links/driver.hpp"
#include "manager/lookup.hpp"
#include "resmgr/resource_manager.hpp"
#include "simulator/world/actor_driver.hpp"
#include "simulator/world/alarms.hpp"
#include "simulator/world/host_clock.hpp"
#include "simulator/world/memory_ledger.hpp"
#include "simulator/world/network.hpp"
#include "simulator/world/quiet_links.hpp"
#include "simulator/world/site_links.hpp"
#include "simulator/world/task_performer.hpp"
#include "simulator/world/trace_hash.hpp"
#include "simulator/world/world_keys.hpp"
#include "sitemgr/site_manager.hpp"
#include "topologies/topology.hpp"

namespace dmm {

struct WorldSettings {
  NetworkSettings network;
  SessionTimes sessions;
  std::uint64_t seed = 1;
  Level level = Level::info;              ///< log events below it aren't made
  bool count_by_request = false;          ///< keep the number of messages about each request
  Duration confirm_limit = seconds(120);  ///< of the job managers
  Duration keep = {};                     ///< of the resource managers
  /// Every manager keeps a ledger and goes on from it when it is started again, and what runs outlives its manager for
  /// a while; else everything that a manager knew and ran is gone with it.
  bool ledgers = false;
  /// Job managers drop the records of ended jobs when they are handed out (take_ended): a long run needs no more
  /// memory than a short one.
  bool hand_out_ended = false;
  bool traced = true;          ///< keep trace_hash()
  bool remember_ends = false;  ///< hosts remember how every program ended
  bool skips_quiet = true;     ///< beats on links on which nothing else happens are accounted for, not played
  /// Managers prove link keys with certificates that are valid for so long; 0: the network knows its parties.
  Duration certificate_life = {};
};

/// A log event, when it happened and to whom.
struct Happening {
  Instant at;
  Party who;
  LogEvent event;
};

/// A job that a job manager accepted.
struct Submission {
  Party job_manager;
  std::uint64_t number = 0;
  std::uint32_t dttl = 0;
  bool abandoned = false;  ///< its job manager died, and kept nothing over a restart
};

/// A manager that wrote something in a step, and a site's leases that it was about.
struct Written {
  Address address = 0;
  std::vector<LeaseId> leases;
};

/// What dies.
enum class Crash : std::uint8_t {
  process,  ///< a manager: its ledger stays as committed, and what it runs goes on
  host,     ///< all of it: the ledger goes back to what was synced, and nothing runs any more
};

class World {
 public:
  /// Starts everything at instant 0. The topology must be complete (link_sites).
  World(Topology topology, WorldSettings settings);

  // ---- time ----
  Instant now() const { return now_; }
  Instant next_instant() const;
  /// Goes to the next instant at which anything is due; false if nothing ever is.
  bool step();
  void run_until(Instant until);
  /// Nodes that aren't free at their owner.
  std::uint64_t nodes_not_home() const;
  /// Messages that all managers sent so far, by kind.
  std::array<std::uint64_t, message_kinds> messages_by_kind();
  /// Tells both ends of each quiet link what has gone over it: before their counters and clocks are looked at, and
  /// before anything is done to anybody.
  void end_all_quiet();
  /// Whether nothing is leased, waits or runs anywhere.
  bool quiet() const;

  // ---- users ----
  /// The number of the first of `copies` jobs; 0 if they were not accepted.
  std::uint64_t submit(const Party& job_manager, JobDescription job, std::uint32_t copies = 1);
  /// Calls `see` with the address of the job manager and the record of each job that ended since the last call, if
  /// hand_out_ended says so; then the record is dropped.
  template <class See>
  void take_ended(See see) {
    for (const auto& [address, number] : std::exchange(ended_, {})) {
      auto* driver = actors_[address]->driver.template get<JobManager>();
      if (!driver) continue;
      see(address, *driver->manager.find(number));
      driver->manager.forget(number);
    }
  }
  /// Why it can't be cancelled; empty if it can.
  std::string cancel(const Party& job_manager, std::uint64_t job);
  /// A message comes to a job manager over a user's own connection; what it answers there.
  std::vector<Outgoing> ask(const Party& job_manager, const Party& user, Message message);

  // ---- faults ----
  /// A manager says something besides what it decided, as one that lies does; nothing if it doesn't answer.
  void say(const Party& liar, Outgoing lie);
  void cut(const Party& a, const Party& b) { network().cut(address_of(a), address_of(b)); }
  void heal(const Party& a, const Party& b) { network().heal(address_of(a), address_of(b)); }
  /// To do something to it.
  Network& network() {
    end_all_quiet();
    return network_;
  }
  const Network& network() const { return network_; }
  /// Without ledgers both kinds lose everything.
  void crash(const Party& party, Crash kind = Crash::process);
  void restart(const Party& party);
  bool is_up(const Party& party) const;
  /// A paused manager is frozen: what comes waits for it.
  void pause(const Party& party);
  /// The same, and nothing on its machine goes on either.
  void freeze(const Party& party);
  void resume(const Party& party);
  void cut_one_way(const Party& from, const Party& to) { network().cut_one_way(address_of(from), address_of(to)); }
  /// The party is cut off from everybody.
  void isolate(const Party& party);
  void reset(const Party& a, const Party& b) { network().reset(address_of(a), address_of(b)); }
  /// The manager's clock: millionths that it runs too fast (negative: too slow), and jumps.
  void drift(const Party& party, std::int64_t millionths);
  void jump(const Party& party, Duration forward);
  /// From now on a commit takes up to this long; nothing of its step leaves before, and no other step begins.
  void slow_disk(const Party& party, Duration longest);
  /// Whether direct connections to a resource manager work.
  void set_reachable(const Party& resource_manager, bool reachable);
  /// From now on what happens in a host is reported so much later.
  void report_late(const Party& resource_manager, Duration late);
  /// From now on no program starts on these nodes of a resource manager, and this fraction of the starts on its
  /// others fails.
  void fail_starts(const Party& resource_manager, NodeSet broken, double share);
  /// The keeper of a resource manager is killed, with all that it keeps.
  void lose_programs(const Party& resource_manager);
  /// Other users of its nodes want them back: it gives them back and ends within the grace, or somewhat later.
  void hand_back(const Party& resource_manager, Duration grace);

  // ---- keys, where managers have any ----
  /// As `dmm rotate` does; a manager that doesn't answer does nothing. A site manager takes its key by `take_key`.
  void rotate_key(const Party& party, Duration overlap);
  void take_key(const Party& party);
  /// As `dmm revoke` at the manager's site does. The manager has another key from its next start on.
  void revoke_key(const Party& party);
  /// Operators certify again what ended, and restart what was revoked.
  void mend_keys();
  /// A manager greets the site that it dials in the name of another manager, which was restarted many times, if it
  /// were.
  void impersonate(const Party& impostor, const Party& victim);
  /// A process of a copied machine, with all that the manager proves itself with, greets the manager's site.
  void clone(const Party& party);
  const WorldKeys* keys() const { return keys_.get(); }

  // ---- owners ----
  /// A resource manager has other nodes, at once or, if it is down or doesn't answer, when it is started again.
  void resize(const Party& resource_manager, std::uint32_t nodes);
  /// As a SIGHUP does: a site takes other settings, and dials whom it should; one that is down, when it is started. Why
  /// it doesn't; empty if it does.
  std::string reconfigure(const SiteName& name, const SiteSettings& settings);
  /// As `dmm reclaim` and `dmm drain` do; a site that doesn't answer does nothing.
  void reclaim(const SiteName& owner, const std::string& whose, Duration grace);
  void drain(const SiteName& owner, const SiteName& whom);
  void end_drains();

  // ---- looking; nullptr while it is down ----
  const Driver<SiteManager>* site(const SiteName& name) const;
  const Driver<JobManager>* job_manager(const Party& party) const;
  const Driver<ResourceManager>* resource_manager(const Party& party) const;
  /// How often the managers that are up refused a frame for this reason.
  std::uint64_t refused(const std::string& reason) const;
  /// What a manager's own clock shows.
  Instant clock_of(const Party& party) const { return actors_[address_of(party)]->clock.at(now_); }
  /// Whether it shows what the others show.
  bool has_right_clock(const Party& party) const { return actors_[address_of(party)]->clock.is_right(); }
  /// How the ledger of a manager differs from what it should hold by now; empty if it doesn't.
  std::string ledger_fault(const Party& party) const;
  /// How many records it has; 0 without one.
  std::size_t records_of(const Party& party) const;
  /// Whether it waits for its disk now.
  bool is_committing(const Party& party) const { return actors_[address_of(party)]->committed_at != never; }
  /// How often it was started.
  std::uint64_t starts_of(const Party& party) const { return actors_[address_of(party)]->incarnation; }
  const TaskPerformer& performer(const Party& party) const { return actors_[address_of(party)]->performer; }
  const Topology& topology() const { return topology_; }
  /// Of all clusters.
  std::uint64_t nodes() const { return nodes_; }
  const std::vector<Party>& parties() const { return parties_; }
  Address address_of(const Party& party) const;
  bool has(const Party& party) const { return addresses_.contains(party); }
  const std::vector<Submission>& submissions() const { return submissions_; }
  /// The managers that had something to decide in the last step; the others heard signs of life alone.
  const std::vector<Address>& settled() const { return settled_; }
  /// Those of them that had something to write.
  const std::vector<Written>& written() const { return written_; }
  std::vector<Happening> take_happenings() { return std::exchange(happenings_, {}); }
  /// Frames that arrived and alarms that rang so far.
  std::uint64_t events() const { return events_; }
  /// Instants that were played; those that were only accounted for are not among them.
  std::uint64_t steps() const { return steps_; }
  /// Depends on every frame that arrived and said something to a manager, on every row that a manager wrote and on
  /// every event that it logged, and when, if the world is traced.
  std::uint64_t trace_hash() const { return trace_.value(); }

 private:
  struct Actor {
    // What every step looks at comes first and lies together.
    Party party;
    Principal principal;  ///< the same, for those that hear of it
    bool touched = false;
    bool stirred = false;  ///< since it was settled last something came for the manager itself
    bool paused = false;
    bool frozen = false;  ///< paused, with all of its machine
    bool reachable = true;
    std::uint32_t spins = 0;       ///< settles in a row that asked to be called again at once
    Instant committed_at = never;  ///< when the commit under way is done; until then nothing is taken or sent
    Duration commit_max;           ///< how long its disk may take
    HostClock clock;
    std::vector<Submission> promised;   ///< users hear of them when the commit is done
    std::vector<FrameArrival> waiting;  ///< came while it was paused or committing
    TaskPerformer performer;            ///< of a resource manager
    ActorDriver driver;
    std::variant<std::monostate, LedgerOf<SiteManager>, LedgerOf<JobManager>, LedgerOf<ResourceManager>> ledger;
    std::vector<TaskReport> reports;  ///< of its host, while it was paused or committing
    std::uint64_t deadlines = 0;      ///< of its host, that were told of
    std::size_t site = 0;             ///< in the topology
    std::vector<Address> dials;       ///< whom it connects to when it starts
    std::uint64_t incarnation = 0;
    std::uint64_t next_job = 1;
    std::size_t resource_manager = 0;  ///< position in resource_managers_of its site
    std::uint32_t nodes = 0;           ///< that it has by now; 0: as the topology says
    bool resized = false;              ///< its machine hasn't heard of them yet
  };

  void populate();
  Address add(Party party, std::size_t site);
  void start(Address address);
  EndpointSettings endpoint_settings(const Actor& actor) const;
  Admission admission_of(const Actor& actor) const;
  ResourceManagerSettings resource_manager_settings(Address address) const;
  bool dials(const Actor& actor, Address listener) const;
  void dial(Address address, Address listener);
  void dial_again(Address address, std::optional<Address> one);
  bool keep_keys(Address address, Endpoint& endpoint);
  void greet_as(const Party& party, Connection connection, std::uint64_t incarnation, Hello greeting);
  Principal principal_of(const FrameArrival& arrival) const;
  void deliver(FrameArrival arrival);
  bool report(Address address);
  void settle(Address address);
  static bool stalls(const Actor& actor) { return actor.paused || actor.committed_at != never; }
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
  void tell(const Party& who, std::string_view name, std::vector<LogField> fields);
  bool perform_own(Address, Driver<SiteManager>&) { return false; }
  bool perform_own(Address address, Driver<JobManager>& driver);
  bool perform_own(Address address, Driver<ResourceManager>& driver);
  template <class T>
  void trace(Address address, const T& what);
  void touch(Address address, bool stirs = true);
  Endpoint* endpoint_of(Address address);
  bool is_regular(const Actor& actor) const;
  bool may_fall_quiet(Connection connection);
  void fall_quiet();
  void look_ahead(Address address);
  static Instant report_due(const Actor& actor);
  void end_quiet(Connection connection);
  void settle_touched();
  template <class Manager>
  const Driver<Manager>* find(const Party& party) const;

  Topology topology_;
  std::uint64_t nodes_;
  WorldSettings settings_;
  SiteLinks site_links_;
  Network network_;
  std::unique_ptr<WorldKeys> keys_;                           ///< null: the network knows its parties
  std::shared_ptr<Codec> codec_ = std::make_shared<Codec>();  ///< of all managers
  Instant now_{};
  std::vector<std::unique_ptr<Actor>> actors_;  ///< a process never moves
  std::vector<Party> parties_;                  ///< by address
  Lookup<Party, Address> addresses_;
  QuietLinks quiet_;
  std::vector<Connection> used_;          ///< over which something came in this step
  Alarms wakes_;                          ///< when each manager or its host has something to do
  std::vector<Address> touched_, batch_;  ///< to be settled at the end of this step; and being settled
  std::vector<Address> settled_;
  std::vector<Written> written_;
  std::vector<Submission> submissions_;
  std::vector<Happening> happenings_;
  std::vector<std::pair<Address, std::uint64_t>> ended_;  ///< numbers of jobs that ended, and whose
  std::uint64_t questions_ = 0;                           ///< submissions so far
  std::uint64_t events_ = 0, steps_ = 0;
  std::array<std::uint64_t, message_kinds> messages_of_dead_{};  ///< sent by processes that crashed
  Random disks_;  ///< how long commits take, and which are done when their manager dies
  TraceHash trace_;
};

}  // namespace dmm
