// Jobs through the whole system. `count` times `true` is submitted to a real job manager at `endpoint`, which asks a
// real site manager for nodes and starts the jobs at a real resource manager. Prints how many jobs finished in a
// second, from the first submission to the last end. With `array` they are the elements of one array.
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "bench/role.hpp"
#include "runtime/client.hpp"
#include "runtime/daemon.hpp"

namespace dmm::bench {
namespace {

constexpr int jobs_at_once = 500;  // what fits into a frame

std::uint64_t ended(ClientPool& pool, std::size_t manager) {
  const Reply reply = pool.wait(pool.ask(manager, "counts"), seconds(20));
  if (!reply.fault.empty()) fail(reply.fault);
  const auto ever = nlohmann::json::parse(reply.text).at("ever");
  for (const char* state : {"failed", "lost", "cancelled"})
    if (ever.at(state).get<std::uint64_t>() > 0) fail(std::string("a job ended as ") + state);
  return ever.at("finished").get<std::uint64_t>();
}

void dispatch(const Arguments& arguments) {
  ClientPool pool;
  const SiteName site(arguments.text("site"));
  const auto connected = pool.connect(job_manager_of(site, arguments.text("user")), arguments.text("endpoint"));
  if (const auto* fault = std::get_if<std::string>(&connected)) fail(*fault);
  const std::size_t manager = std::get<std::size_t>(connected);
  const std::uint64_t before = ended(pool, manager);

  JobDescription job;
  job.name = "true";
  job.program.arguments = {"true"};
  job.need.components = {{.processors = 1, .site = {}, .cluster = {}}};
  const int wanted = arguments.count("count");
  const bool is_array = arguments.number("array", 0) > 0;
  if (is_array) job.array.ranges.push_back({1, static_cast<std::uint32_t>(wanted), 1});
  const double begin = clock_seconds();
  for (int left = is_array ? 1 : wanted; left > 0; left -= jobs_at_once) {
    const auto jobs = static_cast<std::size_t>(std::min(left, jobs_at_once));
    const Reply reply = pool.wait(pool.submit(manager, std::vector<JobDescription>(jobs, job)), seconds(20));
    if (!reply.fault.empty()) fail(reply.fault);
    if (!reply.submitted.fault.empty()) fail(reply.submitted.fault);
  }
  const double accepted = clock_seconds();
  const double limit = begin + arguments.number("limit_seconds", 60);
  while (ended(pool, manager) - before < static_cast<std::uint64_t>(wanted)) {
    if (clock_seconds() > limit) fail("not all jobs ended in time");
    ::usleep(10'000);
  }
  print_result({{"jobs_per_second", wanted / (clock_seconds() - begin)}, {"accept_seconds", accepted - begin}});
}

}  // namespace
}  // namespace dmm::bench

int main(int argc, char** argv) {
  dmm::begin_daemon(true);
  dmm::bench::dispatch(dmm::bench::Arguments(argc, argv));
  return 0;
}
