// What is proved of the sender of a frame, what a client may ask, and the keys of sites; see endpoint.hpp and
// gate.hpp.
#include "links/endpoint.hpp"
#include "protocol/questions.hpp"
#include "protocol/text.hpp"

namespace dmm {
namespace {

/// What a person lacks, and has to be.
std::string text_of(Right least) {
  switch (least) {
    case Right::administrator:
      return "an administrator (the daemon's account, root, or an account that its configuration names)";
    case Right::user: return "the user (the daemon's account, or root)";
    default: return "a reader";
  }
}

}  // namespace

/// Whether what vouches for a frame vouches for the sender that the frame names.
bool Endpoint::is_proved(Instant now, const Way& way, const Voucher& voucher, const Party& from) const {
  if (const auto* relayed = std::get_if<const Party*>(&voucher)) return from == **relayed;
  const Principal& principal = *std::get<const Principal*>(voucher);
  if (std::holds_alternative<Unproven>(principal)) return true;
  const LinkKey* const key = std::get_if<LinkKey>(&principal);
  if (!key && !std::holds_alternative<Dialled>(principal))
    return may_speak_for(settings_.admission.accounts, principal, settings_.self, from);
  const Peer* const peer = peers_.find(from);
  if (!key) return peer && peer->route.direct == way.connection;
  return peer && peer->proof && peer->proof->link == *key && wall_seconds(now) < peer->proof->until &&
         !trust_.is_revoked(peer->proof->party.site, *key);
}

WallSeconds Endpoint::wall_seconds(Instant now) const {
  return (now.microseconds + settings_.wall_offset.microseconds) / 1'000'000;
}

/// What the certificate of a Hello over tcp proves, if it lets the sender speak for the party that it names; null
/// where nothing has to be shown.
OrFault<std::unique_ptr<Proof>> Endpoint::shown_by(Instant now, const Voucher& voucher,
                                                   const Envelope& envelope) const {
  const auto* direct = std::get_if<const Principal*>(&voucher);
  const LinkKey* const key = direct ? std::get_if<LinkKey>(*direct) : nullptr;
  const Hello* const greeting = std::get_if<Hello>(&envelope.message);
  if (!key || !greeting) return std::unique_ptr<Proof>();
  // A newcomer has no certificate yet: it may show the code of a token, and nothing else.
  if (envelope.from.role == Role::client && greeting->certificate.empty())
    return std::make_unique<Proof>(Proof{*key, envelope.from, Right::none, INT64_MAX});
  auto proved = trust_.prove(*key, greeting->certificate, wall_seconds(now));
  if (const auto* fault = std::get_if<std::string>(&proved)) return *fault;
  Proof& proof = std::get<Proof>(proved);
  if (!may_speak_for(proof, envelope.from))
    return to_text(proof.party) + " may not speak for " + to_text(envelope.from);
  return std::make_unique<Proof>(std::move(proof));
}

/// Whether a client has the right to what it asks; if not, it is told so in place of an answer.
bool Endpoint::may_ask(Instant now, Peer& peer, const Message& message) {
  if (peer.role != Role::client) return true;
  const Right least = least_right(message, settings_.self.role);
  if (peer.right >= least) return true;
  refuse(0, "no_right");
  const Ask* const ask = std::get_if<Ask>(&message);
  const std::string what = ask ? '"' + ask->verb + '"' : std::string("to submit jobs");
  std::string text = what + " takes " + text_of(least) + " of " + to_text(settings_.self);
  if (peer.proof && peer.right == Right::none)
    text += ": over tcp, with the keys in the folder that DMM_KEYS names";
  notice(now, peer, "no_right", text);
  if (ask) emit(now, peer, Answer{ask->token, text, {}}, {}, {});
  if (const Submit* submit = std::get_if<Submit>(&message))
    emit(now, peer, Submitted{.token = submit->token, .fault = text}, {}, {});
  return false;
}

// ---- keys of sites ----

void Endpoint::take_vouch(Instant now, const Peer& peer, const Vouch& vouch) {
  const SiteName& own = settings_.self.site;
  const bool is_own_site = peer.session.peer().site == own;
  bool news = false;
  for (const SiteVouch& told : vouch.sites)
    if (const auto key = parse_key<SiteKey>(told.key); key && told.site != own)
      news |= trust_.learn(told.site, *key);
  for (const RevokedKey& told : vouch.revoked)
    if (const auto link = parse_key<LinkKey>(told.link)) {
      if (is_own_site)
        trust_.learn_revoked(*link);
      else if (told.site != own)
        news |= trust_.learn_revoked(told.site, *link);
    }
  if (!news) return;
  for (Peer* const other : in_order_)
    if (other != &peer && other->up) vouch_to(now, *other);
}

void Endpoint::vouch_to(Instant now, Peer& peer) {
  if (!may_send(Vouch::type, settings_.self.role, peer.role)) return;
  if (Vouch known = trust_.vouch(settings_.self.site); !known.sites.empty())
    emit(now, peer, std::move(known), {}, {});
}

}  // namespace dmm
