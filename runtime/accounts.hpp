// Accounts of this host: their names, and the account at the far end of an `ipc` connection.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "keys/principal.hpp"

namespace dmm {

/// Names of accounts by user id. Each is looked up once: a directory service may be slow.
class AccountNames {
 public:
  /// Empty if the host has no name for the account.
  const std::string& of(std::uint32_t number);

 private:
  std::map<std::uint32_t, std::string> known_;
};

/// Whether this is what ZeroMQ tells of the far end of an ipc connection.
bool is_ipc_peer(std::string_view address);
/// The principal behind what ZeroMQ tells of the far end. Over ipc, the address is "localhost:UID:GID:PID". Over tcp,
/// it is a numeric IP address, and `user` is the link key that CURVE proved.
Principal principal_of(std::string_view address, std::string_view user, AccountNames& names);

/// The user id that this process runs under.
std::uint32_t own_account();

}  // namespace dmm
