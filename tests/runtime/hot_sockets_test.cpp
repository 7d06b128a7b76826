// Which sockets are to be looked at, with pipes in place of sockets, and with a real pair of ZeroMQ sockets.
#include "runtime/hot_sockets.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <string>

#include "runtime/clock.hpp"

namespace hot_sockets_test {

using namespace dmm;

namespace {

/// A pipe; its reading end is what a transport watches.
struct Pipe {
  int ends[2] = {-1, -1};

  Pipe() { REQUIRE(::pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0); }
  ~Pipe() {
    for (const int end : ends) ::close(end);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void write() const { REQUIRE(::write(ends[1], "x", 1) == 1); }
  void read() const {
    char byte = 0;
    REQUIRE(::read(ends[0], &byte, 1) == 1);
  }
};

/// A socket of the transport that has a pipe's descriptor.
struct PipeSocket : Pipe, TransportSocket {
  PipeSocket() { descriptor = ends[0]; }
};

constexpr Duration at_once{}, long_time = seconds(5);

}  // namespace

TEST_CASE("hot sockets: a new socket is hot, and there is no sleep before it is cool") {
  HotSockets sockets;
  std::vector<int> others;
  CHECK_FALSE(sockets.wait(at_once, others));
  PipeSocket socket;
  sockets.add(socket);
  CHECK(socket.hot);
  CHECK_FALSE(sockets.empty());
  const Instant before = monotonic_now();
  CHECK(sockets.wait(long_time, others));
  CHECK(monotonic_now() - before < long_time);
  CHECK(&sockets.next() == &socket);
  sockets.cool(socket);
  CHECK_FALSE(socket.hot);
  CHECK(sockets.empty());
  CHECK_FALSE(sockets.wait(at_once, others));
  CHECK(others.empty());
}

TEST_CASE("hot sockets: a sign of life heats its socket alone, and other descriptors are told") {
  HotSockets sockets;
  PipeSocket quiet, loud;
  Pipe other, silent;
  for (PipeSocket* one : {&quiet, &loud}) sockets.add(*one), sockets.cool(*one);
  for (const Pipe* one : {&other, &silent}) sockets.watch(one->ends[0]);
  other.write();
  std::vector<int> others;
  CHECK(sockets.wait(long_time, others));
  CHECK(others == std::vector{other.ends[0]});
  CHECK(sockets.empty());
  other.read();
  others.clear();
  loud.write();
  CHECK(sockets.wait(long_time, others));
  CHECK(others.empty());
  CHECK(loud.hot);
  CHECK_FALSE(quiet.hot);
  // A hot socket doesn't hide what other descriptors tell.
  other.write();
  CHECK(sockets.wait(long_time, others));
  CHECK(others == std::vector{other.ends[0]});
}

TEST_CASE("hot sockets: each hot socket has its turn") {
  HotSockets sockets;
  PipeSocket a, b, c;
  for (PipeSocket* one : {&a, &b, &c}) sockets.add(*one);
  sockets.heat(b);  // it is hot once
  std::string turns;
  const auto turn = [&] {
    TransportSocket* const next = &sockets.next();
    turns += next == &a ? 'a' : next == &b ? 'b' : 'c';
  };
  for (int i = 0; i < 7; ++i) turn(), sockets.pass_turn();
  CHECK(turns == "abcabca");
  turns.clear();
  sockets.cool(b);  // it was its turn: the next one has it
  for (int i = 0; i < 4; ++i) turn(), sockets.pass_turn();
  CHECK(turns == "caca");
}

TEST_CASE("hot sockets: a socket that cools down before its turn costs no other one its turn") {
  HotSockets sockets;
  PipeSocket a, b, c, d;
  for (PipeSocket* one : {&a, &b, &c, &d}) sockets.add(*one);
  CHECK(&sockets.next() == &a);
  sockets.pass_turn();
  CHECK(&sockets.next() == &b);
  sockets.pass_turn();
  sockets.cool(a);
  CHECK(&sockets.next() == &c);
  sockets.pass_turn();
  sockets.cool(d);
  CHECK(&sockets.next() == &b);
}

TEST_CASE("hot sockets: a socket that cools down may try its held frame again") {
  HotSockets sockets;
  PipeSocket socket;
  sockets.add(socket);
  socket.tried = true;
  sockets.cool(socket);
  CHECK_FALSE(socket.tried);
  sockets.cool(socket);  // it is cool already
  CHECK(sockets.empty());
}

TEST_CASE("hot sockets: a removed socket is neither hot nor watched") {
  HotSockets sockets;
  PipeSocket gone, stays;
  sockets.add(gone), sockets.add(stays);
  sockets.remove(gone);
  CHECK(&sockets.next() == &stays);
  sockets.cool(stays);
  gone.write();
  std::vector<int> others;
  CHECK_FALSE(sockets.wait(at_once, others));
  CHECK(others.empty());
  sockets.add(gone);  // its descriptor may be that of a later socket
  CHECK(gone.hot);
}

TEST_CASE("hot sockets: a sleep is not shorter than asked for") {
  HotSockets sockets;
  std::vector<int> others;
  for (const Duration asked : {Duration{1'400}, Duration{300}, Duration{-5'000}}) {
    CAPTURE(asked.microseconds);
    const Instant before = monotonic_now();
    CHECK_FALSE(sockets.wait(asked, others));
    CHECK(monotonic_now() - before >= asked);
  }
}

TEST_CASE("hot sockets: a frame wakes for a ZeroMQ socket, which stays hot until a receive finds nothing") {
  zmq::context_t context;
  const auto near_end = make_socket(context, zmq::socket_type::pair, 1'000, Duration{});
  const auto far_end = make_socket(context, zmq::socket_type::pair, 1'000, Duration{});
  near_end->zmq.bind("inproc://hot_sockets_test");
  far_end->zmq.connect("inproc://hot_sockets_test");
  HotSockets sockets;
  sockets.add(*near_end);
  const auto receive = [&] {
    std::size_t frames = 0;
    for (zmq::message_t frame; near_end->zmq.recv(frame, zmq::recv_flags::dontwait);) ++frames;
    sockets.cool(*near_end);
    return frames;
  };
  CHECK(receive() == 0);
  std::vector<int> others;
  for (int i = 0; i < 2; ++i) REQUIRE(far_end->zmq.send(zmq::str_buffer("frame"), zmq::send_flags::dontwait));
  CHECK(sockets.wait(long_time, others));
  CHECK(&sockets.next() == near_end.get());
  CHECK(receive() == 2);
  sockets.remove(*near_end);
}

}  // namespace hot_sockets_test
