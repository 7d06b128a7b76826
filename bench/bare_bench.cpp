// The baseline for DMM: the same work by bare libzmq and bare posix_spawn, without DMM. Each role is a process;
// report.py starts them:
//   receive  A ROUTER that counts messages after the first, for `seconds`.
//   send     A DEALER that sends `bytes` as fast as it can, until it is ended.
//   echo     A ROUTER that sends everything back, until it is ended.
//   relay    A ROUTER at `endpoint` and a DEALER to `next`: passes on messages and their answers.
//   ping     A DEALER that sends `bytes` and waits for the answer, `count` times, `pause_us` apart.
//   peers    `count` DEALERs that greet an echo once each, and then keep quiet.
//   spawn    Starts `true` with `slots` in flight, for `seconds`.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <zmq.hpp>

#include "bench/role.hpp"
#include "runtime/daemon.hpp"
#include "runtime/transport_socket.hpp"

extern char** environ;

namespace dmm::bench {
namespace {

zmq::socket_t make(zmq::context_t& context, zmq::socket_type type) {
  zmq::socket_t socket(context, type);
  socket.set(zmq::sockopt::linger, 0);
  socket.set(zmq::sockopt::sndhwm, 10'000);
  socket.set(zmq::sockopt::rcvhwm, 10'000);
  socket.set(zmq::sockopt::reconnect_ivl, 20);
  socket.set(zmq::sockopt::backlog, 1'024);
  return socket;
}

/// The CURVE secret of every listener over tcp: bare ZeroMQ is measured with CURVE, too.
constexpr const char* listeners_secret = "JTKVSB%%)wK0E.X)V>+}o?pNmC{O&4W4b!Ni{Lh6";
constexpr const char* listeners_key = "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7";

zmq::socket_t listening(zmq::context_t& context, const std::string& endpoint) {
  zmq::socket_t socket = make(context, zmq::socket_type::router);
  socket.set(zmq::sockopt::curve_server, is_tcp(endpoint));
  if (is_tcp(endpoint)) socket.set(zmq::sockopt::curve_secretkey, listeners_secret);
  socket.bind(endpoint);
  return socket;
}

zmq::socket_t dialled(zmq::context_t& context, const std::string& endpoint) {
  zmq::socket_t socket = make(context, zmq::socket_type::dealer);
  if (is_tcp(endpoint)) {
    char key[41], secret[41];
    zmq_curve_keypair(key, secret);
    socket.set(zmq::sockopt::curve_serverkey, listeners_key);
    socket.set(zmq::sockopt::curve_publickey, key);
    socket.set(zmq::sockopt::curve_secretkey, secret);
  }
  socket.connect(endpoint);
  return socket;
}

void receive_all(const Arguments& arguments, zmq::context_t& context) {
  zmq::socket_t socket = listening(context, arguments.text("endpoint"));
  const double warm_up = arguments.number("warm_up", 0.2), seconds = arguments.number("seconds");
  zmq::message_t message;
  (void)socket.recv(message);
  const double begin = clock_seconds();
  double counted_from = 0, now = begin;
  std::uint64_t parts = 0, before = 0;
  while (counted_from == 0 || now - counted_from < seconds) {
    (void)socket.recv(message);
    if (++parts % 512 != 0) continue;
    now = clock_seconds();
    if (counted_from == 0 && now - begin >= warm_up) {
      counted_from = now;
      before = parts;
    }
  }
  print_result({{"messages_per_second", static_cast<double>(parts - before) / 2 / (now - counted_from)}});
}

void send_all(const Arguments& arguments, zmq::context_t& context) {
  zmq::socket_t socket = dialled(context, arguments.text("endpoint"));
  const std::string message(static_cast<std::size_t>(arguments.count("bytes")), 'x');
  while (true) (void)socket.send(zmq::buffer(message), zmq::send_flags::none);
}

/// Waits for both parts of a message to a ROUTER and sends them to a socket; the first part only if that is a ROUTER.
void echo(const Arguments& arguments, zmq::context_t& context) {
  zmq::socket_t socket = listening(context, arguments.text("endpoint"));
  zmq::message_t peer, message;
  while (true) {
    (void)socket.recv(peer);
    (void)socket.recv(message);
    (void)socket.send(peer, zmq::send_flags::sndmore);
    (void)socket.send(message, zmq::send_flags::none);
  }
}

void relay(const Arguments& arguments, zmq::context_t& context) {
  zmq::socket_t behind = listening(context, arguments.text("endpoint"));
  zmq::socket_t ahead = dialled(context, arguments.text("next"));
  std::string peer;  // lock step: there is only one peer
  zmq::message_t part, message;
  zmq::pollitem_t items[] = {{behind.handle(), 0, ZMQ_POLLIN, 0}, {ahead.handle(), 0, ZMQ_POLLIN, 0}};
  while (true) {
    zmq::poll(items, 2, std::chrono::milliseconds(-1));
    if (items[0].revents & ZMQ_POLLIN) {
      (void)behind.recv(part);
      (void)behind.recv(message);
      peer = part.to_string();
      (void)ahead.send(message, zmq::send_flags::none);
    }
    if (items[1].revents & ZMQ_POLLIN) {
      (void)ahead.recv(message);
      (void)behind.send(zmq::buffer(peer), zmq::send_flags::sndmore);
      (void)behind.send(message, zmq::send_flags::none);
    }
  }
}

void ping(const Arguments& arguments, zmq::context_t& context) {
  zmq::socket_t socket = dialled(context, arguments.text("endpoint"));
  socket.set(zmq::sockopt::rcvtimeo, 20'000);
  const int warm_up = arguments.count("warm_up", 200), wanted = arguments.count("count");
  const auto pause = static_cast<useconds_t>(arguments.count("pause_us", 0));
  const std::string message(static_cast<std::size_t>(arguments.count("bytes")), 'x');
  std::vector<double> trips;
  zmq::message_t answer;
  for (int i = 0; i < warm_up + wanted; ++i) {
    if (pause > 0) ::usleep(pause);
    const double begin = clock_seconds();
    (void)socket.send(zmq::buffer(message), zmq::send_flags::none);
    if (!socket.recv(answer)) fail("no echo");
    if (i >= warm_up) trips.push_back(clock_seconds() - begin);
  }
  const auto bytes = static_cast<double>(message.size());
  print_round_trips(std::move(trips), bytes, bytes);
}

void peers(const Arguments& arguments, zmq::context_t& context) {
  std::vector<zmq::socket_t> sockets;
  const int wanted = arguments.count("count");
  for (int i = 0; i < wanted; ++i) sockets.push_back(dialled(context, arguments.text("endpoint")));
  zmq::message_t answer;
  for (zmq::socket_t& socket : sockets) {
    (void)socket.send(zmq::str_buffer("hello"), zmq::send_flags::none);
    (void)socket.recv(answer);
  }
  std::puts("ready");
  std::fflush(stdout);
  while (true) ::pause();
}

/// A process group of its own without input and output, as a job has; nothing else.
void spawn_one(const posix_spawn_file_actions_t& files, const posix_spawnattr_t& attributes) {
  char name[] = "true";
  char* const words[] = {name, nullptr};
  pid_t child = 0;
  if (::posix_spawnp(&child, name, &files, &attributes, words, environ) != 0) fail("cannot start true");
}

void spawn(const Arguments& arguments) {
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  for (const int descriptor : {0, 1, 2})
    ::posix_spawn_file_actions_addopen(&files, descriptor, "/dev/null", descriptor == 0 ? 0 : 1, 0);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  const int slots = arguments.count("slots");
  const double seconds = arguments.number("seconds"), begin = clock_seconds();
  int alive = 0;
  std::uint64_t ended = 0;
  double now = begin;
  while (now - begin < seconds) {
    for (; alive < slots; ++alive) spawn_one(files, attributes);
    if (::waitpid(-1, nullptr, 0) < 0) fail("no child to wait for");
    --alive;
    ++ended;
    while (alive > 0 && ::waitpid(-1, nullptr, WNOHANG) > 0) --alive, ++ended;
    now = clock_seconds();
  }
  print_result({{"jobs_per_second", static_cast<double>(ended) / (now - begin)}});
  while (::waitpid(-1, nullptr, 0) > 0) {
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
  return play(arguments, "bare_bench",
              {{"receive", [&] { receive_all(arguments, context); }},
               {"send", [&] { send_all(arguments, context); }},
               {"echo", [&] { echo(arguments, context); }},
               {"relay", [&] { relay(arguments, context); }},
               {"ping", [&] { ping(arguments, context); }},
               {"peers", [&] { peers(arguments, context); }},
               {"spawn", [&] { spawn(arguments); }}});
}
