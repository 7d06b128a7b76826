// Messages per job under heavy load: the simulated dual grid with the daemons' own managers. Each cluster gets its
// share of a stream of jobs. Arrivals and run times are exponential; a job has 1, 2 or 4 processors. A message counts
// for the request that it is about, at each of its hops. Keep-alives, and renewals and hints that travel by themselves,
// are about no request.
//
//   overload_bench simulate load=1.2 jobs=10000
#include "bench/role.hpp"
#include "simulator/world/world.hpp"
#include "workloads/random.hpp"

namespace dmm::bench {
namespace {

constexpr double mean_run_seconds = 600;
constexpr std::uint32_t sizes[] = {1, 2, 4};
constexpr double mean_size = 7.0 / 3;

/// One job manager for each cluster, and its share of the stream.
struct Source {
  Party job_manager;
  double share = 0;  ///< cumulative share of the stream, up to this source
};

Topology dual_grid() {
  auto read = read_topology(DMM_SOURCE_DIR "/topologies/dual-grid.json");
  if (const auto* error = std::get_if<ConfigError>(&read)) fail(error->text);
  return std::get<Topology>(std::move(read));
}

std::vector<Source> sources_of(const Topology& grid) {
  std::vector<Source> sources;
  double sum = 0;
  const auto all = static_cast<double>(processors_of(grid));
  for (const WorkloadHome& home : workload_homes(grid)) {
    sum += static_cast<double>(processors_of(grid.sites[home.site].clusters[home.cluster])) / all;
    sources.push_back({job_manager_of(home.site_name, home.user), sum});
  }
  return sources;
}

JobDescription draw_job(Random& random) {
  JobDescription job;
  job.program.arguments = {"sleep", std::to_string(random.exponential(mean_run_seconds))};
  job.need.components = {{.processors = sizes[random.below(std::size(sizes))], .site = {}, .cluster = {}}};
  return job;
}

const Source& draw_source(const std::vector<Source>& sources, Random& random) {
  const double at = random.uniform();
  for (const Source& source : sources)
    if (at < source.share) return source;
  return sources.back();
}

template <class Manager>
void add_messages(const Driver<Manager>* driver, std::map<RequestId, double>& messages) {
  if (!driver) return;
  for (const auto& [request, sent] : driver->endpoint.sent_by_request()) messages[request] += sent;
}

std::map<RequestId, double> messages_of(const World& world) {
  std::map<RequestId, double> messages;
  for (const Party& party : world.parties()) switch (party.role) {
      case Role::site_manager: add_messages(world.site(party.site), messages); break;
      case Role::job_manager: add_messages(world.job_manager(party), messages); break;
      case Role::resource_manager: add_messages(world.resource_manager(party), messages); break;
      case Role::client: break;
    }
  return messages;
}

void drop_happenings(World& world) { (void)world.take_happenings(); }

void simulate(const Arguments& arguments) {
  const double load = arguments.number("load");
  const int jobs = arguments.count("jobs");
  WorldSettings settings;
  settings.level = Level::error;
  settings.count_by_request = true;
  settings.sessions = {.beat = seconds(10),
                       .silence = seconds(30)};  // no link breaks here: fewer Beats to simulate
  Topology grid = dual_grid();
  const std::vector<Source> sources = sources_of(grid);
  const double jobs_per_second = load * static_cast<double>(processors_of(grid)) / (mean_size * mean_run_seconds);
  const double begin = clock_seconds();
  World world(std::move(grid), settings);
  world.run_until(Instant{} + seconds(5));

  Random random(1);
  double at = 5;
  for (int i = 0; i < jobs; ++i) {
    at += random.exponential(1 / jobs_per_second);
    world.run_until(Instant{} + from_seconds(at));
    if (world.submit(draw_source(sources, random).job_manager, draw_job(random)) == 0) fail("a job was refused");
    drop_happenings(world);
  }
  const double window = at - 5;
  while (!world.quiet()) {
    world.run_until(world.now() + seconds(60));
    drop_happenings(world);
    if (world.now() > Instant{} + from_seconds(at + 100 * mean_run_seconds)) fail("the grid doesn't come to rest");
  }
  std::vector<double> counts;
  double sum = 0;
  for (const auto& [request, sent] : messages_of(world)) {
    counts.push_back(sent);
    sum += sent;
  }
  print_result({{"jobs", static_cast<double>(counts.size())},
                {"load", load},
                {"hours", window / 3600},
                {"messages_median", percentile(counts, 0.5)},
                {"messages_mean", sum / static_cast<double>(counts.size())},
                {"messages_p99", percentile(counts, 0.99)},
                {"messages_max", percentile(counts, 1)},
                {"seconds", clock_seconds() - begin}});
}

}  // namespace
}  // namespace dmm::bench

int main(int argc, char** argv) {
  dmm::bench::simulate(dmm::bench::Arguments(argc, argv));
  return 0;
}
