// How jobs are kept within the administrator's rules on this host: in namespaces, in cgroups, under accounts.
#pragma once

#include <string>

#include "resmgr/keeper/cgroups.hpp"
#include "resmgr/keeper/files.hpp"
#include "resmgr/keeper/frames.hpp"
#include "resmgr/keeper/isolation.hpp"

namespace dmm::keeper {

struct Confinement {
  /// Takes over the administrator's rules for jobs. Returns what can't be obeyed, or an empty text.
  std::string obey(const Rules& wanted, const std::string& state, const JobFolder& folder);
  /// A job's isolation. A user namespace has no account but the keeper's own.
  Isolation isolation_of(const StartJob& order) const;
  /// The same in words, with the account.
  std::string text_of(const StartJob& order) const;

  Rules rules = {};
  JobCgroups cgroups = {};
  Isolation isolation = {};
  std::string isolation_text = {};
  std::string limits_text = {};
  std::string no_accounts = {};  ///< why jobs can't run under the accounts of the rules; empty if they can
};

}  // namespace dmm::keeper
