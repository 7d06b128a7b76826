#include "runtime/hot_sockets.hpp"

#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "manager/assert.hpp"

namespace dmm {

HotSockets::HotSockets() : epoll_(::epoll_create1(EPOLL_CLOEXEC)) { DMM_ASSERT(epoll_ >= 0); }

HotSockets::~HotSockets() { ::close(epoll_); }

void HotSockets::watch(int descriptor) const {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = descriptor;
  DMM_ASSERT(::epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event) == 0);
}

void HotSockets::add(TransportSocket& socket) {
  watch(socket.descriptor);
  by_descriptor_[socket.descriptor] = &socket;
  heat(socket);
}

void HotSockets::remove(TransportSocket& socket) {
  cool(socket);
  ::epoll_ctl(epoll_, EPOLL_CTL_DEL, socket.descriptor, nullptr);
  by_descriptor_.erase(socket.descriptor);
}

void HotSockets::cool(TransportSocket& socket) {
  if (!std::exchange(socket.hot, false)) return;
  socket.tried = false;
  const auto place = std::ranges::find(hot_, &socket);
  DMM_ASSERT(place != hot_.end());
  if (std::cmp_less(place - hot_.begin(), turn_)) --turn_;  // the sockets behind it move up
  hot_.erase(place);
}

bool HotSockets::wait(Duration at_most, std::vector<int>& others) {
  // Rounded up, so that a caller doesn't wake just before its deadline.
  const std::int64_t milliseconds = std::clamp<std::int64_t>((at_most.microseconds + 999) / 1'000, 0, 3'600'000);
  std::array<epoll_event, 64> events;
  const int count = ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()),
                                 hot_.empty() ? static_cast<int>(milliseconds) : 0);
  for (int i = 0; i < count; ++i) {
    const int descriptor = events[static_cast<std::size_t>(i)].data.fd;
    if (const auto socket = by_descriptor_.find(descriptor); socket != by_descriptor_.end())
      heat(*socket->second);
    else
      others.push_back(descriptor);
  }
  return count > 0 || !hot_.empty();
}

}  // namespace dmm
