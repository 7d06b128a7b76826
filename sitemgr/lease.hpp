// One hop of a lease, as this site sees it: from which site the nodes come, to which site they go, until when. The
// owner has no upstream; the sink has no downstream and hands the nodes out to its own users. States move forward only:
// offered -> active -> ending -> ended (erased).
#pragma once

#include <array>
#include <map>
#include <optional>
#include <vector>

#include "manager/dense.hpp"
#include "manager/lookup.hpp"
#include "protocol/messages.hpp"

namespace dmm {

enum class LeaseState : std::uint8_t {
  offered,  ///< granted, not yet claimed
  active,
  ending,  ///< over for its holder; the owner waits until its resource managers say that the nodes are clean
};

struct HopLease {
  LeaseId id;
  LeaseState state = LeaseState::offered;
  bool wanted = false;  ///< the owner asked that no further job be put on it; see LeaseBook::set_wanted
  bool unsure =
      false;  ///< the Beats of the site towards the owner don't speak for it: it said so, or we restarted
  bool detached = false;                    ///< owner: what runs on the nodes that are being cleaned may go on
  bool changed = false;                     ///< its record is to be written at the end of this step
  bool pooled = false;                      ///< sink: waits in the pool's list for this step's reuse
  std::optional<std::uint32_t> upstream;    ///< neighbour towards the owner; none: we own the nodes
  std::optional<std::uint32_t> downstream;  ///< neighbour towards the sink; none: we are the sink
  std::vector<NodeGroup> nodes;             ///< what is left of it
  RareList<NodeGroup> cleaning;             ///< owner: given back, not yet confirmed clean
  /// Sink: nodes in the hands of its own users, each the job manager that made the request.
  DenseMap<RequestId, std::vector<NodeGroup>> handed_out;
  Few<Party> managers;  ///< resource managers of all nodes that it ever had
  Instant granted{};
  Instant old_right{};  ///< not at the owner: until then an earlier, longer term promises it, whatever came since
  Instant promised{};   ///< not at the owner: its lender granted it to this site then, or later
  std::uint64_t processor_microseconds = 0;  ///< of nodes already given back
  std::uint32_t processors = 0;              ///< at the grant
  std::uint32_t part = 0;
  std::uint32_t round = 0;
  std::uint32_t jobs = 0;  ///< sink: how often its nodes were handed to a job
  /// Sink: the highest of the priorities of the jobs that have its nodes; not kept over restarts.
  std::int32_t priority = INT32_MAX;
  Instant waits_since = never;  ///< sink: when the first of the requests of these jobs began to wait; likewise
  RequestId request;            ///< the one it was granted for
  /// For how long each Beat that vouches promises the lease. At the owner these are its Beats to the borrower;
  /// elsewhere, the Beats of the lender to this site. Longer over long chains.
  Duration term;
  Duration longest_promise;        ///< what Beats promised the borrower before, if that was more than they do now
  Duration length;                 ///< the owner takes it back after this; 0: never
  Duration round_trip;             ///< from the home site to the owner and back
  Instant expected_until = never;  ///< its owner expects to want the nodes back no sooner; `never`: it can't tell
  Duration held_for;  ///< owner: how long a part may wait for its claim until the other parts are held
  Instant upstream_until = never;    ///< our right to the nodes ends here; `never` while our lender's Beats vouch
  Instant downstream_until = never;  ///< our promise to the borrower ends here; `never` while our Beats vouch
  Duration grace;                    ///< what the owner gives before it takes nodes back
  Instant protected_until{};         ///< owner: reclaimed for no local request before
  RareList<NodeGroup> idle;          ///< sink: in the pool, without a job
  SiteNames chain;                   ///< owner first, sink last
  SiteNames owner_ancestors;         ///< of a lease of our own for our own users: none, the settings have them
  RareList<std::string> blocks;

  /// The nodes that are left of it, and those that are being cleaned.
  std::array<const std::vector<NodeGroup>*, 2> all_nodes() const {
    const std::vector<NodeGroup>& in_cleaning = cleaning;
    return {&nodes, &in_cleaning};
  }
  /// When it is over if nothing happens; `offer` is how long an owner waits for a claim.
  Instant deadline(Duration offer) const;
  /// When its owner takes it back, whatever happens.
  Instant limit() const { return length == Duration{} ? never : granted + length; }
};

/// Adds groups, merging those of the same resource manager and component.
void add_nodes(std::vector<NodeGroup>& groups, std::vector<NodeGroup> what);
/// Calls `visit` for each resource manager, in order, with all of its nodes in the groups.
template <class Visit>
void each_manager(const std::vector<NodeGroup>& groups, Visit visit) {
  if (groups.size() == 1) return visit(groups[0].resource_manager, groups[0].nodes);
  std::map<Party, NodeSet> managers;
  for (const NodeGroup& group : groups) {
    NodeSet& nodes = managers[group.resource_manager];
    nodes = nodes.empty() ? group.nodes : unite(nodes, group.nodes);
  }
  for (const auto& [manager, nodes] : managers) visit(manager, nodes);
}

/// Whether no other resource manager has nodes of the lease.
bool is_alone(const HopLease& lease, const Party& manager);
/// Whether one component of one local job is all that uses these nodes, which are our own. Then only the resource
/// manager has to say that the component is over.
bool is_for_one_component(const HopLease& lease);

}  // namespace dmm
