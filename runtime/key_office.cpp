#include "runtime/key_office.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "protocol/text.hpp"
#include "runtime/clock.hpp"
#include "runtime/enrolment.hpp"
#include "runtime/successors.hpp"

namespace dmm {
namespace {

/// How long peers have to hear of a site manager's next key.
constexpr Duration overlap_default = seconds(86'400);
/// How long a new key waits at most until its turn is checked again: the wall clock may be set.
constexpr Duration look_again = seconds(60);
/// How often another key is tried for a peer that isn't there.
constexpr Duration between_attempts = seconds(5);
/// A rotation of the site's key has this in its question.
constexpr const char* site_key_word = "site_key";

LogEvent told(Level level, std::string_view event, std::string text) {
  return {level, event, {}, {{"text", std::move(text)}}};
}

WallSeconds from_of(const Keyring& keyring) {
  const auto read = read_unverified(keyring.certificate);
  const auto* shown = std::get_if<UnverifiedCertificate>(&read);
  return shown ? shown->certificate.from : 0;
}

/// The overlap that the question "rotate" wants, or what is wrong with it.
OrFault<Duration> overlap_in(const nlohmann::json& argument) {
  constexpr std::int64_t seconds_max = 30 * 86'400;
  const auto overlap = argument.find("overlap_seconds");
  if (overlap == argument.end()) return overlap_default;
  const bool is_good = overlap->is_number_integer() && *overlap >= std::int64_t{0} && *overlap <= seconds_max;
  if (!is_good) return "rotate: expected \"overlap_seconds\", from 0 to " + std::to_string(seconds_max);
  return seconds(overlap->get<std::int64_t>());
}

}  // namespace

WhyNot KeyOffice::begin(Instant now, Endpoint& endpoint) {
  if (WhyNot fault = followed_.read(); !fault.empty()) return fault;
  if (WhyNot fault = heard_.read(); !fault.empty()) return fault;
  for (const RevocationHeard& heard : heard_.all()) endpoint.recall(heard);
  if (!keyring_) return {};
  auto read = read_next_keyring(directory_);
  if (auto* fault = std::get_if<std::string>(&read)) return std::move(*fault);
  next_ = std::move(std::get<std::optional<Keyring>>(read));
  if (!next_) return {};
  if (!is_site()) {
    endpoint.ask_certificate(now, next_->link);
    return {};
  }
  endpoint.announce(now, next_->certificate);
  next_at_ = now;  // perform() looks when it takes its turn
  return {};
}

std::string KeyOffice::dial(const Party& peer, const std::string& endpoint) {
  std::string used = followed_.endpoint_for(peer, endpoint, 0, wall_seconds());
  return dialled_.insert_or_assign(peer, Dialled{endpoint, std::move(used), 0}).first->second.used;
}

void KeyOffice::perform(Instant now, Endpoint& endpoint, std::vector<LogEvent>& log) {
  for (const KeyEvent& event : endpoint.take_key_events())
    std::visit([&](const auto& one) { on(now, endpoint, one, log); }, event);
  if (WhyNot fault = heard_.write(); !fault.empty()) log.push_back(told(Level::error, "keys_not_kept", fault));
  if (now >= follow_at_) follow(now);
  if (now >= attempt_at_) try_other_keys(now, endpoint);
  if (now < next_at_) return;
  if (wall_seconds() >= from_of(*next_))
    take_next(now, endpoint, log);
  else
    wait_for_turn(now);
}

void KeyOffice::wait_for_turn(Instant now) {
  next_at_ = now + std::clamp(seconds(from_of(*next_) - wall_seconds()), milliseconds(100), look_again);
}

void KeyOffice::redial(const Party& peer, Dialled& dialled, std::size_t attempt) {
  dialled.attempt = attempt;
  dialled.used = followed_.endpoint_for(peer, dialled.configured, attempt, wall_seconds());
  changes_.redials.push_back({peer, dialled.used});
}

/// Connections prove this key from now on. Connections to peers still prove the old one, so all are dialled again.
void KeyOffice::prove_with(const LinkSecret& secret) {
  changes_.proves = secret;
  for (auto& [peer, dialled] : dialled_)
    if (dialled.configured.starts_with("tcp://")) redial(peer, dialled, dialled.attempt);
}

/// Dials again the peers that listen with another key by now than the one they were dialled with.
void KeyOffice::follow(Instant now) {
  const WallSeconds wall = wall_seconds();
  follow_at_ = never;
  for (auto& [peer, dialled] : dialled_) {
    if (const WallSeconds next = followed_.next_turn(peer, dialled.configured, wall); next > 0)
      follow_at_ = std::min(follow_at_, now + std::min(seconds(next - wall), look_again));
    if (followed_.has_choice(peer, dialled.configured))
      attempt_at_ = std::min(attempt_at_, now + between_attempts);
    if (followed_.endpoint_for(peer, dialled.configured, 0, wall) != dialled.used) redial(peer, dialled, 0);
  }
}

/// A peer that isn't there may have changed its key earlier or later than it said.
void KeyOffice::try_other_keys(Instant now, const Endpoint& endpoint) {
  attempt_at_ = never;
  for (auto& [peer, dialled] : dialled_) {
    if (!followed_.has_choice(peer, dialled.configured)) continue;
    attempt_at_ = now + between_attempts;
    if (endpoint.is_up(peer))
      dialled.attempt = 0;
    else
      redial(peer, dialled, dialled.attempt + 1);
  }
}

// ---- what the endpoint asks ----

void KeyOffice::on(Instant now, Endpoint& endpoint, const KeyNeeded&, std::vector<LogEvent>& log) {
  if (keyring_ || directory_.empty()) return;
  auto kept = read_keyring(directory_);
  if (const auto* fault = std::get_if<std::string>(&kept))
    return log.push_back(told(Level::error, "keys_not_read", *fault));
  hide_memory();
  keyring_ = std::get<std::optional<Keyring>>(kept).value_or(Keyring{new_link_secret(), {}, {}});
  if (!keyring_->certificate.empty()) prove_with(keyring_->link);
  endpoint.hold(now, keyring_->link, keyring_->certificate);
}

/// Why the key isn't certified; a key that is certified is noted.
WhyNot KeyOffice::fault_of(const CertificateAsked& asked, const SiteSigner& signer) const {
  if (asked.party == self_) return {};
  if (!shows_possession(asked.possession, asked.link, signer.secret, to_text(asked.party)))
    return "it doesn't show that it has the secret of the key";
  // An order that revokes a key may not have reached the endpoint yet.
  const auto revoked = read_revoked(directory_);
  if (const auto* fault = std::get_if<std::string>(&revoked)) return *fault;
  const auto is_revoked = [&](const LinkKey& key) {
    return std::ranges::count(std::get<std::vector<std::string>>(revoked), to_text(key)) > 0;
  };
  if (is_revoked(asked.link) || (asked.by && is_revoked(*asked.by))) return "its key is revoked";
  return note_certified(directory_, {asked.party, asked.link, asked.by, wall_seconds() + certificate_life});
}

void KeyOffice::on(Instant now, Endpoint& endpoint, const CertificateAsked& asked, std::vector<LogEvent>& log) {
  if (!is_site() || !keyring_) return;
  const auto signer = signer_in(directory_);
  const auto* const unsigned_since = std::get_if<std::string>(&signer);
  WhyNot why_not = unsigned_since ? *unsigned_since : fault_of(asked, std::get<SiteSigner>(signer));
  if (!why_not.empty()) {
    log.push_back(told(Level::warning, "not_certified", to_text(asked.party) + ": " + why_not));
    return;
  }
  std::string certificate = certify_now(asked.party, asked.link, Right::none, std::get<SiteSigner>(signer));
  log.push_back({Level::info, "certified", {}, {{"peer", to_text(asked.party)}, {"link", to_text(asked.link)}}});
  if (asked.party != self_) return endpoint.certified(now, asked.party, std::move(certificate));
  keyring_->certificate = certificate;
  if (WhyNot fault = write_keyring(directory_, *keyring_); !fault.empty())
    log.push_back(told(Level::error, "keys_not_kept", fault));
  endpoint.hold(now, keyring_->link, std::move(certificate));
}

void KeyOffice::on(Instant now, Endpoint& endpoint, const CertificateHeard& heard, std::vector<LogEvent>& log) {
  if (next_ && public_of(next_->link) == heard.link) {
    next_->certificate = heard.certificate;
    return take_next(now, endpoint, log);
  }
  if (!keyring_ || public_of(keyring_->link) != heard.link) return;
  if (keyring_->certificate.empty()) prove_with(keyring_->link);  // connections to peers can prove it from now on
  *keyring_ = Keyring{keyring_->link, heard.certificate, heard.site};
  if (WhyNot fault = write_keyring(directory_, *keyring_); !fault.empty())
    log.push_back(told(Level::error, "keys_not_kept", fault));
  endpoint.hold(now, keyring_->link, heard.certificate);
  log.push_back({Level::info, "certificate", {}, {{"link", to_text(heard.link)}}});
}

void KeyOffice::on(Instant now, Endpoint&, const NextKeyHeard& heard, std::vector<LogEvent>& log) {
  const auto dialled = dialled_.find(heard.peer);
  if (dialled == dialled_.end()) return;
  if (WhyNot fault = followed_.hear(heard.peer, dialled->second.configured, heard.link, heard.from);
      !fault.empty())
    log.push_back(told(Level::error, "keys_not_kept", fault));
  log.push_back({Level::info,
                 "next_key",
                 {},
                 {{"peer", to_text(heard.peer)}, {"link", to_text(heard.link)}, {"from", heard.from}}});
  follow(now);
}

void KeyOffice::on(Instant, Endpoint&, const RevocationHeard& heard, std::vector<LogEvent>& log) {
  heard_.hear(heard);
  log.push_back({Level::info,
                 "revocation",
                 {},
                 {{"site", std::string(heard.site.text)},
                  {"link", to_text(heard.link)},
                  {"from", std::string(heard.teller.text)}}});
}

// ---- another key ----

OrFault<WallSeconds> KeyOffice::rotate(Instant now, Duration overlap, Endpoint& endpoint) {
  if (!keyring_) return "there are no keys here: nothing is spoken over tcp";
  if (next_ && !next_->certificate.empty()) return "another key takes its turn already";
  const WallSeconds from = wall_seconds() + overlap.microseconds / 1'000'000;
  Keyring next{new_link_secret(), {}, keyring_->site};
  if (is_site()) {
    const auto read = signer_in(directory_);
    if (const auto* fault = std::get_if<std::string>(&read)) return *fault;
    const auto& [secret, successions] = std::get<SiteSigner>(read);
    next.certificate =
        certify({self_, public_of(next.link), Right::none, from, from + certificate_life, successions}, secret);
  }
  if (WhyNot fault = write_next_keyring(directory_, next); !fault.empty()) return fault;
  next_ = std::move(next);
  if (!is_site()) {
    endpoint.ask_certificate(now, next_->link);
    return wall_seconds();
  }
  endpoint.announce(now, next_->certificate);
  wait_for_turn(now);
  return from;
}

void KeyOffice::take_next(Instant now, Endpoint& endpoint, std::vector<LogEvent>& log) {
  next_at_ = never;
  if (WhyNot fault = take_next_keyring(directory_, *next_); !fault.empty())
    log.push_back(told(Level::error, "keys_not_kept", fault));
  keyring_ = std::move(*std::exchange(next_, std::nullopt));
  prove_with(keyring_->link);
  endpoint.hold(now, keyring_->link, keyring_->certificate);
  // Announced again, now that the key is in use: peers that are there connect again.
  if (is_site()) endpoint.announce(now, keyring_->certificate);
  log.push_back({Level::info, "link_key", {}, {{"link", to_text(public_of(keyring_->link))}}});
}

/// Peers see the new key by the site manager's next certificate, and the site's other managers ask for one, too.
OrFault<SiteKey> KeyOffice::rotate_site(Instant now, Endpoint& endpoint) {
  if (!keyring_) return "there are no keys here: nothing is spoken over tcp";
  if (!is_site()) return "only a site manager has the key of its site";
  if (next_) return "another link key takes its turn, signed with the present key of the site: wait for it";
  auto read = signer_in(directory_);
  if (const auto* fault = std::get_if<std::string>(&read)) return *fault;
  const SiteSigner signer = succeed(self_.site, std::get<SiteSigner>(read), new_site_secret(), wall_seconds());
  if (WhyNot fault = write_site_signer(directory_, signer); !fault.empty()) return fault;
  *keyring_ = {keyring_->link, certify_now(self_, public_of(keyring_->link), Right::none, signer),
               public_of(signer.secret)};
  endpoint.hold(now, keyring_->link, keyring_->certificate);
  // If this fails, or the host ends before it, the next start makes the keyring again from the signer.
  if (WhyNot fault = write_keyring(directory_, *keyring_); !fault.empty()) return fault;
  return keyring_->site;
}

std::optional<Answer> KeyOffice::answer(Instant now, const Ask& ask, Endpoint& endpoint) {
  if (ask.verb != "rotate") return std::nullopt;
  const auto argument = nlohmann::json::parse(ask.argument.empty() ? "{}" : ask.argument, nullptr, false);
  if (!argument.is_object()) return Answer{ask.token, "rotate: the argument is not a JSON object", {}};
  if (argument.contains(site_key_word)) {
    if (argument.size() != 1 || argument[site_key_word] != true)
      return Answer{ask.token, R"(rotate: expected "site_key": true, and nothing else)", {}};
    const auto key = rotate_site(now, endpoint);
    if (const auto* fault = std::get_if<std::string>(&key)) return Answer{ask.token, *fault, {}};
    return Answer{ask.token, {}, nlohmann::json{{site_key_word, to_text(std::get<SiteKey>(key))}}.dump()};
  }
  const auto overlap = overlap_in(argument);
  if (const auto* fault = std::get_if<std::string>(&overlap)) return Answer{ask.token, *fault, {}};
  const auto from = rotate(now, std::get<Duration>(overlap), endpoint);
  if (const auto* fault = std::get_if<std::string>(&from)) return Answer{ask.token, *fault, {}};
  return Answer{ask.token, {}, nlohmann::json{{"from", std::get<WallSeconds>(from)}}.dump()};
}

}  // namespace dmm
