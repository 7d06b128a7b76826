#include "simulator/faults/fault_plan.hpp"

#include <algorithm>

namespace dmm {
namespace {

class FaultPlan {
 public:
  FaultPlan(RandomRun& run, Dice& dice)
      : run_(run), dice_(dice), seconds_((run.trouble_ends - Instant{}).in_seconds()) {
    list_parties();
  }

  void plan() {
    if (run_.trouble == Trouble::gentle) return gentle();
    if (run_.trouble == Trouble::life) return operators(3);  // no faults, but many changes
    network();
    // A set of faults for every 100 s. A run of more than an hour has as many as one of an hour.
    for (double left = seconds_ / run_.stretch; left > 0; left -= 100) {
      links();
      crashes();
      pauses();
      if (run_.trouble == Trouble::harsh) machines();
    }
    for (const Party& manager : managers_)
      if (dice_.chance(0.1)) act({}, Act::Kind::unreachable, manager);
    if (run_.trouble != Trouble::harsh) return;
    clocks();
    disks();
    owners();
  }

  /// Certificates expire within the run if all clocks show the same.
  void keys() {
    const bool is_clocked = std::ranges::any_of(
        run_.acts, [](const Act& act) { return act.kind == Kind::drift || act.kind == Kind::jump; });
    const double life = is_clocked ? 90 * 86'400 : (120 + 480 * dice_.uniform()) * run_.stretch;
    run_.settings.certificate_life = from_seconds(life);
    Parties of_sites = managers_;
    of_sites.insert(of_sites.end(), users_.begin(), users_.end());
    for (double left = seconds_ / run_.stretch; left > 0; left -= 100) {
      for (std::uint32_t some = dice_.between(1, 3); some > 0; --some) rotation();
      for (std::uint32_t some = dice_.between(0, 2); some > 0; --some)
        some_act(Kind::impersonate, of_sites).b = dice_.pick(of_sites);
      if (dice_.chance(0.3)) some_act(Kind::clone, of_sites);
      if (run_.trouble == Trouble::harsh && dice_.chance(0.3)) revocation();
      if (dice_.chance(0.5)) some_act(Kind::rotate_site_key, sites_);
    }
  }

  /// A site manager rotates in two steps, any other manager as soon as it can.
  void rotation() {
    Act& rotate = some_act(Kind::rotate_key, all_);
    rotate.length = from_seconds(20 * dice_.uniform() * run_.stretch);
    const Act asked = rotate;
    if (asked.a.role == Role::site_manager) act(asked.at + asked.length, Kind::take_key, asked.a);
  }

  /// The operator gives the manager another key a little later.
  void revocation() {
    const Act revoked = some_act(Kind::revoke_key, all_);
    restart(revoked.a, revoked.at + from_seconds(40 * dice_.uniform()));
  }

  /// Acts of operators and properties of hosts: drawn last, so that older seeds keep their runs.
  void later() {
    if (run_.trouble == Trouble::none) return poison();
    if (run_.trouble == Trouble::gentle) return;
    hang();
    if (run_.trouble != Trouble::harsh) return;
    if (dice_.chance(0.3)) operators(1);
    if (managers_.empty()) return;
    if (dice_.chance(0.2)) some_act(Act::Kind::lose_programs, managers_);
    if (dice_.chance(0.2)) {
      Act& late = some_act(Act::Kind::report_late, managers_);
      late.length = from_seconds(5 * dice_.uniform());
    }
    poison();
    for (std::uint32_t left = dice_.chance(0.2) ? dice_.between(1, 3) : 0; left > 0; --left) hand_back();
  }

 private:
  using Kind = Act::Kind;
  using Parties = std::vector<Party>;

  void list_parties() {
    for (const TopologySite& site : run_.topology.sites) {
      sites_.push_back(site_manager_of(site.name));
      for (const auto& one : resource_managers_of(site))
        managers_.push_back(resource_manager_of(site.name, one.name));
      for (const std::string& user : site.users) users_.push_back(job_manager_of(site.name, user));
    }
    for (const Parties* some : {&sites_, &managers_, &users_}) all_.insert(all_.end(), some->begin(), some->end());
    for (const TopologyLink& link : links_of(run_.topology))
      links_.emplace_back(sites_[link.dialler], sites_[link.listener]);
    for (const Party& manager : managers_) links_.emplace_back(manager, site_manager_of(manager.site));
    for (const Party& user : users_) links_.emplace_back(user, site_manager_of(user.site));
    if (!managers_.empty())
      for (std::uint32_t i = 0; i < 3; ++i) {
        const Party& user = dice_.pick(users_);
        links_.emplace_back(user, dice_.pick(managers_));
      }
  }

