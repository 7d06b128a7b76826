// Which link keys a site certified: for a token, by `dmm certify`, or because the holder of an earlier key asked. If
// the earlier key was stolen, so are the later ones: revoking it revokes them, too.
//
//   keys/successors.json   in the site manager's directory: keys, their parties, the keys that asked for them, and
//   until when
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
  std::optional<LinkKey> by;  ///< the key that the asker proved; none: an account, or the site itself
  WallSeconds until = 0;
  bool by_site = false;  ///< for a token, or by `dmm certify`
};

/// Notes which key asked for this one, for as long as it is good. Returns why it must not be certified: the key is
/// another party's, the party has too many keys, or another process is writing notes.
WhyNot note_certified(const std::string& folder, const Certification& certified);

/// All keys that are noted for the party of this name, as letters.
OrFault<std::vector<std::string>> keys_of(const std::string& folder, const std::string& party);

/// All later keys that come from this one, as letters.
OrFault<std::vector<std::string>> successors_of(const std::string& folder, const std::string& key);

}  // namespace dmm
