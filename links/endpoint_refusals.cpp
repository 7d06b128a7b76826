// What an endpoint refuses, and how it tells the sender and the log; see endpoint.hpp.
#include <algorithm>

#include "links/endpoint.hpp"
#include "protocol/text.hpp"

namespace dmm {
namespace {

/// The same is said no more often than this.
constexpr Duration between_notices = seconds(60);

/// A peer that sends what can't be read is told so at this interval, after a burst.
constexpr Duration between_faults = milliseconds(100);
constexpr std::int64_t faults_at_once = 64;

/// Whether the peer is told of one more. Kept is the instant by which all that it was told of would have been told
/// one by one.
bool may_tell(Instant now, Peer& peer) {
  Instant& until = peer.reports.edit().told.try_emplace("fault", now).first->second;
  until = std::max(until, now);
  if (until - now >= between_faults * faults_at_once) return false;
  until = until + between_faults;
  return true;
}

}  // namespace

void Endpoint::refuse(Connection, std::string_view reason) { counts_.refused(reason); }

void Endpoint::undeliverable(Connection) { counts_.refused("undeliverable"); }

void Endpoint::refuse_and_tell(Instant now, const Way& way, const Refused& refused) {
  refuse(0, to_text(refused.fault));
  if (refused.head.from.site.empty()) return;  // an answer to what can't be read could be misread as well
  const std::string text(to_text(refused.fault));
  if (Peer* peer = peers_.find(refused.head.from)) {
    peer->reports.edit().last_error = "sent " + std::string(name_of(refused.type)) + ": " + text;
    notice(now, *peer, "unreadable_frame", peer->reports->last_error);
    if (!may_tell(now, *peer)) return;
  }
  tell(now, way, refused.head, refused.type, text);
}

/// People at both ends are to see which party would like to speak with which.
void Endpoint::turn_away(Instant now, const Way& way, const Envelope& head, std::string_view reason,
                         const std::string& why, const LinkKey* sealed_by) {
  refuse(0, reason);
  if (Peer* const peer = peers_.find(head.from); peer && peer->route.dialled && !peer->up)
    peer->reports.edit().last_error = why;
  if (strangers_.knock(now, head.from, why, settings_.limits.strangers, between_notices))
    out_.notices.push_back({Level::warning, "stranger", {}, {{"peer", to_text(head.from)}, {"text", why}}});
  tell(now, way, head, type_of(head.message), why, sealed_by);
}

/// Answers with a Fault, where the sender can be reached and what it sent isn't a Fault itself. Along a chain the Fault
/// goes to the key that sealed the frame: a peer that speaks on in a session from before our start learns of it.
void Endpoint::tell(Instant now, const Way& way, const Envelope& head, std::uint16_t about, std::string text,
                    const LinkKey* sealed_by) {
  if ((!way.connection && !sealed_by) || about == Fault::type) return;
  const Envelope envelope{.from = settings_.self,
                          .to = head.from,
                          .incarnation = settings_.incarnation,
                          .trace = {},
                          .hint = {},
                          .message = Fault{about, std::move(text)}};
  const std::string bytes(codec_->encode(envelope));
  if (way.connection) return emit_on(now, way, head.from, Fault::type, bytes);
  Relay relay{settings_.self, head.from, way.path, 0, keys_.seals->seal(*sealed_by, bytes)};
  emit(now, make(now, site_manager_of(settings_.self.site)), std::move(relay), {}, {});
}

void Endpoint::notice(Instant now, Peer& peer, std::string_view event, const std::string& text) {
  const auto [told, is_new] = peer.reports.edit().told.try_emplace(event, now);
  if (!is_new && now - told->second < between_notices) return;
  told->second = now;
  out_.notices.push_back({Level::warning, event, {}, {{"peer", to_text(peer.session.peer())}, {"text", text}}});
}

}  // namespace dmm
