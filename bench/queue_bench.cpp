// The cost of one step of a site manager while 1,000,000 requests with 10,000 different needs wait. The step is one of
// these: a job ends, a node comes that suits no request, many nodes come at once, a neighbour asks, or a hint comes.
// The needs differ in processors or in memory, by the argument. `worst_ms` is the longest single step.
#include <benchmark/benchmark.h>

#include <deque>
#include <memory>

#include "bench/role.hpp"
#include "sitemgr/site_manager.hpp"

namespace dmm::bench {
namespace {

constexpr std::uint64_t waiting = 1'000'000;
constexpr std::uint32_t needs = 10'000;
enum Difference : std::int64_t { in_processors, in_memory };

const SiteName site("home"), north("north");
const Party user = job_manager_of(site, "alice"), at_north = site_manager_of(north),
            small = resource_manager_of(site, "small"), large = resource_manager_of(site, "large"),
            more = resource_manager_of(site, "more");

SiteSettings settings() {
  SiteSettings result;
  result.name = site;
  result.clusters = {{.name = ClusterName("nodes")}};
  result.neighbours = {{north}};
  result.usage_records_max = 1'000;
  return result;
}

/// A site manager with a long queue and no free node.
class Stage {
 public:
  explicit Stage(Difference difference) : difference_(difference), machine_(settings(), 1) {
    effects_.level = Level::error;
    for (const Party& peer : {user, small, large, at_north})
      machine_.receive(now_, LinkUp{peer, true, {}, "bench"}, effects_);
    for (const Party& peer : {user, at_north}) give(peer, Inventory{});
    offer(small, 1, 0);
    offer(large, 20'000, needs);
    step();
    for (std::uint64_t job = 1; job <= waiting + 10'000; ++job) {
      give(user, request(job));
      if (job % 1'000 == 0) step();
    }
    while (machine_.next_deadline() <= now_) step();
  }
  /// Makes a step; returns its seconds.
  double step() {
    now_ = now_ + milliseconds(150);
    const double begin = clock_seconds();
    machine_.settle(now_, effects_);
    const double took = clock_seconds() - begin;
    for (Outgoing& out : effects_.messages) take(out.to, out.message);
    effects_.messages.clear();
    effects_.routes.clear();
    return took;
  }
  /// The seconds of the longest step: taking this event, or a settle that is due at once after it.
  double longest(const Party& from, Message message, CapacityHint hint = {}) {
    double begin = clock_seconds();
    give(from, std::move(message), std::move(hint));
    double worst = clock_seconds() - begin;
    do worst = std::max(worst, step());
    while (machine_.next_deadline() == Instant{});
    return worst;
  }
  /// A job on the nodes of `large` ends.
  double end_job() {
    if (leases_.empty()) fail("no lease to give back");
    give(user, Release{leases_.front(), {}});
    leases_.pop_front();
    step();
    double worst = 0;
    for (auto& [manager, order] : std::exchange(orders_, {}))
      worst = std::max(worst, longest(manager, Clean{order.lease, order.nodes}));
    return worst;
  }
  /// The node of `small` leaves and comes back.
  double small_comes() {
    machine_.receive(now_, LinkDown{small, {}}, effects_);
    step();
    const double begin = clock_seconds();
    machine_.receive(now_, LinkUp{small, false, {}, "bench"}, effects_);
    double worst = clock_seconds() - begin;
    do worst = std::max(worst, step());
    while (machine_.next_deadline() == Instant{});
    return worst;
  }
  /// 4,000 nodes come at once.
  double nodes_come() {
    machine_.receive(now_, LinkUp{more, true, {}, "bench"}, effects_);
    step();
    const double begin = clock_seconds();
    offer(more, 4'000, needs);
    double worst = clock_seconds() - begin;
    do worst = std::max(worst, step());
    while (machine_.next_deadline() == Instant{});
    return worst;
  }
  double neighbour_asks() {
    Delegate asked;
    asked.request.id = {north, "bob", ++last_foreign_, 1};
    asked.request.need.components = {{.processors = 1, .site = {}, .cluster = {}}};
    asked.request.origin_user = "bob";
    asked.round = 1;
    asked.dttl = 4;
    asked.tries_left = 15;
    asked.answer_within = seconds(10);
    asked.chain = {north};
    asked.stay = 1;
    return longest(at_north, std::move(asked));
  }
  double hint_comes() {
    lendable_ = lendable_ == 1 ? 5'000 : 1;
    HintEntry entry;
    entry.lendable = lendable_;
    entry.largest = 20'000;
    entry.complete = true;
    return longest(at_north, Beat{}, {entry});
  }
  std::size_t queued() const { return machine_.queue().size(); }

 private:
  Request request(std::uint64_t job) const {
    Request message;
    message.id = {site, user.name, job, 1};
    const auto number = static_cast<std::uint32_t>(job * 7'919 % needs);
    const std::uint32_t processors = difference_ == in_processors ? number + 1 : 1;
    message.need.components = {{.processors = processors, .site = {}, .cluster = {}}};
    if (difference_ == in_memory) message.need.constraints.edit().memory_bytes = number + 1;
    message.origin_user = user.name;
    return message;
  }
  void offer(const Party& manager, std::uint32_t nodes, std::uint64_t memory) {
    Register message;
    message.cluster = ClusterName("nodes");
    message.nodes = nodes;
    message.memory_bytes = memory;
    give(manager, std::move(message));
  }
  void give(const Party& from, Message message, CapacityHint hint = {}) {
    machine_.receive(now_, Received{from, std::move(message), {}, std::move(hint)}, effects_);
  }
  void take(const Party& to, Message& message) {
    if (auto* order = std::get_if<Unassign>(&message)) orders_.emplace_back(to, std::move(*order));
    if (auto* grant = std::get_if<Grant>(&message); grant && to == user) leases_.push_back(grant->lease);
    if (auto* asked = std::get_if<Delegate>(&message)) {
      const SiteAnswer answer{north, RejectReason::no_capacity};
      give(at_north, Reject{asked->request.id, asked->part, asked->round, answer.reason, 0, {answer}});
    }
  }

  Difference difference_;
  SiteManager machine_;
  SiteManager::Effects effects_;
  Instant now_{1'000'000};
  std::deque<LeaseId> leases_;
  std::vector<std::pair<Party, Unassign>> orders_;
  std::uint64_t last_foreign_ = 0;
  std::uint32_t lendable_ = 1;
};

/// Made once for each difference, since that takes seconds.
Stage& stage(std::int64_t difference) {
  static std::map<std::int64_t, std::unique_ptr<Stage>> stages;
  auto& made = stages[difference];
  if (!made) made = std::make_unique<Stage>(static_cast<Difference>(difference));
  return *made;
}

void measure(benchmark::State& state, double (Stage::*event)()) {
  Stage& one = stage(state.range(0));
  double worst = 0;
  for (auto _ : state) {
    const double took = (one.*event)();
    worst = std::max(worst, took);
    state.SetIterationTime(took);
  }
  if (one.queued() < waiting / 2) fail("the queue ran empty");
  state.counters["worst_ms"] = worst * 1e3;
}

void a_job_ends(benchmark::State& state) { measure(state, &Stage::end_job); }
void a_small_node_comes(benchmark::State& state) { measure(state, &Stage::small_comes); }
void many_nodes_come(benchmark::State& state) { measure(state, &Stage::nodes_come); }
void a_neighbour_asks(benchmark::State& state) { measure(state, &Stage::neighbour_asks); }
void a_hint_comes(benchmark::State& state) { measure(state, &Stage::hint_comes); }
BENCHMARK(a_job_ends)->ArgName("by")->Arg(in_processors)->Arg(in_memory)->UseManualTime()->Iterations(50);
BENCHMARK(a_small_node_comes)->ArgName("by")->Arg(in_processors)->Arg(in_memory)->UseManualTime()->Iterations(5);
BENCHMARK(many_nodes_come)->ArgName("by")->Arg(in_processors)->Arg(in_memory)->UseManualTime()->Iterations(1);
BENCHMARK(a_neighbour_asks)->ArgName("by")->Arg(in_processors)->Arg(in_memory)->UseManualTime()->Iterations(50);
BENCHMARK(a_hint_comes)->ArgName("by")->Arg(in_processors)->Arg(in_memory)->UseManualTime()->Iterations(20);

}  // namespace
}  // namespace dmm::bench

BENCHMARK_MAIN();
