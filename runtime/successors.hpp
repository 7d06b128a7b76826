// Which link keys a site certified because the holder of an earlier one asked. If the earlier key was stolen, so
// are the later ones: revoking it revokes them, too.
//
//   keys/successors.json   in the site manager's directory: later keys, the keys that asked for them, and until
//   when
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "keys/certificate.hpp"
#include "protocol/outcome.hpp"

namespace dmm {

/// A key that is certified again or for the first time.
struct Certification {
  Party party;
  LinkKey link;
  std::optional<LinkKey> by;  ///< the key that its holder proved; none: an account
  WallSeconds until = 0;
};

/// Notes where the key comes from, for as long as it is good. Says why that can't be; then it must not be
/// certified: the key is another party's, or the party has too many keys.
WhyNot note_certified(const std::string& folder, const Certification& certified);

/// All later keys that come of this one, as letters.
OrFault<std::vector<std::string>> successors_of(const std::string& folder, const std::string& key);

}  // namespace dmm
