// Two endpoints and a wire between them: a test can cut it, and let it drop or double frames. The promises of sessions.
#include "links/endpoint.hpp"

#include <doctest/doctest.h>

#include <map>

namespace endpoint_test {

using namespace dmm;

namespace {

const Party alpha = site_manager_of(SiteName("alpha"));
const Party beta = site_manager_of(SiteName("beta"));

EndpointSettings settings(Party self, Party other, std::uint64_t incarnation) {
  EndpointSettings result;
  result.self = std::move(self);
  result.incarnation = incarnation;
  result.admission.parties = {std::move(other)};
  return result;
}

/// a dials b. Frames arrive at once unless the wire is cut.
struct Wire {
  Instant now{seconds(100).microseconds};
  std::unique_ptr<Endpoint> a = std::make_unique<Endpoint>(settings(alpha, beta, 1));
  std::unique_ptr<Endpoint> b = std::make_unique<Endpoint>(settings(beta, alpha, 1));
  bool cut = false;
  int copies = 1;
  int drop_next = 0;
  std::vector<std::uint64_t> at_a, at_b;  ///< job numbers of the Cancels that arrived
  std::vector<std::string> links_a, links_b;
  std::vector<std::uint32_t> hints;  ///< processors in hints that reached either manager

  Wire() { a->dial(now, 1, beta); }

