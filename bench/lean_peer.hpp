// A lean session (lean_session.hpp) over a real socket: benchmarks use it to dial a real site manager.
#pragma once

#include <zmq.hpp>

#include <cstdlib>

#include "bench/lean_session.hpp"
#include "keys/endpoint_key.hpp"
#include "runtime/clock.hpp"
#include "runtime/keyring.hpp"

namespace dmm::bench {

/// CURVE over tcp with a new key. Returns its certificate, signed by the site that works in the folder DMM_KEYS.
inline std::string prove(zmq::socket_t& socket, const LinkKey& listener, const Party& self) {
  const char* const folder = std::getenv("DMM_KEYS");
  const auto site = read_site_signer(folder != nullptr ? folder : "");
  if (site.index() == 1 || !std::get<0>(site)) fail("DMM_KEYS names no folder of a site manager with keys");
  const LinkSecret secret = new_link_secret();
  const LinkKey link = public_of(secret);
  const auto bytes = [](const auto& key) {
    return std::string_view(reinterpret_cast<const char*>(key.data()), key.size());
  };
  socket.set(zmq::sockopt::curve_serverkey, bytes(listener.bytes));
  socket.set(zmq::sockopt::curve_secretkey, bytes(secret.bytes()));
  socket.set(zmq::sockopt::curve_publickey, bytes(link.bytes));
  return certify_now(self, link, Right::none, *std::get<0>(site));
}

/// The limit of every wait for a frame; long enough for any machine.
constexpr double patience_seconds = 20;

class LeanPeer {
 public:
  /// Connects; returns when the site manager has answered Hello.
  LeanPeer(zmq::context_t& context, Party self, Party manager, const std::string& endpoint, std::uint32_t dttl = 5)
      : session_(self, std::move(manager), static_cast<std::uint64_t>(wall_microseconds()), dttl),
        socket_(context, zmq::socket_type::dealer) {
    socket_.set(zmq::sockopt::linger, 0);
    socket_.set(zmq::sockopt::sndhwm, 0);
    socket_.set(zmq::sockopt::rcvhwm, 0);
    socket_.set(zmq::sockopt::reconnect_ivl, 20);
    const auto [place, listener] = place_and_key(endpoint);
    if (listener) session_.show(prove(socket_, *listener, self));
    socket_.connect(place);
    for (const double limit = clock_seconds() + patience_seconds; !session_.is_open();) {
      if (clock_seconds() > limit) fail("the site manager doesn't answer Hello");
      put(session_.hello());
      receive(0.1);
    }
  }

  void send(Message message) { put(session_.message(std::move(message))); }
  void request(std::uint64_t job) { put(session_.request(job)); }
  void release(std::string_view lease, std::uint64_t job) { put(session_.release(lease, job)); }
  void clean(std::string_view lease, std::string_view nodes) { put(session_.clean(lease, nodes)); }

  /// The next numbered message, valid until the next call. Nothing if none comes within this time, or if the frame had
  /// none. Keeps the session alive.
  std::optional<Arrived> receive(double within_seconds) {
    set_patience(within_seconds);
    const zmq::recv_result_t size = socket_.recv(frame_);
    if (!size) {
      keep_alive();
      return std::nullopt;
    }
    bytes_in_ = *size;
    const auto arrived = session_.take({static_cast<const char*>(frame_.data()), frame_.size()});
    if (session_.owes_hello()) put(session_.hello());
    if (session_.owes_beat()) put(session_.beat());
    return arrived;
  }
  /// The next message of this type; fails if it doesn't come.
  Arrived expect(std::uint16_t type) {
    for (const double limit = clock_seconds() + patience_seconds; clock_seconds() < limit;) {
      const auto arrived = receive(0.5);
      if (arrived && arrived->type == type) return *arrived;
    }
    fail("the site manager doesn't send " + std::string(name_of(type)));
  }
  /// Sends a Beat if nothing was sent for a while.
  void keep_alive() {
    if (session_.is_open() && clock_seconds() - sent_ > 0.8) put(session_.beat());
  }

  std::size_t bytes_in() const { return bytes_in_; }    ///< of the last frame received
  std::size_t bytes_out() const { return bytes_out_; }  ///< of the last frame sent

 private:
  void put(std::string_view frame) {
    socket_.send(zmq::buffer(frame), zmq::send_flags::none);
    bytes_out_ = frame.size();
    sent_ = clock_seconds();
  }
  void set_patience(double seconds) {
    const int wanted = static_cast<int>(seconds * 1000);
    if (wanted != patience_) socket_.set(zmq::sockopt::rcvtimeo, wanted);
    patience_ = wanted;
  }

  LeanSession session_;
  zmq::socket_t socket_;
  zmq::message_t frame_;
  double sent_ = 0;
  int patience_ = -1;
  std::size_t bytes_in_ = 0, bytes_out_ = 0;
};

}  // namespace dmm::bench
