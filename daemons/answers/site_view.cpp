// A site manager's state as JSON; see site_view.hpp.
#include "daemons/answers/site_view.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "daemons/answers/json_answer.hpp"
#include "protocol/text.hpp"

namespace dmm {
namespace {

using views::Json;

constexpr std::size_t site_page = 400;  // rows that fit into an answer
// An answer "site" has several lists, so each has limits of its own: rows, and bytes.
constexpr std::size_t managers_page = 300, long_list = 64 * 1024, short_list = 12 * 1024;

std::string_view text(Relation relation) {
  switch (relation) {
    case Relation::parent: return "parent";
    case Relation::child: return "child";
    case Relation::sibling: return "sibling";
  }
  return "unknown";
}

std::string_view text(LeaseState state) {
  switch (state) {
    case LeaseState::offered: return "offered";
    case LeaseState::active: return "active";
    case LeaseState::ending: return "ending";
  }
  return "unknown";
}

std::string_view text(LocalRequest::Search search) {
  switch (search) {
    case LocalRequest::Search::ready: return "ready";
    case LocalRequest::Search::out: return "out";
    case LocalRequest::Search::pausing: return "pausing";
    case LocalRequest::Search::home: return "home";
    case LocalRequest::Search::gathering: return "gathering";
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

double in_seconds(std::uint64_t microseconds) { return static_cast<double>(microseconds) / 1e6; }

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
  Json clusters = views::rows_of(view.clusters, at_most(short_list), "clusters", left_out, cluster_of);
  Json managers = views::rows_of(view.resource_managers, AnswerRows(std::min(limit, managers_page), long_list),
                                 "resource_managers", left_out, manager_of);
  Json links = views::rows_of(view.links, at_most(long_list), "links", left_out, link_of);
  Json users = views::rows_of(view.job_managers, at_most(short_list), "job_managers", left_out, same);
  Json unknown = views::rows_of(view.unknown_clusters, at_most(short_list), "unknown_clusters", left_out, name_of);
  Json drained = views::rows_of(view.drained, at_most(short_list), "drained", left_out, name_of);
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
          {"turn", view.turn.empty() ? Json(nullptr) : Json(view.turn.text)},
          {"gathers", view.reserved_for.empty() ? Json(nullptr) : Json(to_text(view.reserved_for))},
          {"drained", std::move(drained)},
          {"left_out", std::move(left_out)}};
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

Answer leases(const SiteManager& site, const ViewTime& time, const Ask& ask, const Json& argument) {
  const std::size_t limit = views::limit_in(argument, site_page / 2, site_page);
  AnswerRows rows(limit, views::list_bytes);
  Json list = Json::array();
  for (const LeaseId& id : site.leases().all())
    if (rows.is_full() || !views::add_row(list, lease_of(site, time, site.leases().get(id)), rows)) break;
  return views::answer(ask, {{"total", site.leases().size()}, {"leases", std::move(list)}});
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

/// The last records, and sums by direction and neighbour over all records ever; beside them the leases that run now.
Answer usage(const SiteManager& site, const ViewTime& time, const Ask& ask, const Json& argument) {
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

Answer queue(const SiteManager& site, const ViewTime& time, const Ask& ask, const Json& argument) {
  AnswerRows rows(views::limit_in(argument, site_page, site_page), views::list_bytes);
  Json list = Json::array();
  for (const auto& [arrival, request] : site.queue().all()) {
    if (rows.is_full()) break;
    const bool out = request->search == LocalRequest::Search::out;
    Json row{{"request", to_text(request->request.id)},
             {"processors", request->kind->processors},
             {"widest", request->kind->widest},
             {"priority", request->request.priority},
             {"dttl", request->request.dttl},
             {"waited_seconds", (time.now - request->since).in_seconds()},
             {"search", text(request->search)},
             {"asking", out ? Json(site.neighbours()[request->target].site.text) : Json(nullptr)},
             {"round", request->round},
             {"tries", request->tries},
             {"servable", request->kind->servable},
             {"reason", to_text(site.wait_of(time.now, request->request.id).reason)}};
    if (!views::add_row(list, std::move(row), rows)) break;
  }
  return views::answer(ask, {{"total", site.queue().size()}, {"requests", std::move(list)}});
}

std::string_view text(NodesView::State state) {
  switch (state) {
    case NodesView::State::free: return "free";
    case NodesView::State::leased: return "leased";
    case NodesView::State::cleaning: return "cleaning";
    case NodesView::State::set_aside: return "set_aside";
    case NodesView::State::down: return "down";
  }
  return "unknown";
}

std::string_view text(AskedView::Stage stage) {
  switch (stage) {
    case AskedView::Stage::out: return "out";
    case AskedView::Stage::asked: return "asked";
    case AskedView::Stage::link_down: return "link_down";
    case AskedView::Stage::congested: return "congested";
    case AskedView::Stage::in_backoff: return "resting";
    case AskedView::Stage::cannot: return "cannot";
    case AskedView::Stage::no_room: return "no_room";
    case AskedView::Stage::window_full: return "window_full";
    case AskedView::Stage::next: return "next";
  }
  return "unknown";
}

/// A name, or null if it is empty.
Json name_or_null(const SiteName& site) { return site.empty() ? Json(nullptr) : Json(site.text); }
Json request_or_null(const RequestId& id) { return id.empty() ? Json(nullptr) : Json(to_text(id)); }

/// Nodes that are alike, in one row: {"from": 400} goes on where an earlier answer ended.
Answer nodes(const SiteManager& site, const Ask& ask, const Json& argument) {
  const std::vector<NodesView> all = site.nodes();
  auto i = static_cast<std::size_t>(views::number_in(argument, "from", 0));
  AnswerRows rows(views::limit_in(argument, site_page, site_page), views::list_bytes);
  Json list = Json::array();
  for (; i < all.size() && !rows.is_full(); ++i) {
    const NodesView& one = all[i];
    Json requests = Json::array();
    for (const RequestId& request : one.requests) requests.push_back(to_text(request));
    Json row{{"resource_manager", one.resource_manager.name},
             {"cluster", one.cluster.text},
             {"nodes", to_text(one.nodes)},
             {"count", count(one.nodes)},
             {"processors", one.processors},
             {"state", text(one.state)},
             {"reason", one.reason},
             {"lease", one.lease ? Json(to_text(*one.lease)) : Json(nullptr)},
             {"to", name_or_null(one.to)},
             {"requests", std::move(requests)},
             {"users_apart", one.users_apart}};
    if (!views::add_row(list, std::move(row), rows)) break;
  }
  return views::answer(
      ask,
      {{"total", all.size()}, {"nodes", std::move(list)}, {"next", i < all.size() ? Json(i) : Json(nullptr)}});
}

Json holder_of(const ViewTime& time, const HolderView& holder) {
  return {{"lease", to_text(holder.lease)},
          {"request", request_or_null(holder.request)},
          {"to", name_or_null(holder.to)},
          {"processors", holder.processors},
          {"held_seconds", holder.held.in_seconds()},
          {"seconds_left", views::seconds_left(time, holder.until)},
          {"cleaning", holder.cleaning}};
}

/// The parts of a co-allocated request that are asked for or held now.
Json parts_of(const WaitView& view) {
  Json parts = Json::array();
  for (const PartView& part : view.parts)
    parts.push_back({{"site", part.site.text},
                     {"components", part.components},
                     {"processors", part.processors},
                     {"state", to_text(part.state)},
                     {"lease", part.lease.empty() ? Json(nullptr) : Json(to_text(part.lease))}});
  return parts;
}

Json planned_of(const WaitView& view) {
  if (!view.planned) return nullptr;
  return {{"text", view.planned->text},
          {"claimed_in_seconds", view.planned->claims_in.in_seconds()},
          {"files_left_seconds", view.planned->starts_in.in_seconds()},
          {"tries", view.planned->tries}};
}

Json asked_of(const AskedView& asked) {
  return {{"site", asked.site.text},
          {"stage", text(asked.stage)},
          {"clause", asked.stage == AskedView::Stage::cannot ? Json(to_text(asked.clause)) : Json(nullptr)},
          {"lendable", asked.lendable},
          {"largest", asked.largest},
          {"limit", asked.limit > 0 ? Json(asked.limit) : Json(nullptr)},
          {"limit_hops", asked.limit_hops},
          {"rests_seconds", asked.backoff.in_seconds()}};
}

Answer why(const SiteManager& site, const ViewTime& time, const Ask& ask, const Json& argument) {
  const auto given = argument.find("request");
  if (given == argument.end() || !given->is_string())
    return views::fault(ask, R"(why: the argument is {"request": "site/user/job"})");
  const auto id = parse_request_id(given->get<std::string>());
  if (!id)
    return views::fault(
        ask, "why: expected a request, as site/user/job, found " + given->get<std::string>().substr(0, 80));
  const WaitView view = site.why(time.now, *id);
  if (!view.known) return views::answer(ask, {{"request", to_text(*id)}, {"waits", false}});
  Json answers = Json::array(), attributes = Json::object(), left_out = Json::object();
  for (const SiteAnswer& one : view.answers)
    answers.push_back({{"site", one.site.text}, {"reason", to_text(one.reason)}, {"most", one.most}});
  for (const auto& [name, value] : view.constraints.attributes) attributes[name] = value;
  const AnswerRows rows(site_page, short_list);
  Json holders = views::rows_of(view.holders, rows, "holders", left_out,
                                [&](const HolderView& one) { return holder_of(time, one); });
  Json neighbours =
      views::rows_of(view.neighbours, AnswerRows(site_page, long_list), "neighbours", left_out, asked_of);
  if (view.holders_left_out > 0) left_out["holders"] = view.holders_left_out;
  return views::answer(
      ask, {{"request", to_text(*id)},
            {"waits", true},
            {"reason", to_text(view.reason)},
            {"site", site.settings().name.text},
            {"processors", view.processors},
            {"widest", view.widest},
            {"dttl", view.dttl},
            {"dttl_to_more", view.dttl_to_more ? Json(*view.dttl_to_more) : Json(nullptr)},
            {"memory_bytes", view.constraints.memory_bytes},
            {"attributes", std::move(attributes)},
            {"waited_seconds", view.waited.in_seconds()},
            {"round", view.round},
            {"tries", view.tries},
            {"asking", name_or_null(view.asking)},
            {"pause_left_seconds", view.pause_left.in_seconds()},
            {"idle", view.idle},
            {"load", view.load},
            {"threshold", view.threshold},
            {"behind", request_or_null(view.behind)},
            {"here", {{"reason", to_text(view.here.reason)}, {"what", view.here.what}}},
            {"holders", std::move(holders)},
            {"neighbours", std::move(neighbours)},
            {"parts", parts_of(view)},
            {"planned", planned_of(view)},
            {"gathered", view.gathered},
            {"gathering_failed", view.gathering_failed},
            {"reclaimed_in_seconds", view.reclaimed_in ? Json(view.reclaimed_in->in_seconds()) : Json(nullptr)},
            {"answers", std::move(answers)},
            {"left_out", std::move(left_out)}});
}

}  // namespace

std::optional<Answer> answer_site(const SiteManager& site, const ViewTime& time, const Ask& ask) {
  const auto argument = views::argument_of(ask);
  if (!argument) return views::fault(ask, ask.verb.substr(0, 64) + ": the argument is not a JSON object");
  if (ask.verb == "site")
    return views::answer(ask, site_of(site.view(time.now), views::limit_in(*argument, site_page, site_page)));
  if (ask.verb == "leases") return leases(site, time, ask, *argument);
  if (ask.verb == "nodes") return nodes(site, ask, *argument);
  if (ask.verb == "usage") return usage(site, time, ask, *argument);
  if (ask.verb == "queue") return queue(site, time, ask, *argument);
  if (ask.verb == "why") return why(site, time, ask, *argument);
  return std::nullopt;
}

}  // namespace dmm
