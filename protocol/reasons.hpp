// The closed sets of reasons that messages carry, logs show and `dmm why` prints. Append only: the numbers travel.
#pragma once

#include <cstdint>
#include <string_view>

namespace dmm {

/// Why a site didn't serve a delegation.
enum class RejectReason : std::uint8_t {
  no_capacity,      ///< could serve it when idle; too few nodes are free here, and at each site beyond
  never_servable,   ///< no cluster here is large enough or meets the constraints, and no site beyond does
  dttl_exhausted,   ///< no capacity here, and the request may travel no further
  tries_exhausted,  ///< no capacity here, and the search budget of the round is spent
  already_seen,     ///< this site saw the request with at least this DTTL
  in_chain,         ///< this site is in the request's chain already
  no_answer,        ///< the neighbour didn't answer in time
  link_down,        ///< the neighbour can't be reached
  limit_reached,    ///< a limit of this site for this neighbour is reached
  not_lending,      ///< the free nodes are kept for this site's own users
  malformed,        ///< the request makes no sense
  too_long,         ///< no lease from here lasts as long as the request runs
  not_in_turn,      ///< the free nodes are for another borrower, which has had less
  // More exact reasons, as a site gives them of itself beside its reason (SiteAnswer):
  drained,            ///< nothing new starts on its nodes, or nothing more is lent to the site that asks
  no_nodes,           ///< it has no nodes of its own
  no_attribute,       ///< none of its nodes have an attribute that is demanded, or not enough of them
  too_little_memory,  ///< none of its nodes have the memory that is demanded, or not enough of them
  too_wide,           ///< no cluster of it is as large as the widest component
  over_quota,         ///< a cluster would be large enough, but for its quota
  apart,              ///< each component fits, but not all together
  nodes_down,         ///< too many of its nodes are out of reach: their resource managers are down
  nodes_aside,        ///< too many of its nodes are set aside
  others_first,   ///< it interrupted the job before, or lends for too short a time: other sites are asked first
  nodes_missing,  ///< its resource managers are up, and offer fewer nodes than its configuration says
  kept_off,       ///< the asking site is lent nothing for a while: nodes were reclaimed from it, or offers lapsed
  // More exact than limit_reached: the limit of the site for the asking neighbour that is reached.
  leases_limit,       ///< of leases at a time
  processors_limit,   ///< of processors in them
  delegations_limit,  ///< of delegations that aren't answered
};

/// Why a waiting request waits, seen from its home site.
enum class WaitReason : std::uint8_t {
  none,                ///< it doesn't wait
  no_free_nodes,       ///< this site's nodes are busy, and its load isn't above a threshold that lets it queue
  behind_earlier,      ///< an earlier request has nodes reserved, or blocks the queue
  asking_neighbour,    ///< it is out on a delegation
  pausing,             ///< every neighbour rejected it; a new round starts after a pause or at a hint
  window_full,         ///< every neighbour that may serve it has its window of delegations full
  no_neighbour,        ///< no site to ask: no neighbour, or a DTTL of 0
  neighbours_unknown,  ///< wider than all known clusters, but not all neighbours have reported theirs
  next_cycle,          ///< waits for the next matchmaking or delegation cycle
  drained,             ///< this site's nodes take no new work, and no other site has any free
  awaiting_hint,       ///< no site within reach has free nodes, by its hint; better news starts a round at once
  gathering,           ///< parts of it are asked for or held at several sites
  awaiting_files,      ///< it is placed, and its nodes are claimed when its files are nearly there
};

/// Why a request ends without nodes.
enum class RefusalReason : std::uint8_t {
  too_large,  ///< larger than every cluster that can be reached
  malformed,  ///< the request makes no sense
  limit_reached,
  no_such_nodes,       ///< no nodes that can be reached have what it demands
  too_long,            ///< no owner that can be reached lends for as long as it runs
  over_limit,          ///< a site that can be reached has more than a limit of its link lets it lend at once
  too_large_together,  ///< larger than all clusters that can be reached together
  no_place,            ///< no place was found for its components in as many tries as its site makes
};

/// Why a lease ended, or lost some of its nodes.
enum class LeaseEnd : std::uint8_t {
  released,
  expired,       ///< it was not renewed in time
  reclaimed,     ///< the owner took it back before it was at its longest
  not_claimed,   ///< the offer ran out
  node_lost,     ///< the resource manager is gone
  owner_lost,    ///< the site towards the owner is gone
  unknown,       ///< the receiver knows no such lease
  idle,          ///< no job used it for too long
  node_removed,  ///< its owner has taken the node out of service
  at_longest,    ///< it lasted as long as its owner lends
  link_removed,  ///< a site of its chain has taken the next one out of its links
  outranked,     ///< held for a part of a co-allocated request, and an older such request needed the nodes
  preempted,     ///< its home site gave it up for a job of high priority
};

/// Why a program didn't start.
enum class StartFault : std::uint8_t {
  none,
  no_lease,            ///< the lease isn't assigned to this resource manager
  nodes_busy,          ///< a job runs on the nodes
  executable_missing,  ///< no such program where the job runs
  not_permitted,       ///< the program or the working directory may not, or can't, be used
  no_directory,        ///< the working directory doesn't exist
  resources,           ///< the host is out of processes, memory or disk
  hung,                ///< the file system of the program or the working directory didn't answer in time
  staging,             ///< an input file couldn't be brought to the job
};
constexpr std::size_t start_fault_count = 9;

/// How a program ended.
enum class EndKind : std::uint8_t {
  exited,        ///< by itself; the code is its exit status
  signalled,     ///< by a signal; the code is its number
  stopped,       ///< on the job manager's order
  lease_ended,   ///< the lease it ran under ended
  lost_contact,  ///< the resource manager heard neither its owner nor the job manager
  start_failed,  ///< it never ran; the fault says why
  lost,          ///< its resource manager restarted and found no trace of it
};

/// The reason in a Reject in place of one of the more exact ones.
RejectReason whole_reason(RejectReason exact);

std::string_view to_text(RejectReason reason);
std::string_view to_text(WaitReason reason);
std::string_view to_text(RefusalReason reason);
std::string_view to_text(LeaseEnd reason);
std::string_view to_text(StartFault fault);
std::string_view to_text(EndKind kind);

/// For people, as after "refused:": "no nodes that can be reached have what it asks for".
std::string_view words_for(RefusalReason reason);
/// For people, as after "It could not be started:": "its program was not found". Empty for none.
std::string_view words_for(StartFault fault);
/// The same for a fault by its name, as `to_text` returns it; empty if this version doesn't know the fault.
std::string_view words_for_start_fault(std::string_view name);

}  // namespace dmm
