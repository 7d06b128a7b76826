// The one place where what a frame claims meets what its connection proves. Each frame names its sender; a sender
// is believed only where the principal of the connection may speak for that party. Over `ipc` the principal is the
// account of the process at the far end:
//   - the account of this daemon, and root, speak for any party: they could as well read its files;
//   - an account that the configuration names for a party speaks for that party;
//   - a job manager of our site is believed under the account that has the name of its user;
//   - any account may ask as a client, with the right that the account has.
// Over `tcp` the principal is a link key; the certificate in the sender's Hello says which party has it
// (trust.hpp). A party that we dialled is believed on that connection, and no other party is: the endpoint was
// chosen for it.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "keys/principal.hpp"
#include "protocol/rights.hpp"

namespace dmm {

/// Which accounts of this host may speak for which parties.
struct AccountRules {
  std::uint32_t own = 0;                           ///< the user id that this daemon runs under
  std::set<std::string> administrators;            ///< may give the owner's orders
  std::map<Party, std::set<std::string>> parties;  ///< accounts of neighbours, by their names
  std::set<std::string> resource_managers;         ///< accounts of all resource managers of our site
};

/// Whether the principal of a connection that another party opened may speak for a party. Not for what we dialled.
bool may_speak_for(const AccountRules& rules, const Principal& principal, const Party& self, const Party& party);

/// Whether it is root, or the account of this daemon: they speak for any party.
bool is_ours(const AccountRules& rules, const Account& account);

/// What the principal may ask of us as a client.
Right right_of(const AccountRules& rules, const Principal& principal, Role self);

/// A principal as people read it: "the account ann (1000)".
std::string to_text(const Principal& principal);

}  // namespace dmm
