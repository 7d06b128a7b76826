// Running under another account of the host: for a job's leader, and to find out whether that is permitted here.
#pragma once

#include <span>
#include <string>

#include <sys/types.h>

#include "resmgr/keeper/frames.hpp"

namespace dmm::keeper {

/// An account in the numbers of the kernel.
struct Credentials {
  uid_t uid = 0;  ///< 0: the keeper's own account
  gid_t group = 0;
  std::span<const gid_t> groups;  ///< its other groups
};

/// Makes this process one of the account, for good: its groups, then its uid, without capabilities. Returns 0 or an
/// errno. It makes system calls only, for this thread alone: a fork of a process with threads may call it.
int become(const Credentials& account);

/// Why no job can run under this account in `folder`; empty if one can. A child tries it out.
std::string why_not(const Account& account, const std::string& folder);

}  // namespace dmm::keeper
