// Text forms of names and identifiers, the same in logs, messages and on the command line.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "protocol/ids.hpp"

namespace dmm {

/// The longest name, in bytes; a resource manager's may be longer.
constexpr std::size_t name_length_max = 32;
constexpr std::size_t manager_name_length_max = 40;

/// The text, or its beginning and "..." if it has more bytes than that; no character of several bytes is torn.
std::string shortened(std::string_view text, std::size_t bytes_max);

/// Whether it is 1 to `length_max` of a-z, 0-9, '_', '.' and '-', and begins with a letter or a digit.
bool is_name(std::string_view text, std::size_t length_max = name_length_max);

/// "das-0/alice/17", or "das-0/alice/17.2" for the second attempt.
std::string to_text(const RequestId& id);
/// The reverse of to_text; nothing if the text is no request id.
std::optional<RequestId> parse_request_id(std::string_view text);
/// "das-3#41": the owner and the counter of the epoch.
std::string to_text(const LeaseId& id);
/// "sitemgr das-0", "jobmgr das-0/alice", "resmgr das-0/nodes".
std::string to_text(const Party& party);

}  // namespace dmm
