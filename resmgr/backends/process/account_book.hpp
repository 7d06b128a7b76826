// The accounts of this host that jobs run under. Looks them up, and keeps in the file `accounts` of the state folder
// which number of the range each site has.
#pragma once

#include <map>
#include <string>
#include <variant>

#include "resmgr/backends/process/job_accounts.hpp"
#include "resmgr/keeper/frames.hpp"

namespace dmm {

class AccountBook {
 public:
  AccountBook() = default;
  /// Looks up the accounts of the map, and reads what earlier starts kept in `directory`. Returns what is wrong with
  /// the accounts or the file, or an empty text.
  std::string open(const JobAccountRules& rules, const SiteName& own_site, const std::string& directory);
  /// One of the accounts that jobs run under; the keeper tries it out.
  keeper::Account example() const;
  /// `no_accounts`: why the keeper can't run jobs under any of them; empty if it can.
  void set_why_not(std::string no_accounts) { why_not_ = std::move(no_accounts); }
  /// The account of a job, or why the job may not run here. A new number is kept before this returns.
  std::variant<keeper::Account, std::string> account_for(const RequestId& job);
  /// The accounts that jobs run under, in words.
  std::string text() const;
  /// Whether jobs of different sites run under different accounts, unless the map gives them the same one.
  bool users_apart() const;
  const std::string& why_not() const { return why_not_; }

 private:
  std::string look_up_map();
  bool keep() const;

  JobAccountRules rules_;
  JobAccounts chosen_{{}, {}};
  std::string file_;
  std::string why_not_;
  bool unkept_ = false;  ///< the file lacks a number that was assigned
  keeper::Account own_;  ///< the manager's, with uid 0 as the keeper expects it
  std::map<std::string, keeper::Account> mapped_;
  std::map<std::uint32_t, keeper::Account> numbered_;
};

}  // namespace dmm
