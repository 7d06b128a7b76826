// Random grids, workloads and faults from seeds: every invariant after every step, and in the end, when all faults are
// healed, every job has its one outcome and every node is home. A failing seed is repeated by
//   DMM_SEED=<seed> build/bin/simulation_tests -tc="*random*"          DMM_VERBOSE=1 tells everything that happened
//   DMM_SEEDS=5000  runs more of them, DMM_FIRST_SEED=1000000 other ones
#include <doctest/doctest.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <deque>

#include "random_grid.hpp"
#include "simulator/checkers.hpp"
#include "simulator/timeline.hpp"

namespace dmm {
namespace {

constexpr std::uint64_t seeds_default = 150;
/// Everything must be home by then; pauses between rounds are at most 75 s, and nobody waits long for a confirmation.
constexpr Duration rest_limit = seconds(900);

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

std::uint64_t current_seed = 0;

/// A broken assertion ends the program: at least the seed is told.
void tell_seed(int) {
  std::fprintf(stderr, "the seed was DMM_SEED=%llu\n", static_cast<unsigned long long>(current_seed));
}

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
    static constexpr const char* words[] = {"submit", "cancel", "cut", "heal", "crash", "restart", "pause", "resume", "unreachable"};
    note(stamp(world_->now()) + " ** " + words[static_cast<int>(act.kind)] + " " + short_name(act.a) + " " + short_name(act.b));
    switch (act.kind) {
      case Act::Kind::submit: world_->submit(act.a, act.job); break;
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

  /// Nothing goes wrong any more.
  void mend() {
    world_->network().heal_all();
    world_->network().set_chances(0, 0);
    for (const Party& party : world_->parties()) {
      if (!world_->is_up(party)) world_->restart(party);
      world_->resume(party);
    }
  }

  /// Requests that their own site can never serve may be out of everybody's reach: they wait until they are cancelled.
  bool cancel_hopeless() {
    for (const Submission& job : world_->submissions()) {
      const auto* site = world_->site(job.job_manager.site);
      const auto* user = world_->job_manager(job.job_manager);
      const auto view = user->machine.job(job.number);
      if (!view || view->state != JobState::waiting) continue;
      const LocalRequest* request = site->machine.queue().find(view->request);
      if (request && !request->servable) world_->cancel(job.job_manager, job.number);
    }
    tell();
    return true;
  }

  RandomRun run_;
  std::unique_ptr<World> world_;
  Checkers checkers_;
  std::string fault_;
  std::deque<std::string> lines_;
  bool verbose_ = false;
};

void play_seed(std::uint64_t seed) {
  current_seed = seed;
  RandomWorld run(seed);
  const std::string fault = run.play();
  if (fault.empty()) return;
  std::string story;
  for (const std::string& line : run.last_lines()) story += line + "\n";
  FAIL_CHECK("at ", run.world().now().microseconds, " us: ", fault, "\n  repeat: DMM_SEED=", seed,
             " simulation_tests -tc=\"*random*\"\n", story);
}

}  // namespace

TEST_CASE("random grids lose and double nothing, whatever goes wrong") {
  std::signal(SIGABRT, tell_seed);
  if (std::getenv("DMM_SEED")) return play_seed(from_environment("DMM_SEED", 1));
  const std::uint64_t first = from_environment("DMM_FIRST_SEED", 1);
  const std::uint64_t seeds = from_environment("DMM_SEEDS", seeds_default);
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) play_seed(seed);
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
