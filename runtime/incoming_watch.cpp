#include "runtime/incoming_watch.hpp"

#include <fcntl.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <optional>
#include <utility>

namespace dmm {
namespace {

constexpr const char* monitor_endpoint = "inproc://incoming";

/// Our memory in bytes.
std::uint64_t resident_bytes() {
  unsigned long pages = 0;
  if (std::FILE* const file = std::fopen("/proc/self/statm", "re")) {
    if (std::fscanf(file, "%*u %lu", &pages) != 1) pages = 0;
    std::fclose(file);
  }
  return std::uint64_t{pages} * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

std::size_t descriptors_allowed() {
  rlimit limit{};
  return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 ? static_cast<std::size_t>(limit.rlim_cur) : 1'024;
}

std::uint64_t cookie_of(int descriptor) {
  std::uint64_t cookie = 0;
  socklen_t size = sizeof cookie;
  return ::getsockopt(descriptor, SOL_SOCKET, SO_COOKIE, &cookie, &size) == 0 ? cookie : 0;
}

/// The address of the far end without its port. Of IPv6 only the network, since one host has all of its addresses. 0:
/// not over tcp.
std::uint64_t address_of(int descriptor) {
  sockaddr_storage far{};
  socklen_t size = sizeof far;
  if (::getpeername(descriptor, reinterpret_cast<sockaddr*>(&far), &size) != 0) return 0;
  if (far.ss_family == AF_INET) return reinterpret_cast<const sockaddr_in&>(far).sin_addr.s_addr;
  std::uint64_t network = 0;
  if (far.ss_family == AF_INET6)
    std::memcpy(&network, &reinterpret_cast<const sockaddr_in6&>(far).sin6_addr, sizeof network);
  return network;
}

std::optional<std::uint64_t> received_on(int descriptor) {
  tcp_info info{};
  socklen_t size = sizeof info;
  constexpr std::size_t needed = offsetof(tcp_info, tcpi_bytes_received) + sizeof info.tcpi_bytes_received;
  if (::getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &size) != 0 || size < needed) return std::nullopt;
  return info.tcpi_bytes_received;
}

struct MonitorEvent {
  std::uint16_t kind = 0;
  int descriptor = -1;
};

/// The next event; nothing if there is none.
std::optional<MonitorEvent> next_event(zmq::socket_t& monitor) {
  zmq::message_t part;
  if (!monitor.recv(part, zmq::recv_flags::dontwait)) return std::nullopt;
  MonitorEvent event;
  std::uint32_t value = 0;
  if (part.size() >= sizeof event.kind + sizeof value) {
    std::memcpy(&event.kind, part.data(), sizeof event.kind);
    std::memcpy(&value, static_cast<const char*>(part.data()) + sizeof event.kind, sizeof value);
    event.descriptor = static_cast<int>(value);
  }
  while (part.more())
    if (!monitor.recv(part, zmq::recv_flags::dontwait)) break;
  return event;
}

}  // namespace

IncomingWatch::~IncomingWatch() {
  if (spare_ >= 0) ::close(spare_);
}

void IncomingWatch::begin(zmq::context_t& context, zmq::socket_t& listening) {
  guard_.change(ConnectionGuard::within(settings_, descriptors_allowed()));
  constexpr int wanted = ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_ACCEPT_FAILED | ZMQ_EVENT_DISCONNECTED;
  if (zmq_socket_monitor(listening.handle(), monitor_endpoint, wanted) != 0) throw zmq::error_t();
  monitor_ = zmq::socket_t(context, zmq::socket_type::pair);
  monitor_.set(zmq::sockopt::linger, 0);
  monitor_.set(zmq::sockopt::rcvhwm, 1);  // a thousand, as ZeroMQ has it, isn't needed
  monitor_.connect(monitor_endpoint);
  descriptor_ = monitor_.get(zmq::sockopt::fd);
}

void IncomingWatch::take(Instant now) {
  while (const auto event = begun() ? next_event(monitor_) : std::nullopt) {
    const int descriptor = event->descriptor;
    if (event->kind == ZMQ_EVENT_ACCEPT_FAILED) exhausted();
    if (event->kind == ZMQ_EVENT_ACCEPTED)
      guard_.opened(now, descriptor, {cookie_of(descriptor), address_of(descriptor)});
    if (event->kind == ZMQ_EVENT_DISCONNECTED) guard_.closed(descriptor);
    if (event->kind != ZMQ_EVENT_ACCEPT_FAILED) connection_by_.erase(descriptor);
  }
}

/// Without a stranger to cut, ZeroMQ would try for ever to accept the same connection. The spare descriptor lets ZeroMQ
/// accept it; then it is a stranger that can be cut.
void IncomingWatch::exhausted() {
  guard_.exhausted();
  if (spare_ >= 0) ::close(std::exchange(spare_, -1));
}

/// A frame may be read after its connection is closed. Its descriptor may belong to another connection by then, which
/// corrects this with its next frame.
void IncomingWatch::heard(Instant now, int descriptor, Connection connection) {
  guard_.heard(now, descriptor);
  if (guard_.knows(descriptor)) connection_by_[descriptor] = connection;
}

bool IncomingWatch::shut_down(int descriptor) {
  const bool same = guard_.cookie_of(descriptor) == cookie_of(descriptor);
  if (same) ::shutdown(descriptor, SHUT_RDWR);
  guard_.closed(descriptor);
  connection_by_.erase(descriptor);
  return same;
}

void IncomingWatch::hang_up(Connection connection, int descriptor) {
  const auto carried = connection_by_.find(descriptor);
  if (carried != connection_by_.end() && carried->second == connection) shut_down(descriptor);
}

std::size_t IncomingWatch::cut(Instant now, const std::function<bool(Connection)>& is_needed) {
  take(now);
  if (spare_ < 0) spare_ = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const auto is_used = [&](int descriptor) {
    const auto carried = connection_by_.find(descriptor);
    return carried != connection_by_.end() && is_needed(carried->second);
  };
  std::size_t count = 0;
  for (const int descriptor : guard_.to_cut(now, resident_bytes(), {is_used, received_on}))
    count += shut_down(descriptor);
  return count;
}

}  // namespace dmm
