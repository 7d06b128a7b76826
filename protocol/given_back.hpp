// Why nodes are set aside that a resource manager has given back to its host.
#pragma once

#include <string_view>

namespace dmm {

/// The text of such a SetAside: it is no fault that the resource manager has left.
constexpr std::string_view given_back_text = "given back to the host's own users";

}  // namespace dmm
