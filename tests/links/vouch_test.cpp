// Vouches at an endpoint: how much of them a peer may tell and how fast, and revocations that outlive a restart.
#include "keys/certificate.hpp"
#include "links/trust.hpp"
#include "tests/links/keys_stage.hpp"

namespace vouch_test {

using namespace dmm;
using namespace dmm::endpoint_bounds;
using namespace dmm::keys_stage;

namespace {

const Party gamma = site_manager_of(SiteName("gamma"));
const SiteName far_site("far");

std::vector<RevocationHeard> heard_by(Endpoint& endpoint) {
  std::vector<RevocationHeard> all;
  for (const KeyEvent& event : endpoint.take_key_events())
    if (const auto* heard = std::get_if<RevocationHeard>(&event)) all.push_back(*heard);
  return all;
}

/// Alpha with the neighbours beta and gamma.
struct Stage {
  Signer alpha_site{SiteName("alpha")}, beta_site{SiteName("beta")}, gamma_site{SiteName("gamma")};
  EndpointSettings settings = keyed(alpha, beta, knows({&alpha_site, &beta_site, &gamma_site}));
  LinkKey of_beta = new_link(), of_gamma = new_link();
  Stage() { settings.admission.parties.insert(gamma); }
};

/// The site manager of a neighbour of alpha's, after its greeting.
struct Neighbour : Caller {
  Neighbour(const Stage& stage, const Party& party, Endpoint& to)
      : Caller(party, to, party == beta ? stage.of_beta : stage.of_gamma,
               party == beta ? stage.beta_site.certify_for(beta, stage.of_beta)
                             : stage.gamma_site.certify_for(gamma, stage.of_gamma),
               party == beta ? 1 : 2) {
    REQUIRE(is_greeted());
  }
};

/// The links of these neighbours are up then, and nothing is left to be heard.
void come_up(std::initializer_list<Neighbour*> neighbours) {
  for (Neighbour* one : neighbours) {
    one->tell(one->frame(Beat{}));
    one->hear();
  }
}

/// How many revoked keys the neighbour is told of in the Vouch that it hears last; 0: it hears none.
std::size_t revoked_told(Neighbour& neighbour) {
  std::size_t revoked = 0;
  for (const Envelope& heard : neighbour.hear())
    if (const Vouch* told = std::get_if<Vouch>(&heard.message); told && heard.to == neighbour.self)
      revoked = told->revoked.size();
  return revoked;
}

Vouch vouch_for(const std::string& prefix, std::size_t sites) {
  Vouch vouch;
  const std::string key = to_text(public_of(new_site_secret()));
  for (std::size_t i = 0; i < sites; ++i) vouch.sites.push_back({SiteName(prefix + std::to_string(i)), key});
  return vouch;
}

}  // namespace

TEST_CASE("vouch: one neighbour doesn't take the room of what others tell") {
  Stage stage;
  Endpoint endpoint(stage.settings);
  Neighbour greedy(stage, beta, endpoint), modest(stage, gamma, endpoint);
  // What a frame has room for.
  constexpr std::size_t at_once = 3'000;
  static_assert(at_once < ToldKeys::sites_of_one_max && 2 * at_once > ToldKeys::sites_of_one_max);
  greedy.tell(greedy.frame(vouch_for("b", at_once), 1));
  CHECK(refused(endpoint, "vouch_full") == 0);
  greedy.tell(greedy.frame(vouch_for("c", at_once), 2));
  CHECK(refused(endpoint, "vouch_full") == 1);
  Vouch vouch;
  for (std::size_t i = 0; i <= ToldKeys::revoked_of_one_max; ++i)
    vouch.revoked.push_back({SiteName("beta"), to_text(new_link())});
  greedy.tell(greedy.frame(vouch, 3));
  CHECK(refused(endpoint, "vouch_full") == 2);
  CHECK(heard_by(endpoint).size() == ToldKeys::revoked_of_one_max);
  const Signer far_signer{far_site};
  Vouch small;
  small.sites = {{far_site, to_text(far_signer.key())}};
  small.revoked = {{SiteName("gamma"), to_text(new_link())}};
  modest.tell(modest.frame(small, 1));
  CHECK(refused(endpoint, "vouch_full") == 2);
  CHECK(heard_by(endpoint).size() == 1);
  // Far is known: its certificates are read.
  endpoint.admit(modest.now, [&] {
    Admission wider = stage.settings.admission;
    wider.parties.insert(site_manager_of(far_site));
    return wider;
  }());
  const LinkKey link = new_link();
  Caller farther(site_manager_of(far_site), endpoint, link,
                 far_signer.certify_for(site_manager_of(far_site), link), 3);
  CHECK(farther.is_greeted());
}

TEST_CASE("vouch: of Vouches that come faster than they are taken, the latest one waits") {
  Stage stage;
  Endpoint endpoint(stage.settings);
  Neighbour beta_speaks(stage, beta, endpoint);
  std::vector<LinkKey> keys;
  Vouch vouch;
  constexpr std::size_t told = PeerVouches::at_once + 10;
  for (std::uint64_t i = 1; i <= told; ++i) {
    keys.push_back(new_link());
    vouch.revoked.push_back({SiteName("beta"), to_text(keys.back())});
    beta_speaks.tell(beta_speaks.frame(vouch, i));
  }
  CHECK(heard_by(endpoint).size() == PeerVouches::at_once);
  CHECK(refused(endpoint, "vouch_again") == 9);
  CHECK(endpoint.next_deadline() <= beta_speaks.now + PeerVouches::interval);
  beta_speaks.wait(PeerVouches::interval);
  CHECK(heard_by(endpoint).size() == 10);
  // Another one is due a second later, and no other neighbour waits for beta.
  Neighbour modest(stage, gamma, endpoint);
  vouch.revoked = {{SiteName("beta"), to_text(new_link())}};
  beta_speaks.tell(beta_speaks.frame(vouch, told + 1));
  CHECK(heard_by(endpoint).empty());
  vouch.revoked = {{SiteName("gamma"), to_text(new_link())}};
  modest.tell(modest.frame(vouch, 1));
  CHECK(heard_by(endpoint).size() == 1);
  beta_speaks.wait(PeerVouches::interval);
  CHECK(heard_by(endpoint).size() == 1);
  CHECK(refused(endpoint, "vouch_again") == 9);
  // One that comes when the next is due takes the place of the one that waits, also before the clock is looked at.
  vouch.revoked = {{SiteName("beta"), to_text(new_link())}};
  beta_speaks.tell(beta_speaks.frame(vouch, told + 2));
  beta_speaks.now = beta_speaks.now + PeerVouches::interval;
  vouch.revoked.push_back({SiteName("beta"), to_text(new_link())});
  beta_speaks.tell(beta_speaks.frame(vouch, told + 3));
  CHECK(heard_by(endpoint).size() == 2);
  CHECK(refused(endpoint, "vouch_again") == 10);
}

TEST_CASE("vouch: what several Vouches tell in a moment goes on to the others together") {
  Stage stage;
  Endpoint endpoint(stage.settings);
  Neighbour beta_speaks(stage, beta, endpoint), modest(stage, gamma, endpoint);
  come_up({&beta_speaks, &modest});
  Vouch vouch;
  for (std::uint64_t i = 1; i <= 20; ++i) {
    vouch.revoked.push_back({SiteName("beta"), to_text(new_link())});
    beta_speaks.tell(beta_speaks.frame(vouch, i));
  }
  CHECK(count<Vouch>(modest.hear()) == 1);
  modest.wait(milliseconds(100));
  std::size_t revoked = 0;
  for (const Envelope& heard : modest.hear())
    if (const Vouch* told = std::get_if<Vouch>(&heard.message)) revoked = std::max(revoked, told->revoked.size());
  CHECK(revoked == 20);
}

TEST_CASE("vouch: a neighbour that tells news at the moment when others' news go on hears these, too") {
  Stage stage;
  Endpoint endpoint(stage.settings);
  Neighbour beta_speaks(stage, beta, endpoint), gamma_speaks(stage, gamma, endpoint);
  come_up({&beta_speaks, &gamma_speaks});
  Vouch of_beta, of_gamma;
  for (std::uint64_t i = 1; i <= 2; ++i) {
    of_beta.revoked.push_back({SiteName("beta"), to_text(new_link())});
    beta_speaks.tell(beta_speaks.frame(of_beta, i));
  }
  gamma_speaks.hear();
  gamma_speaks.now = gamma_speaks.now + milliseconds(100);
  of_gamma.revoked = {{SiteName("gamma"), to_text(new_link())}};
  gamma_speaks.tell(gamma_speaks.frame(of_gamma, 1));
  CHECK(revoked_told(gamma_speaks) == 3);
}

TEST_CASE("vouch: a neighbour that was silent hears the news of that time when it is back") {
  Stage stage;
  Endpoint endpoint(stage.settings);
  Neighbour beta_speaks(stage, beta, endpoint), gamma_speaks(stage, gamma, endpoint);
  come_up({&beta_speaks, &gamma_speaks});
  beta_speaks.wait(seconds(20));
  REQUIRE_FALSE(link_with(endpoint.links(), gamma).up);
  REQUIRE(beta_speaks.is_greeted());
  beta_speaks.tell(beta_speaks.frame(Beat{}));
  Vouch vouch;
  vouch.revoked = {{SiteName("beta"), to_text(new_link())}};
  beta_speaks.tell(beta_speaks.frame(vouch, 1));
  beta_speaks.hear();
  const auto told = [&] {
    gamma_speaks.now = beta_speaks.now + seconds(1);
    gamma_speaks.tell(gamma_speaks.frame(Beat{}));
    return revoked_told(gamma_speaks);
  };
  CHECK(told() == 1);
  CHECK(told() == 0);  // once
}

TEST_CASE("vouch: a revocation that was heard is in force after a restart, and a change of the configuration") {
  Stage stage;
  const LinkKey of_ann = new_link(), of_carl = new_link();
  const Party carl = job_manager_of(SiteName("beta"), "carl");
  // A resource manager hears it of its own site, and a site manager of its neighbour.
  EndpointSettings at_nodes = keyed(nodes, beta, knows({&stage.alpha_site, &stage.beta_site}));
  at_nodes.admission.job_managers = true;
  stage.settings.admission.job_managers = true;
  struct Row {
    const char* what;
    EndpointSettings settings;
    RevokedKey told;
    Party holder;
    LinkKey link;
    std::string certificate;
  };
  for (const Row& row : {Row{"own site",
                             at_nodes,
                             {SiteName("alpha"), to_text(of_ann)},
                             ann,
                             of_ann,
                             stage.alpha_site.certify_for(ann, of_ann)},
                         Row{"neighbour",
                             stage.settings,
                             {SiteName("beta"), to_text(of_carl)},
                             carl,
                             of_carl,
                             stage.beta_site.certify_for(carl, of_carl)}}) {
    CAPTURE(row.what);
    Endpoint before(row.settings);
    Neighbour teller(stage, beta, before);
    Vouch vouch;
    vouch.revoked = {row.told};
    teller.tell(teller.frame(vouch, 1));
    const std::vector<RevocationHeard> heard = heard_by(before);
    REQUIRE(heard.size() == 1);
    CHECK(heard[0].teller == SiteName("beta"));
    CHECK(heard[0].link == row.link);
    before.admit(teller.now, row.settings.admission);
    CHECK_FALSE(Caller(row.holder, before, row.link, row.certificate, 2).is_greeted());
    Endpoint after(row.settings);
    for (const RevocationHeard& one : heard) after.recall(one);
    CHECK_FALSE(Caller(row.holder, after, row.link, row.certificate, 2).is_greeted());
    Endpoint without(row.settings);
    CHECK(Caller(row.holder, without, row.link, row.certificate, 2).is_greeted());
  }
}

TEST_CASE("vouch: a site that joins the configuration has the only word on its own keys") {
  const Signer alpha_site{SiteName("alpha")}, far_signer{far_site};
  const LinkKey link = new_link(), own = new_link();
  Trust trust;
  trust.configure(knows({&alpha_site}));
  CHECK(trust.learn_revoked({SiteName("beta")}, far_site, link) == Learned::news);
  CHECK(trust.learn_revoked({far_site}, far_site, own) == Learned::news);
  CHECK(trust.is_revoked(far_site, link));
  trust.configure(knows({&alpha_site, &far_signer}));
  CHECK_FALSE(trust.is_revoked(far_site, link));
  CHECK(trust.is_revoked(far_site, own));
  CHECK(trust.learn_revoked({SiteName("beta")}, far_site, link) == Learned::known);
  CHECK_FALSE(trust.is_revoked(far_site, link));
}

}  // namespace vouch_test
