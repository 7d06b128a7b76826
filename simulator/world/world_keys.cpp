#include "simulator/world/world_keys.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "protocol/text.hpp"

namespace dmm {
namespace {

/// The wall clock when a world begins, in seconds since 1970.
constexpr WallSeconds world_begins = 1'800'000'000;

WallSeconds wall_at(Instant now) { return world_begins + now.microseconds / 1'000'000; }

std::array<std::uint8_t, key_bytes> bytes_of(Random& random) {
  std::array<std::uint8_t, key_bytes> bytes;
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint64_t)) {
    const std::uint64_t word = random.next();
    std::memcpy(bytes.data() + at, &word, sizeof word);
  }
  return bytes;
}

}  // namespace

LinkSecret WorldKeys::new_secret() { return LinkSecret(bytes_of(random_)); }

void WorldKeys::add(Address address, const Party& party) {
  if (party.role == Role::site_manager) {
    const SiteSecret secret(bytes_of(random_));
    told_.emplace(party.site, public_of(secret));
    sites_.emplace(party.site, SiteSigner{secret, {}});
  }
  holders_.emplace(address, Holder{party, new_secret(), {}, {}, {}, {}, {}, {}});
}

std::string WorldKeys::certify(const Party& party, const LinkKey& link, Instant now) {
  ++certificates_;
  const WallSeconds from = wall_at(now);
  const SiteSigner& signer = sites_.at(party.site);
  const WallSeconds until = from + life_.microseconds / 1'000'000;
  return dmm::certify({party, link, Right::none, from, until, signer.successions}, signer.secret);
}

void WorldKeys::equip(Address address, Instant now) {
  Holder& holder = holders_.at(address);
  if (is_revoked(address)) holder.secret = new_secret();
  holder.next.reset();
  holder.certificate = certify(holder.party, public_of(holder.secret), now);
  const auto salt = bytes_of(random_);
  std::copy_n(salt.begin(), holder.salt.size(), holder.salt.begin());
}

void WorldKeys::recall(Address address, Endpoint& endpoint) const {
  for (const RevocationHeard& heard : holders_.at(address).heard) endpoint.recall(heard);
}

void WorldKeys::fill(Address address, EndpointSettings& settings) const {
  const Holder& holder = holders_.at(address);
  settings.link_secret = holder.secret;
  settings.seal_salt = holder.salt;
  settings.certificate = holder.certificate;
  settings.wall_offset = seconds(world_begins);
}

TrustSettings WorldKeys::trust_of(const Party& party, const std::set<Party>& neighbours) const {
  TrustSettings trust;
  trust.sites.emplace(party.site, public_of(sites_.at(party.site).secret));
  if (party.role != Role::site_manager) return trust;
  for (const Party& neighbour : neighbours)
    if (neighbour.role == Role::site_manager) trust.sites.emplace(neighbour.site, told_.at(neighbour.site));
  if (const auto revoked = revoked_.find(party.site); revoked != revoked_.end()) trust.revoked = revoked->second;
  return trust;
}

void WorldKeys::open(Connection connection, Address dialler) {
  proved_.insert_or_assign(connection, public_of(holders_.at(dialler).secret));
}

Principal WorldKeys::principal(Connection connection, bool is_dialler) const {
  if (!is_dialler) return Dialled{};
  return proved_.at(connection);
}

bool WorldKeys::serve(Address address, Instant now, Instant clock, Endpoint& endpoint) {
  Holder& holder = holders_.at(address);
  bool is_other = false;
  for (const KeyEvent& event : endpoint.take_key_events()) {
    if (const auto* asked = std::get_if<CertificateAsked>(&event)) {
      const bool is_own = asked->party == holder.party;
      if (!is_own && !shows_possession(asked->possession, asked->link, sites_.at(holder.party.site).secret,
                                       to_text(asked->party)))
        continue;
      std::string certificate = certify(asked->party, asked->link, now);
      if (is_own)
        endpoint.hold(clock, holder.secret, std::move(certificate));
      else
        endpoint.certified(clock, asked->party, std::move(certificate));
    } else if (const auto* heard = std::get_if<CertificateHeard>(&event)) {
      const bool is_next = holder.next && public_of(*holder.next) == heard->link;
      if (is_next) holder.secret = *std::exchange(holder.next, std::nullopt);
      if (public_of(holder.secret) != heard->link) continue;
      is_other |= is_next;
      rotations_ += is_next;
      endpoint.hold(clock, holder.secret, heard->certificate);
    } else if (const auto* revoked = std::get_if<RevocationHeard>(&event)) {
      holder.heard.push_back(*revoked);
    }
  }
  return is_other;
}

void WorldKeys::rotate(Address address, Instant now, Duration overlap, Instant clock, Endpoint& endpoint) {
  Holder& holder = holders_.at(address);
  if (holder.next) return;  // it still waits for the exchange of another key
  holder.next = new_secret();
  if (holder.party.role != Role::site_manager) return endpoint.ask_certificate(clock, *holder.next);
  holder.next_at = now + overlap;
  holder.next_certificate = certify(holder.party, public_of(*holder.next), holder.next_at);
  endpoint.announce(clock, holder.next_certificate);
}

bool WorldKeys::take_next(Address address, Instant now, Instant clock, Endpoint& endpoint) {
  Holder& holder = holders_.at(address);
  if (!holder.next || holder.party.role != Role::site_manager || now < holder.next_at) return false;
  ++rotations_;
  holder.secret = *std::exchange(holder.next, std::nullopt);
  holder.certificate = std::move(holder.next_certificate);
  endpoint.hold(clock, holder.secret, holder.certificate);
  endpoint.announce(clock, holder.certificate);
  return true;
}

bool WorldKeys::rotate_site(Address site_manager, Instant now, Instant clock, Endpoint& endpoint) {
  Holder& holder = holders_.at(site_manager);
  SiteSigner& signer = sites_.at(holder.party.site);
  // The certificate of a link key that waits is signed with the present site key.
  if (holder.next || signer.successions.size() == successions_max) return false;
  ++site_rotations_;
  signer = succeed(holder.party.site, signer, SiteSecret(bytes_of(random_)), wall_at(now));
  holder.certificate = certify(holder.party, public_of(holder.secret), now);
  endpoint.hold(clock, holder.secret, holder.certificate);
  return true;
}

void WorldKeys::recertify(Address address, Instant now, Instant clock, Endpoint& endpoint) {
  const Holder& holder = holders_.at(address);
  endpoint.hold(clock, holder.secret, certify(holder.party, public_of(holder.secret), now));
}

void WorldKeys::revoke(Address address) {
  const Holder& holder = holders_.at(address);
  revoked_[holder.party.site].insert(public_of(holder.secret));
}

bool WorldKeys::is_revoked(Address address) const {
  const Holder& holder = holders_.at(address);
  const auto revoked = revoked_.find(holder.party.site);
  return revoked != revoked_.end() && revoked->second.contains(public_of(holder.secret));
}

}  // namespace dmm
