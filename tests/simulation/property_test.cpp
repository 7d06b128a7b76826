// Random grids, workloads and faults from seeds: every invariant after every step, and in the end, when all faults
// are healed, every job has its one outcome and every node is home. A failing seed is repeated by
//   DMM_SEED=<seed> build/bin/simulation_tests -tc="random*"          DMM_VERBOSE=1 tells everything that happened
//   DMM_SEEDS=5000  runs more of them, DMM_FIRST_SEED=1000000 other ones, DMM_SITES=30 larger ones
#include <doctest/doctest.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <set>

#include "links/gate.hpp"
#include "protocol/text.hpp"
#include "random_grid.hpp"
#include "simulator/checkers.hpp"
#include "simulator/timeline.hpp"

namespace dmm {
namespace {

/// Everything must be home by then; pauses between rounds are at most 75 s, and nobody waits long for a
/// confirmation.
constexpr Duration rest_limit = seconds(900);

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

std::uint32_t sites_max() { return static_cast<std::uint32_t>(from_environment("DMM_SITES", 12)); }

std::uint64_t current_seed = 0;

/// A broken assertion ends the program: at least the seed is told.
void tell_seed(int) {
  std::fprintf(stderr, "the seed was DMM_SEED=%llu\n", static_cast<unsigned long long>(current_seed));
}

/// Puts messages that somebody said before into others' mouths: well formed, in sequence, and wrong.
class Liar {
 public:
  explicit Liar(std::uint64_t seed) : random_(seed) {}

  void tamper(std::string& bytes) {
    auto decoded = codec_.decode(bytes);
    auto* envelope = std::get_if<Envelope>(&decoded);
    if (!envelope || envelope->sequence == 0) return;
    if (overheard_.size() < overheard_max) overheard_.push_back(envelope->message);
    overheard_[random_.below(overheard_.size())] = envelope->message;
    if (!random_.chance(0.1)) return;
    const Message& lie = overheard_[random_.below(overheard_.size())];
    if (!may_send(type_of(lie), envelope->from.role, envelope->to.role)) return;  // the gate would stop it
    envelope->message = lie;
    ++lies_;
    bytes = codec_.encode(*envelope);
  }

  std::uint64_t lies() const { return lies_; }

 private:
  static constexpr std::size_t overheard_max = 200;
  std::uint64_t lies_ = 0;
  Random random_;
  Codec codec_;
  std::vector<Message> overheard_;
};

class RandomWorld {
 public:
  explicit RandomWorld(std::uint64_t seed, RandomOptions options = {})
      : run_(draw(seed, options)), verbose_(std::getenv("DMM_VERBOSE") != nullptr) {
    if (verbose_) run_.settings.level = Level::debug;
    world_ = std::make_unique<World>(run_.topology, run_.settings);
    world_->network().set_chances(run_.loss, run_.doubling);
  }

  /// What is broken; empty if nothing is.
  std::string play() {
    for (const Act& act : run_.acts) {
      if (!advance(act.at)) return fault_;
      perform(act);
    }
    if (!advance(trouble_ends)) return fault_;
    mend();
    const Instant limit = world_->now() + rest_limit;
    bool cancelled = false;
    while (!world_->quiet() && world_->next_instant() <= limit) {
      if (!cancelled && world_->now() > limit - seconds(200)) cancelled = cancel_hopeless();
      if (!step()) return fault_;
    }
    fault_ = checkers_.check_all(*world_);
    if (fault_.empty()) fault_ = checkers_.check_rest(*world_);
    return fault_;
  }

  /// Plays on with frames of which some lie. Nothing is promised then but that no manager breaks its own
  /// invariants.
  std::uint64_t play_corrupted() {
    const auto liar = std::make_shared<Liar>(run_.settings.seed);
    world_->network().set_corruption(0.01);
    world_->network().set_tampering([liar](std::string& bytes) { liar->tamper(bytes); });
    for (const Act& act : run_.acts) {
      world_->run_until(act.at);
      perform(act);
    }
    world_->run_until(trouble_ends);
    checkers_.check_all(*world_);
    return liar->lies();
  }

