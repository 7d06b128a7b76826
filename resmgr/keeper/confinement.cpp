#include "resmgr/keeper/confinement.hpp"

#include <cerrno>
#include <cstring>
#include <utility>

#include "resmgr/keeper/account.hpp"

namespace dmm::keeper {

std::string Confinement::obey(const Rules& wanted, const std::string& state, const JobFolder& folder) {
  const std::string before = std::exchange(rules, wanted).cgroup;
  std::string fault;
  if (rules.cgroup != before) fault = cgroups.open(rules.cgroup);
  std::string why;
  isolation = rules.isolate ? find_isolation(state, why) : Isolation{};
  limits_text = cgroups.is_open() ? cgroups.text() : "rlimits";
  isolation_text = (isolation.namespaces ? "namespaces, " : "") + limits_text;
  if (!why.empty()) isolation_text += "; no namespaces: " + why;
  no_accounts.clear();
  if (!rules.account.is_own())
    no_accounts = folder.let_through() ? why_not(rules.account, folder.prefix()) : std::strerror(errno);
  return fault;
}

Isolation Confinement::isolation_of(const StartJob& order) const {
  return isolation.user && !order.account.is_own() ? Isolation{} : isolation;
}

std::string Confinement::text_of(const StartJob& order) const {
  const Account& account = order.account;
  if (account.is_own()) return isolation_text;
  const std::string uid = std::to_string(account.uid);
  const std::string name = account.name == uid ? uid : account.name + " (uid " + uid + ')';
  const std::string rest = isolation_of(order).namespaces == isolation.namespaces
                               ? isolation_text
                               : limits_text + "; no namespaces: they take privileges that the keeper lacks";
  return "account " + name + ", " + rest;
}

}  // namespace dmm::keeper
