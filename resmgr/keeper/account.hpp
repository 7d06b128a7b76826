// Running under another account of the host: for a job's leader, and to find out whether that is permitted here.
#pragma once

#include <string>

#include "resmgr/keeper/frames.hpp"

namespace dmm::keeper {

/// Makes this process one of the account, for good: its groups, then its uid, without capabilities. Returns 0 or an
/// errno. It makes system calls only, for this thread alone: a fork of a process with threads may call it.
int become(const Account& account);

/// Why no job can run under this account in `folder`; empty if one can. A child tries it out.
std::string why_not(const Account& account, const std::string& folder);

}  // namespace dmm::keeper
