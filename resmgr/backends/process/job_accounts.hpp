// Which account of the host a job runs under, by its site and user. The map of the configuration comes first, then a
// number of the range for each site. A site's number is never given to another site. This class only decides:
// AccountBook looks accounts up and keeps the numbers.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "protocol/ids.hpp"
#include "protocol/or_fault.hpp"
#include "resmgr/settings.hpp"

namespace dmm {

/// One of the three, or nothing: then the job runs under the manager's own account.
struct AccountChoice {
  std::string name = {};     ///< of the account, by the map
  std::uint32_t number = 0;  ///< its uid, by the range
  std::string refusal = {};  ///< why the job may not run here
  bool is_new = false;       ///< the number must be kept before the job starts
};

class JobAccounts {
 public:
  /// `own_site` owns the nodes; the numbers in `taken` are given to no site.
  JobAccounts(JobAccountRules rules, SiteName own_site, std::set<std::uint32_t> taken = {});

  /// Restores the numbers of earlier starts, from the text of `kept`; returns why it can't.
  WhyNot restore(std::string_view kept);
  /// All assigned numbers: a line for each, "beta 70001".
  std::string kept() const;
  /// `why_not`: why the host lets no job run under another account; empty if it does.
  AccountChoice choose(const SiteName& site, const std::string& user, const std::string& why_not);

 private:
  std::uint32_t number_of(const SiteName& site) const;
  std::uint32_t free_number() const;

  JobAccountRules rules_;
  SiteName own_site_;
  std::set<std::uint32_t> taken_;
  std::map<std::uint32_t, std::string> given_;  ///< sites by number
};

}  // namespace dmm
