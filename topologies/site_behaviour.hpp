// A site's behaviour, read from an object that may name a preset. Shared by a site manager's own file and by the
// settings in a topology. Internal to topologies/.
#pragma once

#include "sitemgr/settings.hpp"
#include "topologies/json_reader.hpp"
#include "topologies/policy_names.hpp"

namespace dmm {

/// The settings of Iosup et al. 2007, section 5.2. topologies/README.md has our choices where the paper leaves them
/// open.
void apply_paper_preset(SiteSettings& settings);

/// Reads "preset" first, then the explicit keys over it; checks the rules between keys.
void read_site_behaviour(JsonReader& reader, SiteSettings& settings, const PolicyNames& policies);

}  // namespace dmm
