// An endpoint under too many, forged or untimely frames. The stage is in endpoint_bounds_stage.hpp.
#include "tests/links/endpoint_bounds_stage.hpp"

namespace endpoint_bounds_test {

using namespace dmm;
using namespace dmm::endpoint_bounds;

// ---- messages in parts ---------------------------------------------------------------------------------------------

TEST_CASE("endpoint bounds: [S82a] a message too long for a frame arrives whole, and what follows it after it") {
  for (const int lost : {-1, 1}) {
    CAPTURE(lost);
    Pair pair;
    pair.lose = lost;
    pair.send(renewed(14'000));
    pair.send(withdraw(1));
    pair.run(seconds(3));
    CHECK(pair.a.counters().sent.at(Fragment::type) > 1);
    REQUIRE(pair.at_b.size() == 2);
    REQUIRE(std::holds_alternative<Renewed>(pair.at_b[0]));
    const Renewed& got = std::get<Renewed>(pair.at_b[0]);
    REQUIRE(got.terms.size() == 14'000);
    CHECK(got.terms.back().lease == LeaseId{SiteName("alpha"), {1'795'323'467'126, 14'000}});
    CHECK(pair.job_at_b(1) == 1);
    CHECK(pair.a.links().front().unacknowledged == 0);
  }
}

TEST_CASE("endpoint bounds: [S82a] a message longer than 4 MiB is not sent, and the next one arrives") {
  Pair pair;
  pair.send(renewed(200'000));
  pair.send(withdraw(1));
  pair.run(seconds(2));
  CHECK(refused(pair.a, "message_too_long") == 1);
  CHECK_FALSE(pair.a.counters().sent.contains(Fragment::type));
  const std::vector<LogEvent> notices = pair.a.take_notices();
  REQUIRE(notices.size() == 1);
  CHECK(notices[0].name == "message_too_long");
  REQUIRE(pair.at_b.size() == 1);
  CHECK(pair.job_at_b(0) == 1);
}

TEST_CASE("endpoint bounds: [S82b] a part out of place is dropped, and the next message in parts is whole") {
  Endpoint b(settings_of(beta, alpha));
  Hand hand{alpha, b};
  hand.open();
  const std::string whole = hand.frame(withdraw(7));
  const std::string first = whole.substr(0, 10), second = whole.substr(10);
  CHECK(hand.say(Fragment{1, true, second}, 1).empty());  // nothing came before it
  CHECK(refused(b, "part_out_of_place") == 1);
  CHECK(hand.say(Fragment{0, false, first}, 2).empty());
  CHECK(hand.say(Fragment{2, true, second}, 3).empty());  // one fragment is missing
  CHECK(refused(b, "part_out_of_place") == 2);
  CHECK(hand.say(Fragment{0, false, ""}, 4).empty());
  CHECK(refused(b, "part_out_of_place") == 3);
  CHECK(hand.say(Fragment{0, true, hand.frame(Fragment{0, true, whole})}, 5).empty());
  CHECK(hand.say(Fragment{0, true, hand.hello()}, 6).empty());
  Hand other{site_manager_of(SiteName("gamma")), b};
  CHECK(hand.say(Fragment{0, true, other.frame(withdraw(7))}, 7).empty());
  CHECK(refused(b, "part_out_of_place") == 6);
  CHECK(hand.say(Fragment{0, false, first}, 8).empty());
  const auto got = hand.say(Fragment{1, true, second}, 9);
  REQUIRE(got.size() == 1);
  CHECK(std::get<Withdraw>(got[0].message).request.job == 7);
}

TEST_CASE("endpoint bounds: a peer that sends what can't be read is told so, but not without end") {
  Endpoint b(settings_of(beta, alpha));
  Hand hand{alpha, b};
  hand.open();
  std::string malformed = hand.frame(withdraw(7), 1);
  malformed[malformed.size() - 3] = '\xc3';  // the last number of the message isn't a number
  for (int i = 0; i < 1'000; ++i) hand.give(malformed);
  CHECK(count<Fault>(hand.hear()) == 64);
  hand.wait(seconds(1));
  for (int i = 0; i < 1'000; ++i) hand.give(malformed);
  CHECK(count<Fault>(hand.hear()) == 10);
  CHECK(refused(b, "malformed") == 2'000);
  CHECK(b.take_notices().size() == 1);
  CHECK(hand.say(withdraw(7), 2).size() == 1);
}

TEST_CASE("endpoint bounds: [S82b] parts that were said in an earlier session belong to no message of the next") {
  Endpoint b(settings_of(beta, alpha));
  Hand hand{alpha, b};
  hand.open();
  const std::string whole = hand.frame(withdraw(7));
  CHECK(hand.say(Fragment{0, false, whole.substr(0, 10)}, 1).empty());
  SUBCASE("the peer restarted") { ++hand.incarnation; }
  SUBCASE("the session was given up here, and a new one begun") {
    Effects effects;
    effects.renewals.push_back(alpha);
    b.send(hand.now, effects);
  }
  hand.open();
  CHECK(hand.say(Fragment{1, true, whole.substr(10)}, 1).empty());
  CHECK(refused(b, "part_out_of_place") == 1);
}

TEST_CASE(
    "endpoint bounds: [S82b] parts of more than 4 MiB are dropped with one Fault, and the next message arrives") {
  Endpoint b(settings_of(beta, alpha));
  Hand hand{alpha, b};
  hand.open();
  std::uint64_t sequence = 0;
  std::vector<Envelope> heard;
  for (std::uint32_t index = 0; index < 50; ++index) {
    CHECK(hand.say(Fragment{index, index == 49, std::string(96 * 1024, 'x')}, ++sequence).empty());
    for (Envelope& one : hand.hear()) heard.push_back(std::move(one));
  }
  CHECK(refused(b, "too_large") == 1);
  CHECK(count<Fault>(heard) == 1);
  CHECK(hand.say(withdraw(1), ++sequence).size() == 1);
  CHECK(hand.say(Fragment{0, true, hand.frame(withdraw(2))}, ++sequence).size() == 1);
}

// ---- frames along a chain ------------------------------------------------------------------------------------------

namespace {

/// A resource manager that its site manager relays to.
struct Relayed {
  static EndpointSettings settings() {
    EndpointSettings settings = settings_of(nodes, beta);
    settings.admission.job_managers = true;
    return settings;
  }
  Endpoint endpoint{settings()};
  Hand site{beta, endpoint};
  Hand of_ann{ann, endpoint};

  Relayed() {
    site.open();
    relay(ann, of_ann.hello());
    of_ann.knows = site.knows;
    relay(ann, of_ann.hello());
    site.hear();
    REQUIRE(link_with(endpoint.links(), ann).up);
    changes(endpoint);
  }
  std::vector<Received> relay(const Party& from, const std::string& payload) {
    return site.say(Relay{from, nodes, {from.site, nodes.site}, 1, payload});
  }
  void check_same_session() {
    const auto links = endpoint.links();
    CHECK(links.size() == 2);
    CHECK(link_with(links, ann).incarnation == 1);
    CHECK(link_with(links, ann).relayed);
    CHECK(changes(endpoint).empty());
    CHECK(site.hear().empty());
    Effects effects;
    effects.send(ann, Started{});
    endpoint.send(site.now, effects);
    const auto heard = site.hear();
    REQUIRE(heard.size() == 1);
    const Relay* out = std::get_if<Relay>(&heard[0].message);
    REQUIRE(out != nullptr);
    CHECK(out->to == ann);
    CHECK(out->path == SiteNames{SiteName("beta"), SiteName("alpha")});
  }
};

}  // namespace

TEST_CASE("endpoint bounds: [S81] a relayed Hello of another party than the Relay names changes nothing") {
  Relayed relayed;
  Hand false_ann{.self = ann, .endpoint = relayed.endpoint, .incarnation = 9};
  CHECK(relayed.relay(bob, false_ann.hello()).empty());
  CHECK(refused(relayed.endpoint, "relay_forged") == 1);
  relayed.check_same_session();
  CHECK(relayed.relay(job_manager_of(SiteName("gamma"), "eve"), false_ann.hello()).empty());
  CHECK(refused(relayed.endpoint, "relay_forged") == 2);
  relayed.check_same_session();
}

TEST_CASE("endpoint bounds: [S81] a relayed frame over an impossible path changes nothing") {
  Relayed relayed;
  const SiteName a("alpha"), b("beta"), c("gamma");
  const std::string payload = Hand{.self = ann, .endpoint = relayed.endpoint, .incarnation = 9}.hello();
  for (const SiteNames& path : {SiteNames{}, SiteNames{c, b}, SiteNames{a, c}, SiteNames{a, c, a, b}})
    CHECK(relayed.site.say(Relay{ann, nodes, path, 1, payload}).empty());
  CHECK(refused(relayed.endpoint, "relay_forged") == 4);
  relayed.check_same_session();
}

TEST_CASE("endpoint bounds: [S81] a relayed frame that can't be read isn't answered along the chain") {
  Relayed relayed;
  CHECK(relayed.relay(ann, "nonsense").empty());
  CHECK(relayed.site.hear().empty());
  relayed.check_same_session();
}

TEST_CASE("endpoint bounds: a Relay inside a Relay gives no input") {
  Relayed relayed;
  Hand of_bob{bob, relayed.endpoint};
  const Relay inner{bob, nodes, {bob.site, nodes.site}, 1, of_bob.hello()};
  CHECK(relayed.relay(ann, relayed.of_ann.frame(inner)).empty());
  CHECK(refused(relayed.endpoint, "not_allowed") == 1);
  CHECK(count<Relay>(relayed.site.hear()) == 1);  // a Fault for the sender
  relayed.check_same_session();
}

TEST_CASE("endpoint bounds: [S36] a Relay is not kept for a peer with a link that is down") {
  Pair pair;
  pair.cut = true;
  pair.run(seconds(5));
  REQUIRE_FALSE(pair.a.links().front().up);
  pair.send(Relay{ann, nodes, {ann.site, nodes.site}, 1, "a frame"});
  CHECK(refused(pair.a, "relay_dropped") == 1);
  CHECK(pair.a.links().front().unacknowledged == 0);
  CHECK(pair.a.kept_bytes() == 0);
  pair.cut = false;
  pair.run(seconds(5));
  CHECK(pair.at_b.empty());
}

TEST_CASE("endpoint bounds: [S36] a piece of output comes without a number, and is not kept") {
  Pair pair(nodes, ann);
  pair.run(seconds(1));
  pair.at_b.clear();
  const Piece piece{{ann.site, ann.name, 1, 1}, 0, Stream::output, 0, std::string(40'000, 'x'), false, 40'000};
  pair.send(piece);
  CHECK(pair.a.kept_bytes() == 0);
  pair.run(milliseconds(10));
  REQUIRE(pair.at_b.size() == 1);
  CHECK(std::get<Piece>(pair.at_b[0]).data == piece.data);
  pair.cut = true;
  pair.run(seconds(30));
  pair.send(piece);
  CHECK(refused(pair.a, "piece_dropped") == 1);
  CHECK(pair.a.kept_bytes() == 0);
}

// ---- what is kept and sent again -----------------------------------------------------------------------------------

TEST_CASE("endpoint bounds: [S36b] a session that would keep too much starts over, and goes on from there") {
  SessionLimits limits;
  limits.kept_bytes = 10'000;
  Pair pair(limits);
  pair.send(withdraw(1'000'000));
  pair.run(seconds(1));
  pair.changes_a.clear();
  pair.changes_b.clear();
  pair.cut = true;
  for (std::uint64_t job = 1; job <= 1'000; ++job) {
    pair.send(withdraw(job));
    REQUIRE(pair.a.kept_bytes() <= limits.kept_bytes);
    REQUIRE(pair.a.links().front().kept_bytes == pair.a.kept_bytes());
  }
  CHECK(pair.a.links().front().given_up >= 1);
  CHECK(refused(pair.a, "session_given_up") > 0);
  CHECK(changes(pair.a) == std::vector<std::string>{"much", "less", "down"});
  pair.run(seconds(10));
  CHECK(std::exchange(pair.changes_b, {}) == std::vector<std::string>{"down"});
  pair.cut = false;
  pair.run(seconds(5));
  CHECK(std::exchange(pair.changes_a, {}) == std::vector<std::string>{"new"});
  CHECK(std::exchange(pair.changes_b, {}) == std::vector<std::string>{"new"});
  CHECK(pair.b.links().front().incarnation > 1);
  CHECK(pair.at_b.size() == 1);  // nothing of the abandoned session
  pair.send(withdraw(2'000'000));
  pair.run(seconds(1));
  REQUIRE(pair.at_b.size() == 2);
  CHECK(pair.job_at_b(1) == 2'000'000);
  CHECK(pair.a.kept_bytes() == 0);
}

TEST_CASE("endpoint bounds: [S35] a numbered frame to no incarnation is dropped, and takes no number") {
  Endpoint b(settings_of(beta, alpha));
  Hand hand{alpha, b};
  hand.open();
  hand.wait(milliseconds(200));
  const std::uint64_t knows = std::exchange(hand.knows, 0);
  CHECK(hand.say(withdraw(1), 1).empty());
  CHECK(hand.say(withdraw(1), 1).empty());
  CHECK(refused(b, "other_incarnation") == 2);
  CHECK(count<Hello>(hand.hear()) == 1);  // at most once in 0.1 s
  hand.say(Beat{});
  CHECK(refused(b, "other_incarnation") == 2);
  hand.knows = knows;
  const auto got = hand.say(withdraw(2), 1);
  REQUIRE(got.size() == 1);
  CHECK(std::get<Withdraw>(got[0].message).request.job == 2);
}

TEST_CASE("endpoint bounds: [S36b] answers that a client doesn't acknowledge are kept within its own bound") {
  EndpointSettings settings = settings_of(beta, alpha);
  settings.admission.clients = true;
  settings.limits.kept_bytes_client = 100'000;
  Endpoint b(settings);
  Hand neighbour{alpha, b};
  neighbour.open();
  Hand client{.self = {SiteName("beta"), Role::client, "cli-1"}, .endpoint = b, .connection = 2};
  client.open();
  changes(b);
  const auto answer = [&](std::uint64_t token) {
    Effects effects;
    effects.send(client.self, Answer{token, {}, std::string(10'000, 'x')});
    b.send(client.now, effects);
  };
  std::size_t greatest = 0;
  for (std::uint64_t token = 1; token <= 600; ++token) {
    answer(token);
    greatest = std::max(greatest, b.kept_bytes());
    b.take_frames([](const Frame&) {});
  }
  CHECK(greatest > 50'000);
  CHECK(greatest <= 120'000);  // one answer above the bound, then the session is abandoned
  CHECK(b.kept_bytes() <= 100'000);
  CHECK(link_with(b.links(), client.self).given_up > 0);
  CHECK(link_with(b.links(), alpha).given_up == 0);
  CHECK(neighbour.say(withdraw(1), 1).size() == 1);
  ++client.incarnation;  // in a new session it is answered as before
  client.open();
  answer(1'000);
  CHECK(count<Answer>(client.hear()) == 1);
}

TEST_CASE("endpoint bounds: [S36b] of all sessions that keep too much together the greatest is given up") {
  EndpointSettings settings = settings_of(beta, alpha);
  const Party gamma = site_manager_of(SiteName("gamma"));
  settings.admission.parties.insert(gamma);
  settings.limits.kept_bytes_all = 50'000;
  Endpoint b(settings);
  Hand first{alpha, b}, second{.self = gamma, .endpoint = b, .connection = 2};
  first.open();
  second.open();
  for (int i = 0; i < 1'000; ++i) {
    Effects effects;
    if (i < 10) effects.send(alpha, withdraw(1));
    effects.send(gamma, renewed(10));
    b.send(first.now, effects);
    REQUIRE(b.kept_bytes() <= settings.limits.kept_bytes_all);
  }
  CHECK(link_with(b.links(), alpha).given_up == 0);
  CHECK(link_with(b.links(), alpha).unacknowledged == 10);
  CHECK(link_with(b.links(), gamma).given_up > 0);
}

TEST_CASE(
    "endpoint bounds: a job manager opens no more connections than it may, and speaks along the chain instead") {
  EndpointSettings settings = settings_of(ann, alpha);
  settings.limits.direct_connections = 2;
  Endpoint a(settings);
  const Instant now{seconds(100).microseconds};
  Connection connection = 1;
  const auto dials = [&](int from, int to) {
    Effects effects;
    for (int i = from; i < to; ++i)
      effects.routes.push_back({resource_manager_of(SiteName("beta"), "fs" + std::to_string(i)),
                                "tcp://host:1",
                                {SiteName("alpha"), SiteName("beta")}});
    a.send(now, effects);
    const std::vector<DialWanted> wanted = a.take_dials();
    for (const DialWanted& one : wanted) a.dial(now, connection++, one.peer);
    return wanted.size();
  };
  CHECK(dials(0, 5) == 2);
  CHECK(dials(5, 6) == 0);
  const auto links = a.links();
  CHECK(std::ranges::count(links, true, &LinkView::relayed) == 4);
}

TEST_CASE("endpoint bounds: [S33] what waits for a peer isn't lost with a start of it that heard nothing of us") {
  Endpoint a(settings_of(alpha, beta));
  Hand far{.self = beta, .endpoint = a, .incarnation = 5};
  a.dial(far.now, 1, beta);
  Effects effects;
  effects.send(beta, withdraw(1));
  a.send(far.now, effects);
  const auto greet = [&] {
    Hello greeting;
    greeting.stamp = 7;  // so the link isn't up before its round trip is known
    far.give(far.frame(greeting));
    return far.hear();
  };
  CHECK(count<Withdraw>(greet()) == 0);
  CHECK(changes(a).empty());
  far.incarnation = 6;
  for (const Envelope& heard : greet()) far.knows = heard.incarnation;
  CHECK(far.say(Beat{}).empty());
  CHECK(changes(a) == std::vector<std::string>{"new"});
  CHECK(count<Withdraw>(far.hear()) == 1);
}

// ---- two of one name -----------------------------------------------------------------------------------------------

TEST_CASE("endpoint bounds: [S12a] another process of a name waits until the first has been silent") {
  Endpoint b(settings_of(beta, alpha));
  Hand first{.self = alpha, .endpoint = b, .incarnation = 5, .instance = 11};
  first.open();
  CHECK(changes(b) == std::vector<std::string>{"new"});
  Hand twin{.self = alpha, .endpoint = b, .incarnation = 3, .instance = 12, .connection = 2};
  twin.give(twin.hello());
  const auto heard = twin.hear();
  CHECK(refused(b, "twin") == 1);
  REQUIRE(heard.size() == 1);
  REQUIRE(count<Fault>(heard) == 1);
  CHECK(std::get<Fault>(heard[0].message).about == Hello::type);
  CHECK(b.links().front().incarnation == 5);
  CHECK(b.connections() == std::set<Connection>{1});
  CHECK(first.say(withdraw(1), 1).size() == 1);

  twin.wait(seconds(5));
  CHECK(changes(b) == std::vector<std::string>{"down"});
  twin.hear();
  twin.open();
  CHECK(changes(b) == std::vector<std::string>{"new"});
  CHECK(refused(b, "twin") == 1);
  CHECK(b.links().front().incarnation == 3);
  CHECK(twin.say(withdraw(2), 1).size() == 1);
  CHECK(b.connections() == std::set<Connection>{2});
}

TEST_CASE("endpoint bounds: [S12a] a process that another one of its name displaced comes back to a new session") {
  Endpoint b(settings_of(beta, alpha));
  Hand first{.self = alpha, .endpoint = b, .incarnation = 5, .instance = 11};
  first.open();
  for (const std::uint64_t number : {1, 2}) REQUIRE(first.say(withdraw(number), number).size() == 1);
  Hand twin{.self = alpha, .endpoint = b, .incarnation = 6, .instance = 12, .connection = 2, .now = first.now};
  twin.wait(seconds(5));
  twin.hear();
  twin.open();
  REQUIRE(twin.say(withdraw(3), 1).size() == 1);
  first.now = twin.now;
  first.wait(seconds(5));
  first.hear();
  changes(b);

  first.give(first.hello());
  const auto heard = first.hear();
  REQUIRE(count<Hello>(heard) > 0);
  CHECK(heard.front().incarnation > first.knows);  // so it sees that its numbers begin again
  CHECK(changes(b).empty());
  CHECK(first.say(withdraw(4), 3).empty());
  first.open();
  CHECK(changes(b) == std::vector<std::string>{"new"});
  CHECK(first.say(withdraw(4), 1).size() == 1);
}

TEST_CASE("endpoint bounds: [S12a] so does a second resource manager or job manager of a name, but no client") {
  EndpointSettings settings = settings_of(beta, alpha);
  settings.admission.clients = settings.admission.resource_managers = settings.admission.job_managers_of_site =
      true;
  Endpoint b(settings);
  Party party{SiteName("beta"), Role::client, "cli-1"};
  bool may_be_two = false;
  SUBCASE("a resource manager") { party.role = Role::resource_manager; }
  SUBCASE("a job manager") { party.role = Role::job_manager; }
  SUBCASE("a client") { may_be_two = true; }
  Hand first{.self = party, .endpoint = b, .incarnation = 5, .instance = 11};
  first.open();
  Hand twin{.self = party, .endpoint = b, .incarnation = 6, .instance = 12, .connection = 2};
  twin.give(twin.hello());
  CHECK(refused(b, "twin") == (may_be_two ? 0 : 1));
  CHECK(count<Fault>(twin.hear()) == (may_be_two ? 0 : 1));
  CHECK(b.links().front().incarnation == (may_be_two ? 6 : 5));
}

TEST_CASE(
    "endpoint bounds: [S33] an incarnation of before is dropped, and told so once the present one is silent") {
  Endpoint b(settings_of(beta, alpha));
  Hand hand{.self = alpha, .endpoint = b, .incarnation = 5, .instance = 11};
  hand.open();
  Hand earlier{.self = alpha, .endpoint = b, .incarnation = 4, .instance = 11, .connection = 2};
  earlier.give(earlier.hello());
  CHECK(refused(b, "other_incarnation") == 1);
  CHECK(earlier.hear().empty());
  CHECK(b.take_notices().empty());

  earlier.wait(seconds(5));
  earlier.hear();
  earlier.give(earlier.hello());
  CHECK(refused(b, "other_incarnation") == 2);
  CHECK(count<Fault>(earlier.hear()) == 1);
  const std::vector<LogEvent> notices = b.take_notices();
  REQUIRE(notices.size() == 1);
  CHECK(notices[0].name == "stale_incarnation");
  CHECK(b.links().front().incarnation == 5);
  CHECK_FALSE(b.links().front().up);
}

}  // namespace endpoint_bounds_test