  /// A request that nobody within reach could serve may be refused or wait; all others run. With faults a refusal
  /// may be right at its time.
  std::string check_served(bool faults) const {
    for (const Submission& job : world_->submissions()) {
      const auto view = world_->job_manager(job.job_manager)->machine.job(job.number);
      if (!view) continue;
      const bool refused = !faults && view->state == JobState::failed && !view->granted;
      const bool hopeless = std::find(hopeless_.begin(), hopeless_.end(), view->request) != hopeless_.end();
      if (!refused && !hopeless) continue;
      if (!somebody_could(job, view->processors)) continue;
      return to_text(view->request) + (refused ? " was refused" : " waits for ever") + " though " +
             std::to_string(view->processors) + " processors are in reach";
    }
    return {};
  }

  const World& world() const { return *world_; }
  const std::deque<std::string>& last_lines() const { return lines_; }

 private:
  bool advance(Instant until) {
    while (world_->next_instant() <= until)
      if (!step()) return false;
    world_->run_until(until);
    return true;
  }

  bool step() {
    world_->step();
    fault_ = checkers_.check(*world_);
    tell();
    return fault_.empty();
  }

  void tell() {
    const auto happenings = world_->take_happenings();
    checkers_.note(happenings);
    for (const Happening& happening : happenings) note(line_of(happening));
  }

  void note(std::string line) {
    if (verbose_) std::printf("%s\n", line.c_str());
    lines_.push_back(std::move(line));
    if (lines_.size() > 60) lines_.pop_front();
  }

  void perform(const Act& act) {
    static constexpr const char* words[] = {"submit",  "cancel", "cut",    "heal",       "crash",
                                            "restart", "pause",  "resume", "unreachable"};
    note(stamp(world_->now()) + " ** " + words[static_cast<int>(act.kind)] + " " + short_name(act.a) + " " +
         short_name(act.b));
    switch (act.kind) {
      case Act::Kind::submit: submit(act); break;
      case Act::Kind::cancel: world_->cancel(act.a, act.number); break;
      case Act::Kind::cut: world_->cut(act.a, act.b); break;
      case Act::Kind::heal: world_->heal(act.a, act.b); break;
      case Act::Kind::crash: world_->crash(act.a); break;
      case Act::Kind::restart:
        if (!world_->is_up(act.a)) world_->restart(act.a);
        break;
      case Act::Kind::pause:
        if (world_->is_up(act.a)) world_->pause(act.a);
        break;
      case Act::Kind::resume:
        if (world_->is_up(act.a)) world_->resume(act.a);
        break;
      case Act::Kind::unreachable: world_->set_reachable(act.a, false); break;
    }
    tell();
  }

  void submit(const Act& act) {
    const std::uint64_t number = world_->submit(act.a, act.job);
    const bool single = act.job.need.components.size() == 1 && act.job.need.kind == RequestKind::non_fixed;
    if (single) single_.emplace(act.a, number);
  }

  /// Nothing goes wrong any more.
  void mend() {
    world_->network().heal_all();
    world_->network().set_chances(0, 0);
    for (const Party& party : world_->parties()) {
      if (!world_->is_up(party)) world_->restart(party);
      world_->resume(party);
    }
  }

