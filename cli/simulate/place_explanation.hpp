// `dmm place --explain`: what each placement policy would do with the same request, and by which rule; or why it finds
// no placement.
#pragma once

#include <iosfwd>
#include <string_view>

#include "cli/simulate/place_result.hpp"

namespace dmm {

/// The rule of a policy in words that follow its name. Source: Sonmez et al. 2006, sections 4.1 and 4.2; for best fit
/// Jones et al. 2004, section 4.1.
std::string_view rule_of(std::string_view policy);
/// A line for each policy with its rule; the chosen one is marked.
void print_alternatives(const PlaceReport& report, std::ostream& out);

}  // namespace dmm
