// The stage for tests of an endpoint under too many, forged or untimely frames. Either the test plays a peer by hand,
// frame by frame, or two endpoints speak over a link that the test disturbs.
#pragma once

#include "links/endpoint.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <deque>
#include <utility>

namespace dmm::endpoint_bounds {

inline const Party alpha = site_manager_of(SiteName("alpha")), beta = site_manager_of(SiteName("beta"));
inline const Party ann = job_manager_of(SiteName("alpha"), "ann"), bob = job_manager_of(SiteName("alpha"), "bob");
inline const Party nodes = resource_manager_of(SiteName("beta"), "nodes");

inline EndpointSettings settings_of(const Party& self, const Party& other) {
  EndpointSettings settings;
  settings.self = self;
  settings.admission.parties = {other};
  return settings;
}

inline Withdraw withdraw(std::uint64_t job) { return {{SiteName("alpha"), "u", job, 1}, 0, 0}; }

/// About 26 bytes for each lease.
inline Renewed renewed(std::uint64_t leases) {
  Renewed message;
  message.term = seconds(60);
  for (std::uint64_t lease = 1; lease <= leases; ++lease)
    message.terms.push_back({{SiteName("alpha"), {1'795'323'467'126, lease}}, seconds(60)});
  return message;
}

inline std::uint64_t refused(const Endpoint& endpoint, const std::string& reason) {
  const auto all = endpoint.counters().refused;
  const auto found = all.find(reason);
  return found == all.end() ? 0 : found->second;
}

inline const LinkView& link_with(const std::vector<LinkView>& links, const Party& party) {
  const auto found = std::ranges::find(links, party, &LinkView::peer);
  REQUIRE(found != links.end());
  return *found;
}

/// The changes of sessions since the last call.
inline std::vector<std::string> changes(Endpoint& endpoint) {
  std::vector<std::string> all;
  for (const LinkEvent& event : endpoint.take_link_events()) {
    if (const LinkUp* up = std::get_if<LinkUp>(&event)) all.push_back(up->restarted ? "new" : "up");
    if (std::holds_alternative<LinkDown>(event)) all.push_back("down");
    if (const LinkPressed* kept = std::get_if<LinkPressed>(&event)) all.push_back(kept->pressed ? "much" : "less");
  }
  return all;
}

template <class Wanted>
std::size_t count(const std::vector<Envelope>& envelopes) {
  return static_cast<std::size_t>(std::ranges::count_if(
      envelopes, [](const Envelope& one) { return std::holds_alternative<Wanted>(one.message); }));
}

/// Speaks for a party to one endpoint.
struct Hand {
  Party self;
  Endpoint& endpoint;
  std::uint64_t incarnation = 1, instance = 0;
  std::uint64_t knows = 0;  ///< the endpoint's incarnation
  Connection connection = 1;
  Instant now{seconds(100).microseconds};
  Codec codec{};