  std::vector<std::pair<Party, Party>> links_of_sites() const {
    std::vector<std::pair<Party, Party>> between_sites;
    for (const auto& link : links_)
      if (link.first.role == Role::site_manager) between_sites.push_back(link);
    return between_sites;
  }

  Act& act(Instant at, Kind kind, const Party& a, const Party& b = {}) {
    Act act;
    act.at = std::min(at, run_.trouble_ends);
    act.kind = kind;
    act.a = a;
    act.b = b;
    return run_.acts.emplace_back(std::move(act));
  }
  /// An act on one of the parties at a random time.
  Act& some_act(Kind kind, const Parties& of) {
    const Instant at = dice_.within(0, 0.9 * seconds_);
    return act(at, kind, dice_.pick(of));
  }
  /// Short faults are more likely than long ones.
  void trouble(Kind begin, Kind end, const std::pair<Party, Party>& parties, double longest) {
    const Instant from = dice_.within(0, 0.8 * seconds_);
    act(from, begin, parties.first, parties.second);
    act(from + from_seconds(longest * dice_.uniform() * dice_.uniform()), end, parties.first, parties.second);
  }
  void some(const Parties& of, std::uint32_t most, Kind begin, Kind end, double longest) {
    for (std::uint32_t left = of.empty() ? 0 : dice_.between(0, most); left > 0; --left)
      trouble(begin, end, {dice_.pick(of), {}}, longest);
  }
  void some_links(std::uint32_t most, Kind begin, Kind end, double longest) {
    for (std::uint32_t left = links_.empty() ? 0 : dice_.between(0, most); left > 0; --left)
      trouble(begin, end, dice_.pick(links_), longest);
  }

  void network() {
    if (dice_.chance(0.3)) run_.loss = 0.03 * dice_.uniform();
    if (dice_.chance(0.3)) run_.doubling = 0.05 * dice_.uniform();
    if (run_.trouble != Trouble::harsh || !dice_.chance(0.3)) return;
    run_.stall = 0.02 * dice_.uniform();
    run_.stall_max = from_seconds(5 * dice_.uniform());
  }

  void links() {
    some_links(6, Kind::cut, Kind::heal, 40);
    if (run_.trouble != Trouble::harsh) return;
    if (dice_.chance(0.5)) isolation();
    some_links(3, Kind::cut_one_way, Kind::heal, 40);
    for (std::uint32_t left = links_.empty() ? 0 : dice_.between(0, 6); left > 0; --left) {
      const auto& [a, b] = dice_.pick(links_);
      act(dice_.within(0, seconds_), Kind::reset, a, b);
    }
  }

  void crashes() {
    some(managers_, 3, Kind::crash, Kind::restart, 30);
    if (dice_.chance(0.5)) some(sites_, 2, Kind::crash, Kind::restart, 30);
    if (dice_.chance(0.3)) some(users_, 1, Kind::crash, Kind::restart, 30);
    if (run_.trouble != Trouble::harsh) return;
    if (dice_.chance(0.5)) some(sites_, 2, Kind::crash, Kind::restart, 30);
    if (dice_.chance(0.5)) some(users_, 3, Kind::crash, Kind::restart, 30);
  }

  void pauses() {
    if (dice_.chance(0.3)) some(sites_, 2, Kind::pause, Kind::resume, 25);
    if (dice_.chance(0.3)) some(managers_, 2, Kind::pause, Kind::resume, 25);
    if (dice_.chance(0.2)) some(users_, 1, Kind::pause, Kind::resume, 25);
  }

