#include "resmgr/launcher/sockets.hpp"

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

namespace dmm::launcher {
namespace {

constexpr int connect_milliseconds = 10'000;
constexpr int backlog = 128;

using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

Addresses addresses_of(const std::string& host, const char* port, int flags, std::string& fault) {
  addrinfo wanted{};
  wanted.ai_family = AF_UNSPEC;
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = flags;
  addrinfo* found = nullptr;
  if (const int error = getaddrinfo(host.c_str(), port, &wanted, &found)) fault = gai_strerror(error);
  return {found, freeaddrinfo};
}

/// Empty if it is connected.
std::string await_connection(int socket) {
  pollfd polled{socket, POLLOUT, 0};
  if (poll(&polled, 1, connect_milliseconds) == 0) return std::strerror(ETIMEDOUT);
  int error = 0;
  socklen_t size = sizeof error;
  getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size);
  return error == 0 ? std::string() : std::strerror(error);
}

}  // namespace

std::pair<int, std::string> listen_at(const std::string& host) {
  std::string fault;
  const Addresses found = addresses_of(host, "0", AI_PASSIVE, fault);
  for (const addrinfo* one = found.get(); one != nullptr; one = one->ai_next) {
    const int socket = ::socket(one->ai_family, one->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (socket >= 0 && bind(socket, one->ai_addr, one->ai_addrlen) == 0 && listen(socket, backlog) == 0)
      return {socket, {}};
    fault = std::strerror(errno);
    if (socket >= 0) close(socket);
  }
  return {-1, "can't listen at " + host + ": " + fault};
}

std::string port_of(int socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
  const bool is_six = address.ss_family == AF_INET6;
  const in_port_t port = is_six ? reinterpret_cast<const sockaddr_in6&>(address).sin6_port
                                : reinterpret_cast<const sockaddr_in&>(address).sin_port;
  return std::to_string(ntohs(port));
}

std::pair<int, std::string> connect_to(const std::string& host, const std::string& port) {
  std::string fault;
  const Addresses found = addresses_of(host, port.c_str(), 0, fault);
  for (const addrinfo* one = found.get(); one != nullptr; one = one->ai_next) {
    const int socket = ::socket(one->ai_family, one->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (socket < 0) continue;
    fault.clear();
    if (connect(socket, one->ai_addr, one->ai_addrlen) != 0)
      fault = errno == EINPROGRESS ? await_connection(socket) : std::strerror(errno);
    const int on = 1;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (fault.empty()) return {socket, {}};
    close(socket);
  }
  return {-1, "can't connect to " + host + " port " + port + ": " + fault};
}

std::string new_token() {
  std::array<std::uint8_t, 16> bytes{};
  std::size_t filled = 0;
  while (filled < bytes.size()) {
    const ssize_t count = getrandom(bytes.data() + filled, bytes.size() - filled, 0);
    if (count > 0) filled += static_cast<std::size_t>(count);
  }
  std::string token;
  for (const std::uint8_t byte : bytes) {
    constexpr const char* digits = "0123456789abcdef";
    token += digits[byte >> 4];
    token += digits[byte & 15];
  }
  return token;
}

}  // namespace dmm::launcher
