// What tests of the site manager's parts share: a small site with one cluster, two neighbours and a queue.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "matchmaking/policy.hpp"
#include "sitemgr/site_step.hpp"

namespace dmm {

inline constexpr Instant parts_start{seconds(1000).microseconds};
inline constexpr std::size_t north_place = 0, south_place = 1;

inline SiteSettings parts_settings() {
  SiteSettings settings;
  settings.name = SiteName("home");
  settings.clusters.resize(1);
  settings.clusters[0].name = ClusterName("c");
  for (const char* name : {"north", "south"}) {
    settings.neighbours.emplace_back();
    settings.neighbours.back().site = SiteName(name);
  }
  return settings;
}

/// All parts of a site with connected neighbours. Each test is about one part; the others are its surroundings.
struct PartsStage {
  SiteParts parts;
  Instant now = parts_start;

  explicit PartsStage(SiteSettings settings = parts_settings()) : parts(std::move(settings), 1) {
    for (const std::size_t n : {north_place, south_place}) parts.neighbours.set_up(n, now, true);
  }

  /// A resource manager registers this number of nodes with one processor each.
  void offer(std::uint32_t nodes, const char* cluster = "c") {
    NodeOffer offer;
    offer.manager = resource_manager_of(parts.settings.name, std::string("fs-") + cluster);
    offer.cluster = ClusterName(cluster);
    offer.nodes = nodes;
    parts.owned.take_offer(offer, "tcp://x:1");
  }
  static ResourceNeed need(std::uint32_t processors) {
    ResourceNeed need;
    need.components.push_back({processors, {}, {}});
    return need;
  }
  LocalRequest& add(std::uint32_t processors, std::uint32_t dttl = 4, const char* user = "alice") {
    return add(need(processors), dttl, user);
  }
  LocalRequest& add(const ResourceNeed& need, std::uint32_t dttl = 4, const char* user = "alice") {
    bool is_new = false;
    RequestClass& kind = parts.queue.class_of(need, dttl, is_new);
    if (is_new) parts.queue.classify(kind, true, true, 1);
    LocalRequest request;
    request.request.id = {parts.settings.name, user, ++jobs, 1};
    request.since = now;
    request.arrival = jobs;
    request.search = dttl == 0 ? LocalRequest::Search::home : LocalRequest::Search::ready;
    HomeSearch::begin_round(request, parts.settings);
    return parts.queue.add(std::move(request), kind);
  }
  /// A delegation from a neighbour.
  Foreign foreign(std::size_t from, std::uint32_t processors) {
    Foreign foreign;
    foreign.from = from;
    foreign.delegate.request.id = {parts.neighbours[from].site, "bob", ++jobs, 1};
    foreign.delegate.request.need = need(processors);
    foreign.delegate.chain = {parts.neighbours[from].site};
    foreign.delegate.round = 1;
    return foreign;
  }
  /// A lease of the site's own nodes, lent to a neighbour.
  HopLease& lend(std::size_t to, std::uint32_t processors) {
    HopLease lease;
    lease.id = {parts.settings.name, parts.leases.new_epoch(1)};
    lease.state = LeaseState::active;
    lease.downstream = to;
    lease.granted = now;
    lease.chain = {parts.settings.name, parts.neighbours[to].site};
    parts.owned.take(0, processors, {}, 0, lease.nodes);
    lease.processors = processors_of(lease.nodes);
    parts.lending.lent(now, to, lease.processors);
    return parts.leases.add(std::move(lease));
  }
  std::uint64_t jobs = 0;
};

}  // namespace dmm
