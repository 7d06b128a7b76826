// The steps of surveying.hpp.
#include "sitemgr/surveying.hpp"

#include <algorithm>

#include "manager/assert.hpp"
#include "protocol/hints.hpp"
#include "sitemgr/holding.hpp"

namespace dmm::site_steps {

/// What a neighbour is told of this site's clusters and those beyond.
static Clusters clusters_for(SiteStep& s, std::size_t n, std::uint32_t hops);

void survey(SiteStep& s, std::uint32_t hops, std::optional<std::size_t> except) {
  DMM_ASSERT(hops > 0 && hops <= dttl_max);
  for (const std::size_t n : s.parts.neighbours.up()) {
    if (n == except || !s.parts.board.is_due(s.now, n, hops)) continue;
    send(s, n, Survey{s.parts.board.asked(s.now, n, hops)}, {});
    if (std::optional<Probe> probe = s.parts.speeds.begin(s.now, n)) send(s, n, std::move(*probe), {});
  }
}

void on(SiteStep& s, FromSite from, const Survey& asked) {
  const std::uint32_t hops = std::clamp(asked.hops, std::uint32_t{1}, dttl_max);
  send(s, from.neighbour, clusters_for(s, from.neighbour, hops), {});
  if (hops == 1) return;
  survey(s, hops - 1, from.neighbour);
  s.parts.board.owe(from.neighbour, hops, s.parts.neighbours.up());
}

Clusters clusters_for(SiteStep& s, std::size_t n, std::uint32_t hops) {
  Clusters answer{s.parts.lending.reports_for(s.now, s.parts.lending_site(), n)};
  for (const auto& [cluster, processors] : held_by_cluster(s.parts))
    for (ClusterReport& own : answer.clusters)
      if (own.cluster == cluster) own.held = std::min(processors, own.total - own.idle);
  for (ClusterReport& beyond : s.parts.board.reports_for(s.now, n, hops))
    answer.clusters.push_back(std::move(beyond));
  if (answer.clusters.size() > clusters_told_max) answer.clusters.resize(clusters_told_max);
  return answer;
}

void on(SiteStep& s, FromSite from, Clusters& said) {
  DMM_ASSERT(from.neighbour < s.parts.neighbours.size());
  const ClusterBoard::Way way{s.parts.neighbours[from.neighbour].round_trip, s.parts.speeds.of(from.neighbour)};
  s.parts.board.hear(s.now, from.neighbour, std::move(said), way, s.parts.settings.name);
  s.parts.co_allocator.reports_came(s.now);
  for (const auto& [n, hops] : s.parts.board.take_owed(s.parts.neighbours.up()))
    send(s, n, clusters_for(s, n, hops), {});
}

void on(SiteStep& s, FromSite from, const Probe& probe) { send(s, from.neighbour, Probed{probe.number}, {}); }

void on(SiteStep& s, FromSite from, const Probed& answer) {
  if (std::optional<Probe> next = s.parts.speeds.hear(s.now, from.neighbour, answer))
    send(s, from.neighbour, std::move(*next), {});
}

}  // namespace dmm::site_steps