  /// Whether a site that lends is within the job's reach, and not too far for hints, and has a cluster wide
  /// enough.
  bool somebody_could(const Submission& job, std::uint32_t processors) const {
    if (!single_.contains({job.job_manager, job.number})) return false;
    const auto& sites = run_.topology.sites;
    const std::size_t home = *find_site(run_.topology, job.job_manager.site);
    const SiteSettings& limits = sites[home].settings;
    if (!limits.use_hints || !limits.delegate || limits.tries_per_round < 16) return false;
    std::vector<std::size_t> reached{home}, last{home};
    for (std::uint32_t hop = 0; hop <= std::min(job.dttl, limits.hint_distance); ++hop) {
      for (const std::size_t site : std::exchange(last, {})) {
        const bool lends = hop == 0 || sites[site].settings.lend;
        for (const TopologyCluster& cluster : sites[site].clusters) {
          const std::uint32_t width = cluster.processors_per_node;
          const auto usable =
              static_cast<std::uint32_t>(cluster.quota * static_cast<double>(processors_of(cluster)) + 1e-9);
          if (lends && (processors + width - 1) / width * width <= usable) return true;
        }
        for (const NeighbourSettings& neighbour : sites[site].settings.neighbours) {
          const std::size_t next = *find_site(run_.topology, neighbour.site);
          if (std::find(reached.begin(), reached.end(), next) != reached.end()) continue;
          reached.push_back(next);
          last.push_back(next);
        }
      }
    }
    return false;
  }

  /// Requests that their own site can never serve may be out of everybody's reach: they wait until they are
  /// cancelled.
  bool cancel_hopeless() {
    for (const Submission& job : world_->submissions()) {
      const auto* site = world_->site(job.job_manager.site);
      const auto* user = world_->job_manager(job.job_manager);
      const auto view = user->machine.job(job.number);
      if (!view || view->state != JobState::waiting) continue;
      const LocalRequest* request = site->machine.queue().find(view->request);
      if (!request || request->servable) continue;
      hopeless_.push_back(view->request);
      world_->cancel(job.job_manager, job.number);
    }
    tell();
    return true;
  }

  RandomRun run_;
  std::unique_ptr<World> world_;
  Checkers checkers_;
  std::string fault_;
  std::deque<std::string> lines_;
  std::set<std::pair<Party, std::uint64_t>> single_;  ///< jobs of one component that are not flexible
  std::vector<RequestId> hopeless_;                   ///< cancelled in the end
  bool verbose_ = false;
};

void play_seed(std::uint64_t seed, bool faults = true) {
  current_seed = seed;
  RandomWorld run(seed, {.faults = faults, .sites_max = sites_max()});
  std::string fault = run.play();
  if (fault.empty()) fault = run.check_served(faults);
  if (fault.empty()) return;
  std::string story;
  for (const std::string& line : run.last_lines()) story += line + "\n";
  FAIL_CHECK("at ", run.world().now().microseconds, " us: ", fault, "\n  repeat: DMM_SEED=", seed,
             " simulation_tests -tc=", std::string(faults ? "random*" : "without*"), "\n", story);
}

void play_seeds(bool faults, std::uint64_t seeds_default) {
  std::signal(SIGABRT, tell_seed);
  if (std::getenv("DMM_SEED")) return play_seed(from_environment("DMM_SEED", 1), faults);
  const std::uint64_t first = from_environment("DMM_FIRST_SEED", 1);
  const std::uint64_t seeds = from_environment("DMM_SEEDS", seeds_default);
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) play_seed(seed, faults);
}

}  // namespace

TEST_CASE("random grids lose and double nothing, whatever goes wrong") { play_seeds(true, 150); }

TEST_CASE("without faults, what somebody within reach can serve is served, and nothing else is refused") {
  play_seeds(false, 50);
}

TEST_CASE("frames that lie break nobody's invariants") {
  std::signal(SIGABRT, tell_seed);
  const std::uint64_t first = from_environment("DMM_FIRST_SEED", 1);
  const std::uint64_t seeds = from_environment("DMM_SEEDS", 50);
  std::uint64_t lies = 0;
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
    current_seed = seed;
    lies += RandomWorld(seed).play_corrupted();
  }
  CHECK(lies > 50 * seeds);
}

TEST_CASE("the same seed gives the same run, byte for byte") {
  for (const std::uint64_t seed : {3, 7, 11}) {
    current_seed = seed;
    RandomWorld one(seed), other(seed);
    one.play();
    other.play();
    CHECK(one.world().trace_hash() == other.world().trace_hash());
    CHECK(one.world().now() == other.world().now());
  }
}

}  // namespace dmm