  std::string frame(const Message& message, std::uint64_t sequence = 0) {
    return std::string(codec.encode(Envelope{.from = self,
                                             .to = endpoint.settings().self,
                                             .incarnation = incarnation,
                                             .peer = knows,
                                             .sequence = sequence,
                                             .trace = {},
                                             .hint = {},
                                             .message = message}));
  }
  std::string hello() {
    Hello greeting;
    greeting.instance = instance;
    return frame(greeting);
  }
  /// Hands bytes to the endpoint; returns the resulting inputs.
  std::vector<Received> give(const std::string& bytes) {
    std::vector<Received> messages;
    endpoint.receive(now, connection, bytes, messages);
    return messages;
  }
  std::vector<Received> say(const Message& message, std::uint64_t sequence = 0) {
    return give(frame(message, sequence));
  }
  std::vector<Envelope> hear() {
    std::vector<Envelope> all;
    endpoint.take_frames([&](const Frame& out) {
      auto decoded = codec.decode(out.bytes);
      REQUIRE(std::holds_alternative<Envelope>(decoded));
      all.push_back(std::move(std::get<Envelope>(decoded)));
    });
    return all;
  }
  void open() {
    give(hello());
    for (const Envelope& heard : hear()) knows = heard.incarnation;
    REQUIRE(knows != 0);
    give(hello());
    hear();
  }
  void wait(Duration length) {
    now = now + length;
    endpoint.tick(now);
  }
};

/// Two endpoints; messages that arrive at the second are kept.
struct Pair {
  Instant now{seconds(100).microseconds};
  Duration latency{};  ///< of each frame
  Endpoint a, b;
  Party peer;  ///< the party of b
  bool cut = false;
  bool deaf = false;  ///< frames of `b` don't arrive at `a`
  int lose = -1;      ///< the frame of `a` to lose, counted down
  std::vector<Message> at_b;
  std::vector<std::string> changes_a, changes_b;           ///< changes of the session at each endpoint
  std::uint64_t sent_by_a = 0;                             ///< numbered frames, including lost ones
  std::deque<std::pair<Instant, std::string>> to_a, to_b;  ///< on their way, by time of arrival

  explicit Pair(SessionLimits limits = {}, Duration each_way = {}) : Pair(alpha, beta, limits, each_way) {}
  Pair(const Party& one, Party other, SessionLimits limits = {}, Duration each_way = {})
      : latency(each_way), a(limited(one, other, limits)), b(settings_of(other, one)), peer(std::move(other)) {
    a.dial(now, 1, peer);
    run(seconds(1) + latency * 4);
  }
  static EndpointSettings limited(const Party& one, const Party& other, const SessionLimits& limits) {
    EndpointSettings settings = settings_of(one, other);
    settings.limits = limits;
    return settings;
  }
  bool carry(Endpoint& from) {
    bool moved = false;
    from.take_frames([&](Frame& frame) {
      moved = true;
      auto decoded = codec.decode(frame.bytes);
      REQUIRE(std::holds_alternative<Envelope>(decoded));
      sent_by_a += &from == &a && std::get<Envelope>(decoded).sequence > 0;
      if (cut || (&from == &a ? lose-- == 0 : deaf)) return;
      (&from == &a ? to_b : to_a).emplace_back(now + latency, std::move(frame.bytes));
    });
    return moved;
  }
  bool arrive(Endpoint& to) {
    auto& under_way = &to == &a ? to_a : to_b;
    bool moved = false;
    std::vector<Received> messages;
    for (; !under_way.empty() && under_way.front().first <= now; under_way.pop_front(), moved = true)
      to.receive(now, 1, under_way.front().second, messages);
    if (&to == &b)
      for (Received& message : messages) at_b.push_back(std::move(message.message));
    return moved;
  }
  void settle() {
    do {
      a.tick(now);
      b.tick(now);
      for (std::string& change : changes(a)) changes_a.push_back(std::move(change));
      for (std::string& change : changes(b)) changes_b.push_back(std::move(change));
    } while (carry(a) | arrive(b) | carry(b) | arrive(a));
  }
  Instant next() const {
    Instant first = std::min(a.next_deadline(), b.next_deadline());
    for (const auto* under_way : {&to_a, &to_b})
      if (!under_way->empty()) first = std::min(first, under_way->front().first);
    return first;
  }
  void run(Duration length) {
    const Instant end = now + length;
    for (settle(); now < end; settle()) now = std::min(end, next());
  }
  void send(const Message& message) {
    Effects effects;
    effects.messages.emplace_back(peer, message, RequestId{}, CapacityHint{});
    a.send(now, effects);
  }
  std::uint64_t job_at_b(std::size_t index) const {
    REQUIRE(index < at_b.size());
    REQUIRE(std::holds_alternative<Withdraw>(at_b[index]));
    return std::get<Withdraw>(at_b[index]).request.job;
  }

 private:
  Codec codec;
};

}  // namespace dmm::endpoint_bounds
