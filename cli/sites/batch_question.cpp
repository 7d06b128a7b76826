#include "cli/sites/batch_question.hpp"

#include "cli/managers/managers.hpp"
#include "runtime/unreachable.hpp"

namespace dmm {

Answered ask_batch_manager(const std::string& endpoint) {
  Answered none;
  if (endpoint.empty()) return none;
  const auto manager = manager_at(endpoint);
  if (const auto* fault = std::get_if<CommandFault>(&manager)) {
    const auto why = why_unreachable(endpoint);
    none.fault = why ? why->text + "; start it with `batchmgr --config FILE`" : fault->text;
    return none;
  }
  return ask_one(std::get<Manager>(manager), "batch");
}

}  // namespace dmm
