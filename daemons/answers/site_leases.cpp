// Leases with a hop at a site, and what they used.
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "daemons/answers/site_lists.hpp"
#include "protocol/text.hpp"

namespace dmm {
namespace {

using views::in_seconds;
using views::Json;
using views::site_page;

std::string_view text(LeaseState state) {
  switch (state) {
    case LeaseState::offered: return "offered";
    case LeaseState::active: return "active";
    case LeaseState::ending: return "ending";
  }
  return "unknown";
}

std::string_view text(UsageRecord::Direction direction) {
  switch (direction) {
    case UsageRecord::Direction::lent: return "lent";
    case UsageRecord::Direction::borrowed: return "borrowed";
    case UsageRecord::Direction::own: return "own";
  }
  return "unknown";
}

Json nodes_of(const std::vector<NodeGroup>& groups) {
  Json list = Json::array();
  for (const NodeGroup& group : groups)
    list.push_back({{"resource_manager", to_text(group.resource_manager)},
                    {"cluster", group.cluster.text},
                    {"nodes", to_text(group.nodes)},
                    {"processors", processors_of(group)}});
  return list;
}

Json lease_of(const SiteManager& site, const ViewTime& time, const HopLease& lease) {
  const auto neighbour = [&](const std::optional<std::size_t>& index) {
    return index ? Json(site.neighbours()[*index].site.text) : Json(nullptr);
  };
  Json users = Json::array();
  for (const auto& [request, nodes] : lease.handed_out)
    users.push_back({{"request", to_text(request)}, {"processors", processors_of(nodes)}});
  return {{"lease", to_text(lease.id)},
          {"state", text(lease.state)},
          {"request", to_text(lease.request)},
          {"from", neighbour(lease.upstream)},
          {"to", neighbour(lease.downstream)},
          {"chain", views::texts(lease.chain)},
          {"processors", processors_of(lease.nodes)},
          {"processors_granted", lease.processors},
          {"nodes", nodes_of(lease.nodes)},
          {"cleaning", nodes_of(lease.cleaning)},
          {"handed_out", std::move(users)},
          {"wanted", lease.wanted},
          {"granted", views::date(time, lease.granted)},
          {"jobs", lease.jobs},
          {"taken_back", views::date(time, lease.limit() == never ? std::nullopt : std::optional(lease.limit()))},
          {"expected_seconds_left", views::seconds_left(time, lease.expected_until)},
          {"from_seconds_left", views::seconds_left(time, lease.upstream_until)},
          {"to_seconds_left", views::seconds_left(time, lease.downstream_until)}};
}

/// The usage so far of leases that haven't ended.
using Running = std::map<std::pair<UsageRecord::Direction, SiteName>, UsageTotal>;

Running running_usage(const SiteManager& site, Instant now) {
  Running sums;
  for (const LeaseId& id : site.leases().all()) {
    const HopLease& lease = site.leases().get(id);
    const auto held = static_cast<std::uint64_t>((now - lease.granted).microseconds);
    const auto note = [&](UsageRecord::Direction direction, std::optional<std::size_t> peer) {
      UsageTotal& sum = sums[{direction, peer ? site.neighbours()[*peer].site : SiteName()}];
      ++sum.leases;
      sum.processor_microseconds += lease.processor_microseconds + processors_of(lease.nodes) * held;
    };
    if (lease.downstream) note(UsageRecord::Direction::lent, lease.downstream);
    if (lease.upstream) note(UsageRecord::Direction::borrowed, lease.upstream);
    if (!lease.upstream && !lease.downstream) note(UsageRecord::Direction::own, std::nullopt);
  }
  return sums;
}

}  // namespace

Answer answer_leases(const SiteManager& site, const ViewTime& time, const Ask& ask, const Json& argument) {
  const std::size_t limit = views::limit_in(argument, site_page / 2, site_page);
  AnswerRows rows(limit, views::list_bytes);
  Json list = Json::array();
  for (const LeaseId& id : site.leases().all())
    if (rows.is_full() || !views::add_row(list, lease_of(site, time, site.leases().get(id)), rows)) break;
  return views::answer(ask, {{"total", site.leases().size()}, {"leases", std::move(list)}});
}

Answer answer_usage(const SiteManager& site, const ViewTime& time, const Ask& ask, const Json& argument) {
  const auto& records = site.usage().records();
  Json totals = Json::array(), list = Json::array();
  Running all = running_usage(site, time.now);
  for (const auto& [key, sum] : site.usage_totals()) all.try_emplace(key);
  for (const auto& [key, running] : all) {
    const auto ended = site.usage_totals().find(key);
    const UsageTotal sum = ended == site.usage_totals().end() ? UsageTotal{} : ended->second;
    totals.push_back({{"direction", text(key.first)},
                      {"site", key.second.text},
                      {"records", sum.leases},
                      {"processor_seconds", in_seconds(sum.processor_microseconds)},
                      {"running", running.leases},
                      {"running_processor_seconds", in_seconds(running.processor_microseconds)}});
  }
  const std::size_t limit = std::min(views::limit_in(argument, site_page, site_page), records.size());
  for (std::size_t i = records.size() - limit; i < records.size(); ++i)
    list.push_back({{"lease", to_text(records[i].lease)},
                    {"request", to_text(records[i].request)},
                    {"direction", text(records[i].direction)},
                    {"site", records[i].peer.text},
                    {"processors", records[i].processors},
                    {"granted", views::date(time, records[i].granted)},
                    {"ended", views::date(time, records[i].ended)},
                    {"processor_seconds", in_seconds(records[i].processor_microseconds)}});
  return views::answer(ask,
                       {{"total", records.size()}, {"sums", std::move(totals)}, {"records", std::move(list)}});
}

}  // namespace dmm
