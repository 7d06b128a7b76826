// What neighbours reported of clusters; see cluster_board.hpp.
#include "sitemgr/cluster_board.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "manager/assert.hpp"
#include "protocol/hints.hpp"
#include "protocol/text.hpp"

namespace dmm {
namespace {

/// A neighbour is asked no more often; while its answers say nothing new, after twice as long each time up to a limit.
constexpr Duration survey_interval = milliseconds(500), survey_pause_max = seconds(4);
/// How long far clusters are asked for after a request wanted them.
constexpr Duration far_remembered = seconds(30);
/// How often a question is answered again.
constexpr std::uint32_t more_answers_max = 4;
/// What is older isn't believed: the site may be gone. What is far away is told a round of questions later for
/// every few hops, and a request that waits asks once in 10 s or so.
constexpr Duration report_age_max(std::uint32_t hops) { return seconds(60) + seconds(10) * hops; }

/// The way to a site is known as long as any site may believe a report that came along it.
constexpr Duration led_for = report_age_max(dttl_max);

bool is_old(Instant now, const ClusterBoard::Known& known) {
  return now - known.heard > report_age_max(known.report.hops);
}

bool is_believable(const ClusterReport& report) {
  return is_name(std::string_view(report.site.text)) && is_name(std::string_view(report.cluster.text)) &&
         report.total <= processors_max && report.idle <= report.total && report.held <= report.total &&
         report.processors_per_node > 0 && report.processors_per_node <= processors_per_node_max &&
         report.hops < dttl_max && fault_of(report.attributes).empty();
}

/// How long a megabyte takes there and its answer back; where the bandwidth isn't known, by the way alone.
Duration reached_in(const ClusterReport& report) {
  constexpr std::uint64_t megabyte = 1'000'000;
  if (report.bandwidth == 0) return report.round_trip;
  const std::uint64_t sending = megabyte * 1'000'000 / report.bandwidth;
  return report.round_trip + microseconds(static_cast<std::int64_t>(sending));
}

/// Whether two answers say the same of what is free where.
bool say_same(const std::vector<ClusterBoard::Known>& a, const std::vector<ClusterBoard::Known>& b) {
  const auto is_same = [](const ClusterBoard::Known& one, const ClusterBoard::Known& other) {
    const ClusterReport &x = one.report, &y = other.report;
    return x.site == y.site && x.cluster == y.cluster && x.idle == y.idle && x.held == y.held &&
           x.total == y.total && x.hops == y.hops && x.why_none == y.why_none;
  };
  return std::ranges::equal(a, b, is_same);
}

bool is_nearer(const ClusterBoard::Known& a, const ClusterBoard::Known& b) {
  return std::tuple(a.report.hops, reached_in(a.report), a.neighbour) <
         std::tuple(b.report.hops, reached_in(b.report), b.neighbour);
}

}  // namespace

bool ClusterBoard::is_due(Instant now, std::size_t n, std::uint32_t hops) const {
  DMM_ASSERT(n < links_.size());
  const Link& link = links_[n];
  return !link.asked || now - *link.asked >= std::max(link.pause, survey_interval) || hops > link.hops;
}

std::uint32_t ClusterBoard::asked(Instant now, std::size_t n, std::uint32_t hops) {
  DMM_ASSERT(n < links_.size() && hops > 0);
  Link& link = links_[n];
  link.asked = now;
  if (hops >= link.hops || now - link.far_wanted > far_remembered) {
    link.hops = hops;
    link.far_wanted = now;
  }
  return link.hops;
}

bool ClusterBoard::is_fresh(Instant now, const std::vector<std::size_t>& neighbours, Duration awaited) const {
  return std::ranges::all_of(neighbours, [&](std::size_t n) {
    DMM_ASSERT(n < links_.size());
    const Link& link = links_[n];
    if (!link.asked) return false;
    return !link.is_awaited() || now - *link.asked >= awaited;
  });
}

bool ClusterBoard::awaits_others(std::size_t n, const std::vector<std::size_t>& neighbours) const {
  return std::ranges::any_of(neighbours,
                             [&](std::size_t other) { return other != n && links_[other].is_awaited(); });
}

void ClusterBoard::owe(std::size_t n, std::uint32_t hops, const std::vector<std::size_t>& neighbours) {
  DMM_ASSERT(n < links_.size() && hops > 0);
  links_[n].owed = awaits_others(n, neighbours) ? hops : 0;
  links_[n].more_answers = static_cast<int>(std::min(hops - 1, more_answers_max));
}

std::vector<std::pair<std::size_t, std::uint32_t>> ClusterBoard::take_owed(
    const std::vector<std::size_t>& neighbours) {
  std::vector<std::pair<std::size_t, std::uint32_t>> owed;
  for (const std::size_t n : neighbours)
    if (links_[n].owed > 0 && !awaits_others(n, neighbours)) {
      owed.emplace_back(n, links_[n].owed);
      if (--links_[n].more_answers <= 0) links_[n].owed = 0;
    }
  return owed;
}

void ClusterBoard::hear(Instant now, std::size_t n, Clusters said, const Way& way, const SiteName& self) {
  DMM_ASSERT(n < links_.size());
  Link& link = links_[n];
  const bool is_first = link.is_awaited();
  const std::vector<Known> before = std::exchange(link.clusters, {});
  link.answered = now;
  if (said.clusters.size() > clusters_told_max) said.clusters.resize(clusters_told_max);
  for (ClusterReport& report : said.clusters) {
    if (!is_believable(report) || report.site == self) continue;
    report.bandwidth = report.hops == 0 ? way.bandwidth : std::min(report.bandwidth, way.bandwidth);
    ++report.hops;
    report.round_trip = std::clamp(report.round_trip, Duration{}, round_trip_max) + way.round_trip;
    const Duration age = std::clamp(report.age, Duration{}, report_age_max(report.hops));
    const Instant heard = now - age - way.round_trip / 2;
    link.clusters.push_back({std::move(report), n, heard});
  }
  if (!say_same(before, link.clusters))
    link.pause = survey_interval;
  else if (is_first)
    link.pause = std::min(std::max(link.pause, survey_interval) * 2, survey_pause_max);
}

void ClusterBoard::expect_news(std::size_t n) {
  DMM_ASSERT(n < links_.size());
  links_[n].pause = survey_interval;
}

void ClusterBoard::take(const SiteName& site, const ClusterName& cluster, std::uint32_t processors) {
  for (Link& link : links_)
    for (Known& known : link.clusters)
      if (known.report.site == site && known.report.cluster == cluster)
        known.report.idle -= std::min(known.report.idle, processors), link.pause = survey_interval;
}

void ClusterBoard::turned_away(const SiteName& site, RejectReason reason) {
  for (Link& link : links_)
    for (Known& known : link.clusters) {
      if (known.report.site != site) continue;
      known.report.idle = known.report.held = 0;
      known.report.why_none = reason;
      link.pause = survey_interval;
    }
}

std::vector<ClusterBoard::Known> ClusterBoard::within(Instant now, std::uint32_t hops) const {
  using Key = std::tuple<SiteName, ClusterName, std::uint64_t, Attributes>;
  std::map<Key, const Known*> nearest;
  for (const Link& link : links_)
    for (const Known& known : link.clusters) {
      if (known.report.hops > hops || is_old(now, known)) continue;
      const ClusterReport& of = known.report;
      const Known*& best = nearest[{of.site, of.cluster, of.memory_bytes, of.attributes}];
      if (!best || is_nearer(known, *best)) best = &known;
    }
  std::vector<Known> all;
  for (const auto& [key, known] : nearest) all.push_back(*known);
  std::ranges::stable_sort(all, is_nearer);
  DMM_ASSERT(all.size() <= links_.size() * clusters_told_max);
  return all;
}

std::optional<std::size_t> ClusterBoard::next_hop(Instant now, const SiteName& site) const {
  const Known* best = nullptr;
  for (const Link& link : links_)
    for (const Known& known : link.clusters)
      if (known.report.site == site && now - known.heard <= led_for && (!best || is_nearer(known, *best)))
        best = &known;
  if (!best) return std::nullopt;
  DMM_ASSERT(best->neighbour < links_.size());
  return best->neighbour;
}

std::vector<ClusterReport> ClusterBoard::reports_for(Instant now, std::size_t n, std::uint32_t hops) const {
  DMM_ASSERT(n < links_.size() && hops > 0);
  std::vector<ClusterReport> reports;
  for (const Known& known : within(now, hops - 1)) {
    if (known.neighbour == n) continue;  // the neighbour knows it better itself
    reports.push_back(known.report);
    reports.back().age = std::max(now - known.heard, Duration{});
  }
  return reports;
}

}  // namespace dmm
