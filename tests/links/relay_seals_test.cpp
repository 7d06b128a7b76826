// Frames along a chain between managers with keys: a relaying site passes them on, and can neither read nor forge them.
#include "keys/certificate.hpp"
#include "keys/endpoint_key.hpp"
#include "protocol/text.hpp"
#include "tests/links/keys_stage.hpp"

namespace relay_seals_test {

using namespace dmm;
using namespace dmm::keys_stage;

namespace {

const Party alpha_nodes = resource_manager_of(SiteName("alpha"), "nodes");

/// A manager with keys.
struct Keyed {
  LinkSecret secret = new_link_secret();
  Endpoint endpoint;
  Keyed(const Party& self, const Signer& site, bool certified = true)
      : endpoint(settings_for(self, site, secret, certified)) {}
  /// The manager starts again with the same key.
  void restart(const Party& self, const Signer& site) {
    EndpointSettings settings = settings_for(self, site, secret, true);
    settings.incarnation = endpoint.settings().incarnation + 1'000'000;
    endpoint = Endpoint(std::move(settings));
  }
  static EndpointSettings settings_for(const Party& self, const Signer& site, const LinkSecret& secret,
                                       bool certified) {
    EndpointSettings settings = keyed(self, alpha, knows({&site}));
    settings.admission.job_managers = self.role == Role::resource_manager;
    settings.link_secret = secret;
    settings.seal_salt = new_seal_salt();
    if (certified) settings.certificate = site.certify_for(self, public_of(secret));
    return settings;
  }
};

/// A job manager and a resource manager that reach each other only through the site manager of alpha, which may lie.
struct Chain {
  Instant now = start;
  Signer site{SiteName("alpha")};
  Keyed jobs{ann, site}, resources{alpha_nodes, site};
  Endpoint manager{settings_of_manager(site)};
  std::vector<Received> at_jobs, at_resources;
  std::vector<std::string> payloads;  ///< payloads that the site manager passed on
  std::function<void(Relay&)> lie = [](Relay&) {};

