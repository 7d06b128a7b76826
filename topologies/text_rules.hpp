// Rules for the texts that configuration files hold: names, endpoints, and what was probably meant by a wrong
// word.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace dmm {

/// Longest name of a site, cluster or user, in bytes.
constexpr std::size_t name_length_max = 32;
/// Longest name of a resource manager: a cluster's name and a number.
constexpr std::size_t manager_name_length_max = 40;
/// Longest path of a Unix domain socket, in bytes.
constexpr std::size_t socket_path_length_max = 107;

/// Why this is no name ([a-z0-9][a-z0-9_.-]*), or an empty text.
std::string fault_of_name(const std::string& name, std::size_t length_max = name_length_max);
/// Why nobody can listen on this endpoint (ipc://path, tcp://host:port), or an empty text.
std::string fault_of_listen(const std::string& endpoint);
/// Why nobody can connect to this endpoint, or an empty text.
std::string fault_of_connect(const std::string& endpoint);

/// " (did you mean "x"?)" if one of the words is near to this one, else an empty text.
std::string suggestion(const std::string& word, const std::vector<std::string>& words);
/// The words in quotation marks, with commas between them.
std::string list_of(const std::vector<std::string>& words);

}  // namespace dmm
