// A resource manager's nodes, leases and tasks as JSON; see resource_view.hpp.
#include "daemons/answers/resource_view.hpp"

#include <utility>

#include "daemons/answers/json_answer.hpp"
#include "protocol/text.hpp"

namespace dmm {
namespace {

using views::Json;

constexpr std::size_t resource_page = 400;  // rows that fit into an answer
constexpr std::size_t quarter = 45 * 1024;  // of an answer, for each list

Json lease_of(const LeaseView& lease) {
  return {{"lease", to_text(lease.lease)},
          {"holder", lease.holder.text},
          {"nodes", to_text(lease.nodes)},
          {"closed", lease.closed},
          {"tasks", lease.tasks}};
}

Json task_of(const TaskView& task, const ViewTime& time) {
  return {{"request", to_text(task.id.request)},   {"component", task.id.component},
          {"lease", to_text(task.lease)},          {"nodes", to_text(task.nodes)},
          {"state", to_text(task.state)},          {"process", task.process},
          {"since", views::date(time, task.since)}};
}

Json aside_of(const AsideView& aside, const ViewTime& time) {
  return {{"nodes", to_text(aside.nodes)}, {"until", views::date(time, aside.until)}, {"reason", aside.reason}};
}

Json stuck_of(const std::pair<const TaskId, std::string>& stuck) {
  return {{"request", to_text(stuck.first.request)}, {"component", stuck.first.component}, {"text", stuck.second}};
}

Json backend_of(const BackendState& backend) {
  return {{"process", backend.keeper},
          {"silent", backend.keeper_silent},
          {"isolation", backend.isolation},
          {"accounts", backend.accounts},
          {"users_apart", backend.users_apart}};
}

Json resource_of(const ResourceManager& manager, const BackendState& backend, const ViewTime& time,
                 std::size_t limit) {
  const ResourceManagerView view = manager.view();
  const ResourceManagerSettings& settings = manager.settings();
  Json left_out = Json::object();
  const auto list = [&](const auto& values, const char* name, auto row_of) {
    return views::rows_of(values, AnswerRows(limit, quarter), name, left_out, row_of);
  };
  Json names = list(settings.node_names, "node_names", [](const std::string& name) { return Json(name); });
  Json aside = list(view.aside, "set_aside", [&](const AsideView& one) { return aside_of(one, time); });
  Json stuck = list(backend.stuck, "stuck", stuck_of);
  Json leases = list(view.leases, "leases", lease_of);
  Json tasks = list(view.tasks, "tasks", [&](const TaskView& one) { return task_of(one, time); });
  return {{"site", settings.site.text},         {"name", settings.name},
          {"cluster", settings.cluster.text},   {"processors_per_node", settings.processors_per_node},
          {"endpoint", settings.endpoint},      {"registered", view.registered},
          {"nodes", view.nodes_total},          {"node_names", std::move(names)},
          {"nodes_free", view.nodes_free},      {"nodes_leased", view.nodes_leased},
          {"set_aside", std::move(aside)},      {"keeper", backend_of(backend)},
          {"stuck", std::move(stuck)},          {"started", view.counts.started},
          {"ended", view.counts.ended},         {"failed", view.counts.failed},
          {"leases_total", view.leases.size()}, {"leases", std::move(leases)},
          {"tasks_total", view.tasks.size()},   {"tasks", std::move(tasks)},
          {"left_out", std::move(left_out)}};
}

}  // namespace

std::optional<Answer> answer_resource(const ResourceManager& manager, const BackendState& backend,
                                      const ViewTime& time, const Ask& ask) {
  if (ask.verb != "resource") return std::nullopt;
  const auto argument = views::argument_of(ask);
  if (!argument) return views::fault(ask, "resource: the argument is not a JSON object");
  return views::answer(
      ask, resource_of(manager, backend, time, views::limit_in(*argument, resource_page, resource_page)));
}

}  // namespace dmm
