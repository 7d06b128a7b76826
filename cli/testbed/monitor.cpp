#include "cli/testbed/monitor.hpp"
#include "cli/terminal/json_text.hpp"

#include <algorithm>
#include <utility>

namespace dmm {
namespace {

constexpr Duration between_questions = milliseconds(500);
/// A site manager that was silent for this long counts as down.
constexpr Duration silence = seconds(3);

std::uint64_t sum_of(const Json& counts, std::initializer_list<const char*> states) {
  std::uint64_t sum = 0;
  for (const char* state : states) sum += counts.value(state, std::uint64_t{0});
  return sum;
}

ShortText root_of(const TopologySite& site) {
  return site.settings.ancestors.empty() ? site.name.text : site.settings.ancestors.back().text;
}

}  // namespace

Monitor::Monitor(ClientPool& pool, const Testbed& testbed, const Topology& topology) : pool_(pool) {
  for (const TestbedDaemon& daemon : testbed.daemons) {
    const auto position = find_site(topology, daemon.party.site);
    if (daemon.party.role == Role::resource_manager || !position) continue;
    const auto connected = pool.connect(daemon.party, daemon.endpoint);
    if (const auto* fault = std::get_if<std::string>(&connected)) {
      fault_ = *fault;
      return;
    }
    const std::size_t number = std::get<std::size_t>(connected);
    const TopologySite& site = topology.sites[*position];
    const auto root = std::find(roots_.begin(), roots_.end(), root_of(site));
    const auto grid = static_cast<std::size_t>(root - roots_.begin());
    if (root == roots_.end()) roots_.push_back(root_of(site));
    numbers_[daemon.party] = number;
    questions_[number] = {};
    if (daemon.party.role == Role::site_manager)
      sites_[number] = {.grid = grid, .processors = processors_of(site), .heard = {}};
    else
      jobs_[number] = {.grid = grid};
  }
}

void Monitor::ask_due(Instant now) {
  for (auto& [number, question] : questions_) {
    if (question.open || now < question.due) continue;
    question.open = true;
    question.due = now + between_questions;
    open_[pool_.ask(number, sites_.contains(number) ? "site" : "counts")] = number;
  }
}

bool Monitor::take(const Reply& reply, Instant now) {
  const auto token = open_.find(reply.token);
  if (token == open_.end()) return false;
  const std::size_t number = token->second;
  open_.erase(token);
  questions_[number].open = false;
  const Json json = Json::parse(reply.text, nullptr, false);
  if (!reply.fault.empty() || !json.is_object()) return true;
  if (!std::exchange(questions_[number].answered, true)) ++heard_;
  if (const auto site = sites_.find(number); site != sites_.end()) {
    site->second.busy = json.value("processors_busy", std::uint64_t{0});
    site->second.grants_local = json.value("grants_local", std::uint64_t{0});
    site->second.heard = now;
    return true;
  }
  Jobs& jobs = jobs_[number];
  const Json present = json.value("now", Json::object()), ever = json.value("ever", Json::object());
  jobs.waiting = sum_of(present, {"waiting"});
  jobs.running = sum_of(present, {"starting", "running", "ending", "collecting"});
  jobs.finished = sum_of(ever, {"finished"});
  jobs.ended = sum_of(ever, {"finished", "failed", "cancelled", "lost"});
  jobs.granted = sum_of(ever, {"starting"});
  return true;
}

void Monitor::fill(RunProgress& progress, Instant now) const {
  progress.grids.assign(roots_.size(), {});
  std::vector<std::uint64_t> at_home(roots_.size());
  for (std::size_t i = 0; i < roots_.size(); ++i) progress.grids[i].root = roots_[i];
  for (const auto& [number, site] : sites_) {
    GridProgress& grid = progress.grids[site.grid];
    ++grid.sites;
    grid.sites_up += site.heard != Instant{} && now - site.heard < silence ? 1 : 0;
    grid.processors += site.processors;
    grid.processors_busy += site.busy;
    at_home[site.grid] += site.grants_local;
  }
  progress.ended = progress.failed = 0;
  for (const auto& [number, jobs] : jobs_) {
    GridProgress& grid = progress.grids[jobs.grid];
    grid.waiting += jobs.waiting;
    grid.running += jobs.running;
    grid.finished += jobs.ended;
    grid.delegated += jobs.granted;
    progress.ended += jobs.ended;
    progress.failed += jobs.ended - jobs.finished;
  }
  // Jobs that the home site's own nodes didn't serve got nodes from elsewhere.
  for (std::size_t i = 0; i < roots_.size(); ++i)
    progress.grids[i].delegated -= std::min(progress.grids[i].delegated, at_home[i]);
}

std::uint64_t Monitor::ended() const {
  std::uint64_t sum = 0;
  for (const auto& [number, jobs] : jobs_) sum += jobs.ended;
  return sum;
}

std::uint64_t Monitor::activity() const {
  std::uint64_t sum = 0;
  for (const auto& [number, jobs] : jobs_) sum += jobs.ended + jobs.granted;
  return sum;
}

}  // namespace dmm
