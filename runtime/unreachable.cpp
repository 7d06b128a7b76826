#include "runtime/unreachable.hpp"

#include "keys/endpoint_key.hpp"

#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <pwd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>

namespace dmm {
namespace {

/// Closes the descriptor at its end.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int get() const { return number_; }

 private:
  int number_;
};

std::string name_of(uid_t user) {
  const passwd* const entry = ::getpwuid(user);
  return entry != nullptr ? entry->pw_name : "user " + std::to_string(user);
}

/// The folder on the way, or the socket itself, that this user may not pass.
std::string barrier_on(const std::string& path) {
  for (std::size_t end = path.find('/', 1); end != std::string::npos; end = path.find('/', end + 1))
    if (const std::string folder = path.substr(0, end); ::access(folder.c_str(), X_OK) != 0) return folder;
  return path;
}

Unreachable forbidden(const std::string& endpoint, const std::string& path) {
  const std::string barrier = barrier_on(path);
  std::string text = "no permission to connect to " + endpoint;
  struct stat status {};
  if (::stat(barrier.c_str(), &status) != 0) return {ReachFault::not_permitted, std::move(text), {}};
  std::array<char, 8> mode{};
  std::snprintf(mode.data(), mode.size(), "%04o", static_cast<unsigned>(status.st_mode & 07777));
  const std::string owner = name_of(status.st_uid);
  text += ": " + barrier + " belongs to " + owner + " and has mode " + mode.data();
  return {ReachFault::not_permitted, std::move(text), owner};
}

std::optional<Unreachable> why_no_file(const std::string& endpoint, const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path) return std::nullopt;
  std::memcpy(address.sun_path, path.data(), path.size());
  const bool is_abstract = path.front() == '@';
  if (is_abstract) address.sun_path[0] = '\0';
  const auto length =
      static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size() + (is_abstract ? 0 : 1));
  const Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (socket.get() < 0) return std::nullopt;
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), length) == 0) return std::nullopt;
  const std::string text = "no process listens at " + endpoint;
  switch (errno) {
    case ENOENT:
    case ENOTDIR: return Unreachable{ReachFault::no_listener, text + ": there is no such socket", {}};
    case ECONNREFUSED:
      return Unreachable{ReachFault::no_listener, text + ": the process that made the socket has ended", {}};
    case EACCES:
    case EPERM: return forbidden(endpoint, path);
    default: return std::nullopt;  // such as EAGAIN: many other clients are waiting
  }
}

/// The error of a connect(); 0: connected, or nothing is known yet.
int error_of_connect(const addrinfo& address, Duration at_most) {
  const Descriptor socket(::socket(address.ai_family, address.ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (socket.get() < 0) return 0;
  if (::connect(socket.get(), address.ai_addr, address.ai_addrlen) == 0) return 0;
  if (errno != EINPROGRESS) return errno;
  pollfd wanted{socket.get(), POLLOUT, 0};
  if (::poll(&wanted, 1, static_cast<int>(at_most.microseconds / 1'000)) <= 0) return 0;
  int error = 0;
  socklen_t size = sizeof error;
  return ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : 0;
}

std::optional<Unreachable> why_no_host(const std::string& endpoint, std::string_view host_and_port,
                                       Duration at_most) {
  const std::size_t colon = host_and_port.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  std::string host(host_and_port.substr(0, colon)), port(host_and_port.substr(colon + 1));
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int unknown = ::getaddrinfo(host.c_str(), port.c_str(), &wanted, &found);
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> addresses(found, &::freeaddrinfo);
  if (unknown != 0)
    return Unreachable{
        ReachFault::no_such_host, "the host of " + endpoint + " can't be found: " + ::gai_strerror(unknown), {}};
  int last = 0;
  for (const addrinfo* each = found; each != nullptr; each = each->ai_next) {
    last = error_of_connect(*each, at_most);
    if (last == 0) return std::nullopt;
  }
  return Unreachable{
      ReachFault::no_listener, "no process listens at " + endpoint + ": " + std::strerror(last), {}};
}

}  // namespace

std::optional<Unreachable> why_unreachable(const std::string& dialled, Duration at_most) {
  const std::string endpoint = place_and_key(dialled).first;
  constexpr std::string_view file = "ipc://", network = "tcp://";
  if (endpoint.starts_with(file)) return why_no_file(endpoint, endpoint.substr(file.size()));
  if (endpoint.starts_with(network))
    return why_no_host(endpoint, std::string_view(endpoint).substr(network.size()), at_most);
  return std::nullopt;
}

}  // namespace dmm
