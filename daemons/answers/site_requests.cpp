// The requests of a site's users: which wait, and what one of them waits for.
#include <utility>

#include "daemons/answers/site_lists.hpp"
#include "protocol/text.hpp"

namespace dmm {
namespace {

using views::Json;
using views::name_or_null;
using views::site_page;

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

Json request_or_null(const RequestId& id) { return id.empty() ? Json(nullptr) : Json(to_text(id)); }

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

}  // namespace

Answer answer_queue(const SiteManager& site, const ViewTime& time, const Ask& ask, const Json& argument) {
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

Answer answer_why(const SiteManager& site, const ViewTime& time, const Ask& ask, const Json& argument) {
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
  const AnswerRows rows(site_page, views::short_list);
  Json holders = views::rows_of(view.holders, rows, "holders", left_out,
                                [&](const HolderView& one) { return holder_of(time, one); });
  Json neighbours =
      views::rows_of(view.neighbours, AnswerRows(site_page, views::long_list), "neighbours", left_out, asked_of);
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

}  // namespace dmm
