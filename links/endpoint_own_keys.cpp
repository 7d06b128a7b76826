// What an endpoint proves itself with: its link key, the certificate of it, and what is to be asked of the site
// that signs. Also keys that it is told of: those of sites, and those that peers listen with next. See
// endpoint.hpp.
#include <algorithm>
#include <utility>

#include "keys/endpoint_key.hpp"
#include "links/endpoint.hpp"
#include "manager/planted.hpp"
#include "protocol/text.hpp"
#include "protocol/verbs.hpp"

namespace dmm {
namespace {

/// An answer of the site is waited for so long.
constexpr Duration certify_again = seconds(10);
/// A manager's wish for a certificate is heard no more often.
constexpr Duration between_certificates = seconds(1);
/// News of keys goes to all peers no more often.
constexpr Duration between_news = milliseconds(100);

}  // namespace

// ---- our own ----

/// Half of its life before a certificate ends; at once if there is none.
Instant Endpoint::renewal_of(std::string_view letters) const {
  const auto written = read_unverified(letters);
  const auto* shown = std::get_if<UnverifiedCertificate>(&written);
  if (!shown) return Instant{};
  const auto& [from, until] = std::pair(shown->certificate.from, shown->certificate.until);
  return Instant{(from + (until - from) / 2) * 1'000'000 - settings_.wall_offset.microseconds};
}

void Endpoint::hold(Instant now, const LinkSecret& secret, std::string certificate) {
  follow_site_key(now, certificate);
  const bool is_other = keys_.seals && public_of(secret) != keys_.seals->key();
  if (!keys_.seals) keys_.seals = std::make_unique<Seals>(secret, settings_.seal_salt);
  if (is_other) renew_proof(secret);
  if (!is_other || !DMM_PLANT(key_forgotten)) settings_.certificate = std::move(certificate);
  // Peers believe us until the certificate ends that we showed them last. Over a connection of the key before,
  // another certificate would be refused.
  for (Peer* const peer : in_order_) {
    const Way& way = peer->route.way;
    const bool shows = way.connection ? !is_other && peer->role != Role::client : way.leads();
    if (peer->up && shows && !settings_.certificate.empty()) hello(now, *peer, way, false);
  }
  if (keys_.wanted && public_of(*keys_.wanted) == keys_.seals->key()) keys_.wanted.reset();
  keys_.certify_at = std::max(renewal_of(settings_.certificate), now);
  next_tick_ = std::min(next_tick_, keys_.certify_at);
}

/// What is dialled from now on proves the key, and so do new seals.
void Endpoint::renew_proof(const LinkSecret& secret) {
  keys_.seals->use(secret);
  for (Peer* const peer : in_order_) {
    if (!peer->route.direct || !*peer->route.direct_key) continue;
    hang_up(*peer);
    out_.dials.push_back({peer->session.peer(), peer->route.endpoint});
  }
}

void Endpoint::ask_certificate(Instant now, const LinkSecret& secret) {
  keys_.wanted = secret;
  keys_.certify_at = now;
  next_tick_ = std::min(next_tick_, now);
}

/// A site's manager asks the office of its own; others ask the site, as soon as they can and until they are
/// answered. For the present key, too, while another one waits for its certificate.
void Endpoint::ask_certificates(Instant now) {
  keys_.certify_at = now + certify_again;
  if (settings_.self.role == Role::site_manager) {
    keys_.events.emplace_back(CertificateAsked{settings_.self, keys_.seals->key(), {}, {}});
    return;
  }
  Peer* const site = peers_.find(site_manager_of(settings_.self.site));
  const SiteKey* const key = trust_.find(settings_.self.site);
  if (!site || !site->up || !key) return;
  const LinkSecret& secret = keys_.next_to_certify(renewal_of(settings_.certificate) <= now);
  emit(now, *site,
       Certify{to_text(public_of(secret)),
               possession_of(secret, settings_.seal_salt, *key, to_text(settings_.self))},
       {}, {});
}

void Endpoint::take_certified(Instant now, const Peer& peer, const Certified& answer) {
  follow_site_key(now, answer.certificate);
  const SiteName& own = settings_.self.site;
  const SiteKey* const site = trust_.find(own);
  const auto read = trust_.read(answer.certificate);
  const Certificate* const shown = std::get_if<Certificate>(&read);
  const bool is_ours =
      shown && peer.session.peer().site == own && shown->party == settings_.self && keys_.has(shown->link);
  if (is_ours) keys_.events.emplace_back(CertificateHeard{shown->link, answer.certificate, *site});
}

// ---- of our site's managers ----

void Endpoint::take_certify(Instant now, Peer& peer, const Certify& asked) {
  const auto link = parse_key<LinkKey>(asked.link);
  const Party& party = peer.session.peer();
  if (!link || party.site != settings_.self.site || trust_.is_revoked(party.site, *link))
    return emit(now, peer, Fault{Certify::type, "no key that this site certifies"}, {}, {});
  const auto [last, is_new] = peer.reports.edit().told.try_emplace("certify", now);
  if (!is_new && now - last->second < between_certificates) return refuse(0, "certify_again");
  last->second = now;
  keys_.events.emplace_back(
      CertificateAsked{party, *link, peer.identity.proof ? std::optional(peer.identity.proof->link) : std::nullopt,
                       asked.possession});
}

void Endpoint::certified(Instant now, const Party& manager, std::string certificate) {
  if (Peer* const peer = peers_.find(manager)) emit(now, *peer, Certified{std::move(certificate)}, {}, {});
}

// ---- of sites and peers ----

/// Whether it was about keys, and so is for no manager.
bool Endpoint::take_key_message(Instant now, Peer& peer, const Message& message) {
  if (const auto* vouch = std::get_if<Vouch>(&message)) return take_vouch(now, peer, *vouch), true;
  if (const auto* asked = std::get_if<Certify>(&message)) return take_certify(now, peer, *asked), true;
  if (const auto* answer = std::get_if<Certified>(&message)) return take_certified(now, peer, *answer), true;
  return false;
}

/// A Vouch has all that its sender knows, so the latest one stands for those before it. Beyond its due the sender's
/// latest one waits.
void Endpoint::take_vouch(Instant now, Peer& peer, const Vouch& vouch) {
  PeerVouches& vouches = peer.vouches;
  if (std::exchange(vouches.waiting, nullptr)) refuse(0, "vouch_again");
  if (vouches.may_take(now)) return learn_from(now, peer, vouch);
  vouches.waiting = std::make_unique<Vouch>(vouch);
  if (vouches.waiting->sites.size() > ToldKeys::all_max) vouches.waiting->sites.resize(ToldKeys::all_max);
  if (vouches.waiting->revoked.size() > ToldKeys::all_max) vouches.waiting->revoked.resize(ToldKeys::all_max);
  keys_.vouches_at = std::min(keys_.vouches_at, vouches.due());
  next_tick_ = std::min(next_tick_, keys_.vouches_at);
}

void Endpoint::take_waiting_vouches(Instant now) {
  keys_.vouches_at = never;
  for (Peer* const peer : in_order_) {
    if (peer->vouches.waiting && now >= peer->vouches.due())
      take_vouch(now, *peer, *std::exchange(peer->vouches.waiting, nullptr));
    else if (peer->vouches.waiting)
      keys_.vouches_at = std::min(keys_.vouches_at, peer->vouches.due());
  }
}

void Endpoint::learn_from(Instant now, Peer& peer, const Vouch& vouch) {
  const SiteName& own = settings_.self.site;
  const Teller teller{peer.session.peer().site, peer.session.peer().site == own};
  bool news = false, has_room = true;
  for (const SiteVouch& told : vouch.sites)
    if (const auto key = parse_key<SiteKey>(told.key);
        key && (teller.is_ours || told.site != own) && is_name(std::string_view(told.site.text))) {
      const Learned learned = trust_.learn(teller, told.site, *key);
      news |= learned == Learned::news;
      has_room &= learned != Learned::no_room;
    }
  for (const RevokedKey& told : vouch.revoked)
    if (const auto link = parse_key<LinkKey>(told.link)) {
      const RevocationHeard heard{teller.site, told.site, *link};
      const Learned learned = learn_revoked(heard);
      if (learned == Learned::news) keys_.events.emplace_back(heard);
      news |= learned == Learned::news;
      has_room &= learned != Learned::no_room;
    }
  if (!has_room) {
    refuse(0, "vouch_full");
    notice(now, peer, "vouch_full", "it tells of more keys than there is room for");
  }
  if (!vouch.next.empty()) take_next(peer, vouch.next);
  if (teller.is_ours && !keys_.seals && trust_.find(own)) keys_.events.emplace_back(KeyNeeded{});
  if (news) pass_on(now, &peer);
}

/// The manager of our own site speaks of keys of any site. Other sites have no say about ours.
Learned Endpoint::learn_revoked(const RevocationHeard& heard) {
  const SiteName& own = settings_.self.site;
  if (heard.teller == own) return trust_.learn_revoked(heard.link);
  if (heard.site == own || !is_name(std::string_view(heard.site.text))) return Learned::known;
  return trust_.learn_revoked({heard.teller, false}, heard.site, heard.link);
}

/// A certificate may show that its site signs with another key now. If it is our own site, the site is asked to sign
/// with that key for us, too.
void Endpoint::follow_site_key(Instant now, std::string_view certificate) {
  const auto site = trust_.follow(certificate);
  if (!site) return;
  out_.notices.push_back(
      {Level::info, "site_key", {}, {{"site", std::string(site->text)}, {"key", to_text(*trust_.find(*site))}}});
  if (*site != settings_.self.site || settings_.self.role == Role::site_manager || !keys_.seals) return;
  keys_.certify_at = now;
  next_tick_ = std::min(next_tick_, now);
}

void Endpoint::take_next(const Peer& peer, const std::string& certificate) {
  const auto read = trust_.read(certificate);
  const Certificate* const shown = std::get_if<Certificate>(&read);
  if (shown && shown->party == peer.session.peer() && peer.route.dialled &&
      !trust_.is_revoked(shown->party.site, shown->link))
    keys_.events.emplace_back(NextKeyHeard{shown->party, shown->link, shown->from});
}

void Endpoint::announce(Instant now, std::string certificate) {
  keys_.announced = std::move(certificate);
  vouch_to_all(now, nullptr);
}

void Endpoint::vouch_to(Instant now, Peer& peer) {
  if (!may_send(Vouch::type, settings_.self.role, peer.role)) return;
  Vouch known = trust_.vouch(settings_.self.site);
  peer.vouches.news_told = keys_.news;
  if (known.sites.empty()) return;
  known.next = *keys_.announced;
  emit(now, peer, std::move(known), {}, {});
}

/// What one peer told goes on to the others; what several tell in a moment goes on together.
void Endpoint::pass_on(Instant now, const Peer* but) {
  if (now < keys_.passed_on_until) {
    keys_.pass_on_at = keys_.passed_on_until;
    next_tick_ = std::min(next_tick_, keys_.pass_on_at);
    return;
  }
  keys_.passed_on_until = now + between_news;
  const bool others_wait = std::exchange(keys_.pass_on_at, never) != never;  // that peer doesn't know their news
  vouch_to_all(now, others_wait ? nullptr : but);
}

void Endpoint::vouch_to_all(Instant now, const Peer* but) {
  ++keys_.news;
  for (Peer* const peer : in_order_)
    if (peer == but)
      peer->vouches.news_told = keys_.news;
    else if (peer->up)
      vouch_to(now, *peer);  // the others hear it when they are up again
}

}  // namespace dmm
