// Sockets between transports of one process: frames both ways, refusals, and endpoints that are in use.
#include "runtime/transport.hpp"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <optional>
#include <zmq.hpp>

#include "runtime/clock.hpp"

namespace transport_test {

using namespace dmm;

namespace {

struct Folder {
  Folder() {
    char name[] = "/tmp/dmm-transport-XXXXXX";
    path = ::mkdtemp(name);
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string ipc(const std::string& name) const { return "ipc://" + path + "/" + name; }
  std::string path;
};

struct Got {
  Connection connection = 0;
  std::string bytes;
  std::string refusal;
  Principal principal;
};

/// Of a transport with a link key of its own.
TransportSettings keyed(const LinkSecret& secret = new_link_secret()) {
  TransportSettings settings;
  settings.link_secret = secret;
  return settings;
}

std::optional<Got> next(Transport& transport, Duration within = seconds(5)) {
  const Instant end = monotonic_now() + within;
  while (true) {
    if (Arrival arrival; transport.receive(arrival))
      return Got{arrival.connection, std::string(arrival.bytes), std::string(arrival.refusal), *arrival.principal};
    if (monotonic_now() >= end) return std::nullopt;
    transport.wait(end - monotonic_now());
  }
}

Connection dial(Transport& transport, const std::string& endpoint) {
  auto dialled = transport.dial(endpoint);
  REQUIRE(std::holds_alternative<Connection>(dialled));
  return std::get<Connection>(dialled);
}

/// The peer's held frame for its new connection, as the server receives it.
std::optional<Got> meet(Transport& peer, Transport& server) {
  for (int i = 0; i < 300; ++i) {
    CHECK(!next(peer, milliseconds(10)));
    if (auto got = next(server, milliseconds(10))) return got;
  }
  return std::nullopt;
}

}  // namespace

TEST_CASE("transport: frames travel both ways, over ipc and tcp, and the far end of each connection is proved") {
  const Folder folder;
  const LinkSecret secret = new_link_secret();
  Transport server(keyed());
  REQUIRE(server.listen(folder.ipc("a")) == "");
  REQUIRE(server.listen("tcp://127.0.0.1:*") == "");
  REQUIRE(server.endpoints().size() == 2);
  for (const std::string& endpoint : server.endpoints()) {
    CAPTURE(endpoint);
    Transport peer(keyed(secret));
    const Connection out = dial(peer, server.published(endpoint));
    CHECK(peer.send(out, "hello"));  // held until the connection is made
    const auto hello = meet(peer, server);
    REQUIRE(hello);
    CHECK(hello->bytes == "hello");
    if (endpoint.starts_with("tcp")) {
      REQUIRE(std::holds_alternative<LinkKey>(hello->principal));
      CHECK(std::get<LinkKey>(hello->principal) == public_of(secret));
    } else {
      REQUIRE(std::holds_alternative<Account>(hello->principal));
      CHECK(std::get<Account>(hello->principal).number == ::getuid());
      CHECK_FALSE(std::get<Account>(hello->principal).name.empty());
    }
    REQUIRE(server.send(hello->connection, std::string("with \0 inside", 13)));
    const auto answer = next(peer);
    REQUIRE(answer);
    CHECK(answer->connection == out);
    CHECK(std::holds_alternative<Dialled>(answer->principal));
    CHECK(answer->bytes == std::string("with \0 inside", 13));
  }
}

TEST_CASE("transport: a peer that starts later is reached, and gets one frame rather than all that were refused") {
  const Folder folder;
  Transport peer;
  const Connection out = dial(peer, folder.ipc("late"));
  for (int i = 0; i < 20; ++i) peer.send(out, "hello " + std::to_string(i));
  CHECK(!next(peer, milliseconds(200)));
  Transport server;
  REQUIRE(server.listen(folder.ipc("late")) == "");
  const auto got = meet(peer, server);
  REQUIRE(got);
  CHECK(got->bytes == "hello 19");
  CHECK(!next(server, milliseconds(100)));
}

TEST_CASE("transport: a peer that left can't be sent to; a burst arrives whole and in order") {
  const Folder folder;
  Transport server;
  REQUIRE(server.listen(folder.ipc("a")) == "");
  Connection gone = 0;
  {
    Transport peer;
    const Connection out = dial(peer, folder.ipc("a"));
    peer.send(out, "0");
    const auto first = meet(peer, server);
    REQUIRE(first);
    gone = first->connection;
    REQUIRE(server.send(gone, "you are there"));
    REQUIRE(next(peer)->bytes == "you are there");
    for (int i = 1; i <= 5'000; ++i) REQUIRE(peer.send(out, std::to_string(i)));
    for (int i = 1; i <= 5'000; ++i) REQUIRE(next(server)->bytes == std::to_string(i));
  }
  const Instant end = monotonic_now() + seconds(5);
  while (server.send(gone, "still there?") && monotonic_now() < end) next(server, milliseconds(10));
  CHECK(!server.send(gone, "still there?"));
  CHECK(server.incoming() == 0);
  CHECK(!server.send(4711, "no such connection"));
}

TEST_CASE("transport: messages of several parts and frames that are too large are refused; the listener goes on") {
  const Folder folder;
  Transport server;
  REQUIRE(server.listen(folder.ipc("a")) == "");
  zmq::context_t context;
  zmq::socket_t stranger(context, zmq::socket_type::dealer);
  stranger.set(zmq::sockopt::linger, 0);
  stranger.connect(folder.ipc("a"));
  stranger.send(zmq::str_buffer(""), zmq::send_flags::sndmore);
  stranger.send(zmq::str_buffer("as a REQ socket does"), zmq::send_flags::none);
  stranger.send(zmq::str_buffer("one part"), zmq::send_flags::none);
  const auto refused = next(server);
  REQUIRE(refused);
  CHECK(refused->refusal == "multipart");
  CHECK(refused->bytes.empty());
  const auto taken = next(server);
  REQUIRE(taken);
  CHECK(taken->bytes == "one part");
  CHECK(taken->connection == refused->connection);

  stranger.send(zmq::message_t(std::string(frame_bytes_max + 1, 'x')), zmq::send_flags::none);
  CHECK(!next(server, milliseconds(300)));
  stranger.send(zmq::message_t(std::string(frame_bytes_max, 'y')), zmq::send_flags::none);
  const auto largest = next(server);
  REQUIRE(largest);
  CHECK(largest->bytes.size() == frame_bytes_max);
}

TEST_CASE("transport: an endpoint in use is told by name, and its owner isn't disturbed") {
  const Folder folder;
  Transport first(keyed()), second(keyed());
  REQUIRE(first.listen(folder.ipc("a")) == "");
  REQUIRE(first.listen("tcp://127.0.0.1:*") == "");
  const std::string port = first.endpoints().back();
  CHECK(second.listen(folder.ipc("a")) == "cannot listen at " + folder.ipc("a") + ": in use by another process");
  CHECK(second.listen(port) == "cannot listen at " + port + ": port in use");
  Transport peer;
  dial(peer, folder.ipc("a"));
  peer.send(1, "hello");
  CHECK(meet(peer, first));
}

TEST_CASE("transport: the socket file of a dead process is replaced, and a clean end leaves no file") {
  const Folder folder;
  const std::string path = folder.path + "/a";
  const int stale = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  REQUIRE(::bind(stale, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  ::close(stale);
  REQUIRE(std::filesystem::exists(path));
  {
    Transport server;
    CHECK(server.listen(folder.ipc("a")) == "");
    CHECK(std::filesystem::exists(path + ".lock"));
  }
  CHECK(!std::filesystem::exists(path));
  CHECK(!std::filesystem::exists(path + ".lock"));
}

TEST_CASE("transport: over tcp nothing of a connection without the right keys arrives") {
  Transport server(keyed());
  REQUIRE(server.listen("tcp://127.0.0.1:*") == "");
  const std::string place = server.endpoints().front();
  const std::string other_key = to_text(public_of(new_link_secret()));
  Transport misled(keyed());  // dials with another server's key
  dial(misled, place + "#" + other_key);
  misled.send(1, "to another");
  zmq::context_t context{1};
  const auto speaks = [&](const char* mechanism) {
    zmq::socket_t socket(context, zmq::socket_type::dealer);
    socket.set(zmq::sockopt::linger, 0);
    if (std::string_view(mechanism) == "plain") {
      socket.set(zmq::sockopt::plain_username, "admin");
      socket.set(zmq::sockopt::plain_password, "admin");
    }
    socket.connect(place);
    socket.send(zmq::str_buffer("in the clear"), zmq::send_flags::dontwait);
    return socket;
  };
  const zmq::socket_t null = speaks("null"), plain = speaks("plain");
  const int raw = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(place.substr(place.rfind(':') + 1))));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  REQUIRE(::connect(raw, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  REQUIRE(::send(raw, "\x01\x00hello\xff", 8, MSG_NOSIGNAL) == 8);
  // Another transport with the right key is heard meanwhile, and it is the only one.
  Transport peer(keyed());
  dial(peer, server.published(place));
  peer.send(1, "in order");
  const auto heard = meet(peer, server);
  REQUIRE(heard);
  CHECK(heard->bytes == "in order");
  CHECK_FALSE(next(server, milliseconds(200)));
  ::close(raw);
}

TEST_CASE("transport: over ipc a peer is its account, whatever its greeting calls it") {
  const Folder folder;
  Transport server(keyed());
  REQUIRE(server.listen(folder.ipc("a")) == "");
  const std::string key = to_text(public_of(new_link_secret()));
  // A greeting of ZMTP 3.0 with the mechanism NULL, by hand: ZeroMQ sends no such properties itself.
  std::string said("\xff\0\0\0\0\0\0\0\1\x7f\3\0NULL", 16);
  said.resize(64, '\0');
  std::string ready("\5READY", 6);
  const std::vector<std::pair<std::string, std::string>> properties{
      {"Socket-Type", "DEALER"}, {"User-Id", key}, {"Peer-Address", "127.0.0.1"}};
  for (const auto& [name, value] : properties) {
    ready += static_cast<char>(name.size());
    ready += name + std::string(3, '\0') + static_cast<char>(value.size()) + value;
  }
  said += std::string("\4") + static_cast<char>(ready.size()) + ready;
  const int raw = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{AF_UNIX, {}};
  std::snprintf(address.sun_path, sizeof address.sun_path, "%s/a", folder.path.c_str());
  REQUIRE(::connect(raw, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  REQUIRE(::send(raw, said.data(), said.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(said.size()));
  std::string heard;  // a message before the end of the handshake is refused
  while (heard.find("READY") == std::string::npos) {
    char bytes[256];
    const ssize_t count = ::recv(raw, bytes, sizeof bytes, 0);
    REQUIRE(count > 0);
    heard.append(bytes, static_cast<std::size_t>(count));
  }
  REQUIRE(::send(raw, "\0\5hello", 7, MSG_NOSIGNAL) == 7);
  const auto hello = next(server);
  ::close(raw);
  REQUIRE(hello);
  CHECK(hello->bytes == "hello");
  REQUIRE(std::holds_alternative<Account>(hello->principal));
  CHECK(std::get<Account>(hello->principal).number == ::getuid());
}

TEST_CASE("transport: without keys nothing listens or dials over tcp") {
  Transport transport;
  CHECK(transport.listen("tcp://127.0.0.1:*").find("tcp needs keys") != std::string::npos);
  const std::string key = to_text(public_of(new_link_secret()));
  const auto dialled = transport.dial("tcp://127.0.0.1:1#" + key);
  REQUIRE(std::holds_alternative<TransportFault>(dialled));
  CHECK(std::get<TransportFault>(dialled).text.find("tcp needs keys") != std::string::npos);
  Transport with_keys(keyed());
  const auto keyless = with_keys.dial("tcp://127.0.0.1:1");
  REQUIRE(std::holds_alternative<TransportFault>(keyless));
  CHECK(std::get<TransportFault>(keyless).text.find("expected tcp://host:port#KEY") != std::string::npos);
}

TEST_CASE("transport: what is no endpoint is a text") {
  Transport transport(keyed());
  for (const std::string endpoint : {"", "nonsense", "inproc://x", "tcp://127.0.0.1", "udp://127.0.0.1:1"}) {
    CHECK(transport.listen(endpoint).find("cannot listen at " + endpoint + ": ") == 0);
    const auto dialled = transport.dial(endpoint);
    REQUIRE(std::holds_alternative<TransportFault>(dialled));
    CHECK(std::get<TransportFault>(dialled).text.find("cannot connect to " + endpoint + ": ") == 0);
  }
  CHECK(transport.listen("ipc:///no/such/folder/a").find("/no/such/folder/a") != std::string::npos);
  CHECK(transport.listen("ipc:///tmp/" + std::string(200, 'x')) != "");
}

TEST_CASE("transport: no more incoming connections are remembered than allowed, the longest unused is forgotten") {
  const Folder folder;
  Transport server({.connections_max = 2});
  REQUIRE(server.listen(folder.ipc("a")) == "");
  zmq::context_t context;
  std::vector<zmq::socket_t> strangers;
  std::vector<Connection> connections;
  for (int i = 0; i < 3; ++i) {
    strangers.emplace_back(context, zmq::socket_type::dealer);
    strangers.back().connect(folder.ipc("a"));
    strangers.back().send(zmq::str_buffer("hello"), zmq::send_flags::none);
    connections.push_back(next(server)->connection);
    if (i == 1) REQUIRE(server.send(connections[0], "used again"));
  }
  CHECK(server.incoming() == 2);
  CHECK(server.send(connections[0], "x"));
  CHECK(!server.send(connections[1], "x"));
  CHECK(server.send(connections[2], "x"));
}

TEST_CASE("transport: waiting ends by a watched descriptor and by time, and costs nothing") {
  const Folder folder;
  Transport server;
  REQUIRE(server.listen(folder.ipc("a")) == "");
  Transport transport;
  for (int i = 0; i < 20; ++i) dial(transport, folder.ipc("a"));
  CHECK(!next(transport, milliseconds(100)));
  const int event = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  transport.watch(event);
  rusage before{}, after{};
  ::getrusage(RUSAGE_SELF, &before);
  const Instant start = monotonic_now();
  CHECK(!transport.wait(milliseconds(300)));
  CHECK(!transport.readable(event));
  CHECK(monotonic_now() - start >= milliseconds(300));
  ::getrusage(RUSAGE_SELF, &after);
  const auto spent = [](const rusage& use) { return use.ru_utime.tv_usec + use.ru_stime.tv_usec; };
  CHECK(spent(after) - spent(before) < 20'000);
  REQUIRE(::eventfd_write(event, 1) == 0);
  CHECK(transport.wait(seconds(5)));
  CHECK(transport.readable(event));
  ::close(event);
}

}  // namespace transport_test
