#include "runtime/zap.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "keys/key.hpp"

namespace dmm {
namespace {

constexpr std::string_view version = "1.0", admitted = "200", refused = "400";

/// The parts of a request: version, number, domain, address, routing id, mechanism, credentials.
constexpr std::size_t number_part = 1, mechanism_part = 5, credentials_part = 6;

std::vector<std::string> parts_of(zmq::socket_t& socket) {
  std::vector<std::string> parts;
  zmq::message_t part;
  while (socket.recv(part, zmq::recv_flags::dontwait)) {
    parts.push_back(part.to_string());
    if (!part.more()) break;
  }
  return parts;
}

std::string user_of(const std::vector<std::string>& question) {
  if (question.size() <= credentials_part || question[mechanism_part] != "CURVE") return {};
  if (question[credentials_part].size() != key_bytes) return {};
  return keys::letters_of(question[credentials_part]);
}

}  // namespace

ZapHandler::ZapHandler(zmq::context_t& context) : socket_(context, zmq::socket_type::rep) {
  socket_.set(zmq::sockopt::linger, 0);
  socket_.bind("inproc://zeromq.zap.01");
  descriptor_ = socket_.get(zmq::sockopt::fd);
}

void ZapHandler::answer() {
  for (auto question = parts_of(socket_); !question.empty(); question = parts_of(socket_)) {
    const std::string user = user_of(question);
    const std::string number = question.size() > number_part ? question[number_part] : std::string();
    const bool comes_in = !user.empty();
    const std::string_view texts[] = {version, number, comes_in ? admitted : refused, comes_in ? "" : "no key",
                                      user};
    for (const std::string_view text : texts) socket_.send(zmq::buffer(text), zmq::send_flags::sndmore);
    socket_.send(zmq::message_t(), zmq::send_flags::none);
  }
}

}  // namespace dmm
