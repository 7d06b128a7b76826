// A certificate: a site says that a link key belongs to one of its managers, or to one of its people, until a day.
// The site signs it with the site's key, so any party that knows the site knows the site's managers.
//
// Written as a signed text (keys/signed_text.hpp). A certificate with a JSON key that we don't know is refused: the key
// may restrict what we would allow.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "keys/key.hpp"
#include "keys/signed_text.hpp"
#include "protocol/ids.hpp"
#include "protocol/or_fault.hpp"
#include "protocol/rights.hpp"

namespace dmm {

/// Seconds since 1970, by the wall clock.
using WallSeconds = std::int64_t;

struct Certificate {
  Party party;  ///< a person is a client: its name is the person's
  LinkKey link;
  Right right = Right::none;  ///< of a person
  WallSeconds from = 0;
  WallSeconds until = 0;                   ///< not valid from then on
  std::vector<std::string> successions{};  ///< how the site's key followed earlier ones (keys/succession.hpp)

  bool is_valid(WallSeconds now) const { return from <= now && now < until; }
  bool operator==(const Certificate&) const = default;
};

/// Why a certificate can't be believed: a text.
struct CertificateFault {
  std::string text;
};

/// The longest one, in bytes before it is written as letters.
constexpr std::size_t certificate_bytes_max = 3'072;
/// A certificate is valid for so long from the day on which it is made.
constexpr WallSeconds certificate_life = 90 * 86'400;
/// Clocks of two sites may differ by this much.
constexpr WallSeconds clock_slack = 3'600;

/// A certificate that this site signs, as letters.
std::string certify(const Certificate& certificate, const SiteSecret& secret);

/// A certificate as it was written, before its signature is checked.
struct UnverifiedCertificate {
  Certificate certificate;
  SignedText written;
};

/// What the letters say, unverified: which site's key is needed.
OrFault<UnverifiedCertificate, CertificateFault> read_unverified(std::string_view letters);

/// The certificate, if the site signed it. Validity is for the caller to ask.
OrFault<Certificate, CertificateFault> verify(const UnverifiedCertificate& shown, const SiteKey& site);

/// What the letters say, if the site signed them. Validity is for the caller to ask.
OrFault<Certificate, CertificateFault> read_certificate(std::string_view letters, const SiteKey& site);

}  // namespace dmm
