// The site manager: serves the requests of its own users from its own nodes, and delegates what it can't serve to
// neighbours. It serves or passes on what neighbours delegate, and keeps the leases that come of all this (Iosup et al.
// 2007, sections 4.1 to 4.4). A manager as in manager/contract.hpp, without input or output; docs/protocol.md has every
// message that it takes.
//
// This class is the gate, the order of a step and the public face. Its state is in parts, each with walls of its own
// (site_step.hpp). One step is a batch of `receive`s and one `settle`: receiving records; settling decides, in the
// order that `settle` shows and docs/architecture.md explains.
#pragma once

#include <map>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "manager/contract.hpp"
#include "protocol/or_fault.hpp"
#include "sitemgr/site_step.hpp"

namespace dmm {

class SiteManager {
 public:
  using Input = std::variant<Received, LinkUp, LinkDown, LinkPressed, LinkStanding>;
  using Effects = SiteManagerEffects;

  /// `incarnation` is greater at each start. The policies' names must be known (topologies/ checks them).
  SiteManager(SiteSettings settings, std::uint64_t incarnation);
  // Defined in the .cpp: here, each file that moves or destroys a manager would compile them for all members.
  SiteManager(SiteManager&&) noexcept;
  SiteManager& operator=(SiteManager&&) noexcept;
  ~SiteManager();
  /// Goes on from what an earlier start wrote; before any event.
  void restore(Instant now, std::vector<SiteRecord> rows);
  /// All that the ledger must hold now.
  std::vector<SiteRecord> records() const;

  void receive(Instant now, Input input, Effects& effects);
  /// The same of a message, which is most of what comes.
  void receive(Instant now, Received&& message, Effects& effects);
  void settle(Instant now, Effects& effects);
  Instant next_deadline() const;

  // ---- orders of the owner; followed by settle, as any event ----
  /// Reclaims what this site owns and has leased out. The text names one lease (in its text form), or a borrowing
  /// site or a neighbour for all its leases. With an empty text all that are lent are reclaimed. Returns how many
  /// leases. With `end_of_job` as grace, each comes back when its job has ended.
  std::size_t reclaim(Instant now, const std::string& lease_or_site, Duration grace, Effects& effects);
  /// Lends nothing more to this site; our own name: nothing new starts on our nodes. False if it was so already.
  bool drain(Instant now, const SiteName& site, Effects& effects);
  /// Whether a site of that name can be drained: this one, a neighbour, or the holder of a lease of ours.
  bool may_drain(const SiteName& site) const;
  /// The reverse.
  bool resume(Instant now, const SiteName& site, Effects& effects);
  const std::set<SiteName>& drained() const { return parts_.drains.sites(); }
  /// A resource manager that is down won't come back. Why it can't be forgotten; empty if it is.
  WhyNot forget(Instant now, const ShortText& resource_manager, Effects& effects);
  /// The users of a resource manager's host are expected to want its nodes back then; `never`: that isn't known.
  /// False if there is no such resource manager.
  bool expect(const ShortText& resource_manager, Instant until);
  /// Takes other settings: everything but the site's name and ancestors, and the clusters that there are. Empty, or why
  /// they can't be taken, and then nothing changed.
  WhyNot reconfigure(Instant now, const SiteSettings& settings, Effects& effects);

  SiteView view(Instant now) const;
  /// Why a request waits; without what takes a walk over the site: which leases have what it waits for, and which
  /// neighbours it may ask.
  WaitView wait_of(Instant now, const RequestId& request) const;
  WaitView why(Instant now, const RequestId& request) const;
  /// All nodes that it owns, by resource manager and number.
  std::vector<NodesView> nodes() const;
  const RequestQueue& queue() const { return parts_.queue; }
  const CoAllocator& co_allocator() const { return parts_.co_allocator; }
  const LeaseBook& leases() const { return parts_.leases; }
  const UsageLog& usage() const { return parts_.accounts.log(); }
  const Neighbours& neighbours() const { return parts_.neighbours; }
  const Feasibility& feasibility() const { return parts_.feasibility; }
  const Targets& targets() const { return parts_.targets; }
  const HintBoard& hints() const { return parts_.hints; }
  const OwnedNodes& owned() const { return parts_.owned; }
  const SiteSettings& settings() const { return parts_.settings; }
  /// All use by direction and neighbour, since the ledger began.
  const std::map<Accounts::Key, UsageTotal>& usage_totals() const { return parts_.accounts.totals(); }
  const Ignored& ignored() const { return parts_.ignored; }
  /// Whether nothing is leased, waiting or under way: what a quiet grid must look like.
  bool quiet() const;
  /// Recounts everything that is kept as a sum. For tests; costs a walk over the site.
  void check_invariants() const;

 private:
  void take(SiteStep& s, Received& in);
  bool hand(SiteStep& s, Received& in, std::optional<std::size_t> neighbour);

  SiteParts parts_;
};

}  // namespace dmm
