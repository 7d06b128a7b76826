#include "cli/jobs/order_jobs.hpp"

#include <cstdio>

#include "cli/managers/questions.hpp"
#include "cli/terminal/figures.hpp"
#include "cli/terminal/output.hpp"

namespace dmm {

int order_each(const JobOrder& order, const std::vector<std::string>& jobs, const ManagerOptions& options,
               const Json& argument, bool as_json) {
  Json results = Json::array();
  int code = 0;
  for (const std::string& text : jobs) {
    auto parsed = parse_job(text);
    if (auto* fault = std::get_if<CommandFault>(&parsed)) return fail(order.verb, *fault);
    const JobName& name = std::get<JobName>(parsed);
    auto manager = manager_of(name, options);
    if (auto* fault = std::get_if<CommandFault>(&manager)) return fail(order.verb, *fault);
    Json of_job = argument;
    of_job["job"] = name.argument();
    const Answered answered = order_one(std::get<Manager>(manager), order.verb, of_job);
    const auto changed = answered.json.find(order.key);
    const bool is_changed = answered.fault.empty() && changed != answered.json.end() && !changed->empty();
    results.push_back({{"job", text}, {order.key, is_changed}, {"reason", answered.fault}});
    if (!answered.fault.empty())
      code = fail(order.verb, {text + ": " + harmless(answered.fault), 1});
    else if (!as_json)
      std::printf("%s: %s\n", harmless(text).c_str(), is_changed ? order.done : order.unchanged);
  }
  if (as_json) print_json({{"jobs", std::move(results)}});
  return code;
}

}  // namespace dmm