  void machines() {
    if (dice_.chance(0.5)) some(all_, 3, Kind::crash_host, Kind::restart, 40);
    if (dice_.chance(0.5))
      for (std::uint32_t left = dice_.between(1, 4); left > 0; --left)
        some_act(Kind::crash_in_commit, dice_.chance(0.6) ? sites_ : all_).length =
            from_seconds(3 * dice_.uniform());
    for (std::uint32_t left = dice_.between(0, 2); left > 0; --left) orphans();
    if (dice_.chance(0.3)) some(all_, 2, Kind::freeze, Kind::resume, dice_.chance(0.2) ? 70 : 20);
  }

  /// Long enough for all other managers to give up.
  void isolation() {
    const Party& party = dice_.pick(managers_.empty() || dice_.chance(0.4) ? all_ : managers_);
    const Instant at = dice_.within(5, 0.3 * seconds_);
    act(at, Kind::isolate, party);
    act(at + from_seconds(5 + (dice_.chance(0.4) ? 90 : 60 * dice_.uniform())), Kind::rejoin, party);
  }

  /// A site loses its leases, and its link to one of the neighbours that could name them is cut.
  void orphans() {
    const auto between_sites = links_of_sites();
    if (between_sites.empty()) return;
    const auto link = dice_.pick(between_sites);
    const Party& site = dice_.chance(0.5) ? link.second : link.first;
    const Instant at = dice_.within(5, 0.7 * seconds_);
    act(at, Kind::crash_host, site);
    act(at, Kind::cut, link.first, link.second);
    act(at + from_seconds(3 * dice_.uniform()), Kind::restart, site);
    act(at + from_seconds(12 + 20 * dice_.uniform()), Kind::heal, link.first, link.second);
  }

