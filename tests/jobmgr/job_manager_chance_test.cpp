// The job manager against chance. A site and three resource managers answer in any order, lose nodes, fall silent and
// restart, and so does the job manager itself. All is drawn from a seed that is printed. Watched from outside:
// - Every job comes to exactly one outcome.
// - Every granted node is released once, or ended by the site.
// - The next attempt begins only when nothing of the last one runs, or when no manager could confirm that within the
//   limit.
// - Output has no gaps, and no resource manager is left with a running task.
// - No job is asked for before it is eligible.
// - The ledger is complete after each step.
#include <doctest/doctest.h>

#include <algorithm>
#include <deque>
#include <random>

#include "tests/checked_ledger.hpp"
#include "tests/jobmgr/eligibility_watch.hpp"

namespace job_manager_chance_test {

using namespace dmm;

namespace {

const SiteName home("das-0");
const Party site = site_manager_of(home);
const Party client{home, Role::client, "cli"};
constexpr std::size_t manager_count = 3;

using Node = std::tuple<LeaseId, Party, std::uint32_t>;

struct FakeTask {
  enum { parked, running, ended } phase = parked;
  Start start;
  Ended end;
};

struct FakeManager {
  Party party;
  std::map<std::pair<RequestId, std::uint32_t>, FakeTask> tasks;
  std::uint32_t next_node = 0;
  std::set<std::uint32_t> clean;  ///< taken back and confirmed as clean: nothing may start there
  std::optional<Instant> cut_since;
  bool met = true;  ///< the job manager has had a session with it since its own start

  /// Tasks that haven't ended. Ended tasks with a lost Forget are kept for an hour.
  std::size_t lives() const {
    return static_cast<std::size_t>(std::count_if(
        tasks.begin(), tasks.end(), [](const auto& entry) { return entry.second.phase != FakeTask::ended; }));
  }
};

struct World {
  explicit World(std::uint64_t seed) : chance(seed), manager(settings()) {
    for (std::size_t i = 0; i < manager_count; ++i)
      managers.push_back({resource_manager_of(SiteName("das-3"), "fs" + std::to_string(i)), {}, 0, {}, {}, true});
    give(LinkUp{site, true, {}, {}});
    for (const auto& m : managers) give(LinkUp{m.party, true, {}, {}});
  }
  static JobManagerSettings settings() {
    JobManagerSettings made;
    made.site = home;
    made.user = "alice";
    made.starts_at_once = 4;
    made.fetch_bytes_max = 120'000;
    return made;
  }

