// The happenings of a world as lines of text, a line for each event, the same for the same run:
//   [   1.000] alpha > delegate alpha/u0/1 to beta (dttl 4, round 1)
#pragma once

#include <string>

#include "simulator/world/world.hpp"

namespace dmm {

/// The short name of a party: "alpha", "alpha/u0" for a job manager, "alpha:nodes" for a resource manager.
std::string short_name(const Party& party);
/// The party of a short name.
Party parse_short_name(const std::string& text);
/// "[   1.000]"
std::string stamp(Instant at);
/// The line of one event, without a line end.
std::string line_of(const Happening& happening);

}  // namespace dmm
