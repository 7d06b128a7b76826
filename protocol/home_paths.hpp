// Paths at a job's home, the host of its job manager, which reads and writes them as the user.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "protocol/or_fault.hpp"

namespace dmm {

/// The prefix of such a path in place of a URL.
inline constexpr std::string_view home_scheme = "home:";

constexpr bool is_at_home(std::string_view url) { return url.starts_with(home_scheme); }
constexpr std::string_view home_path(std::string_view url) { return url.substr(home_scheme.size()); }
inline std::string at_home(std::string_view path) { return std::string(home_scheme) + std::string(path); }

/// Why it is no absolute path at home; empty if it is.
WhyNot fault_of_home(std::string_view url);
/// Whether a name stays below the folder that it is for: no part of it is empty, "." or "..".
bool stays_below(std::string_view name);

}  // namespace dmm
