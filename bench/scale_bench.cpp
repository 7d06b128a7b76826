// One site manager at sizes at which a walk over everything would show: a million waiting requests, 4,000 resource
// managers of one node, 100 neighbours, 100,000 requests in one instant. All of the daemon runs but its sockets and its
// disk. A step is at most 256 frames and one settle; its rows and frames are made. Each step is timed by itself, in
// processor time, so that other work on the machine has no influence. The site manager's clock advances by what its
// steps take. Every peer beats once a second on it, and peers that are counted dead are counted here.
//
//   scale_bench waiting requests=1000000 widths=1     also: late, managers, neighbours, burst, wide
#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>

#include <time.h>
#include <unistd.h>

#include "bench/lean_session.hpp"
#include "links/driver.hpp"
#include "sitemgr/site_manager.hpp"

namespace dmm::bench {
namespace {

const SiteName site("das-3");
const ClusterName cluster("nodes");
const Party self = site_manager_of(site), user = job_manager_of(site, "alice");

constexpr std::size_t frames_a_step = 256;  // as in runtime/reactor.hpp

SiteName neighbour_name(std::size_t i) { return SiteName("n" + std::to_string(i)); }
Party neighbour(std::size_t i) { return site_manager_of(neighbour_name(i)); }
Party manager(std::size_t i) { return resource_manager_of(site, "r" + std::to_string(i)); }

SiteSettings settings(std::size_t neighbours) {
  SiteSettings result;
  result.name = site;
  result.clusters = {{.name = cluster}};
  for (std::size_t i = 0; i < neighbours; ++i) result.neighbours.push_back({neighbour_name(i)});
  return result;
}

EndpointSettings endpoint_settings(std::size_t neighbours) {
  EndpointSettings result;
  result.self = self;
  result.admission.job_managers_of_site = result.admission.resource_managers = true;
  for (std::size_t i = 0; i < neighbours; ++i) result.admission.parties.insert(neighbour(i));
  return result;
}

Register offer(std::uint32_t nodes) {
  Register message;
  message.cluster = cluster;
  message.nodes = nodes;
  message.endpoint = "tcp://das-3.example.org:7701";
  return message;
}

Request request_of(const Party& from, std::uint64_t job, std::uint32_t processors, std::uint32_t dttl = 5) {
  Request message;
  message.id = {from.site, from.name, job, 1};
  message.need.components = {{.processors = processors, .site = {}, .cluster = {}}};
  message.dttl = dttl;
  message.origin_user = from.name;
  return message;
}

/// Processor time of this program so far, in seconds.
double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// Resident memory of this program, in kB.
double memory_kb() {
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  long pages = 0, resident = 0;
  if (!file || std::fscanf(file, "%ld %ld", &pages, &resident) != 2) fail("no /proc/self/statm");
  std::fclose(file);
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1024;
}

/// The site manager and all its peers.
class Stage {
 public:
  explicit Stage(std::size_t neighbours)
      : driver_(endpoint_settings(neighbours), SiteManager(settings(neighbours), 1)) {
    driver_.effects.level = Level::warning;
    driver_.effects.ledger.wanted = true;
  }

  /// Called with each message that the site manager sends.
  std::function<void(const Envelope&)> hear = [](const Envelope&) {};

  // ---- peers ----
  void greet(const Party& party) {
    Peer& peer = make(party, 1);
    arrive(peer, peer.session->hello());
  }
  /// The party was started again: a new session.
  void greet_again(const Party& party) {
    Peer& peer = make(party, ++restarts_ + 1);
    arrive(peer, peer.session->hello());
  }
  void say(const Party& party, Message message) {
    Peer& peer = *peers_.at(party);
    if (!peer.session->is_open()) fail("no peer speaks before it is greeted");
    arrive(peer, peer.session->message(std::move(message)));
  }
  void hint(const Party& party, CapacityHint hint) {
    Peer& peer = *peers_.at(party);
    arrive(peer, peer.session->beat(std::move(hint)));
  }
  void set_silent(const Party& party, bool silent) { peers_.at(party)->silent = silent; }

  // ---- time ----
  /// Runs until all messages are taken and nothing is due at once.
  void run() {
    while (!arrived_.empty() || driver_.next_deadline() <= now_) step();
  }
  void rest(Duration length) {
    const Instant until = now_ + length;
    for (run(); now_ < until; run()) {
      beat();
      now_ = std::max(now_, std::min({until, driver_.next_deadline(), beats_due_}));
    }
  }

