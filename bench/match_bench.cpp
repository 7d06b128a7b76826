// Matches of one site manager without sockets: 1,000 nodes, all leased, and 10,000 waiting requests. A match has six
// messages: a Release comes in, an Unassign goes out; a Clean and a new Request come in, a Grant and an Assign go out.
// There are three shells: the manager alone; every message also encoded and decoded; and all of the daemon but its
// sockets (sessions that number, keep and acknowledge). Each has a settle for every match, or, as under load, one for
// 64.
#include <benchmark/benchmark.h>

#include <deque>

#include "bench/lean_session.hpp"
#include "links/driver.hpp"
#include "sitemgr/site_manager.hpp"

namespace dmm::bench {
namespace {

constexpr std::uint32_t nodes = 1'000;
constexpr std::uint64_t waiting = 10'000;

const SiteName site("das-3");
const Party self = site_manager_of(site), user = job_manager_of(site, "alice"),
            manager = resource_manager_of(site, "nodes");

SiteSettings settings() {
  SiteSettings result;
  result.name = site;
  result.clusters = {{.name = ClusterName("nodes")}};
  result.usage_records_max = 1'000;
  return result;
}

Register offer() {
  Register message;
  message.cluster = ClusterName("nodes");
  message.nodes = nodes;
  message.endpoint = "tcp://das-3.example.org:7701";
  return message;
}

Request request(std::uint64_t job) {
  Request message;
  message.id = {site, user.name, job, 1};
  message.need.components = {{.processors = 1, .site = {}, .cluster = {}}};
  message.origin_user = user.name;
  return message;
}

/// The manager alone, with a user and a resource manager that answer at once. Messages are handed over directly, or are
/// encoded and decoded on their way.
class Alone {
 public:
  explicit Alone(bool with_codec) : with_codec_(with_codec), machine_(settings(), 1) {
    effects_.level = Level::warning;
    for (const Party& peer : {user, manager}) machine_.receive(now_, LinkUp{peer, true, {}, "bench"}, effects_);
    give(manager, offer());
    settle();
  }
  void ask() {
    const std::uint64_t job = ++last_job_;
    give(user, request(job));
  }
  void cancel(std::uint64_t job) { give(user, Cancel{{site, user.name, job, 1}}); }
  void release() {
    if (leases_.empty()) fail("no lease to give back");
    give(user, Release{leases_.front(), {}});
    leases_.pop_front();
  }
  void clean() {
    for (Unassign& order : std::exchange(orders_, {})) give(manager, Clean{order.lease, std::move(order.nodes)});
  }
  void settle() {
    now_ = now_ + microseconds(1);
    machine_.settle(now_, effects_);
    for (Outgoing& out : effects_.messages) take(out.to, passed(self, out.to, std::move(out.message), out.trace));
    effects_.messages.clear();
  }
  std::uint64_t grants() const { return grants_; }
  std::uint64_t last_job() const { return last_job_; }

 private:
  void give(const Party& from, Message message) {
    machine_.receive(now_, Received{from, passed(from, self, std::move(message), {}), {}, {}}, effects_);
  }
  Message passed(const Party& from, const Party& to, Message message, const RequestId& trace) {
    if (!with_codec_) return message;
    ++sequence_;
    const Envelope envelope{.from = from,
                            .to = to,
                            .incarnation = 1,
                            .peer = 1,
                            .sequence = sequence_,
                            .acknowledged = sequence_,
                            .trace = trace,
                            .hint = {},
                            .message = std::move(message)};
    auto decoded = codec_.decode(codec_.encode(envelope));
    return std::move(std::get<Envelope>(decoded).message);
  }
  void take(const Party&, Message message) {
    if (auto* order = std::get_if<Unassign>(&message)) orders_.push_back(std::move(*order));
    if (auto* grant = std::get_if<Grant>(&message)) {
      leases_.push_back(grant->lease);
      ++grants_;
    }
  }

