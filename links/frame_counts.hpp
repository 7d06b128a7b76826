// What an endpoint counts since its start: frames by message type, kind and request, and refusals by reason.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "links/link_view.hpp"
#include "protocol/messages.hpp"

namespace dmm {

/// A count for each type of message that ever came up: a manager speaks with few kinds of others.
class CountsByType {
 public:
  void add(std::uint16_t type, std::uint64_t frames) {
    std::uint8_t& place = places_[type];
    if (place == 0) {
      counts_.push_back(0);
      place = static_cast<std::uint8_t>(counts_.size());
    }
    counts_[place - 1] += frames;
  }
  /// Those above 0, by type.
  std::map<std::uint16_t, std::uint64_t> all() const {
    std::map<std::uint16_t, std::uint64_t> all;
    for (std::uint16_t type = 0; type < places_.size(); ++type)
      if (places_[type] > 0 && counts_[places_[type] - 1] > 0) all[type] = counts_[places_[type] - 1];
    return all;
  }

 private:
  std::array<std::uint8_t, 64> places_{};  ///< by type: the place in `counts_`, from 1; 0: none yet
  static_assert(Answer::type < std::tuple_size_v<decltype(places_)>, "the greatest number of a message type");
  std::vector<std::uint64_t> counts_;
};

class FrameCounts {
 public:
  void sent(std::uint16_t type, MessageKind kind, std::uint64_t frames = 1) {
    sent_by_type_.add(type, frames);
    rest_.sent_by_kind[static_cast<std::size_t>(kind)] += frames;
  }
  void sent_about(const RequestId& request) { ++sent_by_request_[request]; }
  void resent(std::uint64_t frames) { rest_.resent += frames; }
  void received(std::uint16_t type, std::uint64_t frames = 1) { received_by_type_.add(type, frames); }
  void duplicate() { ++rest_.duplicates; }
  void refused(std::string_view reason) { ++rest_.refused[std::string(reason)]; }

  EndpointCounters all() const {
    EndpointCounters all = rest_;
    all.sent = sent_by_type_.all();
    all.received = received_by_type_.all();
    return all;
  }
  const std::map<RequestId, std::uint32_t>& sent_by_request() const { return sent_by_request_; }

 private:
  EndpointCounters rest_;  ///< but for the two by type
  CountsByType sent_by_type_, received_by_type_;
  std::map<RequestId, std::uint32_t> sent_by_request_;
};

}  // namespace dmm
