// The simulator's counterpart: the simplest grid of the same size on SimGrid, a widely used framework for simulations.
// Twenty clusters each have a queue, first come, first served. A job has three messages: the user asks, the site starts
// the job, the job reports its end. Messages take no time. Built if libsimgrid-dev is installed.
//
//   simgrid_bench run jobs=20000 load=0.7
#include <simgrid/s4u.hpp>

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "bench/role.hpp"
#include "workloads/random.hpp"

namespace {

namespace sg4 = simgrid::s4u;

struct Message {
  enum class Kind { request, end, stop } kind = Kind::request;
  std::uint32_t processors = 1;
  double run_seconds = 0;
};

std::uint64_t messages = 0;  // one thread: SimGrid runs its actors one by one
std::uint64_t jobs_ended = 0;

void put(const std::string& mailbox, Message message) {
  ++messages;
  sg4::Mailbox::by_name(mailbox)->put_init(new Message(message), 100)->detach();
}

/// Runs one job: hears of its start, waits, reports its end.
void run_job(const std::string& site, const std::string& own) {
  const auto start = sg4::Mailbox::by_name(own)->get_unique<Message>();
  sg4::this_actor::sleep_for(start->run_seconds);
  put(site, {Message::Kind::end, start->processors, 0});
}

void manage_site(const std::string& name, std::uint32_t processors) {
  std::deque<Message> queue;
  std::uint32_t idle = processors;
  std::uint64_t started = 0;
  bool stopping = false;
  sg4::Mailbox* inbox = sg4::Mailbox::by_name(name);
  while (!stopping || idle < processors || !queue.empty()) {
    const auto message = inbox->get_unique<Message>();
    if (message->kind == Message::Kind::stop) stopping = true;
    if (message->kind == Message::Kind::request) queue.push_back(*message);
    if (message->kind == Message::Kind::end) idle += message->processors, ++jobs_ended;
    for (; !queue.empty() && queue.front().processors <= idle; queue.pop_front()) {
      idle -= queue.front().processors;
      const std::string own = name + "/" + std::to_string(++started);
      sg4::Actor::create(own, sg4::this_actor::get_host(), run_job, name, own);
      put(own, queue.front());
    }
  }
}

void submit(std::uint64_t jobs, double load, const std::vector<std::uint32_t>& sizes) {
  dmm::Random random(1);
  std::uint64_t all = 0;
  for (const std::uint32_t size : sizes) all += size;
  const double mean_run = 3600, mean_processors = 0.95 + 0.05 * 8.5;
  const double gap = mean_run * mean_processors / (load * static_cast<double>(all));
  for (std::uint64_t job = 0; job < jobs; ++job) {
    sg4::this_actor::sleep_for(random.exponential(gap));
    std::uint64_t at = random.below(all);
    std::size_t site = 0;
    for (; at >= sizes[site]; ++site) at -= sizes[site];
    const auto width = random.chance(0.95) ? 1U : static_cast<std::uint32_t>(2 + random.below(14));
    put("site" + std::to_string(site), {Message::Kind::request, width, 1 + random.exponential(mean_run)});
  }
  for (std::size_t site = 0; site < sizes.size(); ++site) {
    put("site" + std::to_string(site), {Message::Kind::stop, 0, 0});
    --messages;
  }
}

}  // namespace

int main(int argc, char** argv) {
  sg4::Engine engine(&argc, argv);
  sg4::Engine::set_config("network/model:Constant");
  sg4::Engine::set_config("network/latency-factor:0");
  const dmm::bench::Arguments arguments(argc, argv);
  const auto jobs = static_cast<std::uint64_t>(arguments.number("jobs"));
  const double load = arguments.number("load");
  const std::vector<std::uint32_t> sizes{144, 64,  64, 64,  64,  198, 128, 128, 64,  96,
                                         106, 208, 64, 112, 140, 210, 224, 480, 114, 684};
  sg4::NetZone* zone = sg4::create_full_zone("grid");
  sg4::Host* host = zone->create_host("host", 1e9);
  zone->seal();
  const double began = dmm::bench::clock_seconds();
  for (std::size_t site = 0; site < sizes.size(); ++site)
    sg4::Actor::create("site" + std::to_string(site), host, manage_site, "site" + std::to_string(site),
                       sizes[site]);
  sg4::Actor::create("users", host, submit, jobs, load, sizes);
  engine.run();
  const double took = dmm::bench::clock_seconds() - began;
  dmm::bench::print_result({{"jobs", static_cast<double>(jobs_ended)},
                            {"messages", static_cast<double>(messages)},
                            {"seconds", took},
                            {"jobs_per_second", static_cast<double>(jobs_ended) / took},
                            {"messages_per_second", static_cast<double>(messages) / took}});
  return jobs_ended == jobs ? 0 : 1;
}