  std::mt19937_64 chance;
  JobManager manager;
  Instant now{1'000'000'000};
  std::vector<FakeManager> managers;
  std::set<RequestId> open;  // requests at the site
  std::map<Party, std::deque<Message>> to_us, from_us;
  std::deque<OutputWritten> writing;
  std::uint64_t submitted = 0, lease_counter = 1;
  CheckedLedger<JobManager> ledger{17};
  EligibilityWatch eligibility;
  std::uint64_t restarts = 0, detached = 0, unwritten = 0;
  // State of the watcher.
  std::map<Node, RequestId> held;
  std::map<RequestId, Instant> doubted;  ///< since when the attempt's nodes are gone or given back
  std::map<std::uint64_t, int> outcomes;
  std::set<Node> given_up;     ///< nodes that a restored job manager wrongly believes to hold
  std::uint64_t overlaps = 0;  ///< attempts that still ran, unheard, when the next one began
  std::map<std::tuple<std::uint64_t, std::uint32_t, Stream>, std::uint64_t> streams;

  std::uint64_t draw(std::uint64_t below) { return chance() % below; }
  bool draw_one_in(std::uint64_t n) { return draw(n) == 0; }
  FakeManager& any() { return managers[draw(managers.size())]; }
  FakeManager* find(const Party& party) {
    for (auto& m : managers)
      if (m.party == party) return &m;
    return nullptr;
  }

  // ---- the shell ----
  void give(JobManager::Input input) {
    JobManagerEffects out = effects();
    manager.receive(now, std::move(input), out);
    finish(out);
  }
  static JobManagerEffects effects() {
    JobManagerEffects out;
    out.ledger.wanted = true;
    return out;
  }
  void finish(JobManagerEffects& out) {
    manager.settle(now, out);
    REQUIRE(manager.broken_invariant() == "");
    ledger.take(out.ledger, manager);
    REQUIRE((manager.next_deadline() > now || !manager.site_up()));
    for (auto& message : out.messages) {
      watch(message.message);
      from_us[message.to].push_back(std::move(message.message));
    }
    for (const auto& piece : out.output) watch(piece);
    for (const auto& event : out.events)
      if (event.name.starts_with("job_")) ++outcomes[event.trace.job];
  }
  void pass(Duration length) {
    const Instant until = now + length;
    while (manager.next_deadline() <= until) {
      now = std::max(now, manager.next_deadline());
      JobManagerEffects out = effects();
      finish(out);
    }
    now = until;
  }

  // ---- the watcher ----
  void watch(const Message& message) {
    if (const auto* release = std::get_if<Release>(&message))
      each_node(release->lease, release->nodes, [&](const Node& node) { REQUIRE(lose(node)); });
    if (const auto* inventory = std::get_if<Inventory>(&message)) {
      REQUIRE(inventory->last);
      std::map<Node, RequestId> borrowed;
      for (const Holding& holding : inventory->borrowed)
        each_node(holding.lease, holding.nodes,
                  [&](const Node& node) { borrowed.emplace(node, holding.request); });
      REQUIRE(borrowed == held);
    }
    if (const auto* start = std::get_if<Start>(&message)) {
      ProgressRecord wanted;
      wanted.number = start->request.job;
      const ProgressRecord* row = ledger.synced(wanted);
      REQUIRE((row && row->attempt == start->request.attempt));
      REQUIRE(row->components.at(start->component).phase != ComponentPhase::queued);
      eligibility.asked_or_started(now, start->request.job, manager);
    }
    const auto* request = std::get_if<Request>(&message);
    if (request) eligibility.asked_or_started(now, request->id.job, manager);
    if (!request || request->id.attempt == 1) return;
    for (const auto& m : managers)
      for (const auto& [key, task] : m.tasks) {
        const RequestId& old = key.first;
        if (old.job != request->id.job || old.attempt >= request->id.attempt || task.phase != FakeTask::running)
          continue;
        REQUIRE(doubted.contains(old));
        REQUIRE(now - doubted[old] >= settings().confirm_limit);
        ++overlaps;
      }
  }
  /// The job manager gave a node back, or heard that it is gone.
  bool lose(const Node& node) {
    const auto it = held.find(node);
    if (it == held.end()) return false;
    doubted.emplace(it->second, now);
    held.erase(it);
    return true;
  }
  void watch(const OutputPiece& piece) {
    auto& offset = streams[{piece.job, piece.component, piece.stream}];
    if (piece.begins) offset = 0;  // another attempt, a restart, or a last piece that could not be written
    REQUIRE(piece.offset == offset);
    offset = piece.last ? UINT64_MAX : offset + piece.data.size();
    const std::string error = draw_one_in(5) ? "disk full" : "";
    writing.push_back({piece.job, piece.component, piece.stream, piece.serial, error, piece.last});
  }
  template <class F>
  void each_node(const LeaseId& lease, const std::vector<NodeGroup>& groups, F f) {
    for (const auto& group : groups)
      for (const auto& range : group.nodes)
        for (std::uint32_t n = range.first; n <= range.last; ++n) f(Node{lease, group.resource_manager, n});
  }

  // ---- the site ----
  void serve() {
    if (open.empty()) return;
    auto it = std::next(open.begin(), static_cast<std::ptrdiff_t>(draw(open.size())));
    const RequestId id = *it;
    open.erase(it);
    if (draw_one_in(40)) return say(site, Refuse{id, RefusalReason::too_large, 8, {}});
    Grant grant;
    grant.request = id;
    if (draw_one_in(2)) ++lease_counter;
    grant.lease = {SiteName("das-3"), {1, lease_counter}};
    grant.term = seconds(30);
    grant.chain = {SiteName("das-3"), home};
    const auto components = static_cast<std::uint32_t>(1 + id.job % 3);
    for (std::uint32_t c = 0; c < components; ++c)
      for (std::uint64_t groups = 1 + draw(2); groups > 0; --groups) {
        FakeManager& m = any();
        const auto size = static_cast<std::uint32_t>(draw(3));
        grant.nodes.push_back({m.party, ClusterName("c"), {{m.next_node, m.next_node + size}}, 1, {}, c});
        m.next_node += size + 1;
      }
    say(site, grant);
  }
  void end_lease() {
    if (held.empty()) return;
    const auto chosen = std::next(held.begin(), static_cast<std::ptrdiff_t>(draw(held.size())));
    const auto [lease, party, node] = chosen->first;
    FakeManager& m = *find(party);
    if (draw_one_in(2)) {  // that manager fell silent: its tasks may go on
      LeaseEnded soft{lease, {}, draw_one_in(2) ? LeaseEnd::expired : LeaseEnd::idle, false, {}};
      if (draw_one_in(2)) soft.nodes.push_back({party, ClusterName("c"), {{node, node}}, 1, {}, 0});
      ++detached;
      return say(site, soft);
    }
    const bool confirmed = !m.cut_since && draw_one_in(2);
    LeaseEnded ended{lease, {}, LeaseEnd::reclaimed, confirmed, seconds(static_cast<std::int64_t>(draw(40)))};
    if (confirmed || draw_one_in(2)) ended.nodes.push_back({party, ClusterName("c"), {{node, node}}, 1, {}, 0});
    if (confirmed) m.clean.insert(node);
    if (confirmed)
      for (auto& [key, task] : m.tasks)
        if (contains(task.start.nodes, {{node, node}})) end(m, task, EndKind::lease_ended, 0);
    say(site, ended);
    if (confirmed || m.cut_since || draw_one_in(2)) return;
    for (auto& [key, task] : m.tasks)  // the end became known later than it happened
      if (contains(task.start.nodes, {{node, node}})) end(m, task, EndKind::lease_ended, 0);
    m.clean.insert(node);
    ended.nodes = {{party, ClusterName("c"), {{node, node}}, 1, {}, 0}};
    ended.confirmed = true;
    say(site, ended);
  }
  void hear_site(const Message& message) {
    if (const auto* request = std::get_if<Request>(&message)) open.insert(request->id);
    if (const auto* cancel = std::get_if<Cancel>(&message)) open.erase(cancel->request);
  }
  void restart_site() {
    open.clear();
    to_us[site].clear();
    give(LinkDown{site});
    pass(milliseconds(static_cast<std::int64_t>(draw(20'000))));
    meet_site();
  }
  /// A new session with the site: messages of the old session are lost. The site knows most of the job manager's
  /// leases, and some that the job manager doesn't.
  void meet_site() {
    from_us[site].clear();
    to_us[site].clear();
    open.clear();
    give(LinkUp{site, true, {}, {}});
    std::map<LeaseId, std::map<RequestId, Holding>> known;
    for (const auto& [node, request] : held) {
      const auto& [lease, party, number] = node;
      if (draw_one_in(20) || given_up.contains(node)) continue;
      Holding& holding = known[lease][request];
      holding.lease = lease;
      holding.request = request;
      holding.left = seconds(draw_one_in(2) ? 20 : 0);
      holding.nodes.push_back({party, ClusterName("c"), {{number, number}}, 1, {}, 0});
    }
    Inventory inventory;
    for (const auto& [lease, by_request] : known)
      for (const auto& [request, holding] : by_request) inventory.lent.push_back(holding);
    inventory.lent.emplace_back();
    inventory.lent.back().request = {home, "alice", 1 + draw(submitted + 1), 1};
    say(site, inventory);
  }
  // ---- the job manager's own end ----
  void restart_us() {
    ++restarts;
    const bool with_machine = draw_one_in(2);
    ledger.compare(manager);
    for (auto& [party, queue] : to_us) queue.clear();
    for (auto& [party, queue] : from_us) queue.clear();
    writing.clear();
    if (draw_one_in(2)) now = now + seconds(static_cast<std::int64_t>(draw(60)));
    manager = JobManager(settings());
    REQUIRE(manager.restore(now, with_machine ? ledger.after_the_host() : ledger.after_the_process()) == "");
    compare_held(with_machine);
    JobManagerEffects out = effects();
    finish(out);
    meet_site();
    for (auto& m : managers) {
      m.met = false;
      if (!m.cut_since) meet(m);
    }
  }
  /// The job manager knows all nodes that it holds, and after the end of the machine perhaps some that it had lost.
  void compare_held(bool with_machine) {
    std::map<Node, RequestId> restored;
    for (const JobManagerRecord& record : manager.records())
      if (const auto* of = std::get_if<ProgressRecord>(&record))
        each_node(of->lease, of->held, [&](const Node& node) {
          restored.emplace(node, RequestId{home, "alice", of->number, of->attempt});
        });
    for (const auto& [node, request] : restored)
      if (!held.contains(node)) given_up.insert(node);
    for (const auto& [node, request] : held) REQUIRE(restored.contains(node));
    REQUIRE((with_machine || restored == held));
    held = restored;
  }

  // ---- the resource managers ----
  void say(const Party& from, Message message) { to_us[from].push_back(std::move(message)); }
  void end(FakeManager& m, FakeTask& task, EndKind kind, std::int32_t code) {
    if (task.phase == FakeTask::ended) return;
    task.phase = FakeTask::ended;
    task.end.request = task.start.request;
    task.end.component = task.start.component;
    task.end.kind = kind;
    task.end.code = code;
    if (kind == EndKind::start_failed)
      task.end.fault = draw_one_in(2) ? StartFault::nodes_busy : StartFault::executable_missing;
    constexpr std::array<std::uint64_t, 4> sizes{0, 10, 60'000, 200'000};
    task.end.output_bytes = sizes[draw(4)];
    if (task.end.output_bytes == 10) task.end.output = "0123456789";
    say(m.party, task.end);
  }
  void work(FakeManager& m) {
    if (m.tasks.empty()) return;
    auto& task = std::next(m.tasks.begin(), static_cast<std::ptrdiff_t>(draw(m.tasks.size())))->second;
    if (task.phase == FakeTask::parked) {
      if (draw_one_in(20)) return end(m, task, EndKind::start_failed, 0);
      task.phase = FakeTask::running;
      return say(m.party, Started{task.start.request, task.start.component, 1});
    }
    if (task.phase == FakeTask::ended) return;
    if (task.start.streams && draw_one_in(2)) {
      task.end.output_bytes += 1 + draw(100'000);
      return say(m.party, Grown{task.start.request, task.start.component, task.end.output_bytes, 0});
    }
    if (draw_one_in(20)) return end(m, task, draw_one_in(2) ? EndKind::lost_contact : EndKind::lease_ended, 0);
    end(m, task, EndKind::exited, draw_one_in(5) ? 1 : 0);
  }
  void answer_again(FakeManager& m, const FakeTask& task) {
    if (task.phase == FakeTask::ended) say(m.party, task.end);
    if (task.phase == FakeTask::running) say(m.party, Started{task.start.request, task.start.component, 1});
  }
  void hear_manager(FakeManager& m, const Message& message) {
    if (const auto* start = std::get_if<Start>(&message)) {
      FakeTask task{FakeTask::parked, *start, {}};
      const auto [it, is_new] = m.tasks.emplace(std::pair{start->request, start->component}, std::move(task));
      if (!is_new) return answer_again(m, it->second);
      for (std::uint32_t node : m.clean)
        if (contains(start->nodes, {{node, node}})) end(m, it->second, EndKind::start_failed, 0);
    }
    if (const auto* stop = std::get_if<Stop>(&message)) {
      bool is_known = false;
      for (auto& [key, task] : m.tasks) {
        if (key.first != stop->request) continue;
        is_known = true;
        if (task.phase == FakeTask::ended)
          answer_again(m, task);
        else
          end(m, task, EndKind::stopped, 0);
      }
      Ended unknown;
      unknown.request = stop->request;
      unknown.kind = EndKind::stopped;
      if (!is_known) say(m.party, unknown);
    }
    if (const auto* forget = std::get_if<Forget>(&message))
      std::erase_if(m.tasks, [&](const auto& entry) {
        return entry.first.first == forget->request && entry.second.phase == FakeTask::ended;
      });
    if (const auto* fetch = std::get_if<Fetch>(&message)) {
      const auto it = m.tasks.find({fetch->request, fetch->component});
      const bool is_none = it == m.tasks.end() || fetch->stream == Stream::error;
      const std::uint64_t size = is_none ? 0 : it->second.end.output_bytes;
      const std::uint64_t piece = std::min<std::uint64_t>(48 * 1024, size - std::min(size, fetch->offset));
      const bool last = fetch->offset + piece >= size && (is_none || it->second.phase == FakeTask::ended);
      REQUIRE(fetch->unkept);
      say(m.party, Piece{fetch->request, fetch->component, fetch->stream, fetch->offset, std::string(piece, 'x'),
                         last, size});
    }
  }
  /// A restart: the manager knows the tasks that it started, but some are lost. All messages to and from it are gone.
  void restart(FakeManager& m) {
    std::erase_if(m.tasks, [](const auto& entry) { return entry.second.phase == FakeTask::parked; });
    const bool reboot = draw_one_in(2);
    for (auto& [key, task] : m.tasks)
      if (reboot || draw_one_in(5)) {
        task.end.keeper_died = !reboot;
        end(m, task, EndKind::lost, 0);
      }
    to_us[m.party].clear();
    m.cut_since.reset();
    give(LinkDown{m.party});
    if (m.met) from_us[m.party].clear();  // otherwise these messages wait for the first session
    meet(m);
  }
  void meet(FakeManager& m) {
    m.met = true;
    give(LinkUp{m.party, true, {}, {}});
  }
  void cut(FakeManager& m) {
    if (m.cut_since) {
      m.cut_since.reset();
      return m.met ? give(LinkUp{m.party, false, {}, {}}) : meet(m);
    }
    m.cut_since = now;
    give(LinkDown{m.party});
  }

  // ---- chance ----
  bool is_cut(const Party& party) {
    const FakeManager* m = find(party);
    return m && m->cut_since;
  }
  void deliver_to_us(const Party& from) {
    auto& queue = to_us[from];
    if (queue.empty() || is_cut(from)) return;
    Message message = std::move(queue.front());
    queue.pop_front();
    if (const auto* grant = std::get_if<Grant>(&message))
      each_node(grant->lease, grant->nodes,
                [&](const Node& node) { REQUIRE(held.emplace(node, grant->request).second); });
    if (const auto* inventory = std::get_if<Inventory>(&message)) take_away_all_but(*inventory);
    if (const auto* ended = std::get_if<LeaseEnded>(&message)) {
      each_node(ended->lease, ended->nodes, [&](const Node& node) { lose(node); });
      for (auto it = held.begin(); ended->nodes.empty() && it != held.end();) {
        const Node node = (it++)->first;
        if (std::get<0>(node) == ended->lease) lose(node);
      }
    }
    give(Received{from, std::move(message), {}, {}});
  }
  /// Leases that the site doesn't know at the beginning of a session end softly. Nothing was granted since.
  void take_away_all_but(const Inventory& inventory) {
    std::set<Node> lent;
    for (const Holding& holding : inventory.lent)
      each_node(holding.lease, holding.nodes, [&](const Node& node) { lent.insert(node); });
    for (auto it = held.begin(); it != held.end();) {
      const Node node = (it++)->first;
      if (!lent.contains(node)) lose(node);
    }
  }
  void deliver_from_us(const Party& to) {
    auto& queue = from_us[to];
    if (queue.empty() || is_cut(to)) return;
    const Message message = std::move(queue.front());
    queue.pop_front();
    if (to == site) return hear_site(message);
    hear_manager(*find(to), message);
  }
  void deliver() {
    const std::uint64_t n = draw(manager_count + 1);
    const Party party = n == manager_count ? site : managers[n].party;
    if (draw_one_in(2)) deliver_to_us(party);
    deliver_from_us(party);
    if (!writing.empty() && draw_one_in(2)) {
      const OutputWritten written = writing.front();
      writing.pop_front();
      give(written);
    }
  }
  void submit() {
    Submit question{++submitted, {}};
    JobDescription job;
    job.program.arguments = {"true"};
    job.keep_output = !draw_one_in(5);
    job.reruns_max = static_cast<std::uint32_t>(draw(4));
    for (std::uint64_t c = 0; c < 1 + submitted % 3; ++c) job.need.components.push_back({1, {}, {}});
    eligibility.draw(chance, now, submitted, job);
    question.jobs.push_back(job);
    give(Received{client, question, {}, {}});
  }
  void alter(std::uint64_t job, std::optional<bool> hold) {
    JobManagerEffects out = effects();
    Alteration wanted{.held = hold};
    if (!hold) wanted.priority = static_cast<std::int32_t>(draw(3));
    const Altered altered = manager.alter(now, job, wanted, out);
    eligibility.orders += altered.changed;
    if (hold == true && altered.fault.empty()) eligibility.hold(job);
    if (hold == false) eligibility.release(job);
    finish(out);
  }
  void cancel() {
    JobManagerEffects out = effects();
    manager.cancel(now, 1 + draw(submitted + 1), out);
    finish(out);
  }
  void fetch_again() {
    JobManagerEffects out = effects();
    unwritten += manager.fetch_again(now, 1 + draw(submitted + 1), out).empty();
    finish(out);
  }
  void disturb() {
    switch (draw(9)) {
      case 8: return restart_us();
      case 0: return restart(any());
      case 1:
      case 2:
      case 3: return cut(any());
      case 4: return draw_one_in(4) ? restart_site() : fetch_again();
      case 5: return pass(seconds(static_cast<std::int64_t>(draw(250))));
      default: return end_lease();
    }
  }
  void act() {
    const std::uint64_t dice = draw(100);
    if (dice < 60) return deliver();
    if (dice < 72) {
      FakeManager& m = any();
      return work(m);  // also while it is cut off
    }
    if (dice < 82) return serve();
    if (dice < 92) return pass(milliseconds(static_cast<std::int64_t>(draw(2'000))));
    if (dice < 95) return submit();
    if (dice < 96) return cancel();
    if (dice < 98) return disturb();
    alter(1 + draw(submitted + 1), draw_one_in(3) ? std::optional<bool>() : draw_one_in(2));
  }
  void settle_down() {
    for (auto& m : managers)
      if (m.cut_since) cut(m);
    for (const std::uint64_t job : eligibility.held()) alter(job, false);
    for (int i = 0; i < 200'000; ++i) {
      deliver();
      work(any());
      serve();
      if (draw_one_in(10)) pass(milliseconds(100));
      const auto idle = [](const FakeManager& m) { return m.lives() == 0; };
      const bool quiet = std::all_of(managers.begin(), managers.end(), idle);
      if (quiet && held.empty() && outcomes.size() == submitted) return;
    }
  }
};

}  // namespace

TEST_CASE("chance: whatever happens, jobs end once, nodes go back once, and nothing runs twice") {
  std::uint64_t reruns = 0;
  std::uint64_t keeper_deaths = 0;
  std::uint64_t lost = 0;
  std::uint64_t overlaps = 0;
  std::uint64_t restarts = 0;
  std::uint64_t detached = 0;
  std::uint64_t unwritten = 0;
  std::uint64_t conditions = 0;
  std::uint64_t orders = 0;
  std::uint64_t unmet = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    World world(seed);
    for (int i = 0; i < 4'000; ++i) world.act();
    world.settle_down();
    const JobManager& manager = world.manager;
    CHECK(world.held.empty());
    CHECK(world.outcomes.size() == world.submitted);
    for (const auto& [job, times] : world.outcomes) CHECK(times == 1);
    std::uint64_t ended = 0;
    for (JobState state : {JobState::finished, JobState::failed, JobState::cancelled, JobState::lost})
      ended += manager.count(state);
    CHECK(ended == world.submitted);
    for (const auto& m : world.managers) CHECK(m.lives() == 0);
    CHECK(manager.grants() == 0);
    CHECK(manager.starts() == 0);
    CHECK(manager.count(JobState::finished) > 0);
    for (const JobView& job : manager.jobs()) {
      reruns += job.reruns, keeper_deaths += job.keeper_deaths;
      unmet += job.text.find("was to run only") != std::string::npos;
    }
    conditions += world.eligibility.conditions;
    orders += world.eligibility.orders;
    lost += manager.count(JobState::lost);
    overlaps += world.overlaps;
    restarts += world.restarts;
    detached += world.detached;
    unwritten += world.unwritten;
  }
  CHECK(reruns > 100);  // otherwise the disturbances would test nothing
  CHECK(keeper_deaths > 0);
  CHECK(lost > 10);
  CHECK(overlaps > 0);
  CHECK(restarts > 100);
  CHECK(detached > 100);
  CHECK(unwritten > 0);
  CHECK(conditions > 1'000);
  CHECK(orders > 1'000);
  CHECK(unmet > 100);
}

}  // namespace job_manager_chance_test
