// Reading what the command `dmm queue --json` says.
#include <nlohmann/json.hpp>
#include <set>

#include "batchmgr/batch_system.hpp"
#include "batchmgr/borrowing.hpp"

namespace dmm {

OrFault<std::vector<GuestJob>> guest_jobs_in(const std::string& json, const BatchSettings& settings) {
  const auto all = nlohmann::json::parse(json, nullptr, false);
  const auto jobs = all.is_object() ? all.find("jobs") : all.end();
  if (!all.is_object() || jobs == all.end() || !jobs->is_array())
    return "dmm queue said \"" + json.substr(0, 200) + '"';
  const std::vector<std::string> all_names = guest_names(settings.borrow);
  const std::set<std::string> names(all_names.begin(), all_names.end());
  std::vector<GuestJob> guests;
  for (const auto& job : *jobs) {
    if (!job.is_object() || !job.contains("job") || !job["job"].is_number_unsigned()) continue;
    const std::string name = job.value("name", std::string());
    const bool runs = job.value("state", std::string()) == "running";
    if (names.contains(name)) guests.push_back({name, std::to_string(job["job"].get<std::uint64_t>()), runs});
  }
  return guests;
}

}  // namespace dmm