  // ---- measuring ----
  void begin() {
    steps_ = 0;
    seconds_ = longest_ = 0;
    lost_ = 0;
    memory_ = memory_kb();
  }
  /// Prints what was measured since `begin`, in all and for each of `items`.
  void print(const char* what, double items) {
    std::printf("%-52s %9.0f %8.3f %8.2f %7zu %8.2f %8.2f %5zu\n", what, items, seconds_, seconds_ * 1e6 / items,
                steps_, longest_ * 1e3, (memory_kb() - memory_) / items, lost_);
    std::fflush(stdout);
  }
  static void print_head() {
    std::printf("%-52s %9s %8s %8s %7s %8s %8s %5s\n", "", "things", "s", "us each", "steps", "max ms", "kB each",
                "dead");
  }
  const SiteManager& manager() const { return driver_.manager; }
  double longest() const { return longest_; }

 private:
  struct Peer {
    Connection connection = 0;
    std::unique_ptr<LeanSession> session;
    bool silent = false;
  };

  Peer& make(const Party& party, std::uint64_t incarnation) {
    auto& peer = peers_[party];
    if (!peer) {
      peer = std::make_unique<Peer>();
      by_connection_.push_back(peer.get());
      peer->connection = static_cast<Connection>(by_connection_.size());
    }
    peer->session = std::make_unique<LeanSession>(party, self, incarnation);
    peer->silent = false;
    return *peer;
  }
  void arrive(Peer& peer, std::string_view frame) { arrived_.emplace_back(peer.connection, std::string(frame)); }

  void step() {
    beat();
    const double began = processor_seconds();
    std::size_t taken = 0;
    for (; taken < frames_a_step && taken < arrived_.size(); ++taken)
      driver_.frame(now_, arrived_[taken].first, arrived_[taken].second);
    driver_.settle(now_);
    const double took = processor_seconds() - began;
    for (const LogEvent& event : driver_.effects.events) lost_ += event.name == "link_down";
    driver_.effects.events.clear();
    driver_.effects.ledger.clear();
    arrived_.erase(arrived_.begin(), arrived_.begin() + static_cast<std::ptrdiff_t>(taken));
    ++steps_;
    seconds_ += took;
    longest_ = std::max(longest_, took);
    now_ = now_ + Duration{static_cast<std::int64_t>(took * 1e6) + 1};
    driver_.endpoint.take_frames([this](const Frame& frame) { take(frame); });
  }
  void beat() {
    if (now_ < beats_due_) return;
    beats_due_ = now_ + seconds(1);
    for (Peer* peer : by_connection_)
      if (!peer->silent && peer->session->is_open()) arrive(*peer, peer->session->beat());
  }
  void take(const Frame& frame) {
    Peer& peer = *by_connection_[frame.connection - 1];
    if (peer.silent) return;
    const auto message = peer.session->take(frame.bytes);
    if (peer.session->owes_hello()) arrive(peer, peer.session->hello());
    if (peer.session->owes_beat()) arrive(peer, peer.session->beat());
    if (!message) return;
    const auto decoded = codec_.decode(frame.bytes);
    hear(std::get<Envelope>(decoded));
  }

  Driver<SiteManager> driver_;
  Codec codec_;
  Instant now_{1'000'000'000}, beats_due_{};
  std::map<Party, std::unique_ptr<Peer>> peers_;
  std::vector<Peer*> by_connection_;
  std::deque<std::pair<Connection, std::string>> arrived_;
  std::uint64_t restarts_ = 0;
  std::size_t steps_ = 0, lost_ = 0;
  double seconds_ = 0, longest_ = 0, memory_ = 0;
};

/// Requests of one user, of several widths in turn.
class User {
 public:
  User(Stage& stage, std::uint32_t widths) : stage_(stage), widths_(widths) {}
  void ask(std::uint64_t requests) {
    for (; requests > 0; --requests) {
      const std::uint64_t job = ++last_;
      const auto kind = static_cast<std::uint32_t>(job % widths_);
      stage_.say(user, request_of(user, job, 1 + kind % 64, 1 + kind / 64 % 5));
    }
  }
  /// Sends some at a time, so that not all their frames are in memory at once.
  void ask_many(std::uint64_t requests) {
    constexpr std::uint64_t piece = 100 * frames_a_step;
    for (std::uint64_t left = requests; left > 0; left -= std::min(left, piece)) {
      ask(std::min(left, piece));
      stage_.run();
    }
  }

