// The socket under the frames: a buffer each way, and send and recv that never wait.
#include "resmgr/keeper/frames.hpp"

#include <cerrno>

#include <sys/socket.h>
#include <unistd.h>

namespace dmm::keeper {

Channel::~Channel() {
  if (descriptor_ >= 0) close(descriptor_);
}

void Channel::queue(std::string_view body) {
  pack_value(outgoing_, static_cast<std::uint32_t>(body.size()));
  outgoing_ += body;
}

bool Channel::flush() {
  while (wants_to_write()) {
    const std::string_view rest = std::string_view(outgoing_).substr(written_);
    const ssize_t count = send(descriptor_, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno == EAGAIN || errno == EWOULDBLOCK;
    written_ += static_cast<std::size_t>(count);
  }
  outgoing_.clear();
  written_ = 0;
  return true;
}

bool Channel::receive() {
  incoming_.erase(0, taken_);
  taken_ = 0;
  constexpr std::size_t piece = 64 * 1024;
  for (int pieces = 0; pieces < 4; ++pieces) {
    const std::size_t old = incoming_.size();
    incoming_.resize(old + piece);
    const ssize_t count = recv(descriptor_, incoming_.data() + old, piece, 0);
    const int error = errno;
    incoming_.resize(old + (count > 0 ? static_cast<std::size_t>(count) : 0));
    if (count == 0) return false;
    if (count < 0 && error == EINTR) continue;
    if (count < 0) return error == EAGAIN || error == EWOULDBLOCK;
    if (static_cast<std::size_t>(count) < piece) break;
  }
  return !is_too_long();
}

bool Channel::is_too_long() const {
  std::uint32_t length = 0;
  std::string_view rest = incoming_;
  return unpack_value(rest, length) && length > frame_max_;
}

bool Channel::has_next() const {
  std::uint32_t length = 0;
  std::string_view rest = std::string_view(incoming_).substr(taken_);
  return unpack_value(rest, length) && rest.size() >= length;
}

std::optional<std::string_view> Channel::next() {
  std::uint32_t length = 0;
  std::string_view rest = std::string_view(incoming_).substr(taken_);
  if (!unpack_value(rest, length) || rest.size() < length) return std::nullopt;
  taken_ += sizeof length + length;
  return rest.substr(0, length);
}

}  // namespace dmm::keeper
