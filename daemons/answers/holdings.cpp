// Leases as each role sees them; see holdings.hpp. Node sets are texts in one canonical form, so that equal sets are
// equal texts.
#include "daemons/answers/holdings.hpp"

#include "daemons/answers/json_answer.hpp"
#include "protocol/text.hpp"
#include "sitemgr/lease.hpp"

namespace dmm {
namespace {

using views::Json;

constexpr std::size_t holdings_page = 200;  // rows that fit into an answer

/// "das-3#41@5": unlike the short form, unique over the owner's restarts.
std::string full_text(const LeaseId& id) { return to_text(id) + "@" + std::to_string(id.epoch.incarnation); }

/// One page of `rows`, each made by `make`: as many as fit.
template <class Row, class Make>
Answer answer_page(const Ask& ask, const std::vector<Row>& rows, Make make) {
  const auto argument = views::argument_of(ask);
  if (!argument) return views::fault(ask, "holdings: the argument is not a JSON object");
  const auto from = static_cast<std::size_t>(views::number_in(*argument, "from", 0));
  Json list = Json::array();
  std::size_t i = from;
  AnswerRows left(views::limit_in(*argument, holdings_page, holdings_page), views::list_bytes);
  while (i < rows.size() && !left.is_full() && views::add_row(list, make(rows[i]), left)) ++i;
  return views::answer(ask, {{"holdings", std::move(list)}, {"next", i < rows.size() ? Json(i) : Json(nullptr)}});
}

}  // namespace

Answer holdings_of(const SiteManager& site, const Ask& ask) {
  const auto neighbour = [&](const std::optional<std::size_t>& index) {
    return index ? Json(site.neighbours()[*index].site.text) : Json(nullptr);
  };
  return answer_page(ask, site.leases().all(), [&](const LeaseId& id) {
    const HopLease& lease = site.leases().get(id);
    Json users = Json::array();
    for (const auto& [request, nodes] : lease.handed_out)
      users.push_back(
          {{"request", to_text(request)}, {"user", request.user}, {"nodes", views::nodes_by_manager(nodes)}});
    return Json{{"lease", full_text(id)},
                {"from", neighbour(lease.upstream)},
                {"to", neighbour(lease.downstream)},
                {"nodes", views::nodes_by_manager(lease.nodes)},
                {"cleaning", views::nodes_by_manager(lease.cleaning)},
                {"handed_out", std::move(users)}};
  });
}

Answer holdings_of(const JobManager& jobs, const Ask& ask) {
  return answer_page(ask, jobs.holdings(), [](const Holding& held) {
    return Json{{"lease", full_text(held.lease)},
                {"request", to_text(held.request)},
                {"nodes", views::nodes_by_manager(held.nodes)}};
  });
}

Answer holdings_of(const ResourceManager& nodes, const Ask& ask) {
  const ResourceManagerView view = nodes.view();
  const std::string self = nodes.settings().site.text + "/" + nodes.settings().name;
  return answer_page(ask, view.leases, [&](const LeaseView& lease) {
    Json requests = Json::array();
    for (const TaskView& task : view.tasks)
      if (task.lease == lease.lease && task.state != TaskState::ended)
        requests.push_back(to_text(task.id.request));
    return Json{{"lease", full_text(lease.lease)},
                {"nodes", {{self, to_text(lease.nodes)}}},
                {"requests", std::move(requests)}};
  });
}

}  // namespace dmm
