// What `show` prints in a scenario; see scenario.hpp.
#include <stdexcept>

#include "protocol/text.hpp"
#include "scenario.hpp"
#include "simulator/checkers/timeline.hpp"

namespace dmm {
namespace {

std::string_view to_text(LocalRequest::Search search) {
  switch (search) {
    case LocalRequest::Search::ready: return "ready";
    case LocalRequest::Search::out: return "out";
    case LocalRequest::Search::pausing: return "pausing";
    case LocalRequest::Search::home: return "at home";
    case LocalRequest::Search::gathering: return "gathering";
  }
  return "unknown";
}

std::string_view to_text(UsageRecord::Direction direction) {
  switch (direction) {
    case UsageRecord::Direction::lent: return "lent to ";
    case UsageRecord::Direction::borrowed: return "borrowed from ";
    case UsageRecord::Direction::own: return "own use";
  }
  return "unknown";
}

std::string chain_text(const SiteNames& chain) {
  std::string text;
  for (const SiteName& site : chain) text += (text.empty() ? "" : " > ") + site.text;
  return text;
}

}  // namespace

void Scenario::show(const Words& words) {
  const std::string& what = words.at(1);
  if (what == "jobs") return show_jobs();
  if (what == "messages") return show_messages(words);
  if (what == "chain" || what == "why") return show_job(what, words.at(2));
  if (what != "queue" && what != "leases" && what != "usage")
    throw std::runtime_error("there is no \"show " + what +
                             "\": show queue, leases, usage, chain, why, jobs or messages");
  const Driver<SiteManager>* site = world_->site(named(words.at(2), Role::site_manager).site);
  if (!site) return line(words[2] + " is down");
  if (what == "queue") return show_queue(site->manager);
  if (what == "leases") return show_leases(site->manager);
  show_usage(site->manager);
}

void Scenario::show_queue(const SiteManager& site) {
  if (site.queue().size() == 0) line("nothing waits");
  for (const auto& [arrival, request] : site.queue().all())
    line(dmm::to_text(request->request.id) + " " + std::to_string(request->kind->processors) + " processors, " +
         std::string(to_text(request->search)) + ", round " + std::to_string(request->round) + ", " +
         std::to_string(request->tries) + " tries");
}

void Scenario::show_leases(const SiteManager& site) {
  if (site.leases().size() == 0) line("no leases");
  for (const LeaseId& id : site.leases().all()) {
    const HopLease& lease = site.leases().get(id);
    std::string text = dmm::to_text(id) + " " + std::to_string(processors_of(lease.nodes)) + " processors";
    if (!lease.chain.empty()) text += ", chain " + chain_text(lease.chain);
    for (const auto& [request, held] : lease.handed_out) text += ", held by " + dmm::to_text(request);
    if (lease.wanted) text += ", wanted";
    if (!lease.cleaning.empty()) text += ", " + std::to_string(processors_of(lease.cleaning)) + " being cleaned";
    line(text);
  }
}

void Scenario::show_usage(const SiteManager& site) {
  for (const UsageRecord& record : site.usage().records()) {
    char amount[64];
    std::snprintf(amount, sizeof amount, "%.1f", static_cast<double>(record.processor_microseconds) / 1e6);
    line(dmm::to_text(record.lease) + " for " + dmm::to_text(record.request) + ": " +
         std::string(to_text(record.direction)) + record.peer.text + ", " + std::to_string(record.processors) +
         " processors, " + amount + " processor seconds");
  }
}

void Scenario::show_job(const std::string& verb, const std::string& text) {
  const auto id = parse_request_id(text);
  if (!id) throw std::runtime_error("expected SITE/USER/JOB");
  named(id->site.text + "/" + id->user);
  if (verb == "why") {
    const Driver<SiteManager>* site = world_->site(id->site);
    if (!site) return line(id->site.text + " is down");
    const WaitView why = site->manager.why(world_->now(), *id);
    std::string answer = text + " " + std::string(dmm::to_text(why.reason));
    if (!why.asking.empty()) answer += " " + why.asking.text;
    if (!why.behind.empty()) answer += " " + dmm::to_text(why.behind);
    for (const SiteAnswer& one : why.answers)
      answer += "; " + one.site.text + " " + std::string(dmm::to_text(one.reason));
    return line(answer);
  }
  const auto* jobs = world_->job_manager(job_manager_of(id->site, id->user));
  const auto job = jobs ? jobs->manager.job(id->job) : std::nullopt;
  if (!job || job->places.empty()) return line(text + " has no chain");
  std::string chains;
  for (const Place& place : job->places) chains += (chains.empty() ? "" : " + ") + chain_text(place.chain);
  line(text + " " + chains + " (" + std::string(dmm::to_text(job->origin)) + ", tries " +
       std::to_string(job->tries) + ")");
}

void Scenario::show_jobs() {
  for (const Party& party : world_->parties()) {
    if (party.role != Role::job_manager) continue;
    const auto* driver = world_->job_manager(party);
    if (!driver) {
      line(short_name(party) + " is down");
      continue;
    }
    for (const JobView& job : driver->manager.jobs()) {
      std::string text = dmm::to_text(job.request) + " " + std::string(dmm::to_text(job.state));
      for (const Place& place : job.places)
        text += (&place == &job.places.front() ? " at " : " and ") + place.lease.owner.text;
      if (!job.text.empty()) text += ": " + job.text;
      line(text);
    }
  }
}

void Scenario::show_messages(const Words& words) {
  std::map<std::string, std::uint64_t> sent;
  world_->end_all_quiet();
  for (const Party& party : world_->parties()) {
    if (party.role != Role::site_manager || !world_->is_up(party)) continue;
    for (const auto& [type, count] : world_->site(party.site)->endpoint.counters().sent)
      sent[std::string(name_of(type))] += count;
  }
  std::string text = "sites sent";
  for (std::size_t i = 2; i < words.size(); ++i)
    text += (i > 2 ? ", " : " ") + words[i] + " " + std::to_string(sent[words[i]]);
  line(text);
}

}  // namespace dmm
