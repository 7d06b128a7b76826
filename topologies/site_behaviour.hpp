// How a site behaves, read from an object that may name a preset: shared by a site manager's own file and by the
// settings in a topology. Internal to topologies/.
#pragma once

#include "sitemgr/settings.hpp"
#include "topologies/json_reader.hpp"
#include "topologies/policy_names.hpp"

namespace dmm {

/// The settings of Iosup et al. 2007, section 5.2, with what the paper leaves open chosen in topologies/README.md.
void apply_paper_preset(SiteSettings& settings);

/// Reads "preset" first, then the explicit keys over it; checks those that must agree.
void read_site_behaviour(JsonReader& reader, SiteSettings& settings, const PolicyNames& policies);

}  // namespace dmm
