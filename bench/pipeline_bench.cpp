// The load on a real site manager, over its socket. One role a process; report.py starts them:
//   nodes      a resource manager that says Clean at once; until it is ended
//   flow       a job manager with `outstanding` requests: each Grant is answered with its Release and a new Request
//   lockstep   a job manager with one request at a time; what it was granted it gives back at the end
//   hold       a job manager that takes leases and keeps them: for each number of `first` and `second` it prints a line
//              when it has so many, and waits for a line
//   neighbours `count` sites that say Hello and keep quiet; prints a line when all are heard
#include <poll.h>
#include <unistd.h>

#include <memory>

#include "bench/lean_peer.hpp"
#include "runtime/daemon.hpp"

namespace dmm::bench {
namespace {

constexpr const char* usage = "pipeline_bench nodes|flow|lockstep|hold|neighbours endpoint=... site=... ...";

/// Numbers that no earlier run of the same user gave to a request.
std::uint64_t first_job() { return static_cast<std::uint64_t>(wall_microseconds()); }

LeanPeer dial_as(const Arguments& arguments, zmq::context_t& context, const Party& self) {
  const SiteName site(arguments.text("site"));
  LeanPeer peer(context, self, site_manager_of(site), arguments.text("endpoint"),
                static_cast<std::uint32_t>(arguments.count("dttl", 5)));
  peer.open();
  return peer;
}

LeanPeer dial_as_user(const Arguments& arguments, zmq::context_t& context) {
  return dial_as(arguments, context, job_manager_of(SiteName(arguments.text("site")), "bench"));
}

void nodes(const Arguments& arguments, zmq::context_t& context) {
  const SiteName site(arguments.text("site"));
  LeanPeer peer = dial_as(arguments, context, resource_manager_of(site, "nodes"));
  Register offer;
  offer.cluster = ClusterName("nodes");
  offer.nodes = static_cast<std::uint32_t>(arguments.count("nodes"));
  peer.send(offer);
  std::puts("ready");
  std::fflush(stdout);
  while (true) {
    const auto arrived = peer.receive(0.25);
    if (!arrived || arrived->type != Unassign::type) continue;
    Cursor cursor(arrived->elements);
    cursor.array();
    const std::string_view lease = cursor.skip(), set = cursor.skip();
    peer.clean(lease, set);
  }
}

/// The sizes of a flow's messages, of the last of each.
struct Sizes {
  std::size_t request = 0, grant = 0, release = 0;
  double mean() const { return static_cast<double>(request + grant + release) / 3; }
};

void flow(const Arguments& arguments, zmq::context_t& context) {
  const int outstanding = arguments.count("outstanding");
  const double warm_up = arguments.number("warm_up", 0.3), seconds = arguments.number("seconds");
  LeanPeer peer = dial_as_user(arguments, context);
  std::uint64_t job = first_job();
  for (int i = 0; i < outstanding; ++i) peer.request(++job);
  Sizes sizes;
  std::uint64_t grants = 0, before = 0;
  const double begin = clock_seconds();
  double now = begin, counted_from = 0;
  int open = outstanding;
  for (double limit = begin + warm_up + seconds + patience_seconds; open > 0;) {
    const auto arrived = peer.receive(grants % 64 == 0 ? 0.25 : 0);
    if (!arrived) {
      now = clock_seconds();
      if (now > limit) fail("grants stopped coming");
      if (!peer.receive_soon()) continue;
      continue;
    }
  }
  (void)before;
  (void)counted_from;
}

}  // namespace
}  // namespace dmm::bench
