// A batch manager's nodes as JSON; see batch_view.hpp.
#include "daemons/answers/batch_view.hpp"

#include "daemons/answers/json_answer.hpp"

namespace dmm {
namespace {

using views::Json;

constexpr std::size_t batch_page = 400;        // rows that fit into an answer
constexpr std::size_t batch_part = 90 * 1024;  // bytes of an answer, for each list

Json standing_of(const NodeStanding& node) {
  return {{"node", node.name},
          {"resource_manager", manager_of(node.name)},
          {"state", node.state},
          {"why", node.why},
          {"pilot", node.pilot},
          {"likely_seconds", node.likely ? Json(node.likely->in_seconds()) : Json(nullptr)},
          {"processors", node.processors}};
}

Json guest_of(const GuestStanding& guest) {
  return {{"node", guest.name}, {"state", guest.state}, {"job", guest.job}};
}

Json waiting_of(const WaitingJob& job) { return {{"job", job.id}, {"nodes", job.nodes}, {"reason", job.reason}}; }

Json batch_of(const BatchManager& manager, const ViewTime& time, std::size_t limit) {
  const BatchManagerView view = manager.view();
  const BatchSettings& settings = manager.settings();
  Json left_out = Json::object();
  const auto list = [&](const auto& values, const char* name, auto row_of) {
    return views::rows_of(values, AnswerRows(limit, batch_part), name, left_out, row_of);
  };
  Json nodes = list(view.nodes, "nodes", standing_of), waiting = list(view.waiting, "waiting", waiting_of);
  Json borrowed = list(view.guests, "borrowed", guest_of);
  return {{"site", settings.site.text},
          {"system", settings.system},
          {"partition", settings.partition},
          {"cluster", settings.cluster.text},
          {"fault", view.fault},
          {"looked", views::date(time, view.looked)},
          {"look_seconds", view.look_took.in_seconds()},
          {"reserve", settings.reserve},
          {"nodes_max", settings.nodes_max},
          {"nodes", std::move(nodes)},
          {"waiting", std::move(waiting)},
          {"trusts", settings.borrow.from},
          {"borrow_fault", view.borrow_fault},
          {"borrowed", std::move(borrowed)},
          {"left_out", std::move(left_out)}};
}

}  // namespace

std::optional<Answer> answer_batch(const BatchManager& manager, const ViewTime& time, const Ask& ask) {
  if (ask.verb != "batch") return std::nullopt;
  const auto argument = views::argument_of(ask);
  if (!argument) return views::fault(ask, "batch: the argument is not a JSON object");
  return views::answer(ask, batch_of(manager, time, views::limit_in(*argument, batch_page, batch_page)));
}

}  // namespace dmm