  void clocks() {
    if (dice_.chance(0.4))
      for (const Party& party : all_)
        if (dice_.chance(0.5)) act({}, Kind::drift, party).rate = std::int64_t{dice_.between(0, 100'000)} - 50'000;
    if (dice_.chance(0.3))
      for (std::uint32_t left = dice_.between(1, 3); left > 0; --left)
        some_act(Kind::jump, all_).length = from_seconds(dice_.exponential(5));
  }

  void disks() {
    if (!dice_.chance(0.4)) return;
    const Duration longest = from_seconds(dice_.chance(0.2) ? 3 : 0.3 * dice_.uniform());
    for (const Party& party : all_)
      if (dice_.chance(0.4))
        act(dice_.within(0, 60), Kind::slow_disk, party).length = longest + microseconds(1000);
  }

  void owners() {
    if (dice_.chance(0.3))
      for (std::uint32_t left = dice_.between(1, 4); left > 0; --left) reclaim();
    if (!dice_.chance(0.15)) return;
    Act& drain = some_act(Kind::drain, sites_);
    drain.b = dice_.pick(sites_);
  }

  void reclaim() {
    Act& reclaim = some_act(Kind::reclaim, sites_);
    if (dice_.chance(0.5)) reclaim.b = dice_.pick(sites_);
    if (dice_.chance(0.5)) reclaim.length = from_seconds(10 * dice_.uniform());
  }

  /// Some programs take long to die.
  void hang() {
    for (Act& act : run_.acts)
      if (act.kind == Kind::submit && act.job.program.arguments.front() == "stubborn" && dice_.chance(0.5))
        act.job.program.arguments.front() = "hanging";
  }

  /// Some programs kill their keeper, and with it all its other programs.
  void poison() {
    if (!dice_.chance(0.4)) return;
    std::uint32_t left = dice_.between(1, 3);
    for (Act& act : run_.acts) {
      const bool sleeps = act.kind == Act::Kind::submit && act.job.program.arguments.front() == "sleep";
      if (!sleeps || left == 0 || !dice_.chance(0.1)) continue;
      act.job.program.arguments.front() = "poison";
      --left;
    }
  }

  void operators(std::uint32_t most) {
    drains(most);
    resizes(most);
    for (std::uint32_t left = dice_.between(0, most); left > 0; --left)
      restart(dice_.pick(all_), dice_.within(5, 0.9 * seconds_));
    for (std::uint32_t left = dice_.between(0, most); left > 0; --left) partings();
  }

  /// Drains of a whole site or for one borrower; all drains end together.
  void drains(std::uint32_t most) {
    for (std::uint32_t left = dice_.between(0, most); left > 0; --left) {
      Act& drain = some_act(Kind::drain, sites_);
      drain.b = dice_.chance(0.6) ? drain.a : dice_.pick(sites_);
      act(drain.at + from_seconds(0.3 * seconds_ * dice_.uniform()), Kind::end_drains, {});
    }
  }

  void restart(const Party& party, Instant at) {
    act(at, Kind::crash, party);
    act(at + from_seconds(0.1 + 4.9 * dice_.uniform()), Kind::restart, party);
  }

  /// As a pilot does: programs left after the grace die with the resource manager. Another one comes later.
  void hand_back() {
    const Act given = some_act(Kind::hand_back, managers_);
    const Duration grace = from_seconds(dice_.chance(0.3) ? 0 : 8 * dice_.uniform());
    run_.acts.back().length = grace;
    const Instant end = given.at + grace + from_seconds(3 * dice_.uniform());
    act(end, Kind::lose_programs, given.a);
    act(end, Kind::crash, given.a);
    act(end + from_seconds(0.5 + 60 * dice_.uniform()), Kind::restart, given.a);
  }

  /// Nodes of a resource manager by configuration. A site gets up to twice as many, so that jobs don't wait for nodes
  /// that it will never have.
  std::uint32_t nodes_of(const Party& manager) const {
    for (const TopologySite& site : run_.topology.sites)
      for (const auto& one : resource_managers_of(site))
        if (resource_manager_of(site.name, one.name) == manager) return one.nodes;
    return 1;
  }

  void resizes(std::uint32_t most) {
    for (std::uint32_t left = managers_.empty() ? 0 : dice_.between(0, most); left > 0; --left) {
      const Instant at = dice_.within(5, 0.9 * seconds_);
      const Party& manager = dice_.pick(managers_);
      if (dice_.chance(0.5)) restart(manager, at);
      const std::uint32_t nodes = dice_.between(1, 12);
      act(at, Kind::resize, manager).number = run_.co_allocated ? std::min(nodes, 2 * nodes_of(manager)) : nodes;
    }
  }

  /// A site comes late, leaves, or leaves for a while.
  void partings() {
    const auto between_sites = links_of_sites();
    if (between_sites.empty()) return;
    const auto link = dice_.pick(between_sites);
    const Instant at = dice_.chance(0.3) ? Instant{} : dice_.within(5, 0.7 * seconds_);
    act(at, Kind::part, link.first, link.second);
    if (at > Instant{} && dice_.chance(0.3)) return;
    act(at + from_seconds(5 + 0.3 * seconds_ * dice_.uniform()), Kind::link, link.first, link.second);
  }

  /// One fault after the other. Each ends before half a term, with time to recover in between.
  void gentle() {
    if (dice_.chance(0.3)) run_.doubling = 0.05 * dice_.uniform();
    for (double at = 5 + 10 * dice_.uniform(); at < 0.9 * seconds_;
         at += run_.stretch * (18 + 10 * dice_.uniform())) {
      const Instant from = Instant{} + from_seconds(at);
      const Instant to = from + from_seconds(0.1 + 4.9 * dice_.uniform());
      if (dice_.chance(0.7) || links_.empty()) {
        const Party party = dice_.pick(all_);
        act(from, Kind::crash, party);
        act(to, Kind::restart, party);
      } else {
        const auto link = dice_.pick(links_);
        act(from, dice_.chance(0.3) ? Kind::cut_one_way : Kind::cut, link.first, link.second);
        act(to, Kind::heal, link.first, link.second);
      }
    }
  }

  RandomRun& run_;
  Dice& dice_;
  double seconds_;  ///< for which troubles begin
  Parties sites_, managers_, users_, all_;
  std::vector<std::pair<Party, Party>> links_;
};

}  // namespace

void plan_faults(RandomRun& run, Dice& dice) { FaultPlan(run, dice).plan(); }

void plan_keys(RandomRun& run) {
  Dice dice(run.settings.seed ^ 0x6b657973ULL);
  FaultPlan(run, dice).keys();
}

void plan_operators(RandomRun& run, Dice& dice) { FaultPlan(run, dice).later(); }

}  // namespace dmm
