// Messages about leases: from the owner along the delegation chain to the home site and the job manager, and back. By
// Renew and Inventory, the two sides of a link compare what they believe.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "protocol/ids.hpp"
#include "protocol/message_fields.hpp"
#include "protocol/origin.hpp"
#include "protocol/reasons.hpp"
#include "protocol/resources.hpp"
#include "protocol/short_text.hpp"
#include "protocol/time.hpp"

namespace dmm {

/// Nodes for a request: from the owner along the chain to the home site, and from there to the job manager.
struct Grant {
  RequestId request;
  std::uint32_t part = 0;
  std::uint32_t round = 0;
  LeaseId lease;
  std::vector<NodeGroup> nodes;
  Duration term;                    ///< the receiver may use the nodes this long from when it asked
  SiteNames chain;                  ///< the delegation chain: the owner (source) first, the home site (sink) last
  SiteNames owner_ancestors;        ///< the owner's parent, ..., its root
  std::vector<std::string> blocks;  ///< one opaque byte string for each hop, forwarded as received
  Origin origin = Origin::local;    ///< set by the home site
  std::uint32_t tries = 0;          ///< delegations sent for the request, set by the home site
  Duration grace;       ///< the time that a job gets to end at a reclaim; `end_of_job`: until it has ended
  Duration length;      ///< the owner lets the lease last at most this long from now; 0: as long as it is renewed
  Duration round_trip;  ///< from the home site to the owner and back; from the job manager, to a job manager
  Duration expected;    ///< the owner expects to need the nodes no sooner than this from now; 0: not known
  DMM_MESSAGE(20, self.request, self.part, self.round, self.lease, self.nodes, self.term, self.chain,
              self.owner_ancestors, self.blocks, self.origin, self.tries, self.grace, self.length, self.round_trip,
              self.expected)
};

/// All leases of a co-allocated request, from the home site to the job manager: each serves some of its components.
struct GrantSet {
  RequestId request;
  std::vector<Grant> grants;  ///< each of this request; their nodes have the numbers of the request's components
  ShortText placement = {};   ///< for people: why the components were placed in this way
  DMM_MESSAGE(27, self.request, self.grants, self.placement)
};

/// A grace class without a length: the owner takes the nodes back when their present job has ended.
constexpr Duration end_of_job{-1};

/// The sink accepts an offered lease; travels from the sink to the owner.
struct Claim {
  LeaseId lease;
  RequestId request;
  std::string proof;  ///< reserved: proof of the right to claim
  DMM_MESSAGE(21, self.lease, self.request, self.proof)
};

/// The owner acknowledges the Claim of a part of a co-allocated request; travels from the owner to the sink.
struct Claimed {
  LeaseId lease;
  RequestId request;
  DMM_MESSAGE(28, self.lease, self.request)
};

/// The holder gives nodes back; travels to the owner, hop by hop.
struct Release {
  LeaseId lease;
  std::vector<NodeGroup> nodes;  ///< empty for all that are left, which ends the lease
  bool silent = false;           ///< the holder fell silent: what runs may go on, see Unassign::detached
  bool failed = false;           ///< nothing could be started on the nodes
  bool host_failed = false;      ///< to the home site: a host failed a task that was to start there, or lost it
  DMM_MESSAGE(22, self.lease, self.nodes, self.silent, self.failed, self.host_failed)
};

/// The lease, or some nodes of it, may no longer be used; travels from the owner to the holder.
struct LeaseEnded {
  LeaseId lease;
  std::vector<NodeGroup> nodes;  ///< empty for all
  LeaseEnd reason = LeaseEnd::expired;
  bool confirmed = false;  ///< nothing runs on the nodes any more: their resource manager confirmed it
  Duration grace;          ///< reclaimed: what runs has this long to end by itself
  DMM_MESSAGE(23, self.lease, self.nodes, self.reason, self.confirmed, self.grace)
};

/// "I hold all leases that this link carries, as of this message." Beats renew them all. By a Renew, the two sides
/// notice now and then if their beliefs differ.
struct Renew {
  std::uint32_t leases = 0;  ///< how many leases the sender holds over this link, for the comparison
  DMM_MESSAGE(24, self.leases)
};

/// The promise of Beats for one lease from now on.
struct LeaseTerm {
  LeaseId lease;
  Duration left;  ///< the lease is good for this long from when the sender sent its latest Beat; or `not_known`
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.lease, self.left);
  }
};

/// The sender doesn't hear at present whether the lease stands. Its Beats don't cover the lease until a new LeaseTerm;
/// earlier promises still hold.
constexpr Duration not_known{-1};

/// The promises of the lender's Beats, sent whenever they change; and the answer to a Renew.
struct Renewed {
  Duration term;                 ///< in an answer to a Renew: of leases without a promise of their own; else 0
  std::vector<LeaseTerm> terms;  ///< leases with a changed promise; in an answer, with another promise than `term`
  std::vector<LeaseId> wanted;   ///< all leases that get no further job: the owner has demand
  bool settled = false;          ///< the two sides agree, and Beats renew: the next Renew may come late
  DMM_MESSAGE(25, self.term, self.terms, self.wanted, self.settled)
};

/// One lease, as one side of a link believes it to be.
struct Holding {
  LeaseId lease;
  RequestId request;  ///< the request that the nodes serve; several where a sink's users share the lease
  std::vector<NodeGroup> nodes;
  SiteNames chain;  ///< the owner first, the home site last
  SiteNames owner_ancestors;
  std::vector<std::string> blocks;
  Duration left;  ///< of a lent one: how long from now new work may be started; 0 if the sender doesn't know yet
  Duration grace;
  Duration length;       ///< as in the Grant, from now
  Duration round_trip;   ///< as in the Grant
  bool offered = false;  ///< the sender knows of no Claim of it
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.lease, self.request, self.nodes, self.chain, self.owner_ancestors, self.blocks, self.left,
                    self.grace, self.length, self.round_trip, self.offered);
  }
};

/// All leases between the two, as the sender believes them to be. It is the first message of a session that is new to
/// either side, and repairs what was lost with the old session (docs/protocol.md section 7). It may come in several
/// messages, the last one marked.
struct Inventory {
  std::vector<Holding> lent;      ///< by the sender to the receiver
  std::vector<Holding> borrowed;  ///< by the sender from the receiver
  bool last = true;
  DMM_MESSAGE(26, self.lent, self.borrowed, self.last)
};

}  // namespace dmm
