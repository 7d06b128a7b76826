// The resource manager's door: inputs, the gate, contact, and what time calls for. What it does for its owner is
// in leasing.cpp, what it does for job managers in running.cpp, what it keeps in its ledger in recovery.cpp.
#include "resmgr/resource_manager.hpp"

#include <algorithm>
#include <utility>

#include "manager/assert.hpp"
#include "manager/planted.hpp"
#include "protocol/inventory.hpp"
#include "protocol/text.hpp"

namespace dmm {

namespace {

/// Whether a message that names a request names one of the sender's own.
bool speaks_for_itself(const Party& from, const Message& message) {
  return std::visit(
      [&](const auto& body) {
        if constexpr (requires { body.request.user; })
          return !body.request.empty() && from == job_manager_of(body.request);
        else
          return true;
      },
      message);
}

}  // namespace

static_assert(IsManager<ResourceManager>);

ResourceManager::ResourceManager(ResourceManagerSettings settings, Duration keep)
    : settings_(std::move(settings)),
      site_(site_manager_of(settings_.site)),
      presence_(site_, settings_.term),
      black_holes_(settings_.set_aside_after, settings_.set_aside_for),
      keep_(keep) {
  DMM_ASSERT(settings_.term > Duration{});
  number_nodes();
}

ResourceManager::ResourceManager(ResourceManager&&) noexcept = default;
ResourceManager& ResourceManager::operator=(ResourceManager&&) noexcept = default;
ResourceManager::~ResourceManager() = default;

// ---- driving ---------------------------------------------------------------------------------------------------

void ResourceManager::receive(Instant now, Received&& message, Effects& effects) {
  DMM_ASSERT(now >= now_);
  now_ = now;
  on(now, message, effects);
}

void ResourceManager::receive(Instant now, Input input, Effects& effects) {
  DMM_ASSERT(now >= now_);
  now_ = now;
  std::visit([&](auto& event) { on(now, event, effects); }, input);
}

void ResourceManager::settle(Instant now, Effects& effects) {
  DMM_ASSERT(now >= now_);
  now_ = now;
  if (std::exchange(resume_due_, false)) resume(now, effects);
  for (const std::uint64_t number : presence_.take_fenced(now)) fence(now, number, effects);
  // Before the due times: a Start whose lease was assigned in this batch isn't late.
  for (const Epoch lease : touched_.take()) {
    for (const std::uint64_t number : tasks_.parked_of(lease)) consider(now, tasks_.at(number), effects);
    perhaps_idle_.add(lease);
  }
  for (const TaskId& id : tasks_.take_due(now)) give_up_or_forget(now, id, effects);
  watch_idle(now);
  for (const Epoch lease : idle_.take(now)) end_idle(now, lease, effects);
  while (tasks_.ended() > settings_.outcomes_max) remove(*tasks_.first_ended(), effects);
  keep_tasks(now, effects);
  say_set_aside(now, effects);
  register_if_due(effects);
  const std::vector<Epoch>& leases = changed_leases_.take();
  const std::vector<TaskId>& tasks = changed_tasks_.take();
  record_changes(leases, tasks, effects);
  check_changes(leases, tasks);
}

Instant ResourceManager::next_deadline() const {
  if (resume_due_) return now_;
  const Instant keep = tasks_.live() > 0 ? keep_due_ : never;
  return std::min({presence_.next_fence(), tasks_.next_due(), black_holes_.next_back(), idle_.next(), keep});
}

bool ResourceManager::stop_all(Instant now, Duration grace, Effects& effects) {
  stopping_ = true;
  for (const std::uint64_t number : tasks_.open()) {
    TaskRecord& task = tasks_.at(number);
    if (task.is_live())
      order_end(now, task, grace, EndKind::lease_ended, effects, LeaseEnd::node_removed);
    else
      fail(now, task, StartFault::no_lease, "the resource manager is being stopped", effects);
  }
  return tasks_.live() == 0;
}

// ---- the gate --------------------------------------------------------------------------------------------------

void ResourceManager::on(Instant now, Received& received, Effects& effects) {
  presence_.heard(now, received.from);
  if (received.from.role == Role::site_manager && received.round_trip > Duration{})
    site_round_trip_ = std::min(received.round_trip, round_trip_max);
  const std::uint16_t type = type_of(received.message);
  // A Fault is never answered: two parties that don't understand each other would never stop.
  if (!hand(now, received, effects) && type != Fault::type) {
    ++ignored_["not_allowed"];
    const std::string text = to_text(received.from) + " may not send this to " +
                             to_text(resource_manager_of(settings_.site, settings_.name));
    effects.log(Level::warning, "refuse", received.trace,
                {{"message", std::string(name_of(type))}, {"reason", text}});
    effects.send(received.from, Fault{type, text}, received.trace);
  }
}

/// To the handler for this message from a sender of this role; false: the sender may not say it. An owner is the site
/// manager of our own site, and a user speaks of its own requests only (docs/protocol.md S15).
bool ResourceManager::hand(Instant now, Received& received, Effects& effects) {
  const Party& from = received.from;
  const auto handle = [&]<class Sender, class Body>(const Sender& sender, Body& body)
    requires requires { this->on(now, sender, body, effects); }
  { this->on(now, sender, body, effects); };
  const auto give = [&](const auto& sender) {
    return dispatch<Role::resource_manager>(sender, received.message, handle);
  };
  switch (from.role) {
    case Role::site_manager: return from == site_ && give(FromSite{from});
    case Role::job_manager: return speaks_for_itself(from, received.message) && give(FromUser{from});
    case Role::resource_manager: return give(FromProvider{from});
    case Role::client: return give(FromClient{from});
  }
  return false;
}

// ---- contact ---------------------------------------------------------------------------------------------------

/// A new session ends nothing: the owner compares what we register with what it believes, and says what differs.
void ResourceManager::on(Instant now, const LinkUp& change, Effects& effects) {
  presence_.up(change.peer);
  if (DMM_PLANT(own_restart_ends_leases) && change.restarted && change.peer == site_)
    for (const std::uint64_t number : tasks_.open())
      if (TaskRecord& task = tasks_.at(number); task.is_live()) order_end(now, task, {}, EndKind::lease_ended, effects);
  if (change.peer != site_) return;
  if (change.round_trip > Duration{}) site_round_trip_ = std::min(change.round_trip, round_trip_max);
  register_due_ = true;
  for (const Epoch epoch : leases_.keys()) perhaps_idle_.add(epoch);  // what was said of them may be lost
}

void ResourceManager::on(Instant now, const LinkDown& change, Effects&) {
  presence_.down(now - change.silent, change.peer);
}

/// Offers the nodes, once nothing runs any more of which we don't know where: the site may lease at once.
void ResourceManager::register_if_due(Effects& effects) {
  if (!register_due_ || !strays_.empty() || !presence_.owner_is_up() || stopping_) return;
  register_due_ = false;
  Register offer;
  offer.cluster = settings_.cluster;
  offer.nodes = numbers_.size();
  offer.absent = numbers_.absent();
  offer.processors_per_node = settings_.processors_per_node;
  offer.memory_bytes = settings_.memory_bytes;
  offer.attributes = settings_.attributes;
  offer.endpoint = settings_.endpoint;
  for (const Epoch epoch : leases_.keys()) {
    offer.leases.push_back({settings_.site, epoch});
    offer.leased.push_back(leases_.at(epoch).nodes);
  }
  offer.dirty = slots_.dirty();
  for (Register& part : parts_of(std::move(offer))) effects.send(site_, std::move(part));
  for (SetAside& aside : black_holes_.aside()) effects.send(site_, std::move(aside));
}

/// Rule: heard neither the owner nor the job manager for a term. The lease stays, unusable, until the owner takes
/// it. A detached task has left its lease already.
void ResourceManager::fence(Instant now, std::uint64_t number, Effects& effects) {
  if (DMM_PLANT(no_self_fence)) return;
  TaskRecord& task = tasks_.at(number);
  effects.log(Level::warning, "fence", task.id.request,
              {{"lease", to_text(LeaseId{settings_.site, task.lease})}, {"nodes", to_text(task.nodes)}});
  const bool is_detached = task.due != never;
  order_end(now, task, Duration{}, EndKind::fenced, effects);
  Lease* lease = leases_.find(task.lease);
  if (lease == nullptr || is_detached) return;
  lease->fenced = true;
  touched_.add(task.lease);
  changed_leases_.add(task.lease);
}

/// The keeper ends tasks by itself if it isn't told for so long that this manager lives.
void ResourceManager::keep_tasks(Instant now, Effects& effects) {
  if (tasks_.live() == 0 || now < keep_due_) return;
  const Duration keep = keep_ > Duration{} ? keep_ : settings_.term;
  keep_due_ = now + keep / 4;
  effects.tasks.push_back(KeepTasks{keep});
}

// ---- nodes that swallow jobs -----------------------------------------------------------------------------------

/// What the end of a task says about its nodes. Only what isn't the program's or the user's own doing counts.
void ResourceManager::judge_nodes(Instant now, const TaskRecord& task, const TaskEnded& report) {
  const bool is_lost = report.kind == EndKind::lost;
  const bool is_not_started = report.kind == EndKind::start_failed;
  if (!is_lost && !is_not_started) return black_holes_.ran(task.nodes);
  if (is_lost && report.keeper_died) return died_with_keeper_.push_back(task.id.request);
  if (is_lost && task.cause) return;  // it was to end anyway
  const bool is_our_directory = report.fault == StartFault::no_directory && task.own_directory;
  if (!is_lost && report.fault != StartFault::resources && !is_our_directory) return;
  black_holes_.failed(now, task.nodes, task.id.request, report.text.empty() ? "lost" : report.text);
}

/// Whether a keeper that died had tasks of several users: those whose end isn't reported yet still count as live.
bool ResourceManager::died_with_others(const RequestId& request) const {
  const Party user = job_manager_of(request);
  const auto is_others = [&](const RequestId& one) { return job_manager_of(one) != user; };
  const auto is_live_of_others = [&](std::uint64_t number) {
    return tasks_.at(number).is_live() && is_others(tasks_.at(number).id.request);
  };
  return std::ranges::any_of(died_with_keeper_, is_others) || std::ranges::any_of(tasks_.open(), is_live_of_others);
}

void ResourceManager::say_set_aside(Instant now, Effects& effects) {
  if (!died_with_keeper_.empty())
    black_holes_.keeper_died(now, slots_.present(), std::exchange(died_with_keeper_, {}));
  black_holes_.bring_back(now);
  for (SetAside& news : black_holes_.take_news()) {
    if (news.back)
      effects.log(Level::info, "bring_back", {}, {{"nodes", to_text(news.nodes)}});
    else
      effects.log(Level::warning, "set_aside", {}, {{"nodes", to_text(news.nodes)}, {"reason", news.text}});
    effects.send(site_, std::move(news));
  }
}

// ---- for people ------------------------------------------------------------------------------------------------

ResourceManagerView ResourceManager::view() const {
  ResourceManagerView view;
  view.nodes_total = slots_.total();
  view.nodes_free = slots_.free();
  view.nodes_leased = slots_.leased();
  view.registered = presence_.owner_is_up() && !register_due_;
  view.counts = counts_;
  for (const Epoch epoch : leases_.keys()) {
    const Lease& lease = leases_.at(epoch);
    const auto tasks = static_cast<std::uint32_t>(slots_.tasks_on(lease.nodes).size());
    view.leases.push_back({{settings_.site, epoch}, lease.holder, lease.nodes, lease.fenced, tasks});
  }
  for (const TaskRecord& task : tasks_.all())
    view.tasks.push_back({task.id, {settings_.site, task.lease}, task.nodes, task.state, task.process, task.since});
  for (const auto& [node, suspect] : black_holes_.all()) {
    if (suspect.until == never) continue;
    if (view.aside.empty() || view.aside.back().until != suspect.until || view.aside.back().reason != suspect.text)
      view.aside.push_back({{}, suspect.until, suspect.text});
    append(view.aside.back().nodes, node);
  }
  return view;
}

}  // namespace dmm
