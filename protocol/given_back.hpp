// The reason for setting aside nodes that a resource manager has given back to its host.
#pragma once

#include <string_view>

namespace dmm {

/// The text of such a SetAside: the resource manager has left, which is no fault.
constexpr std::string_view given_back_text = "given back to the host's own users";

}  // namespace dmm
