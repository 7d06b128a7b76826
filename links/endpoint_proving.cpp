// What is proved of the sender of a frame, and what a client may ask; see endpoint.hpp and gate.hpp.
#include <utility>

#include "keys/endpoint_key.hpp"
#include "links/endpoint.hpp"
#include "manager/planted.hpp"
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
  if (voucher.named && from != *voucher.named) return false;
  if (!voucher.principal || DMM_PLANT(gate_open)) return true;
  const Principal& principal = *voucher.principal;
  if (std::holds_alternative<Unproven>(principal)) return true;
  const std::optional<LinkKey> key = key_of(way, voucher, from);
  if (!key && !std::holds_alternative<Dialled>(principal))
    return may_speak_for(settings_.admission.accounts, principal, settings_.self, from);
  const Peer* const peer = peers_.find(from);
  if (!key) return peer && peer->route.direct == way.connection;
  return peer && peer->identity.proof && peer->identity.proof->link == *key &&
         wall_seconds(now) < peer->identity.proof->until &&
         !trust_.is_revoked(peer->identity.proof->party.site, *key);
}

/// The link key of the far end, for which the sender has to have shown a certificate; none where an account proves
/// the sender.
std::optional<LinkKey> Endpoint::key_of(const Way& way, const Voucher& voucher, const Party& from) const {
  if (const LinkKey* const key = voucher.link()) return *key;
  if (!voucher.principal || !std::holds_alternative<Dialled>(*voucher.principal)) return std::nullopt;
  const Peer* const peer = peers_.find(from);
  return peer && peer->route.direct == way.connection ? *peer->route.direct_key : std::nullopt;
}

/// Whether a greeting of the present session shows an earlier certificate: another party says it again.
bool Endpoint::is_older(const Peer& peer, const Envelope& envelope, const Proof& proof) const {
  return peer.identity.proof && proof.from < peer.identity.proof->from &&
         peer.session.compare(envelope.incarnation) == Generation::same;
}

/// Whether a client's frame comes from the holder of the key, or the account, that opened the client's session. Any
/// party may speak as a client under any name, but not in the place of another one.
bool Endpoint::is_of_holder(const Peer& peer, const Voucher& voucher, const Proof* shown) const {
  if (peer.role != Role::client || DMM_PLANT(gate_open)) return true;
  const PeerIdentity& identity = peer.identity;
  const Account* const account = voucher.account();
  if (account && is_ours(settings_.admission.accounts, *account)) return true;  // it could as well read our files
  if (identity.proof) return shown ? is_same_holder(*identity.proof, *shown) : voucher.link() != nullptr;
  return !identity.account || (account && account->number == *identity.account);
}

/// A greeting that is accepted came from this holder.
void Endpoint::note_holder(Peer& peer, const Voucher& voucher, std::unique_ptr<Proof> shown) {
  if (peer.role == Role::client) {
    const Account* const account = voucher.account();
    peer.identity.account = account ? std::optional(account->number) : std::nullopt;
    uncertified_ -= peer.identity.is_uncertified();
    if (account) peer.identity.proof.reset();
  }
  if (shown) peer.identity.proof = std::move(shown);
  uncertified_ += peer.identity.is_uncertified();
}

WallSeconds Endpoint::wall_seconds(Instant now) const {
  return (now.microseconds + settings_.wall_offset.microseconds) / 1'000'000;
}

/// What the certificate of a Hello over tcp or under a seal proves, if it lets the sender speak for the party that
/// it names; null where nothing has to be shown.
OrFault<std::unique_ptr<Proof>> Endpoint::shown_by(Instant now, const std::optional<LinkKey>& key,
                                                   const Envelope& envelope) {
  const Hello* const greeting = std::get_if<Hello>(&envelope.message);
  if (!key || !greeting || DMM_PLANT(gate_open)) return std::unique_ptr<Proof>();
  // A newcomer has no certificate yet: it may show the code of a token, and nothing else.
  if (envelope.from.role == Role::client && greeting->certificate.empty())
    return std::make_unique<Proof>(Proof{*key, envelope.from, Right::none, 0, INT64_MAX, false});
  follow_site_key(now, greeting->certificate);
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
  if (peer.identity.right >= least) return true;
  refuse(0, "no_right");
  const Ask* const ask = std::get_if<Ask>(&message);
  const std::string what = ask ? '"' + ask->verb + '"' : std::string("to submit jobs");
  std::string text = what + " takes " + text_of(least) + " of " + to_text(settings_.self);
  if (peer.identity.proof && peer.identity.right == Right::none)
    text += ": over tcp, with the keys in the folder that DMM_KEYS names";
  notice(now, peer, "no_right", text);
  if (ask) emit(now, peer, Answer{ask->token, text, {}}, {}, {});
  if (const Submit* submit = std::get_if<Submit>(&message))
    emit(now, peer, Submitted{.token = submit->token, .fault = text}, {}, {});
  return false;
}

/// A frame without a seal came along a chain: a greeting of a party that doesn't know our link key yet. Of what it
/// says only the certificate counts. The party is greeted back under a seal, which it alone can open.
void Endpoint::introduce(Instant now, const Way& way, const Relay& relay) {
  const auto decoded = codec_->decode(relay.payload);
  const Envelope* const envelope = std::get_if<Envelope>(&decoded);
  const Hello* const greeting = envelope ? std::get_if<Hello>(&envelope->message) : nullptr;
  if (!greeting || envelope->from != relay.from || envelope->to != settings_.self) return refuse(0, "not_sealed");
  follow_site_key(now, greeting->certificate);
  const auto proved = trust_.prove(greeting->certificate, wall_seconds(now));
  if (const auto* fault = std::get_if<std::string>(&proved))
    return turn_away(now, way, *envelope, "not_proved", *fault);
  const Proof& proof = std::get<Proof>(proved);
  if (proof.party != relay.from)
    return turn_away(now, way, *envelope, "not_proved", "its certificate is of " + to_text(proof.party));
  if (!peers_.find(relay.from)) {
    if (!admitted(relay.from)) return turn_away(now, way, *envelope, "not_admitted", not_admitted);
    if (!has_room_for(relay.from, nullptr)) return refuse(0, "too_many_parties");
  }
  Peer& peer = make(now, relay.from);
  const std::optional<LinkKey> before = std::exchange(peer.identity.seals_to.edit(), proof.link);
  peer.route.unsealed = false;
  hello(now, peer, way, false);
  if (peer.up)
    peer.identity.seals_to = before;  // a certificate that was copied changes nothing for those that speak
}

/// A far peer has this link key: frames along a chain are sealed to it, and it is what the direct route leads to.
void Endpoint::note_link_key(Peer& peer, const LinkKey& link) {
  peer.identity.seals_to = std::optional(link);
  const auto [place, key] = place_and_key(peer.route.endpoint);
  if (key && *key != link) peer.route.endpoint = place + key_mark + to_text(link);
}

}  // namespace dmm
