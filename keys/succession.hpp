// A site replaces its key: the former key signs which key takes its place. A certificate that the new key signed brings
// these signatures. So a party that knows the site by the former key can believe the new one, and no party has to be
// told of it.
//
// A succession is written as letters of base64url, like a certificate: the signature, then the signed text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "keys/key.hpp"
#include "protocol/ids.hpp"
#include "protocol/or_fault.hpp"

namespace dmm {

/// One key of a site in the place of another.
struct Succession {
  SiteKey former, key;
  std::int64_t from = 0;  ///< seconds since 1970: since then the site signs with `key` alone

  bool operator==(const Succession&) const = default;
};

/// The most successions that a certificate shows, the latest ones. A party that knows a site by an earlier key has to
/// be told the new one.
constexpr std::size_t successions_max = 4;

/// What a site signs with.
struct SiteSigner {
  SiteSecret secret;
  std::vector<std::string> successions;  ///< as letters: how its key followed earlier ones, the oldest first
};

/// The signer with another secret from now on; the former one signs that. `now`: seconds since 1970.
SiteSigner succeed(const SiteName& site, const SiteSigner& signer, const SiteSecret& next, std::int64_t now);

/// Successions of one site, each of the key that the one before it made; a text if they are anything else. Their
/// signatures are checked.
OrFault<std::vector<Succession>> read_successions(const SiteName& site, const std::vector<std::string>& letters);

}  // namespace dmm
