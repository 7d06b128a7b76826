#include "links/gate.hpp"

#include "manager/assert.hpp"
#include "protocol/text.hpp"

namespace dmm {
namespace {

constexpr std::uint32_t root = 0;

bool may_account_speak_for(const AccountRules& rules, const Account& account, const Party& self,
                           const Party& party) {
  if (is_ours(rules, account) || party.role == Role::client) return true;
  if (account.name.empty()) return false;
  if (const auto named = rules.parties.find(party); named != rules.parties.end())
    if (named->second.contains(account.name)) return true;
  if (party.site != self.site) return false;
  if (party.role == Role::job_manager) return std::string_view(party.name) == account.name;
  return party.role == Role::resource_manager && rules.resource_managers.contains(account.name);
}

}  // namespace

bool is_ours(const AccountRules& rules, const Account& account) {
  return account.number == rules.own || account.number == root;
}

bool may_speak_for(const AccountRules& rules, const Principal& principal, const Party& self, const Party& party) {
  DMM_ASSERT(!std::holds_alternative<Dialled>(principal) && !std::holds_alternative<LinkKey>(principal));
  if (const auto* proved = std::get_if<Party>(&principal)) return *proved == party;
  const auto* account = std::get_if<Account>(&principal);
  return !account || may_account_speak_for(rules, *account, self, party);
}

Right right_of(const AccountRules& rules, const Principal& principal, Role self) {
  const auto* account = std::get_if<Account>(&principal);
  if (!account || is_ours(rules, *account)) return Right::administrator;
  if (!account->name.empty() && rules.administrators.contains(account->name)) return Right::administrator;
  return self == Role::job_manager ? Right::none : Right::reader;
}

std::string to_text(const Principal& principal) {
  if (const auto* proved = std::get_if<Party>(&principal)) return to_text(*proved);
  const auto* account = std::get_if<Account>(&principal);
  if (const auto* key = std::get_if<LinkKey>(&principal)) return "the link key " + to_text(*key);
  if (std::holds_alternative<Dialled>(principal)) return "the party that was dialled";
  if (!account) return "a connection that proves nothing";
  const std::string number = std::to_string(account->number);
  return account->name.empty() ? "the account " + number : "the account " + account->name + " (" + number + ")";
}

}  // namespace dmm