  static void note(Endpoint& endpoint, std::vector<std::string>& links) {
    for (const auto& event : endpoint.take_link_events()) {
      if (const LinkUp* up = std::get_if<LinkUp>(&event)) links.push_back(up->restarted ? "new" : "up");
      if (std::holds_alternative<LinkDown>(event)) links.push_back("down");
    }
  }
  bool carry(Endpoint& from, Endpoint& to, std::vector<std::uint64_t>& got) {
    std::vector<Frame> frames;
    from.take_frames([&](Frame& frame) { frames.push_back(std::move(frame)); });
    for (const Frame& frame : frames) {
      if (cut) continue;
      if (drop_next > 0) {
        --drop_next;
        continue;
      }
      for (int copy = 0; copy < copies; ++copy) {
        std::vector<Received> messages;
        to.receive(now, 1, frame.bytes, messages);
        for (const Received& message : messages) {
          if (!message.hint.empty()) hints.push_back(message.hint.front().lendable);
          if (const auto* withdraw = std::get_if<Withdraw>(&message.message)) got.push_back(withdraw->request.job);
        }
      }
    }
    return !frames.empty();
  }
  void settle() {
    do {
      a->tick(now);
      b->tick(now);
      note(*a, links_a);
      note(*b, links_b);
    } while (carry(*a, *b, at_b) | carry(*b, *a, at_a));
  }
  void run(Duration length) {
    const Instant end = now + length;
    for (settle(); now < end; settle()) now = std::min(end, std::min(a->next_deadline(), b->next_deadline()));
  }
  void send(Endpoint& from, const Party& to, std::uint64_t job) {
    Effects effects;
    effects.send(to, Withdraw{{SiteName("alpha"), "u", job, 1}, 0, 0});
    from.send(now, effects);
  }
};

using Jobs = std::vector<std::uint64_t>;
using Links = std::vector<std::string>;
using Hints = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE("endpoint: a link opens with a Hello from the side that dials, and both sides hear of it once") {
  Wire wire;
  wire.run(seconds(5));
  CHECK(wire.links_a == std::vector<std::string>{"new"});
  CHECK(wire.links_b == std::vector<std::string>{"new"});
}

TEST_CASE("endpoint: a link of any length is up, at both ends, when its length is known [S46c]") {
  constexpr Duration way = seconds(4);
  Endpoint a(settings(alpha, beta, 1)), b(settings(beta, alpha, 1));
  Instant now{seconds(100).microseconds};
  a.dial(now, 1, beta);
  std::multimap<Instant, std::pair<bool, std::string>> under_way;  // whether it goes to b, and the frame
  std::map<bool, std::pair<Instant, Duration>> up;                 // at b: when, and the round trip that b is told
  const auto look = [&](Endpoint& endpoint, bool is_b) {
    endpoint.tick(now);
    endpoint.take_frames([&](const Frame& frame) { under_way.emplace(now + way, std::pair(!is_b, frame.bytes)); });
    for (const auto& event : endpoint.take_link_events())
      if (const LinkUp* risen = std::get_if<LinkUp>(&event)) up.emplace(is_b, std::pair(now, risen->round_trip));
  };
  const Instant begin = now;
  while (now < begin + seconds(30)) {
    look(a, false);
    look(b, true);
    now = std::min(a.next_deadline(), b.next_deadline());
    if (!under_way.empty()) now = std::min(now, under_way.begin()->first);
    while (!under_way.empty() && under_way.begin()->first <= now) {
      const auto [to_b, bytes] = under_way.extract(under_way.begin()).mapped();
      std::vector<Received> none;
      (to_b ? b : a).receive(now, 1, bytes, none);
    }
  }
  CHECK(up.at(false) == std::pair(begin + way * 2, way * 2));
  CHECK(up.at(true) == std::pair(begin + way * 3, way * 2));
}

TEST_CASE("endpoint: what is sent before the link is open arrives once it is, in order") {
  Wire wire;
  wire.send(*wire.b, alpha, 1);  // b can't know yet how to reach a
  wire.send(*wire.a, beta, 2);
  wire.send(*wire.a, beta, 3);
  wire.run(seconds(1));
  CHECK(wire.at_a == Jobs{1});
  CHECK(wire.at_b == Jobs{2, 3});
}

TEST_CASE("endpoint: a hint goes out with every beat, and the machine is told once, and again on a new link") {
  Wire wire;
  wire.run(seconds(1));
  const auto tell = [&](std::uint32_t lendable) {
    Effects effects;
    effects.messages.emplace_back(beta, Beat{}, RequestId{}, CapacityHint{{lendable, 64, true}});
    wire.a->send(wire.now, effects);
    wire.run(seconds(5));
  };
  wire.drop_next = 1;
  tell(5);
  CHECK(wire.hints == Hints{5});
  wire.cut = true;
  wire.run(seconds(10));
  wire.cut = false;
  wire.run(seconds(5));
  CHECK(wire.hints == Hints{5, 5});
  tell(3);
  CHECK(wire.hints == Hints{5, 5, 3});
}

TEST_CASE("endpoint: a lost message is asked for again, and nothing overtakes it") {
  Wire wire;
  wire.run(seconds(1));
  wire.drop_next = 1;
  wire.send(*wire.a, beta, 1);
  wire.send(*wire.a, beta, 2);
  wire.run(seconds(2));
  CHECK(wire.at_b == Jobs{1, 2});
}

TEST_CASE("endpoint: a lost last message is noticed at the next beat") {
  Wire wire;
  wire.run(seconds(1));
  wire.drop_next = 1;
  wire.send(*wire.a, beta, 1);
  wire.run(seconds(2));
  CHECK(wire.at_b == Jobs{1});
}

TEST_CASE("endpoint: doubled frames deliver once") {
  Wire wire;
  wire.copies = 2;
  wire.run(seconds(1));
  for (std::uint64_t job = 1; job <= 100; ++job) wire.send(*wire.a, beta, job);
  wire.run(seconds(1));
  REQUIRE(wire.at_b.size() == 100);
  CHECK(wire.at_b.back() == 100);
  CHECK(wire.b->counters().duplicates >= 100);
}

TEST_CASE("endpoint: a link that is cut goes down by silence and comes back with nothing lost or doubled") {
  Wire wire;
  wire.run(seconds(1));
  wire.cut = true;
  for (std::uint64_t job = 1; job <= 10; ++job) wire.send(*wire.a, beta, job);
  wire.send(*wire.b, alpha, 11);
  wire.run(seconds(5));
  CHECK(wire.links_a == std::vector<std::string>{"new", "down"});
  CHECK(wire.links_b == std::vector<std::string>{"new", "down"});
  CHECK(wire.at_b.empty());
  wire.cut = false;
  wire.run(seconds(3));
  CHECK(wire.at_b == Jobs{1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  CHECK(wire.at_a == Jobs{11});
  CHECK(wire.links_a == std::vector<std::string>{"new", "down", "up"});
}

TEST_CASE("endpoint: a restarted peer is a new session; what it had not acknowledged is gone with it") {
  Wire wire;
  wire.run(seconds(1));
  wire.send(*wire.a, beta, 1);
  wire.run(seconds(1));
  wire.cut = true;
  wire.send(*wire.a, beta, 2);
  wire.settle();
  wire.b = std::make_unique<Endpoint>(settings(beta, alpha, 2));
  wire.cut = false;
  wire.links_b.clear();
  wire.run(seconds(6));
  CHECK(wire.links_a.back() == "new");
  CHECK(wire.links_b == std::vector<std::string>{"new"});
  CHECK(wire.at_b == Jobs{1});
  wire.send(*wire.a, beta, 3);
  wire.send(*wire.b, alpha, 4);
  wire.run(seconds(1));
  CHECK(wire.at_b == Jobs{1, 3});
  CHECK(wire.at_a == Jobs{4});
}

TEST_CASE("endpoint: a stream one way is acknowledged, so the sender doesn't keep it for ever") {
  Wire wire;
  wire.run(seconds(1));
  for (std::uint64_t job = 1; job <= 10'000; ++job) {
    wire.send(*wire.a, beta, job);
    if (job % 100 == 0) wire.settle();
  }
  wire.settle();
  CHECK(wire.at_b.size() == 10'000);
  CHECK(wire.a->links().front().unacknowledged < 200);
}

TEST_CASE("endpoint: a stranger and a message that its role may not send are refused and told so") {
  Wire wire;
  wire.run(seconds(1));
  Effects effects;
  effects.send(beta, Submit{});
  wire.a->send(wire.now, effects);
  wire.run(seconds(1));
  CHECK(wire.b->counters().refused.at("not_allowed") == 1);
  CHECK(wire.a->links().front().last_error.find("submit") != std::string::npos);
  wire.send(*wire.a, beta, 1);
  wire.run(seconds(1));
  CHECK(wire.at_b == Jobs{1});  // the session goes on

  Endpoint stranger(settings(site_manager_of(SiteName("gamma")), beta, 1));
  stranger.dial(wire.now, 1, beta);
  stranger.tick(wire.now);
  stranger.take_frames([&](const Frame& frame) {
    std::vector<Received> messages;
    wire.b->receive(wire.now, 9, frame.bytes, messages);
  });
  CHECK(wire.b->counters().refused.at("not_admitted") == 1);
}

TEST_CASE("endpoint: a party that is admitted no longer stays out, whatever is sent to it") {
  Wire wire;
  wire.run(seconds(1));
  wire.b->admit(wire.now, {});
  wire.run(seconds(1));
  CHECK(wire.links_b == Links{"new", "down"});
  wire.send(*wire.b, alpha, 1);
  wire.run(seconds(20));
  CHECK(wire.links_b == Links{"new", "down"});
  CHECK(wire.at_a == Jobs{});
  CHECK(wire.a->links().front().last_error.ends_with("not admitted here"));

  Admission again;
  again.parties = {alpha};
  wire.b->admit(wire.now, again);
  wire.run(seconds(20));
  CHECK(wire.links_b == Links{"new", "down", "new"});
  CHECK(wire.at_a == Jobs{1});
}

TEST_CASE("endpoint: an idle pair only beats") {
  Wire wire;
  wire.run(seconds(10));
  const auto sent = wire.a->counters().sent;
  CHECK(sent.at(Hello::type) <= 2);
  CHECK(sent.at(Beat::type) >= 8);
  CHECK(sent.at(Beat::type) <= 14);
}

namespace {

/// A job manager and a resource manager; sessions between these may be dormant.
struct FarWire : Wire {
  Party ann = job_manager_of(SiteName("alpha"), "ann"), nodes = resource_manager_of(SiteName("beta"), "nodes");
  FarWire() {
    a = std::make_unique<Endpoint>(settings(ann, nodes, 1));
    b = std::make_unique<Endpoint>(settings(nodes, ann, 1));
    a->dial(now, 1, nodes);
    run(seconds(1));
  }
  void route() {
    Effects effects;
    effects.routes.push_back({nodes, "tcp://beta:1", {}});
    a->send(now, effects);
    for (const DialWanted& wanted : a->take_dials()) a->dial(now, 1, wanted.peer);
  }
  void rest() {
    Effects effects;
    effects.dormant.push_back(nodes);
    a->send(now, effects);
  }
  void stop(std::uint64_t job) {
    Effects effects;
    effects.send(nodes, Stop{{SiteName("alpha"), "ann", job, 1}, {}});
    a->send(now, effects);
  }
  std::uint64_t beats() const {
    const auto beats_of = [](const Endpoint& one) {
      const auto sent = one.counters().sent;
      const auto found = sent.find(Beat::type);
      return found == sent.end() ? 0 : found->second;
    };
    return beats_of(*a) + beats_of(*b);
  }
};

}  // namespace

TEST_CASE("endpoint: a pair with nothing under way rests, and takes no silence for a cut") {
  FarWire wire;
  wire.rest();
  wire.run(seconds(10));
  const std::uint64_t before = wire.beats();
  for (int i = 0; i < 9; ++i) {
    wire.now = wire.now + seconds(60);
    wire.settle();
  }
  CHECK(wire.beats() == before);
  CHECK(wire.links_a == std::vector<std::string>{"new"});
  CHECK(wire.links_b == std::vector<std::string>{"new"});
  CHECK(wire.a->links().at(0).dormant);
  CHECK(wire.b->links().at(0).dormant);
}

TEST_CASE("endpoint: a pair that has rested for long is forgotten on both sides, and meets again without loss") {
  FarWire wire;
  wire.a = std::make_unique<Endpoint>(settings(wire.ann, wire.nodes, 2));  // it learns the way there by a grant
  wire.route();
  wire.run(seconds(1));
  wire.rest();
  wire.run(seconds(10));
  for (int i = 0; i < 12; ++i) {
    wire.now = wire.now + seconds(60);
    wire.settle();
  }
  CHECK(wire.a->links().empty());
  CHECK(wire.b->links().empty());
  CHECK(wire.links_a.back() == "down");
  CHECK(wire.a->take_hangups() == std::vector<Connection>{1});
  wire.route();
  wire.stop(7);
  wire.run(seconds(5));
  CHECK(wire.links_a.back() == "new");
  CHECK(wire.links_b.back() == "new");
  CHECK(wire.a->links().at(0).unacknowledged == 0);
}

TEST_CASE("endpoint: a message ends the rest on both sides, and silence counts again") {
  FarWire wire;
  wire.rest();
  wire.run(seconds(60));
  wire.stop(7);
  wire.run(seconds(60));
  CHECK_FALSE(wire.a->links().at(0).dormant);
  CHECK_FALSE(wire.b->links().at(0).dormant);
  CHECK(wire.a->links().at(0).unacknowledged == 0);
  wire.cut = true;
  wire.run(seconds(20));
  CHECK(wire.links_a.back() == "down");
  CHECK(wire.links_b.back() == "down");
}

TEST_CASE("endpoint: a lost word of rest is said again when the other is heard") {
  FarWire wire;
  wire.rest();
  while (!wire.a->links().at(0).dormant) {
    wire.drop_next = 1;  // the next frame is lost
    wire.now = wire.a->next_deadline();
    wire.settle();
  }
  wire.drop_next = 0;
  wire.run(seconds(30));
  const std::uint64_t before = wire.beats();
  wire.run(seconds(600));
  CHECK(wire.beats() == before);
}

TEST_CASE("endpoint: only a client that means another party is told which party it has reached [S13] [S13a]") {
  for (const Role role : {Role::client, Role::site_manager}) {
    EndpointSettings mine = settings({SiteName("there"), role, role == Role::client ? "7" : ""}, beta, 1);
    Endpoint asking(std::move(mine)), asked(settings(alpha, beta, 1));
    const Instant now{seconds(100).microseconds};
    asking.dial(now, 1, beta);
    std::vector<Received> received;
    asking.tick(now);
    asking.take_frames([&](Frame& frame) { asked.receive(now, 1, frame.bytes, received); });
    CHECK(asked.counters().refused.at("wrong_receiver") == 1);
    asked.take_frames([&](Frame& frame) { asking.receive(now, 1, frame.bytes, received); });
    CHECK(received.empty());
    CHECK(asking.strangers().size() == (role == Role::client ? 1 : 0));
    if (role == Role::client) CHECK(asking.strangers().front().party == alpha);
  }
}

}  // namespace endpoint_test
