// Frames a second through the daemons' transport alone, without sessions and managers: what CURVE, its handler and
// the numbering of connections leave of bare ZeroMQ (bare_bench receive and send). Roles:
//
//   receive  Listens at `endpoint`; prints how many frames came in a second, of `seconds` after `warm_up`.
//   send     Dials it, and sends frames of `bytes` as fast as they are taken.
#include <string>

#include "bench/role.hpp"
#include "runtime/clock.hpp"
#include "runtime/daemon.hpp"
#include "runtime/transport.hpp"
#include "runtime/transport_socket.hpp"

namespace dmm::bench {
namespace {

/// As many as a daemon takes before it settles (runtime/reactor.hpp).
constexpr int frames_a_turn = 256;

/// Of the listener, so that the other program knows its key.
LinkSecret listeners_secret() { return LinkSecret({1, 2, 3}); }

void receive(const Arguments& arguments) {
  TransportSettings settings;
  settings.link_secret = listeners_secret();
  Transport transport(settings);
  if (const std::string why = transport.listen(arguments.text("endpoint")); !why.empty()) fail(why);
  const double warm_up = arguments.number("warm_up", 0.2), seconds = arguments.number("seconds");
  std::uint64_t frames = 0, before = 0;
  double began = 0, counted_from = 0;
  for (;;) {
    transport.wait(milliseconds(100));
    Arrival arrival;
    for (int i = 0; i < frames_a_turn && transport.receive(arrival); ++i) ++frames;
    const double now = clock_seconds();
    if (began == 0 && frames > 0) began = now;
    if (counted_from == 0 && began > 0 && now - began >= warm_up) {
      counted_from = now;
      before = frames;
    }
    if (counted_from > 0 && now - counted_from >= seconds) break;
  }
  const double took = clock_seconds() - counted_from;
  print_result({{"messages_per_second", static_cast<double>(frames - before) / took}});
}

void send(const Arguments& arguments) {
  TransportSettings settings;
  settings.link_secret = new_link_secret();
  Transport transport(settings);
  std::string endpoint = arguments.text("endpoint");
  if (is_tcp(endpoint)) endpoint += key_mark + to_text(public_of(listeners_secret()));
  const auto dialled = transport.dial(endpoint);
  if (const auto* fault = std::get_if<TransportFault>(&dialled)) fail(fault->text);
  const std::string frame(static_cast<std::size_t>(arguments.count("bytes")), 'x');
  for (;;) {
    if (!transport.send(std::get<Connection>(dialled), frame)) transport.wait(Duration{100});
  }
}

}  // namespace
}  // namespace dmm::bench

int main(int argc, char** argv) {
  using namespace dmm::bench;
  const Arguments arguments(argc, argv);
  dmm::begin_daemon(true);
  return play(arguments, "transport_bench",
              {{"receive", [&] { receive(arguments); }}, {"send", [&] { send(arguments); }}});
}