  static EndpointSettings settings_of_manager(const Signer& site) {
    EndpointSettings settings = keyed(alpha, ann, knows({&site}));
    settings.admission.parties.insert(alpha_nodes);
    return settings;
  }
  Chain() {
    jobs.endpoint.dial(now, 1, alpha);
    resources.endpoint.dial(now, 2, alpha);
    run(seconds(2));
    ask_route();
  }
  /// The job manager was granted nodes and asks for the route.
  void ask_route() {
    Effects effects;
    effects.routes.push_back({alpha_nodes, {}, {SiteName("alpha")}});
    jobs.endpoint.send(now, effects);
  }
  bool carry(Endpoint& from, Endpoint& to, Connection over, std::vector<Received>& messages,
             const Principal& principal = Unproven{}) {
    bool moved = false;
    from.take_frames([&](const Frame& frame) {
      if (frame.connection != over) return;
      to.receive(now, over, frame.bytes, messages, principal);
      moved = true;
    });
    return moved;
  }
  bool carry_from_manager() {
    bool moved = false;
    manager.take_frames([&](const Frame& frame) {
      const bool to_jobs = frame.connection == 1;
      (to_jobs ? jobs : resources)
          .endpoint.receive(now, frame.connection, frame.bytes, to_jobs ? at_jobs : at_resources);
      moved = true;
    });
    return moved;
  }
  void settle() {
    std::vector<Received> passed;
    bool moved = true;
    while (moved) {
      jobs.endpoint.tick(now), resources.endpoint.tick(now), manager.tick(now);
      moved = carry(jobs.endpoint, manager, 1, passed) | carry(resources.endpoint, manager, 2, passed);
      Effects effects;
      for (Received& message : passed)
        if (Relay* relay = std::get_if<Relay>(&message.message)) {
          payloads.push_back(relay->payload);
          lie(*relay);
          const Party to = relay->to;
          effects.send(to, std::move(*relay));
        }
      passed.clear();
      manager.send(now, effects);
      moved |= carry_from_manager();
    }
  }
  void run(Duration length) {
    for (const Instant end = now + length; now < end; now = now + milliseconds(50)) settle();
  }
  bool is_up() const { return jobs.endpoint.is_up(alpha_nodes) && resources.endpoint.is_up(ann); }
  /// Whether messages from the job manager arrive at the resource manager.
  bool arrives() {
    at_resources.clear();
    Effects effects;
    effects.send(alpha_nodes, Stop{});
    jobs.endpoint.send(now, effects);
    run(seconds(1));
    return std::ranges::count_if(
               at_resources, [](const Received& one) { return std::holds_alternative<Stop>(one.message); }) == 1;
  }
};

}  // namespace

TEST_CASE("relay seals: two managers meet along a chain, and all but the first greeting is sealed") {
  Chain chain;
  chain.run(seconds(5));
  REQUIRE(chain.is_up());
  CHECK(chain.arrives());
  REQUIRE(chain.payloads.size() > 3);
  CHECK_FALSE(Seals::is_sealed(chain.payloads.front()));
  for (std::size_t i = 1; i < chain.payloads.size(); ++i) CHECK(Seals::is_sealed(chain.payloads[i]));
}

TEST_CASE("relay seals: a manager that was started again tells those that speak on along the chain") {
  Chain chain;
  chain.run(seconds(5));
  REQUIRE(chain.is_up());
  chain.resources.restart(alpha_nodes, chain.site);
  chain.resources.endpoint.dial(chain.now, 2, alpha);
  chain.run(seconds(1));
  chain.arrives();  // in the earlier session, which is over
  CHECK(chain.arrives());
}

TEST_CASE("relay seals: what a site on the way changes, makes or says again isn't taken") {
  SUBCASE("a changed byte") {
    Chain chain;
    chain.run(seconds(5));
    REQUIRE(chain.is_up());
    chain.lie = [](Relay& relay) { relay.payload.back() = static_cast<char>(relay.payload.back() ^ 1); };
    CHECK_FALSE(chain.arrives());
    CHECK(refused(chain.resources.endpoint, "seal_broken") > 0);
    chain.lie = [](Relay&) {};
    chain.run(seconds(20));
    CHECK(chain.is_up());
  }
  SUBCASE("an order without a seal") {
    Chain chain;
    chain.run(seconds(5));
    Hand forged{.self = ann, .endpoint = chain.resources.endpoint};
    forged.incarnation = 1, forged.knows = 1;
    chain.lie = [&](Relay& relay) {
      if (relay.to == alpha_nodes) relay.payload = forged.frame(Stop{}, 1);
    };
    CHECK_FALSE(chain.arrives());
    CHECK(refused(chain.resources.endpoint, "not_sealed") > 0);
  }
  SUBCASE("a seal of its own, with a certificate that it copied") {
    Chain chain;
    chain.run(seconds(5));
    Seals own(new_link_secret(), new_seal_salt());
    Hand forged{.self = ann, .endpoint = chain.resources.endpoint};
    Hello greeting;
    greeting.certificate = chain.jobs.endpoint.settings().certificate;
    chain.lie = [&](Relay& relay) {
      if (relay.to == alpha_nodes)
        relay.payload = own.seal(public_of(chain.resources.secret), forged.frame(greeting));
    };
    CHECK_FALSE(chain.arrives());
    CHECK(refused(chain.resources.endpoint, "not_proved") > 0);
  }
  SUBCASE("all of it, once more") {
    Chain chain;
    std::vector<Relay> seen;
    chain.lie = [&](Relay& relay) {
      if (relay.to == alpha_nodes) seen.push_back(relay);
    };
    chain.run(seconds(5));
    REQUIRE(chain.arrives());
    chain.at_resources.clear();
    Effects again;
    for (const Relay& relay : seen) again.send(alpha_nodes, Relay(relay));
    chain.manager.send(chain.now, again);
    chain.run(seconds(2));
    for (const Received& one : chain.at_resources) CHECK_FALSE(std::holds_alternative<Stop>(one.message));
    CHECK(chain.arrives());
  }
}

TEST_CASE("relay seals: a party without a certificate, or of an unknown site, isn't met along a chain") {
  const Signer other{SiteName("alpha")};
  for (const bool certified : {false, true}) {
    CAPTURE(certified);
    Chain chain;
    chain.jobs.endpoint = Endpoint(Keyed::settings_for(ann, other, chain.jobs.secret, certified));
    chain.jobs.endpoint.dial(chain.now, 1, alpha);
    chain.ask_route();
    chain.run(seconds(5));
    CHECK_FALSE(chain.resources.endpoint.is_up(ann));
    CHECK(refused(chain.resources.endpoint, "not_proved") > 0);
  }
}

TEST_CASE("relay seals: a peer that takes another link key is followed, and nothing is lost") {
  Chain chain;
  chain.run(seconds(5));
  REQUIRE(chain.arrives());
  for (const bool of_jobs : {true, false}) {
    CAPTURE(of_jobs);
    const LinkSecret next = new_link_secret();
    Keyed& changed = of_jobs ? chain.jobs : chain.resources;
    changed.endpoint.hold(chain.now, next, chain.site.certify_for(of_jobs ? ann : alpha_nodes, public_of(next)));
    CHECK(chain.arrives());
    chain.run(seconds(10));
    CHECK(chain.is_up());
    CHECK(chain.arrives());
  }
}

TEST_CASE("relay seals: a peer that came back with a key that was never told is met again") {
  for (const bool of_jobs : {true, false}) {
    CAPTURE(of_jobs);
    Chain chain;
    chain.run(seconds(5));
    REQUIRE(chain.arrives());
    const Party& self = of_jobs ? ann : alpha_nodes;
    EndpointSettings settings = Keyed::settings_for(self, chain.site, new_link_secret(), true);
    settings.incarnation = 100;
    Endpoint& endpoint = of_jobs ? chain.jobs.endpoint : chain.resources.endpoint;
    endpoint = Endpoint(settings);
    endpoint.dial(chain.now, of_jobs ? 1 : 2, alpha);
    chain.run(seconds(2));
    if (of_jobs) chain.ask_route();
    chain.run(seconds(40));
    CHECK(chain.is_up());
    CHECK(chain.arrives());
  }
}

TEST_CASE("relay seals: a manager asks its site to certify its key, at once and before the certificate ends") {
  Chain chain;
  Keyed late(bob, chain.site, false);
  late.endpoint.dial(chain.now, 3, alpha);
  EndpointSettings settings = Chain::settings_of_manager(chain.site);
  settings.admission.parties.insert(bob);
  Endpoint manager(settings);
  std::vector<Received> none;
  const auto run = [&](Duration length) {
    for (const Instant end = chain.now + length; chain.now < end; chain.now = chain.now + milliseconds(100)) {
      late.endpoint.tick(chain.now), manager.tick(chain.now);
      // Over ipc the account proves the manager. Once it has a certificate, it is treated as coming over tcp.
      const bool has_none = late.endpoint.settings().certificate.empty();
      const Principal principal = has_none ? Principal(bob) : Principal(public_of(late.secret));
      while (chain.carry(late.endpoint, manager, 3, none, principal) |
             chain.carry(manager, late.endpoint, 3, none, Dialled{}))
        continue;
      for (const KeyEvent& event : manager.take_key_events())
        if (const auto* asked = std::get_if<CertificateAsked>(&event)) {
          CHECK(asked->party == bob);
          CHECK(asked->link == public_of(late.secret));
          CHECK(shows_possession(asked->possession, asked->link, chain.site.secret, to_text(bob)));
          const WallSeconds today_now = today + (chain.now - start).microseconds / 1'000'000;
          manager.certified(chain.now, bob, chain.site.certify_for(bob, asked->link, today_now));
        }
      for (const KeyEvent& event : late.endpoint.take_key_events())
        if (const auto* heard = std::get_if<CertificateHeard>(&event)) {
          CHECK(heard->site == chain.site.key());
          late.endpoint.hold(chain.now, late.secret, heard->certificate);
        }
    }
  };
  run(seconds(15));
  const std::string first = late.endpoint.settings().certificate;
  CHECK_FALSE(first.empty());
  const auto proved_until = [&] { return link_with(manager.links(), bob).proved_until; };
  const WallSeconds until = proved_until();
  run(seconds(300));
  CHECK(late.endpoint.settings().certificate == first);
  CHECK(proved_until() == until);
  run(seconds(300));  // half of the certificate's life is over
  CHECK(late.endpoint.settings().certificate != first);
  CHECK(proved_until() > until);
}

TEST_CASE("relay seals: a manager without keys at a site that has some is told to make them") {
  const Signer site{SiteName("alpha")};
  EndpointSettings plain = settings_of(ann, alpha);
  Endpoint jobs(plain), manager(Chain::settings_of_manager(site));
  Instant now = start;
  jobs.dial(now, 1, alpha);
  std::vector<Received> none;
  bool wanted = false;
  for (int i = 0; i < 100; ++i, now = now + milliseconds(50)) {
    jobs.tick(now), manager.tick(now);
    const auto carry = [&](Endpoint& from, Endpoint& to) {
      bool moved = false;
      from.take_frames([&](const Frame& frame) { to.receive(now, 1, frame.bytes, none), moved = true; });
      return moved;
    };
    while (carry(jobs, manager) | carry(manager, jobs)) continue;
    for (const KeyEvent& event : jobs.take_key_events()) wanted |= std::holds_alternative<KeyNeeded>(event);
  }
  CHECK(wanted);
}

TEST_CASE("relay seals: a listener over tcp has to show a certificate of the key that it was dialled by") {
  const Signer site{SiteName("beta")}, thief{SiteName("beta")};
  const LinkKey link = new_link(), other = new_link();
  struct Row {
    const char* what;
    std::string certificate;
    bool is_met;
  };
  for (const Row& row : {Row{"right", site.certify_for(beta, link), true}, Row{"none", "", false},
                         Row{"of another key", site.certify_for(beta, other), false},
                         Row{"of another site key", thief.certify_for(beta, link), false},
                         Row{"of another party", site.certify_for(nodes, link), false}}) {
    CAPTURE(row.what);
    Endpoint a(keyed(alpha, beta, knows({&site})));
    a.dial(start, 1, beta, link);
    Hand hand{.self = beta, .endpoint = a};
    hand.now = start;
    Hello greeting;
    greeting.certificate = row.certificate;
    for (int i = 0; i < 2; ++i) {
      std::vector<Received> messages;
      a.receive(start, 1, hand.frame(greeting), messages, Dialled{});
      for (const Envelope& heard : hand.hear()) hand.knows = heard.incarnation;
    }
    CHECK(a.is_up(beta) == row.is_met);
    if (!row.is_met) continue;
    // After a revocation its messages aren't believed any more, on the same connection.
    Admission admission = a.settings().admission;
    admission.trust.revoked = {link};
    a.admit(start, admission);
    std::vector<Received> messages;
    a.receive(start, 1, hand.frame(withdraw(1), 1), messages, Dialled{});
    CHECK(messages.empty());
  }
}

TEST_CASE("relay seals: a site manager tells which key it listens with next, and a lie about it isn't heard") {
  const Signer site{SiteName("beta")}, thief{SiteName("beta")};
  const LinkKey next = new_link();
  struct Row {
    std::string certificate;
    bool heard;
  };
  for (const Row& row : {Row{site.certify_for(beta, next, today + 500), true},
                         Row{thief.certify_for(beta, next, today + 500), false},
                         Row{site.certify_for(resource_manager_of(SiteName("beta"), "nodes"), next), false},
                         Row{"garbage", false}}) {
    Endpoint a(keyed(alpha, beta, knows({&site})));
    a.dial(start, 1, beta);
    Hand hand{.self = beta, .endpoint = a};
    hand.now = start;
    hand.open();
    Vouch vouch;
    vouch.next = row.certificate;
    hand.say(vouch, 1);
    const auto events = a.take_key_events();
    CHECK(events.size() == (row.heard ? 1 : 0));
    if (!row.heard) continue;
    const auto* heard = std::get_if<NextKeyHeard>(&events[0]);
    REQUIRE(heard);
    CHECK(heard->peer == beta);
    CHECK(heard->link == next);
    CHECK(heard->from == today + 500);
  }
}

}  // namespace relay_seals_test
