// The keys that an endpoint holds: what it proves itself with and seals with, the key that its site is to certify,
// and the key that it listens with next. endpoint_own_keys.cpp changes them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "keys/seals.hpp"
#include "links/key_events.hpp"
#include "protocol/time.hpp"

namespace dmm {

struct HeldKeys {
  std::unique_ptr<Seals> seals;      ///< null: we have no keys
  std::optional<LinkSecret> wanted;  ///< that we don't hold yet, and our site is to certify
  bool asks_for_wanted = false;      ///< the last time that a certificate was asked for
  RareValue<std::string> announced;  ///< the certificate of the key that we listen with next
  Instant certify_at{never};         ///< when our site is asked for a certificate
  Instant passed_on_until{};         ///< news of keys went to all peers, and goes again then at the earliest
  Instant pass_on_at{never};         ///< when news of keys that came since goes to all peers
  Instant vouches_at{never};         ///< when the first of the Vouches that wait is taken
  std::uint32_t news = 0;            ///< how often there were news for all peers
  std::vector<KeyEvent> events;      ///< for the office

  /// When time calls for anything here.
  Instant due() const { return std::min({certify_at, pass_on_at, vouches_at}); }
  /// Whether a certificate of this key is of use: we hold the key, or want to.
  bool has(const LinkKey& link) const {
    return seals && (link == seals->key() || (wanted && link == public_of(*wanted)));
  }
  /// The key that a certificate is asked for now. If the present key's is due, both keys take turns.
  const LinkSecret& next_to_certify(bool present_is_due) {
    asks_for_wanted = wanted && !(asks_for_wanted && present_is_due);
    return asks_for_wanted ? *wanted : seals->secret();
  }
};

}  // namespace dmm