  bool with_codec_;
  SiteManager machine_;
  SiteManager::Effects effects_;
  Codec codec_;
  Instant now_{1'000'000};
  std::uint64_t last_job_ = 0, sequence_ = 0, grants_ = 0;
  std::deque<LeaseId> leases_;
  std::vector<Unassign> orders_;
};

EndpointSettings endpoint_settings() {
  EndpointSettings settings;
  settings.self = self;
  settings.admission.job_managers_of_site = settings.admission.resource_managers = true;
  return settings;
}

/// The daemon without sockets; the user and the resource manager are lean, so that they take little of the time.
class InSessions {
 public:
  InSessions()
      : driver_(endpoint_settings(), SiteManager(settings(), 1)),
        user_(user, self, 1),
        manager_(manager, self, 1) {
    driver_.effects.level = Level::warning;
    for (LeanSession* session : {&user_, &manager_}) give(*session, session->hello());
    settle();
    give(manager_, manager_.message(offer()));
    settle();
  }
  void ask() {
    const std::uint64_t job = ++last_job_;
    give(user_, user_.request(job));
  }
  void release() {
    if (leases_.empty()) fail("no lease to give back");
    give(user_, user_.release(leases_.front().second, leases_.front().first));
    leases_.pop_front();
  }
  void clean() {
    for (const auto& [lease, set] : std::exchange(orders_, {})) give(manager_, manager_.clean(lease, set));
  }
  void settle() {
    now_ = now_ + microseconds(1);
    driver_.settle(now_);
    driver_.endpoint.take_frames([this](const Frame& frame) { take(frame); });
  }
  std::uint64_t grants() const { return grants_; }

 private:
  Connection connection_of(const LeanSession& session) const { return &session == &user_ ? 1 : 2; }
  void give(LeanSession& session, std::string_view frame) {
    driver_.frame(now_, connection_of(session), frame);
    if (session.owes_beat()) driver_.frame(now_, connection_of(session), session.beat());
  }
  void take(const Frame& frame) {
    const std::optional<Arrived> arrived = (frame.connection == 1 ? user_ : manager_).take(frame.bytes);
    if (!arrived) return;
    if (arrived->type == Grant::type) {
      const Granted grant = granted(*arrived);
      leases_.emplace_back(grant.job, grant.lease);
      ++grants_;
    } else if (arrived->type == Unassign::type) {
      Cursor cursor(arrived->elements);
      cursor.array();
      const std::string_view lease = cursor.skip(), set = cursor.skip();
      orders_.emplace_back(lease, set);
    }
  }

  Driver<SiteManager> driver_;
  LeanSession user_, manager_;
  Instant now_{1'000'000};
  std::uint64_t last_job_ = 0, grants_ = 0;
  std::deque<std::pair<std::uint64_t, std::string>> leases_;
  std::vector<std::pair<std::string, std::string>> orders_;
};

template <class Site>
void fill(Site& under_test) {
  for (std::uint64_t job = 0; job < nodes + waiting; ++job) {
    under_test.ask();
    under_test.settle();
  }
  if (under_test.grants() != nodes) fail("not all nodes are in use");
}

template <class Site>
void match(benchmark::State& state, Site& under_test) {
  const auto batch = static_cast<std::uint64_t>(state.range(0));
  fill(under_test);
  const std::uint64_t before = under_test.grants();
  for (auto _ : state) {
    for (std::uint64_t i = 0; i < batch; ++i) under_test.release();
    under_test.settle();
    under_test.clean();
    for (std::uint64_t i = 0; i < batch; ++i) under_test.ask();
    under_test.settle();
  }
  const std::uint64_t matches = under_test.grants() - before;
  if (matches != batch * state.iterations()) fail("not every release led to a match");
  state.SetItemsProcessed(static_cast<std::int64_t>(matches));
}

void machine_alone(benchmark::State& state) {
  Alone site_manager(false);
  match(state, site_manager);
}
void with_codec(benchmark::State& state) {
  Alone site_manager(true);
  match(state, site_manager);
}
void with_sessions(benchmark::State& state) {
  InSessions site_manager;
  match(state, site_manager);
}
BENCHMARK(machine_alone)->Arg(1)->Arg(64);
BENCHMARK(with_codec)->Arg(1)->Arg(64);
BENCHMARK(with_sessions)->Arg(1)->Arg(64);

/// A new Request while 10,000 wait and no node is free.
void request_on_full_queue(benchmark::State& state) {
  constexpr std::uint64_t batch = 500;
  Alone site_manager(false);
  fill(site_manager);
  for (auto _ : state) {
    const std::uint64_t first = site_manager.last_job() + 1;
    const double begin = clock_seconds();
    for (std::uint64_t i = 0; i < batch; ++i) {
      site_manager.ask();
      site_manager.settle();
    }
    state.SetIterationTime((clock_seconds() - begin) / batch);
    for (std::uint64_t i = 0; i < batch; ++i) site_manager.cancel(first + i);
    site_manager.settle();
  }
}
BENCHMARK(request_on_full_queue)->UseManualTime()->Iterations(100);

}  // namespace
}  // namespace dmm::bench

BENCHMARK_MAIN();
