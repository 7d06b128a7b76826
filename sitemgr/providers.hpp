// Providers (resource inventory): sessions with this site's resource managers. A resource manager registers in parts,
// at the start of each session; what it says of its nodes is checked against its own record and against ours before
// anything of it is taken. A resource manager that is silent for a term is lost: nothing new starts on its nodes. The
// nodes themselves are in owned_nodes.hpp (docs/protocol.md sections 8.1 and 8.17).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "protocol/or_fault.hpp"
#include "sitemgr/deadlines.hpp"
#include "sitemgr/owned_nodes.hpp"
#include "sitemgr/records.hpp"

namespace dmm {

class Providers {
 public:
  /// What came of a part of a Register: more parts are to come, the whole, or why none of it is taken.
  using Heard = std::variant<std::monostate, Register, std::string>;

  /// A part of a Register came. The whole is well formed in itself.
  Heard hear(const Party& provider, Register& part);
  /// Why a whole Register doesn't agree with what this site has made and knows; empty if it does. `latest`: the last
  /// lease that this site made.
  static WhyNot fault_of(const Register& offer, const NodeOffer& nodes, const OwnedNodes& owned,
                         const SiteName& site, Epoch latest);

  // ---- sessions ----
  /// A new session: what it began to register in the old one is void.
  void restarted(const Party& provider) { registering_.erase(provider); }
  /// It is heard, or gone for good.
  void heard(const Party& provider) { lost_at_.set(provider, never); }
  /// It is silent, and counts as lost at `lost_at` if it stays so.
  void silent(const Party& provider, Instant lost_at) { lost_at_.set(provider, lost_at); }
  /// The next resource manager that is lost now.
  std::optional<Party> take_lost(Instant now);
  Instant next_deadline() const { return lost_at_.next(); }

  // ---- the ledger ----
  /// What the resource manager offers has changed, or is gone.
  void offer_changed(const Party& provider) { changed_.insert(provider); }
  void write(const OwnedNodes& owned, LedgerChanges<SiteRecord>& ledger);
  static void add_records(const OwnedNodes& owned, std::vector<SiteRecord>& rows);

 private:
  std::map<Party, Register> registering_;  ///< the parts that have come
  Deadlines<Party> lost_at_;               ///< of those that are silent
  std::set<Party> changed_;                ///< resource managers with a row to be written
};

}  // namespace dmm
