// Which link keys a site certified because the holder of an earlier one asked. If the earlier key was stolen, so are
// the later ones: revoking it revokes them, too.
//
//   keys/successors.json   in the site manager's directory: later keys, the keys that asked for them, and until
//   when
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "keys/certificate.hpp"
#include "protocol/or_fault.hpp"

namespace dmm {

/// A key that is certified, for the first time or again.
struct Certification {
  Party party;
  LinkKey link;
  std::optional<LinkKey> by;  ///< the key that the asker proved; none: an account asked
  WallSeconds until = 0;
};

/// Notes which key asked for this one, for as long as it is good. Returns why it must not be certified: the key is
/// another party's, or the party has too many keys.
WhyNot note_certified(const std::string& folder, const Certification& certified);

/// All later keys that come from this one, as letters.
OrFault<std::vector<std::string>> successors_of(const std::string& folder, const std::string& key);

}  // namespace dmm
