// How frames become inputs; see endpoint.hpp.
#include "links/endpoint.hpp"

#include <algorithm>
#include <utility>

#include "links/stamps.hpp"
#include "manager/assert.hpp"
#include "protocol/text.hpp"
#include "protocol/verbs.hpp"

namespace dmm {
namespace {

/// A peer that sends much and hears nothing back must learn what arrived, or it would keep everything.
constexpr std::uint32_t acknowledge_after = 64;
constexpr std::size_t acknowledge_after_bytes = 32 * 1024;

/// The longest name of a command that asks.
constexpr std::size_t client_name_length_max = 64;
/// An echo that comes so much later than twice the round trip is news, though it wasn't waited for.
constexpr Duration late_echo = seconds(1);

bool is_well_named(const Party& party) {
  if (!is_name(std::string_view(party.site.text))) return false;
  const std::string_view name = party.name;
  switch (party.role) {
    case Role::site_manager: return name.empty();
    case Role::job_manager: return is_name(name);
    case Role::resource_manager: return is_name(name, manager_name_length_max);
    case Role::client: return name.size() <= client_name_length_max;
  }
  return false;
}

}  // namespace

Endpoint::Endpoint(EndpointSettings settings)
    : settings_(std::move(settings)),
      codec_(settings_.codec ? settings_.codec : std::make_shared<Codec>()),
      speaks_as_(settings_.incarnation) {
  DMM_ASSERT(settings_.incarnation > 0);
  trust_.configure(settings_.admission.trust);
  if (!settings_.link_secret) return;
  keys_.seals = std::make_unique<Seals>(*settings_.link_secret, settings_.seal_salt);
  trust_.follow(settings_.certificate);  // a site that was started again knows its former keys
  keys_.certify_at = renewal_of(settings_.certificate);
  next_tick_ = std::min(next_tick_, keys_.certify_at);
}

Endpoint::Endpoint(Endpoint&&) noexcept = default;
Endpoint& Endpoint::operator=(Endpoint&&) noexcept = default;
Endpoint::~Endpoint() = default;

Peer& Endpoint::make(Instant now, const Party& party) {
  if (Peer* peer = peers_.find(party)) return *peer;
  Peer& peer = peers_.get_or_make(party, party);
  peer.speaks_as = speaks_as_;
  peer.heard = now;
  clients_ += party.role == Role::client;
  const auto before = [](const Party& wanted, const Peer* other) { return wanted < other->session.peer(); };
  in_order_.insert(std::upper_bound(in_order_.begin(), in_order_.end(), party, before), &peer);
  next_tick_ = std::min(next_tick_, now);
  return peer;
}

bool Endpoint::far(Role theirs) const {
  const Role mine = settings_.self.role;
  return (mine == Role::job_manager && theirs == Role::resource_manager) ||
         (mine == Role::resource_manager && theirs == Role::job_manager);
}

bool Endpoint::admitted(const Party& party) const {
  const Admission& admission = settings_.admission;
  const bool ours = party.site == settings_.self.site;
  if (!is_well_named(party)) return false;
  switch (party.role) {
    case Role::client: return admission.clients;
    case Role::resource_manager: return (admission.resource_managers && ours) || admission.parties.contains(party);
    case Role::job_manager:
      return admission.job_managers || (admission.job_managers_of_site && ours) ||
             admission.parties.contains(party);
    case Role::site_manager: return admission.parties.contains(party);
  }
  return false;
}

/// Clients without a certificate are strangers: they don't take all the places of others.
bool Endpoint::has_room_for(const Party& party, const Proof* shown) const {
  if (shown && !shown->is_certified && uncertified_ >= settings_.limits.clients_uncertified) return false;
  if (party.role == Role::client) return clients_ < settings_.limits.clients;
  return peers_.size() - clients_ < settings_.limits.peers;
}

// ---- frames to inputs ----------------------------------------------------------------------------------------------

void Endpoint::receive(Instant now, Connection connection, std::string_view frame, std::vector<Received>& messages,
                       const Principal& principal) {
  take(now, Way{connection, {}}, frame, messages, Voucher{&principal, nullptr});
}

void Endpoint::take(Instant now, const Way& way, std::string_view frame, std::vector<Received>& messages,
                    const Voucher& voucher) {
  auto decoded = codec_->decode(frame);
  if (const Refused* refused = std::get_if<Refused>(&decoded)) {
    if (!is_proved(now, way, voucher, refused->head.from)) return refuse(0, to_text(refused->fault));
    step_over(now, refused->head);
    return refuse_and_tell(now, way, *refused);
  }
  Envelope& envelope = std::get<Envelope>(decoded);
  if (envelope.to != settings_.self) {
    refuse(0, "wrong_receiver");
    // A person that has the wrong name learns the right one from the sender of this.
    if (envelope.from.role == Role::client && std::holds_alternative<Hello>(envelope.message))
      tell(now, way, envelope, Hello::type, "you have reached " + to_text(settings_.self));
    return;
  }
  Peer* peer = peers_.find(envelope.from);
  // A peer to which something was merely sent is a stranger still.
  const bool is_stranger = !peer || (!peer->route.dialled && !peer->up);
  const std::optional<LinkKey> key = key_of(way, voucher, envelope.from);
  auto shown = shown_by(now, key, envelope);
  auto* const proof = std::get_if<std::unique_ptr<Proof>>(&shown);
  const bool proved = proof && (*proof || is_proved(now, way, voucher, envelope.from));
  if (!proved && (!voucher.principal || (voucher.named && envelope.from != *voucher.named)))
    return refuse(0, "relay_forged");
  if (is_stranger && !admitted(envelope.from))
    return turn_away(now, way, envelope, "not_admitted", not_admitted, voucher.link());
  if (!proved)
    return turn_away(now, way, envelope, "not_proved",
                     proof ? to_text(*voucher.principal) + " may not speak for " + to_text(envelope.from) + " here"
                           : std::get<std::string>(shown),
                     voucher.link());
  if (!peer && !has_room_for(envelope.from, proof->get())) {
    refuse(0, "too_many_parties");
    return tell(now, way, envelope, type_of(envelope.message), "there is no room for another party here");
  }
  if (!peer) peer = &make(now, envelope.from);
  if (!is_of_holder(*peer, voucher, proof->get()))
    return turn_away(now, way, envelope, "not_proved",
                     "another client speaks as " + to_text(envelope.from) + " here, and was heard lately",
                     voucher.link());
  if (*proof && is_older(*peer, envelope, **proof)) return refuse(0, "not_proved");
  if (may_meet(now, *peer, envelope)) note_holder(*peer, voucher, std::move(*proof));
  if (key && far(*peer) && peer->identity.proof && peer->identity.proof->link == *key) note_link_key(*peer, *key);
  if (peer->role == Role::client)
    peer->identity.right = peer->identity.proof && voucher.link()
                               ? right_of(*peer->identity.proof, settings_.self)
                               : right_of(settings_.admission.accounts, *voucher.principal, settings_.self.role);
  if (accept(now, *peer, way, envelope)) deliver(now, *peer, std::move(envelope), messages);
}

void Endpoint::take_relayed(Instant now, const Relay& relay, std::vector<Received>& messages) {
  if (!far(relay.from.role) || !leads(relay.path, relay.from.site, settings_.self.site, dttl_max + 1))
    return refuse(0, "relay_forged");
  const Way way{std::nullopt, SiteNames(relay.path.rbegin(), relay.path.rend())};
  const Party from = relay.from;
  if (!keys_.seals) return take(now, way, relay.payload, messages, Voucher{nullptr, &from});
  if (!Seals::is_sealed(relay.payload)) return introduce(now, way, relay);
  const auto opened = keys_.seals->open(relay.payload);
  if (!opened) return refuse(0, "seal_broken");
  const Principal principal = opened->from;
  take(now, way, opened->frame, messages, Voucher{&principal, &from});
}

void Endpoint::step_over(Instant now, const Envelope& head) {
  Peer* peer = head.sequence && head.to == settings_.self ? peers_.find(head.from) : nullptr;
  if (!peer || peer->session.compare(head.incarnation) != Generation::same || head.peer != peer->speaks_as) return;
  if (peer->session.arrive(head.sequence) == Order::gap) ask_resend(now, *peer);
}

bool Endpoint::accept(Instant now, Peer& peer, const Way& way, const Envelope& envelope) {
  if (const Hello* greeting = std::get_if<Hello>(&envelope.message)) {
    on(now, peer, way, envelope, *greeting);
    return false;
  }
  const Generation generation = peer.session.compare(envelope.incarnation);
  // It turned our greeting away, and people are to know why. What it forgot of us, its incarnation tells.
  if ((generation == Generation::first || !peer.up) && std::holds_alternative<Fault>(envelope.message))
    return true;
  const bool knows_me = envelope.peer == peer.speaks_as;
  // What is numbered counts in one session alone: its sender must know which.
  const std::uint16_t type = type_of(envelope.message);
  const bool may_be_ours = knows_me || (envelope.peer == 0 && !is_numbered(type) && type != Piece::type);
  if (generation != Generation::same || !may_be_ours) {
    refuse(0, "other_incarnation");  // spoken by or to a former self: the Hellos sort it out
    if (now - peer.recovery.resend_asked > patience(peer)) {
      peer.recovery.resend_asked = now;
      if (!peer.route.way.leads()) peer.route.way = way;
      hello(now, peer, peer.route.way, false);
    }
    return false;
  }
  // A Fault doesn't show that the session lives: a peer that has ended the session answers with one.
  if (!std::holds_alternative<Fault>(envelope.message)) peer.heard = now;
  ++peer.traffic.frames_received;
  if (knows_me) acknowledge(now, peer, envelope.acknowledged);
  if (!peer.up && knows_me) {
    rise_measured(now, peer, envelope);
    recover(now, peer);
  }
  return true;
}

bool Endpoint::may_say(Instant now, Peer& peer, std::uint16_t type) {
  if (dmm::may_send(type, peer.role, settings_.self.role)) return true;
  refuse(0, "not_allowed");
  peer.reports.edit().last_error = "sent " + std::string(name_of(type)) + ", which its role may not";
  emit(now, peer, Fault{type, "this role may not send this message"}, {}, {});
  return false;
}

void Endpoint::deliver(Instant now, Peer& peer, Envelope&& envelope, std::vector<Received>& messages) {
  const std::uint16_t type = type_of(envelope.message);
  counts_.received(type);
  if (!may_say(now, peer, type)) {
    if (is_numbered(type)) peer.session.arrive(envelope.sequence);
    return;
  }
  if (const Beat* beat = std::get_if<Beat>(&envelope.message)) on(now, peer, envelope, *beat);
  if (const Fault* fault = std::get_if<Fault>(&envelope.message)) {
    peer.reports.edit().last_error = std::string(name_of(fault->about)) + ": " + fault->text;
    notice(now, peer, "fault_heard", peer.reports->last_error);
  }
  const auto* relay = std::get_if<Relay>(&envelope.message);
  if (relay && relay->to == settings_.self) return take_relayed(now, *relay, messages);
  if (is_numbered(type)) {
    peer.dormancy.heard = false;
    wake(now, peer);
    switch (peer.session.arrive(envelope.sequence)) {
      case Order::duplicate: counts_.duplicate(); return;
      case Order::gap: return ask_resend(now, peer);
      case Order::deliver: break;
    }
    auto* fragment = std::get_if<Fragment>(&envelope.message);
    peer.traffic.bytes_since_sent += fragment ? fragment->bytes.size() : 0;
    if (++peer.traffic.arrived_since_sent >= acknowledge_after ||
        peer.traffic.bytes_since_sent >= acknowledge_after_bytes)
      beat_in_passing(now, peer);
    if (fragment) return take_fragment(now, peer, *fragment, messages);
    if (take_key_message(now, peer, envelope.message)) return;
    if (!may_ask(now, peer, envelope.message)) return;
  } else if (!relay && type != Piece::type && (envelope.hint.empty() || envelope.hint == peer.hints.heard)) {
    return;  // nothing that a manager would want to know
  }
  if (!envelope.hint.empty()) peer.hints.heard = envelope.hint;
  messages.emplace_back(std::move(envelope.from), std::move(envelope.message), std::move(envelope.trace),
                        std::move(envelope.hint), peer.distance.round_trip, peer.vouching.proved);
}

/// How long ago what is echoed left us, less the time for which the peer held it. Between two that have nothing to say
/// one echo is as the other, and is no news: it measures only if it came much later than any before.
std::optional<Duration> Endpoint::hear_echo(Instant now, Peer& peer, Stamp echo, bool measures) {
  const auto measured = since(echo, now);
  if (!measured) return std::nullopt;
  if (!measures && *measured <= peer.distance.round_trip * 2 + late_echo) return measured;
  // Longer at once, shorter little by little: time limits are made of it.
  peer.distance.round_trip = std::max(*measured, (peer.distance.round_trip * 7 + *measured) / 8);
  peer.distance.measured = true;
  return measured;
}

void Endpoint::on(Instant now, Peer& peer, const Envelope& envelope, const Beat& beat) {
  if (beat.stamp != no_stamp) {
    peer.distance.heard_stamp = beat.stamp;
    peer.distance.heard_stamp_at = now;
  }
  const auto way = hear_echo(now, peer, beat.echo, std::exchange(peer.distance.measuring, false));
  hear_vouched(now, peer, beat, way);
  if (beat.resend && envelope.peer == peer.speaks_as) recover(now, peer);
  peer.dormancy.heard = beat.dormant && far(peer);
  // It didn't hear that we rest.
  if (peer.dormancy.both && !beat.dormant) emit(now, peer, beat_of(now, peer, false, true), {}, {});
  if (peer.session.expects_more(beat.last)) ask_resend(now, peer);
}

}  // namespace dmm
