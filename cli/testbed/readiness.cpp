#include "cli/testbed/readiness.hpp"
#include "cli/terminal/json_text.hpp"

#include <map>

#include "cli/terminal/figures.hpp"
#include "runtime/client.hpp"
#include "runtime/clock.hpp"

namespace dmm {
namespace {

/// The pause before a site that wasn't ready is asked again.
constexpr Duration again_after = milliseconds(25);

/// What a site still lacks, or nothing.
std::string missing_at(const TopologySite& site, const Json& view) {
  const auto processors = view.value("processors", std::uint64_t{0});
  const std::uint64_t expected = processors_of(site);
  if (processors < expected)
    return site.name.text + " has been offered " + grouped(processors) + " of " +
           count_text(expected, "processor");
  for (const Json& link : view.value("links", Json::array()))
    if (!link.value("up", false))
      return site.name.text + " has no contact with " + link.value("site", std::string("?"));
  const std::size_t users = view.value("job_managers", Json::array()).size() +
                            view.value("left_out", Json::object()).value("job_managers", std::size_t{0});
  if (users < site.users.size())
    return site.name.text + " has contact with " + std::to_string(users) + " of " +
           count_text(site.users.size(), "job manager");
  return {};
}

class Watch {
 public:
  Watch(const Testbed& testbed, const Topology& topology) {
    for (const TestbedDaemon& daemon : testbed.daemons) {
      if (daemon.party.role != Role::site_manager) continue;
      const auto number = pool_.connect(daemon.party, daemon.endpoint);
      const auto position = find_site(topology, daemon.party.site);
      if (const auto* fault = std::get_if<std::string>(&number))
        fault_ = *fault;
      else if (position)
        sites_[std::get<std::size_t>(number)] = {&topology.sites[*position], "its site manager says nothing"};
    }
  }

  std::string run(Duration at_most, Interrupts& interrupts) {
    for (const auto& [number, waiting] : sites_) pool_.ask(number, "site");
    const Instant end = monotonic_now() + at_most;
    while (fault_.empty() && !sites_.empty() && monotonic_now() < end && !interrupts.any()) {
      for (const Reply& reply : pool_.poll(again_after)) take(reply);
      if (monotonic_now() >= next_round_) ask_again();
    }
    if (!fault_.empty() || sites_.empty()) return fault_;
    const Waiting& one = sites_.begin()->second;
    return one.missing.starts_with("its ") ? one.site->name.text + ": " + one.missing : one.missing;
  }

 private:
  struct Waiting {
    const TopologySite* site = nullptr;
    std::string missing;
    bool asked = true;
  };

  void take(const Reply& reply) {
    const auto waiting = sites_.find(reply.manager);
    if (waiting == sites_.end()) return;
    const Json view = Json::parse(reply.text, nullptr, false);
    waiting->second.asked = false;
    waiting->second.missing = view.is_object() ? missing_at(*waiting->second.site, view) : reply.fault + "?";
    if (waiting->second.missing.empty()) sites_.erase(waiting);
  }

  void ask_again() {
    next_round_ = monotonic_now() + again_after;
    for (auto& [number, waiting] : sites_) {
      if (waiting.asked) continue;
      waiting.asked = true;
      pool_.ask(number, "site");
    }
  }

  ClientPool pool_;
  std::map<std::size_t, Waiting> sites_;
  std::string fault_;
  Instant next_round_{};
};

}  // namespace

Readiness wait_until_linked(const Testbed& testbed, const Topology& topology, Duration at_most,
                            Interrupts& interrupts) {
  return {Watch(testbed, topology).run(at_most, interrupts)};
}

}  // namespace dmm
