// Sites that replace their keys: which certificates are believed then, by parties that know the site by which key.
#include "links/succeeded_keys.hpp"

#include "links/trust.hpp"
#include "tests/links/keys_stage.hpp"

namespace succeeded_keys_test {

using namespace dmm;
using namespace dmm::keys_stage;

namespace {

constexpr WallSeconds replaced = today + 10'000;  ///< the first key, by the second one

/// Beta, with the keys that it had one after the other, and what each signed for beta's manager.
struct Beta {
  SiteSigner first{new_site_secret(), {}};
  SiteSigner second = succeed(beta.site, first, new_site_secret(), replaced);
  SiteSigner third = succeed(beta.site, second, new_site_secret(), replaced + 10'000);
  LinkKey link = new_link();

  std::string certify_with(const SiteSigner& signer, WallSeconds from, WallSeconds life = certificate_life) const {
    return certify({beta, link, Right::none, from, from + life, signer.successions}, signer.secret);
  }
};

Trust knowing(const SiteSecret& secret) {
  Trust trust;
  TrustSettings settings;
  settings.sites[beta.site] = public_of(secret);
  trust.configure(settings);
  return trust;
}

/// Until when the certificate is believed; 0: it is not.
WallSeconds believed(Trust& trust, const std::string& certificate, WallSeconds now = replaced + 20'000) {
  trust.follow(certificate);
  const auto proved = trust.prove(certificate, now);
  const auto* const proof = std::get_if<Proof>(&proved);
  return proof ? proof->until : 0;
}

}  // namespace

TEST_CASE("succeeded keys: a site that is known by one of its keys is believed under the next ones") {
  const Beta site;
  for (const SiteSigner* const known : {&site.first, &site.second, &site.third}) {
    Trust trust = knowing(known->secret);
    CHECK(believed(trust, site.certify_with(site.third, replaced + 15'000)) > 0);
    CHECK(*trust.find(beta.site) == public_of(site.third.secret));
    CHECK(trust.vouch(SiteName("alpha")).sites.at(0).key == to_text(public_of(site.third.secret)));
  }
  Trust step_by_step = knowing(site.first.secret);
  CHECK(step_by_step.follow(site.certify_with(site.second, replaced + 10)) == beta.site);
  CHECK_FALSE(step_by_step.follow(site.certify_with(site.second, replaced + 20)));
  CHECK(step_by_step.follow(site.certify_with(site.third, replaced + 15'000)) == beta.site);
  Trust stranger = knowing(new_site_secret());
  CHECK(believed(stranger, site.certify_with(site.third, replaced + 15'000)) == 0);
}

TEST_CASE("succeeded keys: a former key counts for what it signed before, and for the life of a certificate") {
  const Beta site;
  const std::string before = site.certify_with(site.first, today),
                    long_lived = site.certify_with(site.first, today, 10 * certificate_life),
                    after = site.certify_with(site.first, replaced + clock_slack + 1);
  Trust trust = knowing(site.first.secret);
  CHECK(believed(trust, long_lived) == today + 10 * certificate_life);
  CHECK(believed(trust, after) > 0);
  REQUIRE(believed(trust, site.certify_with(site.second, replaced + 10)) > 0);
  CHECK(believed(trust, before) == today + certificate_life);
  CHECK(believed(trust, long_lived) == replaced + certificate_life);
  CHECK(believed(trust, after) == 0);
  CHECK(believed(trust, before, replaced + certificate_life) == 0);
  // A site that was started again knows itself by its present key, and its managers may still show the former one's
  // signature.
  Trust itself = knowing(site.second.secret);
  CHECK(believed(itself, before) == 0);
  itself.follow(site.certify_with(site.second, replaced + 10));
  CHECK(believed(itself, before) == today + certificate_life);
}

TEST_CASE("succeeded keys: a thief of a former key names no other successor") {
  const Beta site;
  const SiteSigner forged = succeed(beta.site, site.first, new_site_secret(), replaced);
  Trust trust = knowing(site.first.secret);
  REQUIRE(believed(trust, site.certify_with(site.second, replaced + 10)) > 0);
  CHECK(believed(trust, site.certify_with(forged, replaced + 20)) == 0);
  CHECK(*trust.find(beta.site) == public_of(site.second.secret));
  Trust told = knowing(site.second.secret);
  CHECK(believed(told, site.certify_with(forged, replaced + 20)) == 0);
}

TEST_CASE("succeeded keys: a certificate that its last key didn't sign shows nothing") {
  const Beta site;
  // What the former key signs once it is replaced; and successions that another site made up.
  const SiteSigner former{site.first.secret, site.second.successions},
      thief{new_site_secret(), site.second.successions};
  SiteSigner made_up = succeed(beta.site, {new_site_secret(), {}}, new_site_secret(), replaced);
  for (const SiteSigner& signer : {former, thief, made_up}) {
    Trust trust = knowing(site.first.secret);
    CHECK_FALSE(trust.follow(site.certify_with(signer, replaced + 10)));
    CHECK(*trust.find(beta.site) == public_of(site.first.secret));
  }
}

TEST_CASE("succeeded keys: the configuration has the last word") {
  const Beta site;
  Trust trust = knowing(site.first.secret);
  const std::string present = site.certify_with(site.second, replaced + 10);
  REQUIRE(believed(trust, present) > 0);
  TrustSettings settings;
  settings.sites[beta.site] = public_of(site.second.secret);
  trust.configure(settings);
  CHECK(trust.prove(present, replaced + 20).index() == 0);
  CHECK(trust.prove(site.certify_with(site.first, today), replaced + 20).index() == 0);
  settings.sites[beta.site] = public_of(new_site_secret());
  trust.configure(settings);
  CHECK(trust.prove(present, replaced + 20).index() == 1);
  CHECK(trust.prove(site.certify_with(site.first, today), replaced + 20).index() == 1);
}

TEST_CASE("succeeded keys: a site that was started again believes what its former key signed") {
  const Beta site;
  const LinkKey link = new_link();
  TrustSettings itself;
  itself.sites[beta.site] = public_of(site.second.secret);
  EndpointSettings settings = keyed(beta, alpha, itself);
  settings.link_secret = new_link_secret();
  settings.certificate = site.certify_with(site.second, today);
  Endpoint endpoint(settings);
  const Party bob = job_manager_of(beta.site, "bob");
  const Certificate shown{bob, link, Right::none, today, today + 1'000};
  CHECK(Caller(bob, endpoint, link, certify(shown, site.first.secret)).is_greeted());
}

TEST_CASE("succeeded keys: an endpoint tells of a site's new key once") {
  const Beta site;
  TrustSettings known;
  known.sites[beta.site] = public_of(site.first.secret);
  EndpointSettings settings = keyed(alpha, beta, known);
  settings.wall_offset = settings.wall_offset + seconds(10'100);
  Endpoint neighbour(settings);
  Caller caller(beta, neighbour, site.link, site.certify_with(site.second, replaced + 10));
  REQUIRE(caller.is_greeted());
  REQUIRE(caller.is_greeted());
  const auto notices = neighbour.take_notices();
  CHECK(std::ranges::count_if(notices, [](const LogEvent& one) { return one.name == "site_key"; }) == 1);
  CHECK(neighbour.take_key_events().empty());
}

}  // namespace succeeded_keys_test
