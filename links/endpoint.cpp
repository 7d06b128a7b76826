// How frames become inputs and messages become frames; see endpoint.hpp. Timers and routes are in routes.cpp.
#include "links/endpoint.hpp"

#include <algorithm>

#include "links/gate.hpp"
#include "machine/assert.hpp"
#include "machine/planted.hpp"

namespace dmm {
namespace {

/// A peer that sends much and hears nothing back must learn what arrived, or it would keep everything.
constexpr std::uint32_t acknowledge_after = 64;

bool is_numbered(std::uint16_t type) { return type != Hello::type && type != Beat::type && type != Fault::type; }

}  // namespace

Endpoint::Endpoint(EndpointSettings settings)
    : settings_(std::move(settings)), codec_(settings_.codec ? settings_.codec : std::make_shared<Codec>()) {
  DMM_ASSERT(settings_.incarnation > 0);
}

Endpoint::Peer& Endpoint::make(const Party& party) {
  if (Peer* peer = peers_.find(party)) return *peer;
  Peer& peer = peers_.get_or_make(party, party);
  const auto before = [](const Party& wanted, const Peer* other) { return wanted < other->session.peer(); };
  in_order_.insert(std::upper_bound(in_order_.begin(), in_order_.end(), party, before), &peer);
  return peer;
}

bool Endpoint::far(const Peer& peer) const {
  const Role mine = settings_.self.role, theirs = peer.role;
  return (mine == Role::job_manager && theirs == Role::resource_manager) ||
         (mine == Role::resource_manager && theirs == Role::job_manager);
}

bool Endpoint::admitted(const Party& party) const {
  const Admission& who = settings_.admission;
  const bool ours = party.site == settings_.self.site;
  switch (party.role) {
    case Role::client: return who.clients;
    case Role::resource_manager: return (who.resource_managers && ours) || who.parties.contains(party);
    case Role::job_manager:
      return who.job_managers || (who.job_managers_of_site && ours) || who.parties.contains(party);
    case Role::site_manager: return who.parties.contains(party);
  }
  return false;
}

// ---- frames to inputs ----------------------------------------------------------------------------------------------

void Endpoint::receive(Instant now, Connection connection, std::string_view frame, std::vector<Received>& messages) {
  take(now, Way{connection, {}}, frame, messages);
}

void Endpoint::take(Instant now, const Way& way, std::string_view frame, std::vector<Received>& messages) {
  auto decoded = codec_->decode(frame);
  if (const Refused* refused = std::get_if<Refused>(&decoded)) {
    step_over(now, refused->head);
    return refuse_and_tell(now, way, *refused);
  }
  Envelope& envelope = std::get<Envelope>(decoded);
  if (envelope.to != settings_.self) return refuse(0, "wrong_receiver");
  Peer* peer = peers_.find(envelope.from);
  if (!peer && !admitted(envelope.from)) {
    refuse_and_tell(now, way, {FrameFault::malformed, type_of(envelope.message), std::move(envelope)});
    return;
  }
  if (!peer) peer = &make(envelope.from);
  if (accept(now, *peer, way, envelope)) deliver(now, *peer, std::move(envelope), messages);
}

void Endpoint::step_over(Instant now, const Envelope& head) {
  Peer* peer = head.sequence && head.to == settings_.self ? peers_.find(head.from) : nullptr;
  if (!peer || peer->session.compare(head.incarnation) != Generation::same) return;
  if (head.peer != 0 && head.peer != settings_.incarnation) return;
  if (peer->session.arrive(head.sequence) == Order::gap) ask_resend(now, *peer);
}

bool Endpoint::accept(Instant now, Peer& peer, const Way& way, const Envelope& envelope) {
  const Hello* greeting = std::get_if<Hello>(&envelope.message);
  if (greeting) {
    on(now, peer, way, envelope, *greeting);
    return false;
  }
  const bool knows_me = envelope.peer == settings_.incarnation;
  if (peer.session.compare(envelope.incarnation) != Generation::same || (envelope.peer != 0 && !knows_me)) {
    refuse(0, "other_incarnation");  // spoken by or to a former self: the Hellos sort it out
    if (now - peer.resend_asked > settings_.times.hello) {
      peer.resend_asked = now;
      if (!peer.way.connection && peer.way.path.empty()) peer.way = way;
      hello(now, peer, peer.way, false);
    }
    return false;
  }
  peer.heard = now;
  ++peer.frames_received;
  if (knows_me) peer.session.acknowledge(envelope.acknowledged);
  if (!peer.up) rise(peer, false, {});
  return true;
}

void Endpoint::deliver(Instant now, Peer& peer, Envelope&& envelope, std::vector<Received>& messages) {
  const Party& from = peer.session.peer();
  const std::uint16_t type = type_of(envelope.message);
  ++received_by_type_[type];
  if (!may_send(type, from.role, settings_.self.role)) {
    refuse(0, "not_allowed");
    peer.last_error = "sent " + std::string(name_of(type)) + ", which its role may not";
    if (is_numbered(type)) peer.session.arrive(envelope.sequence);
    return emit(now, peer, Fault{type, "this role may not send this message"}, {}, {});
  }
  if (const Beat* beat = std::get_if<Beat>(&envelope.message)) on(now, peer, envelope, *beat);
  if (const Fault* fault = std::get_if<Fault>(&envelope.message))
    peer.last_error = std::string(name_of(fault->about)) + ": " + fault->text;
  if (is_numbered(type)) {
    peer.rest_heard = false;
    wake(now, peer);
    switch (peer.session.arrive(envelope.sequence)) {
      case Order::duplicate: ++counters_.duplicates; return;
      case Order::gap: return ask_resend(now, peer);
      case Order::deliver: break;
    }
    if (++peer.arrived_since_sent >= acknowledge_after)
      emit(now, peer, Beat{false, peer.session.last_used(), false}, {}, {});
    if (auto* relay = std::get_if<Relay>(&envelope.message); relay && relay->to == settings_.self) {
      SiteNames back(relay->path.rbegin(), relay->path.rend());
      return take(now, Way{std::nullopt, std::move(back)}, relay->payload, messages);
    }
  } else if (envelope.hint.empty() || envelope.hint == peer.heard_hint) {
    return;  // nothing that a machine would want to know
  }
  if (!envelope.hint.empty()) peer.heard_hint = envelope.hint;
  messages.emplace_back(std::move(envelope.from), std::move(envelope.message), std::move(envelope.trace),
                        std::move(envelope.hint));
}

void Endpoint::on(Instant now, Peer& peer, const Way& way, const Envelope& envelope, const Hello& greeting) {
  ++received_by_type_[Hello::type];
  const Generation generation = peer.session.meet(envelope.incarnation);
  if (generation == Generation::stale) return refuse(0, "other_incarnation");
  if (generation != Generation::same) peer.heading.clear();
  peer.heard = now;
  next_tick_ = std::min(next_tick_, now + settings_.times.beat);
  ++peer.frames_received;
  peer.resting = peer.rest_heard = false;
  peer.way = way;
  peer.software = greeting.software;
  if (way.connection && peer.direct == way.connection) peer.relay_at = never;
  const bool knows_me = envelope.peer == settings_.incarnation;
  if (knows_me) peer.session.acknowledge(std::max(greeting.received, envelope.acknowledged));
  if (!greeting.answer) hello(now, peer, way, true);
  if (knows_me || greeting.answer) peer.hello_at = never;
  resend(now, peer);
  if (!peer.up || generation != Generation::same) rise(peer, generation != Generation::same, greeting.ancestors);
}

void Endpoint::rise(Peer& peer, bool restarted, const SiteNames& ancestors) {
  peer.up = true;
  peer.heard_hint.clear();
  if (peer.role == Role::client) return;
  link_events_.push_back(LinkUp{peer.session.peer(), restarted, ancestors, peer.software});
}

void Endpoint::on(Instant now, Peer& peer, const Envelope& envelope, const Beat& beat) {
  if (beat.resend && envelope.peer == settings_.incarnation) resend(now, peer);
  peer.rest_heard = beat.rest && far(peer);
  // It didn't hear that we rest.
  if (peer.resting && !beat.rest) emit(now, peer, Beat{false, peer.session.last_used(), true}, {}, {});
  if (peer.session.expects_more(beat.last)) ask_resend(now, peer);
}

void Endpoint::refuse(Connection, std::string_view reason) { ++counters_.refused[std::string(reason)]; }

void Endpoint::undeliverable(Connection) { ++counters_.refused["undeliverable"]; }

void Endpoint::refuse_and_tell(Instant now, const Way& way, const Refused& refused) {
  const bool stranger =
      refused.fault == FrameFault::malformed && !refused.head.from.site.empty() && !peers_.find(refused.head.from);
  refuse(0, stranger ? "not_admitted" : to_text(refused.fault));
  Peer* peer = refused.head.from.site.empty() ? nullptr : peers_.find(refused.head.from);
  if (peer)
    peer->last_error = "sent " + std::string(name_of(refused.type)) + ": " + std::string(to_text(refused.fault));
  const bool answerable = !refused.head.from.site.empty() && refused.type != Fault::type && way.connection;
  if (!answerable) return;  // an answer to what can't be read could be misread as well
  Envelope envelope{.from = settings_.self, .to = refused.head.from, .incarnation = settings_.incarnation, .trace = {},
                    .hint = {}, .message = Fault{refused.type, stranger ? "not admitted here"
                                                                       : std::string(to_text(refused.fault))}};
  emit_on(now, way, refused.head.from, codec_->encode(envelope));
}

// ---- messages to frames --------------------------------------------------------------------------------------------

void Endpoint::send(Instant now, Effects& effects) {
  for (const Route& route : effects.routes) set_route(now, route);
  effects.routes.clear();
  for (const Outgoing& out : effects.messages) emit(now, make(out.to), out.message, out.trace, out.hint);
  effects.messages.clear();
  for (const Party& party : effects.rests)
    if (Peer* peer = peers_.find(party); peer && far(*peer)) peer->rest_wanted = true;
  effects.rests.clear();
}

void Endpoint::emit(Instant now, Peer& peer, const Message& message, const RequestId& trace,
                    const CapacityHint& hint) {
  const std::uint16_t type = type_of(message);
  const std::uint64_t sequence = is_numbered(type) ? peer.session.next_sequence() : 0;
  count_sent(peer.session.peer(), type, trace);
  if (!hint.empty()) peer.hint = hint;
  if (peer.heading.empty())
    peer.heading = Codec::encode(Heading{settings_.self, peer.session.peer(), settings_.incarnation,
                                         peer.session.peer_incarnation()});
  const std::string_view bytes = codec_->encode(EnvelopeView{.heading = peer.heading,
                                                             .sequence = sequence,
                                                             .acknowledged = peer.session.delivered(),
                                                             .trace = trace,
                                                             .hint = hint,
                                                             .message = message});
  if (sequence) {
    peer.session.keep(sequence, bytes);
    peer.rest_wanted = false;
    wake(now, peer);
  }
  peer.sent = now;
  peer.arrived_since_sent = 0;
  ++peer.frames_sent;
  emit_on(now, peer.way, peer.session.peer(), bytes);
}

void Endpoint::emit_on(Instant now, const Way& way, const Party& to, std::string_view bytes) {
  if (way.connection) {
    frames_.emplace_back(*way.connection, std::string(bytes));
  } else if (!way.path.empty()) {
    Relay relay{settings_.self, to, way.path, 0, std::string(bytes)};
    emit(now, make(site_manager_of(settings_.self.site)), std::move(relay), {}, {});
  }  // else nobody is there yet: the session keeps it
}

void Endpoint::hello(Instant now, Peer& peer, const Way& way, bool answer) {
  Envelope envelope{.from = settings_.self,
                    .to = peer.session.peer(),
                    .incarnation = settings_.incarnation,
                    .peer = peer.session.peer_incarnation(),
                    .acknowledged = peer.session.delivered(),
                    .trace = {},
                    .hint = {},
                    .message = Hello{peer.session.delivered(), answer, DMM_VERSION, settings_.ancestors}};
  count_sent(peer.session.peer(), Hello::type, {});
  peer.sent = now;
  emit_on(now, way, peer.session.peer(), codec_->encode(envelope));
}

void Endpoint::ask_resend(Instant now, Peer& peer) {
  if (now - peer.resend_asked < settings_.times.hello)
    return;  // what comes in the same burst is missing for one reason
  peer.resend_asked = now;
  emit(now, peer, Beat{true, peer.session.last_used(), false}, {}, {});
}

void Endpoint::resend(Instant now, Peer& peer) {
  if (DMM_PLANT(not_sent_again)) return;
  // Bytes that were encoded before the peer was ever heard name no incarnation of it, which it accepts.
  peer.session.each_unacknowledged([&](std::string_view bytes) {
    ++counters_.resent;
    emit_on(now, peer.way, peer.session.peer(), bytes);
  });
  if (peer.session.unacknowledged() > 0) peer.sent = now;
}

EndpointCounters Endpoint::counters() const {
  EndpointCounters all = counters_;
  for (std::uint16_t type = 0; type < sent_by_type_.size(); ++type) {
    if (sent_by_type_[type] > 0) all.sent[type] = sent_by_type_[type];
    if (received_by_type_[type] > 0) all.received[type] = received_by_type_[type];
  }
  return all;
}

void Endpoint::count_sent(const Party& to, std::uint16_t type, const RequestId& trace) {
  ++sent_by_type_[type];
  const MessageKind kind = kind_of(type, settings_.self.role, to.role);
  ++counters_.sent_by_kind[static_cast<std::size_t>(kind)];
  if (settings_.count_by_request && !trace.empty() && kind != MessageKind::keep_alive) ++sent_by_request_[trace];
}

}  // namespace dmm
