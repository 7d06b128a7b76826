#include "simulator/results/schedule_json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace dmm {

std::string schedule_json(const Summary& figures, std::uint64_t processors) {
  const auto share = [](std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
  };
  const double available = static_cast<double>(processors) * figures.makespan_seconds;
  const nlohmann::ordered_json json = {{"nb_jobs", figures.jobs_submitted},
                                       {"nb_jobs_finished", figures.jobs_started},
                                       {"nb_jobs_success", figures.jobs_finished},
                                       {"nb_jobs_killed", figures.jobs_killed},
                                       {"nb_jobs_rejected", figures.jobs_submitted - figures.jobs_started},
                                       {"success_rate", share(figures.jobs_finished, figures.jobs_submitted)},
                                       {"makespan", figures.makespan_seconds},
                                       {"mean_waiting_time", figures.average_wait_seconds},
                                       {"mean_turnaround_time", figures.average_response_seconds},
                                       {"mean_slowdown", figures.average_slowdown},
                                       {"max_waiting_time", figures.longest_wait_seconds},
                                       {"max_turnaround_time", figures.longest_response_seconds},
                                       {"max_slowdown", figures.greatest_slowdown},
                                       {"nb_computing_machines", processors},
                                       {"time_computing", figures.used_processor_seconds},
                                       {"time_idle", std::max(0.0, available - figures.used_processor_seconds)},
                                       {"consumed_joules", -1}};
  return json.dump(2) + '\n';
}

}  // namespace dmm