 private:
  Stage& stage_;
  std::uint32_t widths_;
  std::uint64_t last_ = 0;
};

/// The site manager's grants and orders, as a user and resource managers receive them.
struct Grants {
  explicit Grants(Stage& stage) {
    stage.hear = [this](const Envelope& envelope) {
      if (const auto* grant = std::get_if<Grant>(&envelope.message)) leases.push_back(grant->lease);
      if (const auto* over = std::get_if<Unassign>(&envelope.message)) orders.emplace_back(envelope.to, *over);
      if (const auto* asked = std::get_if<Delegate>(&envelope.message))
        delegates.emplace_back(envelope.to, *asked);
      refusals += std::holds_alternative<Refuse>(envelope.message);
      rejects += std::holds_alternative<Reject>(envelope.message);
    };
  }
  std::deque<LeaseId> leases;
  std::vector<std::pair<Party, Unassign>> orders;
  std::vector<std::pair<Party, Delegate>> delegates;
  std::size_t refusals = 0, rejects = 0;
};

void release(Stage& stage, Grants& grants, std::size_t leases) {
  for (; leases > 0 && !grants.leases.empty(); --leases) {
    stage.say(user, Release{grants.leases.front(), {}});
    grants.leases.pop_front();
  }
}

void clean(Stage& stage, Grants& grants) {
  for (auto& [party, order] : std::exchange(grants.orders, {}))
    stage.say(party, Clean{order.lease, std::move(order.nodes)});
}

/// All neighbours reject what they were asked for.
void reject(Stage& stage, Grants& grants) {
  for (const auto& [party, asked] : std::exchange(grants.delegates, {}))
    stage.say(party, Reject{asked.request.id,
                            asked.part,
                            asked.round,
                            RejectReason::no_capacity,
                            asked.tries_left,
                            {{party.site, RejectReason::no_capacity}}});
}

CapacityHint hint_of(std::uint32_t lendable) {
  return CapacityHint(dttl_max, HintEntry{lendable, 1'000, true, 0, 0, 0});
}

void greet_neighbours(Stage& stage, std::size_t neighbours) {
  for (std::size_t i = 0; i < neighbours; ++i) stage.greet(neighbour(i));
  stage.run();
  for (std::size_t i = 0; i < neighbours; ++i) stage.hint(neighbour(i), hint_of(0));
  stage.run();
}

// ---- a million requests --------------------------------------------------------------------------------------------

void match(Stage& stage, User& requests, Grants& grants, int times, std::size_t batch, const char* what) {
  stage.begin();
  for (int i = 0; i < times; ++i) {
    release(stage, grants, batch);
    stage.run();
    clean(stage, grants);
    requests.ask(batch);
    stage.run();
  }
  stage.print(what, static_cast<double>(batch) * times);
}

/// In one instant all neighbours say that they have room. Each is asked at once as far as it may be, and rejects.
void offer_and_reject(Stage& stage, Grants& grants, std::size_t neighbours) {
  stage.begin();
  std::size_t asked = 0;
  for (int round = 0; round < 20; ++round) {
    for (std::size_t i = 0; i < neighbours; ++i)
      stage.hint(neighbour(i), hint_of(static_cast<std::uint32_t>(64 + round)));
    stage.run();
    asked += grants.delegates.size();
    for (std::size_t i = 0; i < neighbours; ++i) stage.hint(neighbour(i), hint_of(0));
    reject(stage, grants);
    stage.run();
  }
  stage.print("20 times: all neighbours have room, then say no", static_cast<double>(asked));
}

void waiting(const Arguments& arguments) {
  const auto many = static_cast<std::uint64_t>(arguments.number("requests", 1e6));
  const auto neighbours = static_cast<std::size_t>(arguments.count("neighbours", 100));
  Stage stage(neighbours);
  Grants grants(stage);
  User requests(stage, static_cast<std::uint32_t>(arguments.count("widths", 1)));
  greet_neighbours(stage, neighbours);
  stage.greet(manager(0));
  stage.greet(user);
  stage.run();
  stage.say(manager(0), offer(1'000));
  stage.run();
  stage.begin();
  requests.ask_many(many);
  stage.print("requests come, and nearly all wait", static_cast<double>(many));
  match(stage, requests, grants, 500, 1, "a lease ends, the next begins, a request comes");
  match(stage, requests, grants, 20, 200, "the same with 200 at once");
  offer_and_reject(stage, grants, neighbours);

  stage.begin();
  stage.set_silent(neighbour(0), true);
  stage.rest(seconds(5));
  stage.print("a neighbour falls silent: 5 s", 1);
  stage.begin();
  stage.rest(seconds(120));
  stage.print("two minutes in which nothing comes", 120);
  stage.begin();
  stage.set_silent(user, true);
  stage.rest(seconds(40));
  stage.print("the user falls silent: its requests leave", static_cast<double>(many));
  if (stage.manager().queue().size() > 0) fail("requests of a silent user wait");
  stage.begin();
  stage.set_silent(user, false);
  stage.rest(seconds(40));
  stage.print("it is back: they come back", static_cast<double>(many));
  stage.begin();
  stage.greet_again(user);
  stage.rest(seconds(40));
  stage.print("it starts again, and wants none of them", static_cast<double>(many));
  requests.ask_many(many);
  stage.set_silent(user, true);
  stage.rest(seconds(40));
  stage.begin();
  stage.greet_again(user);
  stage.rest(seconds(40));
  stage.print("the same after it was silent for long", static_cast<double>(many));
}

/// All requests wait for nodes of a size that is unknown yet; then the first resource manager comes.
void late(const Arguments& arguments) {
  const auto many = static_cast<std::uint64_t>(arguments.number("requests", 1e6));
  Stage stage(0);
  Grants grants(stage);
  User requests(stage, 1);
  stage.greet(user);
  stage.greet(manager(0));
  stage.run();
  stage.begin();
  requests.ask_many(many);
  stage.print("requests come before any node", static_cast<double>(many));
  stage.begin();
  stage.say(manager(0), offer(100));
  stage.run();
  stage.print("the first resource manager comes", 1);
  stage.begin();
  for (std::uint64_t job = 101; job <= many; ++job) {
    stage.say(user, Cancel{{site, user.name, job, 1}});
    if (job % 25'600 == 0) stage.run();
  }
  stage.run();
  stage.print("they are taken back", static_cast<double>(many - 100));
}

// ---- resource managers ---------------------------------------------------------------------------------------------

void managers(const Arguments& arguments) {
  const auto many = static_cast<std::size_t>(arguments.count("managers", 4'000));
  const auto queued = static_cast<std::uint64_t>(arguments.number("requests", 0));
  Stage stage(0);
  Grants grants(stage);
  User requests(stage, 1);
  stage.greet(user);
  stage.run();
  requests.ask_many(queued);
  const auto n = static_cast<double>(many);
  const auto register_all = [&] {
    for (std::size_t i = 0; i < many; ++i) stage.say(manager(i), offer(1));
    stage.run();
  };
  stage.begin();
  for (std::size_t i = 0; i < many; ++i) stage.greet(manager(i));
  stage.run();
  register_all();
  stage.print("resource managers greet and register", n);
  if (stage.manager().owned().total() != many) fail("not all are registered");
  if (queued > 0) return;

  stage.begin();
  stage.rest(seconds(60));
  stage.print("a minute in which nothing comes", 60);
  stage.begin();
  stage.say(user, request_of(user, 1, static_cast<std::uint32_t>(many)));
  stage.run();
  stage.print("one job on all of them: its grant", n);
  stage.begin();
  release(stage, grants, 1);
  stage.run();
  stage.print("its release", n);
  stage.begin();
  clean(stage, grants);
  stage.run();
  stage.print("all are clean again", n);
  if (stage.manager().owned().used() > 0) fail("not all are free");
  stage.begin();
  for (std::size_t i = 0; i < many; ++i) stage.set_silent(manager(i), true);
  stage.rest(seconds(40));
  stage.print("all fall silent", n);
  stage.begin();
  for (std::size_t i = 0; i < many; ++i) stage.greet_again(manager(i));
  stage.run();
  register_all();
  stage.print("all start again, and register", n);
}

// ---- neighbours ----------------------------------------------------------------------------------------------------

Reach reach_of(std::size_t i, std::size_t kinds) {
  Reach reach;
  for (std::uint32_t d = 0; d < dttl_max; ++d) {
    ReachEntry& entry = reach.entries.emplace_back();
    entry.complete = true;
    for (std::size_t kind = 0; kind < kinds; ++kind)
      entry.classes.push_back({(kind + 1) << 30,
                               {{"arch", "kind-" + std::to_string(kind)}},
                               static_cast<std::uint32_t>(100 + i),
                               static_cast<std::uint32_t>(200 + i),
                               {}});
  }
  return reach;
}

void neighbours(const Arguments& arguments) {
  const auto many = static_cast<std::size_t>(arguments.count("neighbours", 100));
  const auto delegates = static_cast<std::size_t>(arguments.count("delegates", 100'000));
  const auto kinds = static_cast<std::size_t>(arguments.count("kinds", 8));
  Stage stage(many);
  Grants grants(stage);
  stage.greet(manager(0));
  stage.run();
  stage.say(manager(0), offer(1'000));
  stage.run();
  const auto n = static_cast<double>(many);
  stage.begin();
  for (std::size_t i = 0; i < many; ++i) stage.greet(neighbour(i));
  stage.run();
  for (std::size_t i = 0; i < many; ++i) stage.say(neighbour(i), Inventory{});
  for (std::size_t i = 0; i < many; ++i) stage.hint(neighbour(i), hint_of(0));
  for (std::size_t i = 0; i < many; ++i) stage.say(neighbour(i), reach_of(i, kinds));
  stage.run();
  stage.print("neighbours come, with hints and reaches", n);
  stage.begin();
  for (std::size_t i = 0; i < many; ++i) {
    stage.say(neighbour(i), reach_of(i + 1, kinds));
    stage.run();
  }
  stage.print("each tells another reach, one by one", n);
  stage.begin();
  for (std::size_t i = 0; i < many; ++i) {
    stage.hint(neighbour(i), hint_of(static_cast<std::uint32_t>(i)));
    stage.run();
  }
  stage.print("each tells another hint, one by one", n);
  stage.begin();
  for (std::size_t i = 0; i < delegates; ++i) {
    const std::size_t from = i % many;
    Delegate asked;
    asked.request = request_of(job_manager_of(neighbour_name(from), "bob"), i + 1, 1);
    asked.round = 1;
    asked.dttl = 4;
    asked.tries_left = 15;
    asked.answer_within = seconds(10);
    asked.chain = {neighbour_name(from)};
    asked.stay = 1;
    stage.say(neighbour(from), std::move(asked));
  }
  stage.run();
  for (int i = 0; i < 20 && !grants.delegates.empty(); ++i) {
    reject(stage, grants);
    stage.run();
  }
  stage.print("all delegate in one instant", static_cast<double>(delegates));
  stage.begin();
  stage.rest(seconds(60));
  stage.print("a minute in which nothing comes", 60);
}

// ---- many at once --------------------------------------------------------------------------------------------------

void burst(const Arguments& arguments) {
  const auto many = static_cast<std::uint64_t>(arguments.number("requests", 1e5));
  Stage stage(0);
  Grants grants(stage);
  User requests(stage, 1);
  stage.greet(user);
  for (std::size_t i = 0; i < 10; ++i) stage.greet(manager(i));
  stage.run();
  for (std::size_t i = 0; i < 10; ++i) stage.say(manager(i), offer(static_cast<std::uint32_t>(many / 10)));
  stage.run();
  stage.begin();
  requests.ask(many);
  stage.run();
  stage.print("requests in one instant, and nodes for all of them", static_cast<double>(grants.leases.size()));
}

/// Nodes for many requests come free at once: with a resource manager that brings them, and when a wide job ends.
void wide(const Arguments& arguments) {
  const auto many = static_cast<std::uint64_t>(arguments.number("requests", 1e6));
  const auto nodes = static_cast<std::uint32_t>(arguments.count("nodes", 100'000));
  Stage stage(0);
  Grants grants(stage);
  User requests(stage, 1);
  stage.greet(user);
  stage.greet(manager(0));
  stage.greet(manager(1));
  stage.run();
  stage.say(manager(0), offer(10'000));
  stage.run();
  stage.say(user, request_of(user, many + 1, 10'000));
  stage.run();
  requests.ask_many(many);
  stage.begin();
  release(stage, grants, 1);
  stage.run();
  clean(stage, grants);
  stage.run();
  stage.print("a job on 10,000 nodes ends: others start", static_cast<double>(grants.leases.size()));
  stage.begin();
  const std::size_t before = grants.leases.size();
  stage.say(manager(1), offer(nodes));
  stage.run();
  stage.print("a resource manager brings many nodes: others start",
              static_cast<double>(grants.leases.size() - before));
}

int run(const Arguments& arguments) {
  const std::map<std::string, void (*)(const Arguments&)> roles{{"waiting", waiting},   {"late", late},
                                                                {"managers", managers}, {"neighbours", neighbours},
                                                                {"burst", burst},       {"wide", wide}};
  const auto role = roles.find(arguments.role());
  if (role == roles.end()) fail("no such measurement: " + arguments.role());
  Stage::print_head();
  role->second(arguments);
  return 0;
}

}  // namespace
}  // namespace dmm::bench

int main(int argc, char** argv) { return dmm::bench::run(dmm::bench::Arguments(argc, argv)); }
