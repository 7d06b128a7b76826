// Carries out the acts of a random run on its world.
#include "protocol/text.hpp"
#include "simulator/checkers/timeline.hpp"
#include "simulator/faults/fault_run.hpp"

namespace dmm {
namespace {

/// For this long after an act a grid may still be on its way to fair shares.
constexpr Duration unsettled_for = seconds(60);

}  // namespace

void FaultRun::perform(const Act& act) {
  std::string line = stamp(world_->now()) + " ** " + std::string(to_text(act.kind));
  for (const Party& party : {act.a, act.b})
    if (!party.site.empty()) line += " " + short_name(party);
  note(std::move(line));
  note_act(act);
  if (lost_time_.note(act, world_->now())) checkers_.excuse(act.a);
  if (std::string fault = isolation_watch_.note(*world_, act); !fault.empty()) late_fault_ = fault;
  perform_on(act);
  tell();
}

/// Notes what the checks of this run need to know about an act.
void FaultRun::note_act(const Act& act) {
  using Kind = Act::Kind;
  interruption_watch_.note(act, world_->now());
  if (act.kind != Kind::submit && act.kind != Kind::cancel) shares_watch_.excuse(world_->now() + unsettled_for);
  if (act.kind == Kind::drift || act.kind == Kind::jump || act.kind == Kind::slow_disk ||
      act.kind == Kind::report_late)
    has_chances_ = true;
  reach_.note(act, world_->now());
}

void FaultRun::perform_on(const Act& act) {
  using Kind = Act::Kind;
  const bool is_up = !act.a.site.empty() && world_->is_up(act.a);
  switch (act.kind) {
    case Kind::submit: return submit(act);
    case Kind::cancel: return cancel(act);
    case Kind::cut: return world_->cut(act.a, act.b);
    case Kind::cut_one_way: return world_->cut_one_way(act.a, act.b);
    case Kind::heal: return world_->heal(act.a, act.b);
    case Kind::reset: return world_->reset(act.a, act.b);
    case Kind::crash:
    case Kind::crash_host:
      if (is_up) world_->crash(act.a, act.kind == Kind::crash ? Crash::process : Crash::host);
      return;
    case Kind::restart:
      if (!is_up) world_->restart(act.a);
      return;
    case Kind::pause:
      if (is_up) world_->pause(act.a);
      return;
    case Kind::freeze:
      if (is_up) world_->freeze(act.a);
      return;
    case Kind::resume:
      if (is_up) world_->resume(act.a);
      return;
    case Kind::unreachable: return world_->set_reachable(act.a, false);
    case Kind::drift: return world_->drift(act.a, act.rate);
    case Kind::jump: return world_->jump(act.a, act.length);
    case Kind::slow_disk: return world_->slow_disk(act.a, act.length);
    case Kind::reclaim: return world_->reclaim(act.a.site, act.b.site.text, act.length);
    case Kind::drain: return world_->drain(act.a.site, act.b.site);
    case Kind::end_drains: return world_->end_drains();
    case Kind::isolate: return world_->isolate(act.a);
    case Kind::rejoin:
      for (const Party& other : world_->parties()) world_->heal(act.a, other);
      return;
    case Kind::crash_in_commit:
      commit_crashes_.doom(act.a, act.length);
      return world_->slow_disk(act.a, seconds(1));
    case Kind::resize:
      world_->resize(act.a, static_cast<std::uint32_t>(act.number));
      return configure_sizes(act.a.site);
    case Kind::part: return connect(act, false);
    case Kind::link: return connect(act, true);
    case Kind::report_late: return world_->report_late(act.a, act.length);
    case Kind::lose_programs: return world_->lose_programs(act.a);
    case Kind::rotate_key: return world_->rotate_key(act.a, act.length);
    case Kind::take_key: return world_->take_key(act.a);
    case Kind::rotate_site_key: return world_->rotate_site_key(act.a);
    case Kind::revoke_key: return world_->revoke_key(act.a);
    case Kind::impersonate: return world_->impersonate(act.a, act.b);
    case Kind::clone: return world_->clone(act.a);
    case Kind::hand_back:
      if (is_up) world_->hand_back(act.a, act.length);
      return;
  }
}

/// Writes the present sizes of a site's resource managers into its configuration.
void FaultRun::configure_sizes(const SiteName& name) {
  const TopologySite& site = world_->topology().sites[*find_site(world_->topology(), name)];
  SiteSettings settings = site.settings;
  for (ClusterSettings& cluster : settings.clusters) {
    cluster.nodes = 0;
    for (const ResourceManagerSettings& one : resource_managers_of(site)) {
      if (one.cluster != cluster.name) continue;
      cluster.nodes += reach_.nodes_of(resource_manager_of(name, one.name), one.nodes);
    }
  }
  world_->reconfigure(name, settings);
}

/// Configures both sites to know or forget the other one. A site that doesn't answer reads it at its next start.
void FaultRun::connect(const Act& act, bool connected) {
  for (const auto& [one, other] : {std::pair(act.a.site, act.b.site), std::pair(act.b.site, act.a.site)}) {
    const auto site = find_site(world_->topology(), one);
    SiteSettings settings = world_->topology().sites[*site].settings;
    std::erase_if(settings.neighbours,
                  [&](const NeighbourSettings& neighbour) { return neighbour.site == other; });
    if (connected)
      for (const NeighbourSettings& neighbour : run_.topology.sites[*site].settings.neighbours)
        if (neighbour.site == other) settings.neighbours.push_back(neighbour);
    if (const std::string fault = world_->reconfigure(one, settings); !fault.empty())
      note(stamp(world_->now()) + " ** " + one.text + " isn't configured: " + fault);
  }
}

void FaultRun::submit(const Act& act) {
  const std::uint64_t number = world_->submit(act.a, act.job);
  if (number == 0) return;
  outcomes_.accepted({act.a, number}, act.job);
  const Driver<JobManager>* driver = world_->job_manager(act.a);
  for (std::uint32_t i = 0; driver && i < act.job.array.size(); ++i)
    if (const auto element = driver->manager.element(number, act.job.array.index_at(i))) {
      JobDescription of_element = act.job;
      of_element.array = {};
      outcomes_.accepted({act.a, *element}, std::move(of_element));
    }
}

void FaultRun::cancel(const Act& act) {
  if (world_->cancel(act.a, act.number).empty()) outcomes_.cancelled({act.a, act.number});
}

}  // namespace dmm
