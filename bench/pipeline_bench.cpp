// The load on a real site manager, over its socket. Each role is a process; report.py starts them:
//   nodes      A resource manager of `nodes` nodes that says Clean at once, until it is ended.
//   flow       A job manager with `outstanding` requests: it answers each Grant with a Release and a new Request.
//   lockstep   A job manager with one request at a time, `pause_us` apart; it releases all grants at the end.
//   hold       A job manager that takes `first` leases, then up to `second`. It says "ready" each time, and goes on
//              at a line of input.
//   neighbours `count` sites that say Hello and then keep quiet, until they are ended.
#include <poll.h>
#include <unistd.h>

#include <memory>

#include "bench/lean_peer.hpp"
#include "runtime/daemon.hpp"

namespace dmm::bench {
namespace {

/// A first job number above all that earlier runs of this user gave to requests.
std::uint64_t first_job() { return static_cast<std::uint64_t>(wall_microseconds()); }

LeanPeer dial(const Arguments& arguments, zmq::context_t& context, const Party& self) {
  return {context, self, site_manager_of(SiteName(arguments.text("site"))), arguments.text("endpoint"),
          static_cast<std::uint32_t>(arguments.count("dttl", 5))};
}

LeanPeer dial_as_user(const Arguments& arguments, zmq::context_t& context) {
  return dial(arguments, context, job_manager_of(SiteName(arguments.text("site")), "bench"));
}

void say_ready() {
  std::puts("ready");
  std::fflush(stdout);
}

void nodes(const Arguments& arguments, zmq::context_t& context) {
  LeanPeer peer = dial(arguments, context, resource_manager_of(SiteName(arguments.text("site")), "nodes"));
  Register offer;
  offer.cluster = ClusterName("nodes");
  offer.nodes = static_cast<std::uint32_t>(arguments.count("nodes"));
  peer.send(offer);
  say_ready();
  while (true) {
    const auto arrived = peer.receive(0.25);
    if (!arrived || arrived->type != Unassign::type) continue;
    Cursor cursor(arrived->elements);
    cursor.array();
    const std::string_view lease = cursor.skip(), set = cursor.skip();
    peer.clean(lease, set);
  }
}

/// Frame sizes: of the last message of each kind.
struct Sizes {
  std::size_t request = 0, grant = 0, release = 0;
};

void print_flow(double grants_per_second, const Sizes& sizes) {
  const double mean = static_cast<double>(sizes.request + sizes.grant + sizes.release) / 3;
  print_result({{"grants_per_second", grants_per_second},
                {"request_bytes", static_cast<double>(sizes.request)},
                {"grant_bytes", static_cast<double>(sizes.grant)},
                {"release_bytes", static_cast<double>(sizes.release)},
                {"mean_bytes", mean}});
}

void flow(const Arguments& arguments, zmq::context_t& context) {
  const double warm_up = arguments.number("warm_up", 0.3), seconds = arguments.number("seconds");
  LeanPeer peer = dial_as_user(arguments, context);
  Sizes sizes;
  int open = arguments.count("outstanding");
  std::uint64_t job = first_job(), grants = 0, grants_before = 0;
  const double begin = clock_seconds();
  double counted_from = 0, rate = 0;
  for (int i = 0; i < open; ++i) peer.request(++job);
  sizes.request = peer.bytes_out();
  while (open > 0) {
    const auto arrived = peer.receive(0.25);
    if (arrived && arrived->type == Grant::type) {
      const Granted grant = granted(*arrived);
      sizes.grant = peer.bytes_in();
      peer.release(grant.lease, grant.job);
      sizes.release = peer.bytes_out();
      ++grants;
      if (rate > 0)
        --open;
      else
        peer.request(++job);
    }
    if (arrived && grants % 64 != 0) continue;
    const double now = clock_seconds();
    if (counted_from == 0 && now - begin >= warm_up) {
      counted_from = now;
      grants_before = grants;
    } else if (counted_from > 0 && rate == 0 && now - counted_from >= seconds) {
      rate = static_cast<double>(grants - grants_before) / (now - counted_from);
    }
    if (now - begin > warm_up + seconds + patience_seconds) fail("grants don't come any more");
  }
  peer.receive(0.2);  // lets the last releases leave
  print_flow(rate, sizes);
}

void lockstep(const Arguments& arguments, zmq::context_t& context) {
  const int warm_up = arguments.count("warm_up", 200), wanted = arguments.count("count");
  const auto pause = static_cast<useconds_t>(arguments.count("pause_us", 0));
  LeanPeer peer = dial_as_user(arguments, context);
  std::uint64_t job = first_job();
  std::vector<std::pair<std::string, std::uint64_t>> leases;
  std::vector<double> trips;
  double bytes_out = 0, bytes_back = 0;
  for (int i = 0; i < warm_up + wanted; ++i) {
    if (pause > 0) ::usleep(pause);
    const double begin = clock_seconds();
    peer.request(++job);
    const Arrived arrived = peer.expect(Grant::type);
    if (i >= warm_up) trips.push_back(clock_seconds() - begin);
    bytes_out = static_cast<double>(peer.bytes_out());
    bytes_back = static_cast<double>(peer.bytes_in());
    leases.emplace_back(granted(arrived).lease, job);
  }
  for (const auto& [lease, of] : leases) peer.release(lease, of);
  peer.receive(0.3);
  print_round_trips(std::move(trips), bytes_out, bytes_back);
}

/// Takes leases with a few requests at a time, so that memory for a burst isn't measured as the cost of leases.
void take_leases(LeanPeer& peer, std::uint64_t& job, int wanted) {
  constexpr int at_once = 16;
  for (int asked = 0, granted_so_far = 0; granted_so_far < wanted; ++granted_so_far) {
    while (asked < wanted && asked - granted_so_far < at_once) {
      peer.request(++job);
      ++asked;
    }
    peer.expect(Grant::type);
  }
}

void wait_for_line(LeanPeer& peer) {
  char character = 0;
  while (character != '\n') {
    pollfd input{STDIN_FILENO, POLLIN, 0};
    if (::poll(&input, 1, 0) > 0) {
      if (::read(STDIN_FILENO, &character, 1) <= 0) std::exit(0);
    } else {
      peer.receive(0.05);
    }
  }
}

void hold(const Arguments& arguments, zmq::context_t& context) {
  LeanPeer peer = dial_as_user(arguments, context);
  const int first = arguments.count("first"), second = arguments.count("second");
  std::uint64_t job = first_job();
  for (const int more : {first, second - first}) {
    take_leases(peer, job, more);
    say_ready();
    wait_for_line(peer);
  }
}

void neighbours(const Arguments& arguments, zmq::context_t& context) {
  const int wanted = arguments.count("count");
  std::vector<std::unique_ptr<LeanPeer>> peers;
  for (int i = 0; i < wanted; ++i)
    peers.push_back(std::make_unique<LeanPeer>(context, site_manager_of(SiteName("n" + std::to_string(i))),
                                               site_manager_of(SiteName(arguments.text("site"))),
                                               arguments.text("endpoint")));
  say_ready();
  while (true) {
    for (const auto& peer : peers) peer->receive(0);
    ::usleep(100'000);
  }
}

}  // namespace
}  // namespace dmm::bench

int main(int argc, char** argv) {
  using namespace dmm::bench;
  const Arguments arguments(argc, argv);
  dmm::begin_daemon(true);
  zmq::context_t context;
  context.set(zmq::ctxopt::max_sockets, 8'192);
  return play(arguments, "pipeline_bench",
              {{"nodes", [&] { nodes(arguments, context); }},
               {"flow", [&] { flow(arguments, context); }},
               {"lockstep", [&] { lockstep(arguments, context); }},
               {"hold", [&] { hold(arguments, context); }},
               {"neighbours", [&] { neighbours(arguments, context); }}});
}
