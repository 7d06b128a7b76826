// Which sockets of the transport are to be looked at, and the sleep until one is.
//
// The descriptor of a ZeroMQ socket becomes readable when *something* happened, and stays silent until all of that has
// been looked at. So a socket counts as hot from a sign of life, or from a call that may have swallowed one (a send),
// until a receive finds nothing. `wait` sleeps only when no socket is hot.
#pragma once

#include <cstddef>
#include <unordered_map>
#include <utility>
#include <vector>

#include "protocol/time.hpp"
#include "runtime/transport_socket.hpp"

namespace dmm {

class HotSockets {
 public:
  HotSockets();
  ~HotSockets();
  HotSockets(const HotSockets&) = delete;
  HotSockets& operator=(const HotSockets&) = delete;

  /// Makes `wait` return when this descriptor is readable.
  void watch(int descriptor) const;
  /// A new socket: it is watched, and hot.
  void add(TransportSocket& socket);
  /// A socket that is about to be closed.
  void remove(TransportSocket& socket);

  void heat(TransportSocket& socket) {
    if (std::exchange(socket.hot, true)) return;
    hot_.push_back(&socket);
  }
  void cool(TransportSocket& socket);
  bool empty() const { return hot_.empty(); }
  /// The hot socket with the next turn; there is one.
  TransportSocket& next() {
    if (turn_ >= hot_.size()) turn_ = 0;
    return *hot_[turn_];
  }
  /// The next turn is another hot socket's.
  void pass_turn() { ++turn_; }

  /// Sleeps until something happens, or the time is over; heats sockets with signs of life. Adds other descriptors that
  /// are readable to `others`. True if anything happened.
  bool wait(Duration at_most, std::vector<int>& others);

 private:
  int epoll_;
  std::vector<TransportSocket*> hot_;
  std::size_t turn_ = 0;  ///< the next place in `hot_`
  std::unordered_map<int, TransportSocket*> by_descriptor_;
};

}  // namespace dmm
