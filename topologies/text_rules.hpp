// Rules for the texts in configuration files: names, endpoints, and suggestions for misspelt words.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "protocol/text.hpp"

namespace dmm {

/// Longest path of a Unix domain socket, in bytes.
constexpr std::size_t socket_path_length_max = 107;

/// Why this is no name ([a-z0-9][a-z0-9_.-]*), or an empty text.
std::string fault_of_name(const std::string& name, std::size_t length_max = name_length_max);
/// Why no node can have this name, or an empty text: names of hosts have capital letters, too.
std::string fault_of_node_name(const std::string& name);
/// Why no account of a host can have this name, or an empty text.
std::string fault_of_account(const std::string& name);
/// Why no job can run under an account of this name, or an empty text.
std::string fault_of_job_account(const std::string& name);
/// Why a manager can't listen on this endpoint (ipc://path, tcp://host:port), or an empty text.
std::string fault_of_listen(const std::string& endpoint);
/// Why this is no name or address of a host; an empty text if it is, or if `address` is empty.
std::string fault_of_address(const std::string& address);
/// Why this is no absolute path; an empty text if it is, or if `path` is empty.
std::string fault_of_folder(const std::string& path);
/// Why this can't be published as an endpoint, or an empty text.
std::string fault_of_place(const std::string& endpoint);
/// Why no manager can connect to this endpoint, or an empty text: over tcp it names the key of its far end.
std::string fault_of_connect(const std::string& endpoint);
/// Why this is no key of a site or a link, or an empty text.
std::string fault_of_key(const std::string& key);

/// " (did you mean "x"?)" if one of the words is near to this one, else an empty text.
std::string suggestion(const std::string& word, const std::vector<std::string>& words);
/// The words in quotation marks, with commas between them.
std::string list_of(const std::vector<std::string>& words);

}  // namespace dmm
