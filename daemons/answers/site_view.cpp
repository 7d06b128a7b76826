// Hands each question to its list, and answers "site" itself: the site's totals, its parties and its links.
#include "daemons/answers/site_view.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "daemons/answers/json_answer.hpp"
#include "daemons/answers/site_lists.hpp"
#include "protocol/text.hpp"

namespace dmm {
namespace {

using views::in_seconds;
using views::Json;
using views::site_page;

// An answer "site" has several lists, so each has limits of its own: rows, and bytes.
constexpr std::size_t managers_page = 300;

std::string_view text(Relation relation) {
  switch (relation) {
    case Relation::parent: return "parent";
    case Relation::child: return "child";
    case Relation::sibling: return "sibling";
  }
  return "unknown";
}

Json hint_of(const CapacityHint& hint) {
  Json entries = Json::array();
  for (const HintEntry& entry : hint)
    entries.push_back({{"lendable", entry.lendable},
                       {"largest", entry.largest},
                       {"queued", entry.queued},
                       {"width", entry.width},
                       {"round_trip_milliseconds", entry.round_trip_ms}});
  return entries;
}

/// A neighbour's leases from this site, its unmet demand, and its limits.
Json borrower_of(const SiteView::Link& link) {
  const NeighbourLimits& limits = link.neighbour.limits;
  return {{"weight", limits.weight},
          {"processors", link.borrower.processors},
          {"wants", link.borrower.queued},
          {"served_processor_seconds", link.borrower.served_seconds},
          {"kept_off_seconds", link.borrower.kept_off.in_seconds()},
          {"leases_max", limits.leases},
          {"processors_max", limits.processors},
          {"lease_length_seconds", limits.lease_length.in_seconds()}};
}

Json counts_of(const std::map<std::string_view, std::uint64_t>& counts) {
  Json json = Json::object();
  for (const auto& [what, count] : counts) json[std::string(what)] = count;
  return json;
}

Json link_of(const SiteView::Link& link) {
  const Neighbour& n = link.neighbour;
  return {{"site", n.site.text},
          {"relation", text(n.relation)},
          {"up", n.up},
          {"hint", n.known ? hint_of(n.hint) : Json(nullptr)},
          {"window", link.target.window},
          {"outstanding", link.target.outstanding},
          {"leases_in", link.leases_in},
          {"leases_out", link.leases_out},
          {"delegations_sent", link.target.delegations_sent},
          {"delegations_received", link.delegations_received},
          {"grants_received", link.target.grants_received},
          {"rejects_received", link.target.rejects_received},
          {"pressed", link.target.pressed},
          {"round_trip_seconds", n.round_trip.in_seconds()},
          {"bytes_per_second", link.bandwidth == 0 ? Json(nullptr) : Json(link.bandwidth)},
          {"borrower", borrower_of(link)},
          {"refused", counts_of(n.refused)},
          {"lent_processor_seconds", in_seconds(link.lent_processor_microseconds)},
          {"borrowed_processor_seconds", in_seconds(link.borrowed_processor_microseconds)}};
}

Json cluster_of(const OwnedClusterView& cluster) {
  return {{"cluster", cluster.name.text}, {"processors", cluster.processors},
          {"free", cluster.free},         {"processors_per_node", cluster.processors_per_node},
          {"quota", cluster.quota},       {"size", cluster.size}};
}

Json manager_of(const OwnedManagerView& manager) {
  return {{"name", manager.party.name},
          {"cluster", manager.cluster.text},
          {"nodes", manager.nodes},
          {"free_nodes", manager.free_nodes},
          {"processors_per_node", manager.processors_per_node},
          {"up", manager.up},
          {"registered", manager.registered},
          {"set_aside", to_text(manager.aside)},
          {"set_aside_why", manager.why_aside}};
}

/// If not all resource managers fit into the answer, lists those first that are down or set aside: users look for
/// these.
void worst_first(std::vector<OwnedManagerView>& managers, std::size_t limit) {
  if (managers.size() > limit)
    std::ranges::stable_partition(managers, [](const auto& one) { return !one.aside.empty() || !one.up; });
}

Json site_of(SiteView view, std::size_t limit) {
  worst_first(view.resource_managers, std::min(limit, managers_page));
  Json left_out = Json::object();
  const auto name_of = [](const auto& name) { return Json(name.text); };
  const auto same = [](const std::string& name) { return Json(name); };
  const auto at_most = [&](std::size_t bytes) { return AnswerRows(limit, bytes); };
  Json clusters = views::rows_of(view.clusters, at_most(views::short_list), "clusters", left_out, cluster_of);
  Json managers =
      views::rows_of(view.resource_managers, AnswerRows(std::min(limit, managers_page), views::long_list),
                     "resource_managers", left_out, manager_of);
  Json links = views::rows_of(view.links, at_most(views::long_list), "links", left_out, link_of);
  Json users = views::rows_of(view.job_managers, at_most(views::short_list), "job_managers", left_out, same);
  Json unknown =
      views::rows_of(view.unknown_clusters, at_most(views::short_list), "unknown_clusters", left_out, name_of);
  Json asides = views::rows_of(view.clusters_aside, at_most(views::short_list), "clusters_aside", left_out,
                               cluster_aside_of);
  Json drained = views::rows_of(view.drained, at_most(views::short_list), "drained", left_out, name_of);
  return {{"site", view.site.text},
          {"ancestors", views::texts(view.ancestors)},
          {"processors", view.processors},
          {"processors_busy", view.processors_busy},
          {"processors_lent", view.processors_lent},
          {"processors_borrowed", view.processors_borrowed},
          {"load", view.load},
          {"requests_waiting", view.requests_waiting},
          {"requests_out", view.requests_out},
          {"requests_pausing", view.requests_pausing},
          {"foreign_waiting", view.foreign_waiting},
          {"leases_in", view.leases_in},
          {"leases_out", view.leases_out},
          {"leases_own", view.leases_own},
          {"grants_local", view.grants_local},
          {"grants_foreign", view.grants_foreign},
          {"clusters", std::move(clusters)},
          {"resource_managers", std::move(managers)},
          {"links", std::move(links)},
          {"job_managers", std::move(users)},
          {"unknown_clusters", std::move(unknown)},
          {"clusters_aside", std::move(asides)},
          {"turn", view.turn.empty() ? Json(nullptr) : Json(view.turn.text)},
          {"gathers", view.reserved_for.empty() ? Json(nullptr) : Json(to_text(view.reserved_for))},
          {"drained", std::move(drained)},
          {"left_out", std::move(left_out)}};
}

}  // namespace

std::optional<Answer> answer_site(const SiteManager& site, const ViewTime& time, const Ask& ask) {
  const auto argument = views::argument_of(ask);
  if (!argument) return views::fault(ask, ask.verb.substr(0, 64) + ": the argument is not a JSON object");
  if (ask.verb == "site")
    return views::answer(ask, site_of(site.view(time.now), views::limit_in(*argument, site_page, site_page)));
  if (ask.verb == "leases") return answer_leases(site, time, ask, *argument);
  if (ask.verb == "nodes") return answer_nodes(site, time, ask, *argument);
  if (ask.verb == "usage") return answer_usage(site, time, ask, *argument);
  if (ask.verb == "queue") return answer_queue(site, time, ask, *argument);
  if (ask.verb == "why") return answer_why(site, time, ask, *argument);
  return std::nullopt;
}

}  // namespace dmm
