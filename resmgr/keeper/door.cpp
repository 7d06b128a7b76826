// Listening for managers. The files are made with the keeper's umask, so that no other account may connect; the kernel
// also tells which account connects.
#include "resmgr/keeper/door.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "resmgr/keeper/address.hpp"

namespace dmm::keeper {
namespace {

constexpr std::size_t waiting_max = 16;
constexpr Clock patience = 5'000'000;  // for a visitor to send its Hello

// Has the manager hung up? One that gave up while the keeper was stopped must not replace a live one.
bool has_hung_up(int socket) {
  pollfd polled{socket, POLLRDHUP, 0};
  return poll(&polled, 1, 0) > 0 && (polled.revents & (POLLRDHUP | POLLHUP | POLLERR));
}

// Empty if there is no randomness.
std::string new_secret() {
  std::array<unsigned char, 32> bytes;
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) return {};
  std::string text;
  for (const unsigned char byte : bytes) text += {"0123456789abcdef"[byte / 16], "0123456789abcdef"[byte % 16]};
  return text;
}

bool write_secret(int folder, const std::string& secret) {
  unlinkat(folder, secret_name, 0);
  const int file = openat(folder, secret_name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0) return false;
  const bool written = write(file, secret.data(), secret.size()) == static_cast<ssize_t>(secret.size());
  ::close(file);
  return written;
}

}  // namespace

std::string Door::open(const std::string& state) {
  folder_ = ::open(state.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  secret_ = new_secret();
  if (secret_.empty() || !write_secret(folder_, secret_))
    return "can't write " + state + '/' + secret_name + ": " + std::strerror(errno);
  socket_ = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  const sockaddr_un address = socket_address(folder_);
  unlinkat(folder_, socket_name, 0);
  if (bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
      listen(socket_, waiting_max) == 0)
    return {};
  return "can't listen on " + state + '/' + socket_name + ": " + std::strerror(errno);
}

std::vector<int> Door::descriptors() const {
  std::vector<int> all;
  if (socket_ >= 0) all.push_back(socket_);
  for (const Visitor& visitor : visitors_) all.push_back(visitor.channel->descriptor());
  return all;
}

Clock Door::next_deadline() const {
  Clock next = endless;
  for (const Visitor& visitor : visitors_) next = std::min(next, visitor.until);
  return next;
}

bool Door::may_knock(int socket) const {
  ucred peer{};
  socklen_t size = sizeof peer;
  return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == geteuid() &&
         marks_.owner_of(peer.pid) == 0;
}

void Door::answer_knocks() {
  int caller = -1;
  while (socket_ >= 0 && (caller = accept4(socket_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
    auto channel = std::make_unique<Channel>(caller);
    if (!may_knock(caller) || has_hung_up(caller)) continue;
    if (visitors_.size() == waiting_max) visitors_.erase(visitors_.begin());
    channel->queue(pack(Report(Challenge{})));
    if (channel->flush()) visitors_.push_back({std::move(channel), later(now(), patience)});
  }
}

Door::Heard Door::hear(Channel& channel, Rules& rules) const {
  const bool alive = channel.receive() && !has_hung_up(channel.descriptor());
  const auto frame = channel.next();
  if (!alive) return Heard::nonsense;
  if (!frame) return Heard::nothing;
  auto order = unpack<Order>(*frame);
  auto* const hello = order ? std::get_if<Hello>(&*order) : nullptr;
  if (!hello || hello->secret != secret_) return Heard::nonsense;
  rules = std::move(hello->rules);
  return Heard::secret;
}

std::unique_ptr<Channel> Door::admit(Rules& rules) {
  answer_knocks();
  for (auto visitor = visitors_.begin(); visitor != visitors_.end();) {
    const Heard heard = hear(*visitor->channel, rules);
    if (heard == Heard::nothing && now() < visitor->until) {
      ++visitor;
      continue;
    }
    std::unique_ptr<Channel> channel = std::move(visitor->channel);
    visitor = visitors_.erase(visitor);
    if (heard == Heard::secret) return channel;
  }
  return nullptr;
}

void Door::close() {
  visitors_.clear();
  if (socket_ >= 0) {
    unlinkat(folder_, socket_name, 0);
    unlinkat(folder_, secret_name, 0);
    ::close(socket_);
  }
  if (folder_ >= 0) ::close(folder_);
  folder_ = socket_ = -1;
}

}  // namespace dmm::keeper
