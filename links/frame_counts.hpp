// What an endpoint counts since its start: frames by message type, kind and request, and refusals by reason.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "links/link_view.hpp"
#include "protocol/messages.hpp"

namespace dmm {

class FrameCounts {
 public:
  void sent(std::uint16_t type, MessageKind kind, std::uint64_t frames = 1) {
    sent_by_type_[type] += frames;
    rest_.sent_by_kind[static_cast<std::size_t>(kind)] += frames;
  }
  void sent_about(const RequestId& request) { ++sent_by_request_[request]; }
  void resent(std::uint64_t frames) { rest_.resent += frames; }
  void received(std::uint16_t type, std::uint64_t frames = 1) { received_by_type_[type] += frames; }
  void duplicate() { ++rest_.duplicates; }
  void refused(std::string_view reason) { ++rest_.refused[std::string(reason)]; }

  EndpointCounters all() const {
    EndpointCounters all = rest_;
    for (std::uint16_t type = 0; type < sent_by_type_.size(); ++type) {
      if (sent_by_type_[type] > 0) all.sent[type] = sent_by_type_[type];
      if (received_by_type_[type] > 0) all.received[type] = received_by_type_[type];
    }
    return all;
  }
  const std::map<RequestId, std::uint32_t>& sent_by_request() const { return sent_by_request_; }

 private:
  using ByType = std::array<std::uint64_t, 64>;
  static_assert(Answer::type < std::tuple_size_v<ByType>, "the greatest number of a message type");

  EndpointCounters rest_;  ///< but for the two by type
  ByType sent_by_type_{}, received_by_type_{};
  std::map<RequestId, std::uint32_t> sent_by_request_;
};

}  // namespace dmm
