// Which link keys a site certified because the holder of an earlier one asked. If the earlier key was stolen, so
// are the later ones: revoking it revokes them, too.
//
//   keys/successors.json   in the site manager's directory: each later key, the key that asked, until when it is
//   good
#pragma once

#include <string>
#include <vector>

#include "keys/certificate.hpp"
#include "protocol/outcome.hpp"

namespace dmm {

/// The holder of one link key had another certified. Says why that can't be kept; then it must not be certified.
WhyNot note_successor(const std::string& folder, const LinkKey& of, const LinkKey& link, WallSeconds until);

/// All later keys that come of this one, as letters.
OrFault<std::vector<std::string>> successors_of(const std::string& folder, const std::string& key);

}  // namespace dmm
