// A resource manager's nodes, leases and tasks as JSON; see resource_view.hpp.
#include "views/resource_view.hpp"

#include "protocol/text.hpp"
#include "views/json_answer.hpp"

namespace dmm {
namespace {

using views::Json;

constexpr std::size_t page = 400;  // rows that fit into an answer

Json leases_of(const ResourceManagerView& view, std::size_t limit) {
  Json list = Json::array();
  for (const LeaseView& lease : view.leases) {
    if (list.size() >= limit) break;
    list.push_back({{"lease", to_text(lease.lease)},
                    {"holder", lease.holder.text},
                    {"nodes", to_text(lease.nodes)},
                    {"fenced", lease.fenced},
                    {"tasks", lease.tasks}});
  }
  return list;
}

Json tasks_of(const ResourceManagerView& view, const ViewTime& time, std::size_t limit) {
  Json list = Json::array();
  for (const TaskView& task : view.tasks) {
    if (list.size() >= limit) break;
    list.push_back({{"request", to_text(task.id.request)},
                    {"component", task.id.component},
                    {"lease", to_text(task.lease)},
                    {"nodes", to_text(task.nodes)},
                    {"state", to_text(task.state)},
                    {"process", task.process},
                    {"since", views::date(time, task.since)}});
  }
  return list;
}

Json aside_of(const ResourceManagerView& view, const ViewTime& time) {
  Json list = Json::array();
  for (const AsideView& aside : view.aside)
    list.push_back({{"nodes", to_text(aside.nodes)},
                    {"until", views::date(time, aside.until)},
                    {"reason", aside.reason}});
  return list;
}

Json resource_of(const ResourceManager& manager, const ViewTime& time, std::size_t limit) {
  const ResourceManagerView view = manager.view();
  const ResourceManagerSettings& settings = manager.settings();
  return {{"site", settings.site.text},
          {"name", settings.name},
          {"cluster", settings.cluster.text},
          {"processors_per_node", settings.processors_per_node},
          {"endpoint", settings.endpoint},
          {"registered", view.registered},
          {"nodes", view.nodes_total},
          {"node_names", settings.node_names},
          {"nodes_free", view.nodes_free},
          {"nodes_leased", view.nodes_leased},
          {"set_aside", aside_of(view, time)},
          {"started", view.counts.started},
          {"ended", view.counts.ended},
          {"failed", view.counts.failed},
          {"leases_total", view.leases.size()},
          {"leases", leases_of(view, limit)},
          {"tasks_total", view.tasks.size()},
          {"tasks", tasks_of(view, time, limit)}};
}

}  // namespace

std::optional<Answer> answer_resource(const ResourceManager& manager, const ViewTime& time, const Ask& ask) {
  if (ask.verb != "resource") return std::nullopt;
  const auto argument = views::argument_of(ask);
  if (!argument) return views::fault(ask, "resource: the argument is not a JSON object");
  return views::answer(ask, resource_of(manager, time, views::limit_in(*argument, page, page)));
}

}  // namespace dmm
