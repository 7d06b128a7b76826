// The steps of a batch manager: looks, pilots, and what it tells the batch system.
#include "batchmgr/batch_manager.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "batchmgr/shell_words.hpp"
#include "manager/assert.hpp"

namespace dmm {
namespace {

constexpr Duration look_pause_max = seconds(30);
constexpr Duration failure_pause_max = seconds(3'600);
/// A pilot that ends so soon after its start was of no use.
constexpr Duration pilot_life_min = seconds(20);
/// A submitted pilot that no snapshot shows by then is gone.
constexpr Duration pilot_shows_by = seconds(15);
/// A pilot that was told something isn't told again before.
constexpr Duration told_again = seconds(10);
/// A start that is planned for later says nothing more.
constexpr Duration likely_max = seconds(30 * 24 * 3600);
/// The site manager is told again of what hasn't changed: it may have been restarted.
constexpr Duration likely_told_again = seconds(60);
/// A token is shown by the pilot at once; one that isn't used is good no longer than this.
constexpr const char* token_hours = "0.5";

/// What a command that failed said, for people.
std::string words_of(const std::string& program, const CommandEnded& ended) {
  return program + ": " + said_by(ended);
}

/// By more than a quarter, and by more than a few seconds.
bool differs_much(Duration now, Duration before) {
  const Duration apart = now < before ? before - now : now - before;
  return apart > std::max(seconds(5), before / 4);
}

}  // namespace

BatchManager::BatchManager(BatchSettings settings, const BatchSystem& system)
    : settings_(std::move(settings)), system_(&system) {}

WhyNot BatchManager::reconfigure(const BatchSettings& settings) {
  const auto of_pilots = [](const BatchSettings& one) {
    return std::tie(one.site, one.name, one.system, one.cluster, one.partition, one.node_folder);
  };
  if (of_pilots(settings) != of_pilots(settings_))
    return "site, name, system, cluster, partition and node_folder of a batch manager can't change while it runs: "
           "its pilots are found by them";
  if (settings.borrow != settings_.borrow)
    return "what nodes are borrowed can't change while a batch manager runs";
  settings_ = settings;
  return {};
}

void BatchManager::receive(Instant, Received&&, Effects&) { ++ignored_["not_for_a_batch_manager"]; }

void BatchManager::receive(Instant now, Input input, Effects& effects) {
  auto* const ended = std::get_if<CommandEnded>(&input);
  if (!ended) return;
  const auto found = running_.find(ended->id);
  if (found == running_.end()) return;
  const Running done = std::move(found->second);
  running_.erase(found);
  minute_ = ended->minute;
  clock_seconds_ = ended->clock_seconds;
  switch (done.purpose) {
    case Purpose::guests: return take_guests(*ended, effects);
    case Purpose::look: return take_look(now, done.place, *ended, effects);
    case Purpose::token: return take_token(now, done.subject, *ended, effects);
    case Purpose::hold: return take_held(now, done.subject, *ended, effects);
    case Purpose::recall:
    case Purpose::withdraw:
    case Purpose::prolong:
    case Purpose::attach:
    case Purpose::evict:
    case Purpose::cancel:
    case Purpose::expect:
      if (const auto how = std::ranges::find(borrowed, done.purpose, &Borrowed::purpose);
          how != borrowed.end() && ended->status == 0)
        borrower_.done(now, how->kind, done.subject);
      // The next snapshot shows whether the pilot is still there; then it is told again.
      if (ended->status != 0)
        effects.log(Level::warning, "not_done", {},
                    {{"subject", done.subject}, {"reason", words_of(settings_.system, *ended)}});
  }
}

void BatchManager::settle(Instant now, Effects& effects) {
  if (looking_.outputs.empty() && now >= looking_.next) look(now, effects);
}

Instant BatchManager::next_deadline() const { return looking_.outputs.empty() ? looking_.next : never; }

void BatchManager::run(Purpose purpose, std::string subject, Command command, Effects& effects,
                       std::size_t place) {
  running_.emplace(++last_command_, Running{purpose, std::move(subject), place});
  effects.commands.push_back({last_command_, std::move(command), settings_.command_max});
}

// ---- looking ---------------------------------------------------------------------------------------------------

void BatchManager::look(Instant now, Effects& effects) {
  looking_.began = now;
  std::vector<Command> commands = system_->look(settings_);
  looking_.outputs.assign(commands.size(), std::nullopt);
  looking_.took = {};
  for (std::size_t i = 0; i < commands.size(); ++i) run(Purpose::look, {}, std::move(commands[i]), effects, i);
  if (settings_.borrow.is_on()) run(Purpose::guests, {}, Borrower::question(settings_), effects);
}

void BatchManager::take_look(Instant now, std::size_t place, CommandEnded& ended, Effects& effects) {
  if (place >= looking_.outputs.size()) return;  // of a look that was given up
  if (ended.status != 0) {
    looking_.outputs.clear();
    std::erase_if(running_, [](const auto& one) { return one.second.purpose == Purpose::look; });
    return look_failed(now, words_of(settings_.system, ended), effects);
  }
  looking_.outputs[place] = std::move(ended.output);
  looking_.took = std::max(looking_.took, ended.took);
  if (std::ranges::any_of(looking_.outputs, [](const auto& output) { return !output; })) return;
  std::vector<std::string> texts;
  for (auto& output : std::exchange(looking_.outputs, {})) texts.push_back(std::move(*output));
  auto read = system_->read(settings_, texts);
  if (auto* fault = std::get_if<std::string>(&read)) return look_failed(now, std::move(*fault), effects);
  take_snapshot(now, std::move(std::get<Snapshot>(read)), effects);
}

void BatchManager::look_failed(Instant now, std::string why, Effects& effects) {
  if (looking_.fault != why) effects.log(Level::warning, "batch_system_unavailable", {}, {{"reason", why}});
  looking_.fault = std::move(why);
  looking_.pause = std::clamp(looking_.pause + looking_.pause, settings_.look_every, look_pause_max);
  looking_.next = now + looking_.pause;
}

void BatchManager::take_snapshot(Instant now, Snapshot snapshot, Effects& effects) {
  if (!looking_.fault.empty()) effects.log(Level::info, "batch_system_available", {}, {});
  looking_.fault.clear();
  looking_.pause = {};
  looking_.succeeded = now;
  looking_.next = now + settings_.look_every;
  follow_pilots(now, snapshot, effects);
  // Pilots that were submitted since the batch system was asked are none of its news yet.
  for (const auto& [node, pilot] : submitted_)
    if (!pilot.seen) snapshot.pilots.push_back({pilot.id, node, false, settings_.hold});
  borrower_.correct(looking_.began, snapshot);
  note_idle(now, snapshot, effects);
  snapshot_ = std::move(snapshot);
  LendingDecision decision = decide_lending(snapshot_, past_, settings_, now);
  standings_ = std::move(decision.nodes);
  note_likely(now);
  tell_likely(now, effects);
  carry_out(now, decision, effects);
  if (settings_.borrow.is_on()) borrow(now, effects);
}

/// Pilots come, run and end; one that ends at once has failed.
void BatchManager::follow_pilots(Instant now, const Snapshot& snapshot, Effects& effects) {
  std::map<std::string, const Pilot*> there;
  for (const Pilot& pilot : snapshot.pilots) there.emplace(pilot.node, &pilot);
  for (auto one = submitted_.begin(); one != submitted_.end();) {
    auto& [node, pilot] = *one;
    const auto found = there.find(node);
    if (found != there.end()) {
      if (found->second->runs && now - pilot.at >= pilot_life_min) failures_.erase(node);
      pilot.seen = true;
      ++one;
      continue;
    }
    const Duration age = now - pilot.at;
    if (pilot.id.text.empty() || (!pilot.seen && age < pilot_shows_by)) {
      ++one;
      continue;
    }
    const std::string name = node;
    const auto is_here = [&](const BatchNode& its) { return its.name == name && its.use == NodeUse::idle; };
    const bool is_free_again = snapshot.waiting.empty() && std::ranges::any_of(snapshot.nodes, is_here);
    const bool is_failure = !pilot.told && age < pilot_life_min && is_free_again;
    effects.log(Level::info, "pilot_ended", {}, {{"node", name}, {"pilot", pilot.id.text}});
    one = submitted_.erase(one);
    if (is_failure)
      failed(now, name, "its pilot ended at once: " + settings_.node_folder + "/" + name + "/pilot.log there",
             effects);
  }
  std::erase_if(told_, [&](const auto& one) { return now - one.second >= told_again; });
}

void BatchManager::note_idle(Instant now, const Snapshot& snapshot, Effects& effects) {
  idleness_.observe(now, snapshot, effects.ledger);
  past_.idle_since = since_when(now, snapshot.nodes, past_.idle_since,
                                [](const BatchNode& node) { return node.use == NodeUse::idle; });
  if (snapshot.waiting.empty())
    past_.waiting_since = never;
  else
    past_.waiting_since = std::min(past_.waiting_since, now);
  past_.barred.clear();
  for (const auto& [node, failure] : failures_)
    if (now < failure.until) past_.barred.emplace(node, failure.why);
  past_.minute = minute_;
}

/// By history, but no longer than until the batch system plans to start a job.
void BatchManager::note_likely(Instant now) {
  std::optional<Duration> planned;
  if (snapshot_.planned)
    planned = std::min(seconds(std::max<std::int64_t>(*snapshot_.planned - clock_seconds_, 0)), likely_max);
  for (NodeStanding& node : standings_) {
    if (node.state != "held" && node.state != "holding" && node.state != "idle") continue;
    node.likely = idleness_.likely(now, node.name);
    if (planned) node.likely = std::min(node.likely.value_or(*planned), *planned);
  }
}

/// The site manager hears of each node that is held, whenever what is likely has changed by much, and now and
/// then.
void BatchManager::tell_likely(Instant now, Effects& effects) {
  Command command{{settings_.dmm, "expect", "--sitemgr", settings_.sitemgr}};
  const std::size_t words = command.arguments.size();
  std::map<std::string, Expected> before = std::exchange(expected_, {});
  for (const NodeStanding& node : standings_) {
    if (node.state != "held" || !node.likely) continue;
    const Expected fresh{now + *node.likely, now};
    const auto known = before.find(node.name);
    const bool is_news = known == before.end() || now - known->second.told >= likely_told_again ||
                         differs_much(fresh.until - now, known->second.until - now);
    expected_.emplace(node.name, is_news ? fresh : known->second);
    if (is_news)
      command.arguments.push_back(manager_of(node.name) + "=" +
                                  std::to_string(node.likely->microseconds / 1'000'000));
  }
  if (command.arguments.size() > words) run(Purpose::expect, "nodes", std::move(command), effects);
}

// ---- holding and giving back -----------------------------------------------------------------------------------

void BatchManager::carry_out(Instant now, const LendingDecision& decision, Effects& effects) {
  for (const std::string& node : decision.hold) ask_token(now, node, effects);
  tell(now, Purpose::recall, decision.recall, effects);
  tell(now, Purpose::withdraw, decision.withdraw, effects);
  if (system_->prolong) tell(now, Purpose::prolong, decision.prolong, effects);
}

void BatchManager::ask_token(Instant now, const std::string& node, Effects& effects) {
  submitted_[node] = {{}, now};
  run(Purpose::token, node,
      {{settings_.dmm, "node", "add", manager_of(node), "--at", settings_.node_endpoint, "--hours", token_hours,
        "--sitemgr", settings_.sitemgr}},
      effects);
}

void BatchManager::take_token(Instant now, const std::string& node, const CommandEnded& ended, Effects& effects) {
  const BatchNode* const found = find_node(node);
  if (ended.status != 0) return failed(now, node, "no token: " + words_of("dmm", ended), effects);
  if (!found) return static_cast<void>(submitted_.erase(node));
  run(Purpose::hold, node, system_->hold(settings_, *found, script_for(*found, trimmed(ended.output))), effects);
}

void BatchManager::take_held(Instant now, const std::string& node, const CommandEnded& ended, Effects& effects) {
  if (ended.status != 0) return failed(now, node, words_of(settings_.system, ended), effects);
  auto id = system_->held(ended.output);
  if (auto* fault = std::get_if<std::string>(&id)) return failed(now, node, std::move(*fault), effects);
  Submitted& pilot = submitted_[node];
  pilot.id = std::get<PilotId>(id);
  pilot.at = now;
  effects.log(Level::info, "pilot_submitted", {}, {{"node", node}, {"pilot", pilot.id.text}});
}

void BatchManager::tell(Instant now, Purpose purpose, const std::vector<PilotId>& pilots, Effects& effects) {
  for (const PilotId& id : pilots) {
    if (id.text.empty() || !told_.emplace(id, now).second) continue;
    const auto pilot = std::ranges::find(snapshot_.pilots, id, &Pilot::id);
    DMM_ASSERT(pilot != snapshot_.pilots.end());
    const bool ends = purpose != Purpose::prolong;
    if (const auto known = submitted_.find(pilot->node); ends && known != submitted_.end())
      known->second.told = true;
    if (ends)
      effects.log(Level::info, purpose == Purpose::recall ? "pilot_recalled" : "pilot_withdrawn", {},
                  {{"node", pilot->node}, {"pilot", id.text}});
    const auto order = purpose == Purpose::recall     ? system_->recall
                       : purpose == Purpose::withdraw ? system_->withdraw
                                                      : system_->prolong;
    run(purpose, id.text, order(settings_, *pilot), effects);
  }
}

void BatchManager::failed(Instant now, const std::string& node, std::string why, Effects& effects) {
  submitted_.erase(node);
  Failures& failure = failures_[node];
  failure.pause = std::clamp(failure.pause + failure.pause, settings_.retry_after, failure_pause_max);
  failure.until = now + failure.pause;
  effects.log(Level::warning, "node_not_held", {},
              {{"node", node}, {"reason", why}, {"again_seconds", failure.pause.in_seconds()}});
  failure.why = std::move(why);
}

// ---- borrowing -------------------------------------------------------------------------------------------------

void BatchManager::take_guests(const CommandEnded& ended, Effects& effects) {
  if (const WhyNot fault = borrower_.take_answer(borrowing_site(), ended); !fault.empty())
    effects.log(Level::warning, "job_manager_unavailable", {}, {{"reason", fault}});
}

void BatchManager::borrow(Instant now, Effects& effects) {
  for (Borrower::Order& order : borrower_.decide(borrowing_site(), now, snapshot_, past_.waiting_since)) {
    const Borrowed& how = *std::ranges::find(borrowed, order.kind, &Borrowed::kind);
    effects.log(Level::info, how.event, {},
                {{order.kind == Borrower::Kind::cancel ? "job" : "node", order.subject}});
    run(how.purpose, std::move(order.subject), std::move(order.command), effects);
  }
}

const BatchNode* BatchManager::find_node(const std::string& name) const {
  const auto node = std::ranges::find(snapshot_.nodes, name, &BatchNode::name);
  return node == snapshot_.nodes.end() ? nullptr : &*node;
}

std::string BatchManager::script_for(const BatchNode& node, const std::string& token) const {
  const std::string folder = settings_.node_folder + "/" + node.name;
  const std::string agent = settings_.node_programs + "/nodeagent";
  std::string script = "#!/bin/sh\nmkdir -p -m 700 " + shell_word(folder) +
                       " || exit 1\nexport DMM_TOKEN=" + shell_word(token) + "\nexec " + shell_word(agent);
  const auto add = [&](const char* option, const std::string& value) {
    script += std::string(" ") + option + " " + shell_word(value);
  };
  add("--directory", folder);
  add("--cluster", std::string(settings_.cluster.text));
  add("--processors", std::to_string(node.processors));
  add("--memory-bytes", std::to_string(node.memory_bytes));
  add("--grace", std::to_string(settings_.grace.in_seconds()));
  for (const std::string& setting : settings_.node_settings) add("--set", with_name(setting, node.name));
  return script + " >>" + shell_word(folder + "/pilot.log") + " 2>&1\n";
}

BatchManagerView BatchManager::view() const {
  return {looking_.fault,
          looking_.succeeded,
          looking_.took,
          standings_,
          snapshot_.waiting,
          borrower_.fault(),
          borrower_.standings(snapshot_)};
}

}  // namespace dmm
