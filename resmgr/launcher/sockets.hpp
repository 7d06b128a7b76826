// TCP sockets between the tasks of a job.
#pragma once

#include <string>
#include <utility>

namespace dmm::launcher {

/// Listens at this name or address, on a port that the system chooses. The socket, or -1 and why.
std::pair<int, std::string> listen_at(const std::string& host);
/// The port that the socket listens on.
std::string port_of(int socket);
/// Connects, within some seconds. The socket, or -1 and why.
std::pair<int, std::string> connect_to(const std::string& host, const std::string& port);
/// A text that no other process can guess.
std::string new_token();

}  // namespace dmm::launcher
