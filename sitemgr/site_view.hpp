// What people may see of a site manager: plain values, made on request.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "protocol/messages.hpp"
#include "sitemgr/borrowers.hpp"
#include "sitemgr/cluster_errors.hpp"
#include "sitemgr/co_allocator.hpp"
#include "sitemgr/lease.hpp"
#include "sitemgr/local_request.hpp"
#include "sitemgr/neighbours.hpp"
#include "sitemgr/owned_nodes.hpp"
#include "sitemgr/targets.hpp"

namespace dmm {

struct SiteView {
  SiteName site;
  SiteNames ancestors;
  std::vector<OwnedClusterView> clusters;
  std::vector<OwnedManagerView> resource_managers;
  std::uint64_t processors = 0;
  std::uint64_t processors_busy = 0;  ///< in use, lent, being cleaned, or down
  std::uint64_t processors_lent = 0;
  std::uint64_t processors_borrowed = 0;
  double load = 0;
  std::size_t requests_waiting = 0;  ///< local ones, those out on a delegation included
  std::size_t requests_out = 0;      ///< of these, out on a delegation
  std::size_t requests_pausing = 0;
  std::size_t foreign_waiting = 0;  ///< taken from neighbours and not answered yet
  std::size_t leases_in = 0, leases_out = 0, leases_own = 0;
  std::uint64_t grants_local = 0, grants_foreign = 0;
  struct Link {
    Neighbour neighbour;
    Targets::State target;
    std::uint64_t delegations_received = 0;
    std::size_t leases_in = 0, leases_out = 0;
    std::uint64_t bandwidth = 0;  ///< bytes a second, by timed frames; 0: not known
    BorrowerView borrower;
    // Of leases that have ended, since the ledger began.
    std::uint64_t lent_processor_microseconds = 0, borrowed_processor_microseconds = 0;
  };
  std::vector<Link> links;
  std::vector<std::string> job_managers;
  std::vector<ClusterName>
      unknown_clusters;    ///< without a size that is configured or known from before this start
  SiteName turn;           ///< the borrower for which free nodes are kept; empty if for none
  RequestId reserved_for;  ///< a local request for which lent nodes were reclaimed, and are reserved
  std::vector<ClusterErrors::Aside>
      clusters_aside;  ///< of other sites, since their hosts failed jobs of its users
  std::vector<SiteName>
      drained;  ///< sites that it lends nothing more; its own name: nothing new starts on its nodes
};

/// Nodes of one resource manager that are alike.
struct NodesView {
  enum class State : std::uint8_t { free, leased, cleaning, set_aside, down };
  Party resource_manager;
  ClusterName cluster;
  NodeSet nodes;
  std::uint32_t processors = 0;  ///< of all of them
  State state = State::free;
  std::string reason;            ///< why they are set aside or down, or free and not used
  std::optional<LeaseId> lease;  ///< that they are under, or were
  SiteName to;                   ///< the neighbour that the lease is lent to; empty: it is for users of the site
  std::vector<RequestId> requests;  ///< of users of the site that have them
  bool users_apart = false;         ///< jobs of different sites run under different accounts there
};

/// What keeps a need from this site's own nodes, and what there is about it: "gpu=1", a cluster, a quota.
struct Clause {
  RejectReason reason = RejectReason::no_capacity;
  std::string what;
};

/// A lease on nodes of this site that a request could use.
struct HolderView {
  LeaseId lease;
  RequestId request;             ///< that has it; empty where no request has it just now
  SiteName to;                   ///< the neighbour that it is lent to; empty: it is for a user of this site
  std::uint32_t processors = 0;  ///< of those that the request could use
  Duration held;                 ///< for how long already
  Instant until = never;         ///< its owner takes it back then at the latest
  bool cleaning = false;         ///< it is over, and its nodes have yet to be found clean
};

/// A neighbour, and why it has or hasn't been asked for a request.
struct AskedView {
  enum class Stage : std::uint8_t {
    out,    ///< it has the request now
    asked,  ///< it was asked in this round
    link_down,
    congested,    ///< much waits for it unacknowledged
    in_backoff,   ///< it didn't answer of late
    cannot,       ///< by what is configured no site there or beyond can serve it; `clause` says what is missing
    no_room,      ///< by its hint
    window_full,  ///< as many delegations are out to it as may be
    next,         ///< it may be asked
  };
  SiteName site;
  Stage stage = Stage::next;
  RejectReason clause = RejectReason::no_capacity;
  std::uint32_t lendable = 0, largest = 0;  ///< by its hint, within the request's reach
  Duration backoff;                         ///< for how long yet
  /// Not 0: the most processors that it, or a site beyond it, lends at once by a limit of a link; its hops from here.
  std::uint32_t limit = 0, limit_hops = 0;
};

/// A part of a co-allocated request while it is gathered.
struct PartView {
  SiteName site;
  std::uint32_t components = 0, processors = 0;
  CoPart::State state = CoPart::State::asked;
  LeaseId lease;  ///< once held
};

/// A request that is placed and waits for its files.
struct PlannedView {
  std::string text;     ///< why it is placed so
  Duration claims_in;   ///< until its nodes are claimed
  Duration starts_in;   ///< until its files are expected to be there
  std::uint32_t tries;  ///< to claim, that failed
};

/// Why a request waits, and what the sites that were asked said.
struct WaitView {
  bool known = false;  ///< it waits here
  WaitReason reason = WaitReason::none;
  RequestId request;
  std::uint32_t processors = 0, widest = 0;
  Duration waited;
  std::uint32_t round = 0, tries = 0;
  SiteName asking;         ///< while out on a delegation
  Duration pause_left;     ///< while pausing
  std::uint32_t idle = 0;  ///< most idle processors in one cluster of this site
  double load = 0, threshold = 0;
  RequestId behind;  ///< for behind_earlier
  std::vector<SiteAnswer> answers;
  std::uint32_t dttl = 0;
  std::optional<std::uint32_t>
      dttl_to_more;  ///< a greater DTTL leads to a site that could serve it, as far as is known
  Constraints constraints;
  Clause here;                      ///< why this site's own nodes don't serve it
  std::vector<HolderView> holders;  ///< the leases on nodes that it could use, most processors first
  std::size_t holders_left_out = 0;
  std::vector<AskedView> neighbours;
  std::vector<PartView> parts;           ///< while gathering
  std::optional<PlannedView> planned;    ///< its nodes are claimed later
  std::uint32_t gathered = 0;            ///< how often it was tried to have its parts at several sites
  std::string gathering_failed;          ///< why the last of these tries came to nothing; empty: none was made
  std::optional<Duration> reclaimed_in;  ///< lent nodes are reclaimed for it then, if that helps
};

}  // namespace dmm
