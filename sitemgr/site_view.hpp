// What people may see of a site manager: plain values, made on request.
#pragma once

#include <string>
#include <vector>

#include "protocol/messages.hpp"
#include "sitemgr/borrowers.hpp"
#include "sitemgr/lease.hpp"
#include "sitemgr/local_request.hpp"
#include "sitemgr/neighbours.hpp"
#include "sitemgr/owned_nodes.hpp"

namespace dmm {

struct SiteView {
  SiteName site;
  SiteNames ancestors;
  std::vector<OwnedNodes::ClusterTotals> clusters;
  std::vector<OwnedNodes::ManagerView> resource_managers;
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
    std::size_t leases_in = 0, leases_out = 0;
    BorrowerView borrower;
    // Of leases that have ended, since the ledger began.
    std::uint64_t lent_processor_microseconds = 0, borrowed_processor_microseconds = 0;
  };
  std::vector<Link> links;
  std::vector<std::string> job_managers;
  std::vector<ClusterName> unknown_clusters;  ///< whose size is neither configured nor known from before this start
  SiteName turn;      ///< for whom free nodes are kept; empty if for nobody
  RequestId gathers;  ///< a local request for which lent nodes were taken back, and are gathered
  std::vector<SiteName> drained;  ///< whom it lends nothing more; its own name: nothing new starts on its nodes
};

/// Why a request waits, and what everybody said who was asked.
struct WaitView {
  bool known = false;  ///< it waits here
  WaitReason reason = WaitReason::none;
  RequestId request;
  std::uint32_t processors = 0, widest = 0;
  Duration waited;
  std::uint32_t round = 0, tries = 0;
  SiteName asking;            ///< while out on a delegation
  Duration pause_left;        ///< while pausing
  std::uint32_t idle = 0;     ///< most idle processors in one cluster of this site
  double load = 0, threshold = 0;
  RequestId behind;           ///< for behind_earlier
  std::vector<SiteAnswer> answers;
};

}  // namespace dmm
