// The nodes of a site, by what they do now.
#include <utility>
#include <vector>

#include "daemons/answers/site_lists.hpp"
#include "protocol/text.hpp"

namespace dmm {
namespace {

using views::Json;
using views::name_or_null;
using views::site_page;

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

}  // namespace

Json cluster_aside_of(const ClusterErrors::Aside& aside) {
  return {{"site", aside.site.text},
          {"cluster", aside.cluster.text},
          {"failures", aside.failures},
          {"seconds_left", aside.left.in_seconds()}};
}

Answer answer_nodes(const SiteManager& site, const ViewTime& time, const Ask& ask, const Json& argument) {
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
  Json left_out = Json::object();
  Json asides = views::rows_of(site.view(time.now).clusters_aside, AnswerRows(site_page, views::short_list),
                               "clusters_aside", left_out, cluster_aside_of);
  return views::answer(ask, {{"total", all.size()},
                             {"nodes", std::move(list)},
                             {"next", i < all.size() ? Json(i) : Json(nullptr)},
                             {"clusters_aside", std::move(asides)},
                             {"left_out", std::move(left_out)}});
}

}  // namespace dmm
