// Accounts of this host: their names, and the account at the far end of an `ipc` connection.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "protocol/principal.hpp"

namespace dmm {

/// Names of accounts by user id. Each is looked up once: a directory service may be slow.
class AccountNames {
 public:
  /// Empty if the host has no name for it.
  const std::string& of(std::uint32_t number);

 private:
  std::map<std::uint32_t, std::string> known_;
};

/// The principal behind an address as ZeroMQ tells it: "localhost:UID:GID:PID" over ipc, a numeric IP address over
/// tcp.
Principal principal_of_address(std::string_view address, AccountNames& names);

/// The user id that this process runs under.
std::uint32_t own_account();

}  // namespace dmm
