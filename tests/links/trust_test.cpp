// Certificates at an endpoint: which party a link key speaks for, and sites that site managers vouch for.
#include "links/trust.hpp"

#include "keys/certificate.hpp"
#include "tests/links/keys_stage.hpp"

namespace trust_test {

using namespace dmm;
using namespace dmm::endpoint_bounds;
using namespace dmm::keys_stage;

TEST_CASE("trust: a certificate of a known site lets its manager in, and anything else is told why not") {
  const Signer alpha_site{SiteName("alpha")}, beta_site{SiteName("beta")}, gamma_site{SiteName("gamma")};
  const LinkKey link = new_link(), other = new_link();
  struct Row {
    const char* what;
    std::string certificate;
    std::string told;  ///< empty: it is admitted
  };
  const std::vector<Row> rows{
      {"right", beta_site.certify_for(beta, link), ""},
      {"none", "", "it shows no certificate"},
      {"garbage", "garbage", "these letters are no certificate"},
      {"unknown site", gamma_site.certify_for(site_manager_of(SiteName("gamma")), link), "isn't known here"},
      {"signed by another", alpha_site.certify_for(beta, link), "isn't signed with the key of beta"},
      {"another link key", beta_site.certify_for(beta, other), "it was copied"},
      {"another name", beta_site.certify_for(resource_manager_of(SiteName("beta"), "nodes"), link),
       "may not speak for sitemgr beta"},
      {"expired", beta_site.certify_for(beta, link, today - 1'000), "has expired"},
      {"to come", beta_site.certify_for(beta, link, today + clock_slack + 10), "isn't valid yet"},
      {"a clock a little ahead", beta_site.certify_for(beta, link, today + 60), ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    Endpoint endpoint(keyed(alpha, beta, knows({&alpha_site, &beta_site})));
    Caller caller(beta, endpoint, link, row.certificate);
    std::string told;
    CHECK(caller.is_greeted(&told) == row.told.empty());
    CAPTURE(told);
    CHECK(told.find(row.told) != std::string::npos);
    CHECK(refused(endpoint, "not_proved") == (row.told.empty() ? 0 : 1));
  }
}

TEST_CASE("trust: without a Hello that proves it, no frame of a link key is believed") {
  const Signer beta_site{SiteName("beta")};
  const LinkKey link = new_link(), thief = new_link();
  Endpoint endpoint(keyed(alpha, beta, knows({&beta_site})));
  Caller real(beta, endpoint, link, beta_site.certify_for(beta, link));
  CHECK(real.tell(real.frame(withdraw(1), 1)).empty());
  CHECK(refused(endpoint, "not_proved") == 1);
  CHECK(endpoint.strangers().size() == 1);
  REQUIRE(real.is_greeted());
  CHECK(endpoint.strangers().empty());
  CHECK(real.tell(real.frame(withdraw(1), 1)).size() == 1);
  // A copied certificate is no use without the secret.
  Caller copied(beta, endpoint, thief, real.certificate, 2);
  copied.knows = real.knows;
  CHECK_FALSE(copied.is_greeted());
  CHECK(copied.tell(copied.frame(withdraw(2), 2)).empty());
  CHECK(real.tell(real.frame(withdraw(2), 2)).size() == 1);
}

TEST_CASE("trust: a key is believed no more once it is revoked, or its certificate expires") {
  const Signer beta_site{SiteName("beta")};
  const LinkKey link = new_link();
  const TrustSettings trust = knows({&beta_site});
  EndpointSettings settings = keyed(alpha, beta, trust);
  Endpoint endpoint(settings);
  Caller caller(beta, endpoint, link, beta_site.certify_for(beta, link));
  REQUIRE(caller.is_greeted());
  REQUIRE(caller.tell(caller.frame(withdraw(1), 1)).size() == 1);
  Admission without = settings.admission;
  without.trust.revoked = {link};
  endpoint.admit(caller.now, without);
  CHECK(caller.tell(caller.frame(withdraw(2), 2)).empty());
  CHECK_FALSE(caller.is_greeted());
  endpoint.admit(caller.now, settings.admission);
  CHECK(caller.tell(caller.frame(withdraw(2), 2)).size() == 1);
  caller.now = caller.now + seconds(1'000);
  CHECK(caller.tell(caller.frame(withdraw(3), 3)).empty());
  caller.certificate = beta_site.certify_for(beta, link, today + 1'000);
  REQUIRE(caller.is_greeted());
  CHECK(caller.tell(caller.frame(withdraw(3), 3)).size() == 1);
}

TEST_CASE("trust: a peer that turns us away is heard while the link is down, whatever it has forgotten of us") {
  EndpointSettings settings = settings_of(ann, alpha);
  Endpoint endpoint(settings);
  Hand site{alpha, endpoint};
  endpoint.dial(site.now, 1, alpha);
  site.open();
  for (const std::uint64_t incarnation : {site.incarnation + 1, site.incarnation - 1}) {
    Hand turned{alpha, endpoint, incarnation};
    turned.now = site.now;
    turned.say(Fault{Hello::type, "of another session"});
    CHECK(link_with(endpoint.links(), alpha).last_error.empty());
  }
  site.wait(seconds(60));
  REQUIRE_FALSE(link_with(endpoint.links(), alpha).up);
  for (const std::uint64_t incarnation : {site.incarnation + 1, site.incarnation - 1, site.incarnation}) {
    Hand turned{alpha, endpoint, incarnation};
    turned.now = site.now;
    turned.say(Fault{Hello::type, "the key is revoked, says " + std::to_string(incarnation)});
    const LinkView link = link_with(endpoint.links(), alpha);
    CHECK(link.last_error.ends_with("says " + std::to_string(incarnation)));
    CHECK_FALSE(link.up);
  }
}

TEST_CASE("trust: an earlier certificate that is said again in a session proves nothing") {
  const Signer beta_site{SiteName("beta")};
  const LinkKey link = new_link(), earlier = new_link();
  Endpoint endpoint(keyed(alpha, beta, knows({&beta_site})));
  Caller caller(beta, endpoint, link, beta_site.certify_for(beta, link, today));
  REQUIRE(caller.is_greeted());
  REQUIRE(caller.tell(caller.frame(withdraw(1), 1)).size() == 1);
  Caller replay(beta, endpoint, earlier, beta_site.certify_for(beta, earlier, today - 500), 2);
  replay.knows = caller.knows;
  CHECK_FALSE(replay.is_greeted());
  CHECK(caller.tell(caller.frame(withdraw(2), 2)).size() == 1);
}

TEST_CASE("trust: a twin's greeting doesn't take the proof of the one that is heard") {
  const Signer beta_site{SiteName("beta")};
  const LinkKey link = new_link(), later = new_link();
  Endpoint endpoint(keyed(alpha, beta, knows({&beta_site})));
  Caller caller(beta, endpoint, link, beta_site.certify_for(beta, link)),
      twin(beta, endpoint, later, beta_site.certify_for(beta, later, today + 10), 2);
  const auto greeting = [](const Caller& one, std::uint64_t instance) {
    Hello hello;
    hello.instance = instance;
    hello.certificate = one.certificate;
    return hello;
  };
  for (int i = 0; i < 2; ++i) {
    caller.tell(caller.frame(greeting(caller, 7)));
    for (const Envelope& heard : caller.hear()) caller.knows = heard.incarnation;
  }
  REQUIRE(caller.tell(caller.frame(withdraw(1), 1)).size() == 1);
  twin.tell(twin.frame(greeting(twin, 8)));
  CHECK(refused(endpoint, "twin") == 1);
  CHECK(caller.tell(caller.frame(withdraw(2), 2)).size() == 1);
}

TEST_CASE("trust: a client has no instances, and a stale greeting doesn't take its proof") {
  const Signer alpha_site{SiteName("alpha")};
  const Party ops{SiteName("alpha"), Role::client, "ops"}, command{SiteName("client"), Role::client, "42"};
  struct Row {
    const char* what;
    Duration silence;  ///< of the first client, before the second one speaks
  };
  for (const Row& row : {Row{"heard a moment ago", Duration{}}, Row{"silent for long", seconds(300)}}) {
    CAPTURE(row.what);
    const LinkKey link = new_link(), other = new_link();
    Endpoint endpoint(keyed(alpha, beta, knows({&alpha_site})));
    Caller first(command, endpoint, link, alpha_site.certify_for(ops, link, today, 1'000, Right::reader)),
        second(command, endpoint, other, alpha_site.certify_for(ops, other, today, 1'000, Right::reader), 2);
    first.instance = 7, first.incarnation = 5;
    second.instance = 8, second.incarnation = 4;
    REQUIRE(first.is_greeted());
    REQUIRE(first.tell(first.frame(Ask{1, "site", "{}"}, 1)).size() == 1);
    first.now = second.now = first.now + row.silence;
    CHECK_FALSE(second.is_greeted());
    CHECK(refused(endpoint, "twin") == 0);
    CHECK(refused(endpoint, "other_incarnation") == 1);
    CHECK(first.tell(first.frame(Ask{2, "site", "{}"}, 2)).size() == 1);
  }
}

TEST_CASE("trust: a client's session isn't displaced by the holder of another key") {
  const Signer alpha_site{SiteName("alpha")};
  const Party ops{SiteName("alpha"), Role::client, "ops"}, command{SiteName("client"), Role::client, "42"};
  const LinkKey link = new_link(), other = new_link();
  const std::string certificate = alpha_site.certify_for(ops, link, today, 1'000, Right::administrator);
  struct Row {
    const char* what;
    std::string present, newcomer;  ///< certificates; empty: none
    LinkKey key;                    ///< of the newcomer
    bool displaces;
  };
  for (const Row& row :
       {Row{"no certificate", certificate, "", other, false},
        Row{"no certificate on either side", "", "", other, false},
        Row{"the certificate of another party", certificate, alpha_site.certify_for(ann, other), other, false},
        Row{"the same party with a later key", certificate, alpha_site.certify_for(ops, other), other, true},
        Row{"the same key", certificate, certificate, link, true},
        Row{"the same key without a certificate", "", "", link, true}}) {
    CAPTURE(row.what);
    Endpoint endpoint(keyed(alpha, beta, knows({&alpha_site})));
    Caller first(command, endpoint, link, row.present), second(command, endpoint, row.key, row.newcomer, 2);
    second.incarnation = 9;
    REQUIRE(first.is_greeted());
    first.tell(first.frame(Ask{1, "site", "{}"}, 1));
    const std::uint64_t before = first.endpoint.links()[0].incarnation;
    std::string told;
    CHECK(second.is_greeted(&told) == row.displaces);
    CHECK((endpoint.links()[0].incarnation == before) != row.displaces);
    if (row.displaces) continue;
    CHECK(refused(endpoint, "not_proved") == 1);
    CHECK(told.find("another client speaks as client client/42") == 0);
    CHECK(first.tell(first.frame(Ask{2, "site", "{}"}, 2)).size() == (row.present.empty() ? 0 : 1));
  }
}

TEST_CASE("trust: clients without a certificate leave room for those that have one") {
  const Signer alpha_site{SiteName("alpha")};
  const Party ops{SiteName("alpha"), Role::client, "ops"};
  EndpointSettings settings = keyed(alpha, beta, knows({&alpha_site}));
  settings.limits.clients_uncertified = 3;
  Endpoint endpoint(settings);
  const auto call = [&](int number, bool certified) {
    const LinkKey link = new_link();
    Caller caller({SiteName("client"), Role::client, std::to_string(number)}, endpoint, link,
                  certified ? alpha_site.certify_for(ops, link) : "");
    return caller.is_greeted();
  };
  for (int i = 0; i < 3; ++i) CHECK(call(i, false));
  CHECK_FALSE(call(3, false));
  CHECK(refused(endpoint, "too_many_parties") == 1);
  CHECK(call(4, true));
  // They are forgotten as other clients are, and so is the room that they took.
  endpoint.tick(start + seconds(60));
  CHECK(endpoint.links().empty());
  CHECK(call(5, false));
}

TEST_CASE("trust: what the holder of a certificate may ask") {
  const Party alphas_nodes = resource_manager_of(SiteName("alpha"), "nodes");
  struct Row {
    Proof proof;
    Party self;
    Right right;
  };
  const auto proof = [](const Party& party, Right right = Right::none) { return Proof{{}, party, right, 0, 0}; };
  const Party ops{SiteName("alpha"), Role::client, "ops"}, foreign{SiteName("beta"), Role::client, "ops"};
  for (const Row& row :
       {Row{proof(alpha), alpha, Right::administrator}, Row{proof(ops, Right::reader), alpha, Right::reader},
        Row{proof(ops, Right::administrator), alpha, Right::administrator},
        Row{proof(ops, Right::administrator), alphas_nodes, Right::administrator},
        Row{proof(ops, Right::administrator), ann, Right::none}, Row{proof(ann), ann, Right::administrator},
        Row{proof(ann), bob, Right::none}, Row{proof(ann), alpha, Right::reader},
        Row{proof(alphas_nodes), alpha, Right::reader},
        Row{proof(foreign, Right::administrator), alpha, Right::none}, Row{proof(beta), alpha, Right::none}}) {
    CAPTURE(to_text(row.proof.party));
    CAPTURE(to_text(row.self));
    CHECK(right_of(row.proof, row.self) == row.right);
  }
}

TEST_CASE("trust: a person asks with the right of the certificate") {
  const Signer alpha_site{SiteName("alpha")};
  const Party ops{SiteName("alpha"), Role::client, "ops"};
  for (const Right right : {Right::reader, Right::administrator}) {
    const LinkKey link = new_link();
    Endpoint endpoint(keyed(alpha, beta, knows({&alpha_site})));
    Caller caller({SiteName("client"), Role::client, "42"}, endpoint, link,
                  alpha_site.certify_for(ops, link, today, 1'000, right));
    REQUIRE(caller.is_greeted());
    CHECK(caller.tell(caller.frame(Ask{1, "site", "{}"}, 1)).size() == 1);
    CHECK(caller.tell(caller.frame(Ask{2, "drain", "{}"}, 2)).size() == (right == Right::administrator ? 1 : 0));
  }
}

TEST_CASE("trust: the first word on a site stays, and the configuration has the last one") {
  const Signer alpha_site{SiteName("alpha")}, beta_site{SiteName("beta")}, other{SiteName("beta")};
  const Teller told_by{SiteName("gamma")};
  Trust trust;
  trust.configure(knows({&alpha_site}));
  CHECK(trust.find(beta_site.name) == nullptr);
  CHECK(trust.learn(told_by, beta_site.name, beta_site.key()) == Learned::news);
  CHECK(trust.learn(told_by, beta_site.name, beta_site.key()) == Learned::known);
  CHECK(trust.learn(told_by, beta_site.name, other.key()) == Learned::known);
  CHECK(*trust.find(beta_site.name) == beta_site.key());
  CHECK(trust.learn(told_by, alpha_site.name, other.key()) == Learned::known);
  CHECK(trust.vouch(alpha_site.name).sites.size() == 2);
  trust.configure(knows({&alpha_site, &other}));
  CHECK(*trust.find(beta_site.name) == other.key());
  CHECK(trust.vouch(alpha_site.name).sites.size() == 2);
}

TEST_CASE("trust: a site's word revokes keys of its own managers, and the configuration's word any key") {
  const Signer alpha_site{SiteName("alpha")}, beta_site{SiteName("beta")};
  const LinkKey link = new_link();
  Trust trust;
  trust.configure(knows({&alpha_site, &beta_site}));
  CHECK(trust.learn_revoked({beta_site.name}, beta_site.name, link) == Learned::news);
  CHECK(trust.learn_revoked({beta_site.name}, beta_site.name, link) == Learned::known);
  CHECK(trust.is_revoked(beta_site.name, link));
  CHECK_FALSE(trust.is_revoked(alpha_site.name, link));
  CHECK(std::holds_alternative<std::string>(trust.prove(link, beta_site.certify_for(beta, link), today)));
  CHECK(std::holds_alternative<Proof>(trust.prove(link, alpha_site.certify_for(ann, link), today)));
  TrustSettings with_revoked = knows({&alpha_site, &beta_site});
  with_revoked.revoked = {link};
  trust.configure(with_revoked);
  CHECK(trust.is_revoked(alpha_site.name, link));
  const Vouch told = trust.vouch(alpha_site.name);
  REQUIRE(told.revoked.size() == 2);
  CHECK(told.revoked[0].site == alpha_site.name);
  CHECK(told.revoked[1].site == beta_site.name);
}

TEST_CASE("trust: a neighbour revokes its own managers' keys, and not ours") {
  const Signer alpha_site{SiteName("alpha")}, beta_site{SiteName("beta")};
  const LinkKey of_beta = new_link(), of_ann = new_link(), of_beta_user = new_link();
  const Party user = job_manager_of(SiteName("beta"), "carl");
  EndpointSettings settings = keyed(alpha, beta, knows({&alpha_site, &beta_site}));
  settings.admission.parties.insert(user);
  Endpoint endpoint(settings);
  Caller neighbour(beta, endpoint, of_beta, beta_site.certify_for(beta, of_beta)),
      annie(ann, endpoint, of_ann, alpha_site.certify_for(ann, of_ann), 2),
      carl(user, endpoint, of_beta_user, beta_site.certify_for(user, of_beta_user), 3);
  REQUIRE(neighbour.is_greeted());
  REQUIRE(annie.is_greeted());
  REQUIRE(carl.is_greeted());
  // Nor are those of another neighbour.
  const Signer gamma_site{SiteName("gamma")};
  const Party gamma = site_manager_of(SiteName("gamma"));
  const LinkKey of_gamma = new_link();
  Admission with_gamma = settings.admission;
  with_gamma.parties.insert(gamma);
  with_gamma.trust.sites[gamma_site.name] = gamma_site.key();
  endpoint.admit(neighbour.now, with_gamma);
  Caller third(gamma, endpoint, of_gamma, gamma_site.certify_for(gamma, of_gamma), 4);
  REQUIRE(third.is_greeted());
  Vouch vouch;
  vouch.revoked = {{SiteName("alpha"), to_text(of_ann)},
                   {SiteName("beta"), to_text(of_beta_user)},
                   {SiteName("gamma"), to_text(of_gamma)}};
  neighbour.tell(neighbour.frame(vouch, 1));
  CHECK(third.is_greeted());
  CHECK(annie.is_greeted());
  CHECK_FALSE(carl.is_greeted());
}

TEST_CASE("trust: site managers vouch for sites, and so managers of far sites are known") {
  const Signer alpha_site{SiteName("alpha")}, beta_site{SiteName("beta")};
  Endpoint a(keyed(alpha, beta, knows({&alpha_site})));
  Endpoint b(keyed(beta, alpha, knows({&beta_site})));
  EndpointSettings of_nodes = keyed(nodes, beta, knows({&beta_site}));
  of_nodes.admission.job_managers = true;
  Endpoint n(of_nodes);
  Instant now = start;
  const auto carry = [&](Endpoint& from, Endpoint& to, Connection over) {
    bool moved = false;
    from.take_frames([&](const Frame& frame) {
      if (frame.connection != over) return;
      std::vector<Received> messages;
      to.receive(now, over, frame.bytes, messages);
      moved = true;
    });
    return moved;
  };
  a.dial(now, 1, beta);
  for (int i = 0; i < 400; ++i) {
    now = now + milliseconds(10);
    a.tick(now), b.tick(now);
    while (carry(a, b, 1) || carry(b, a, 1)) continue;
  }
  n.dial(now, 2, beta);
  for (int i = 0; i < 400; ++i) {
    now = now + milliseconds(10);
    n.tick(now), b.tick(now);
    while (carry(n, b, 2) || carry(b, n, 2)) continue;
  }
  // A resource manager of beta believes a job manager of alpha.
  const LinkKey link = new_link();
  Caller caller(ann, n, link, alpha_site.certify_for(ann, link), 3);
  caller.now = now;
  CHECK(caller.is_greeted());
}

}  // namespace trust_test
