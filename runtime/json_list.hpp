// Small files that hold a JSON array.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "protocol/or_fault.hpp"

namespace dmm {

/// The array in a file; empty if there is no file. An unreadable file is a fault: it may revoke keys.
OrFault<nlohmann::ordered_json> read_json_list(const std::string& path);

}  // namespace dmm
