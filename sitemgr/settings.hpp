// What an administrator decides about a site. Plain values with the defaults; topologies/ reads them from JSON, where
// the names are the same and units end the name (topologies/README.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "protocol/ids.hpp"
#include "protocol/resources.hpp"
#include "protocol/time.hpp"

namespace dmm {

/// No request has waited longer, whatever a message says.
constexpr Duration waited_max = seconds(10 * 365 * 86400LL);
/// No site waits longer for an answer to a Delegate, whatever the Delegate says.
constexpr Duration search_within_max = seconds(1'800);

/// What a neighbour is to this site.
enum class Relation : std::uint8_t { parent, child, sibling };

/// What a neighbour may have of this site. 0: as the site's own settings say.
struct NeighbourLimits {
  double weight = 1.0;           ///< of its share beside others' where there isn't enough for all
  std::uint32_t leases = 0;      ///< at a time
  std::uint32_t processors = 0;  ///< in them
  Duration lease_length;         ///< the longest lease
  std::uint32_t processors_at_most() const { return processors > 0 ? processors : UINT32_MAX; }
  auto operator<=>(const NeighbourLimits&) const = default;
};

struct NeighbourSettings {
  SiteName site;
  Relation relation = Relation::sibling;
  NeighbourLimits limits = {};
};

struct ClusterSettings {
  ClusterName name;
  double quota = 1.0;  ///< the fraction of the cluster's processors that requests may fill; the rest stays free
  // What the cluster has when all of it is there: by this alone, and by what its resource managers offered before, is a
  // request too large for the site.
  std::uint32_t nodes = 0;  ///< 0: not said
  std::uint32_t processors_per_node = 1;
  std::uint64_t memory_bytes = 0;  ///< per node
  Attributes attributes = {};
};

/// What a lease lasts beyond the time that its job is declared to run.
constexpr Duration beyond_declared = seconds(60);

/// Owners count a lease this fraction of its term longer than its holder does, so that clocks that differ a little
/// end it at the holder first.
constexpr std::int64_t owner_margin = 30;

struct SiteSettings {
  SiteName name;
  SiteNames ancestors;  ///< parent, its parent, ..., root; empty for a root
  std::vector<NeighbourSettings> neighbours;
  std::vector<ClusterSettings> clusters;

  std::string dispatching_policy = "fcfs_scan";  ///< local requests dispatching policy
  std::string delegation_policy = "fcfs";
  std::string target_policy = "hints";  ///< target site ordering policy
  std::string placement_policy = "cm";  ///< over this site's clusters, for requests that are not flexible
  std::string flexible_policy = "fcm";  ///< the same for flexible requests

  double delegation_threshold =
      1.0;                     ///< load above which all that wait are delegated; up to 1, whatever has no place
  Duration matchmaking_cycle;  ///< 0: at once, on every event
  Duration delegation_cycle;   ///< 0: at once, on every event
  bool delegate = true;        ///< false: local requests never leave this site
  bool co_allocate = true;     ///< components of one request may run at several sites
  // Of co-allocated requests; the letters are those of Mohamed and Epema 2005, section 3.
  std::uint32_t high_scans = 2;           ///< S: tries of requests of high priority for one of another that is due
  std::uint32_t placement_tries_max = 0;  ///< a request is refused after this many; 0: it is tried for ever
  double claiming_threshold =
      1;  ///< T: with this fraction of its components held, only the others are placed again
  /// L, at first: nodes are claimed after this fraction of the time that input files take, where clusters keep
  /// these; 0: at once. Each placement that can't be claimed lowers it by the step, down to the least.
  double claiming_wait = 0;
  double claiming_wait_step = 0.125, claiming_wait_min = 0.25;
  bool preempt = false;  ///< requests of high priority end jobs of low priority of this site's users
  Duration preempt_grace = seconds(10);   ///< for these jobs to end by themselves
  std::uint32_t cluster_errors_max = 10;  ///< failures of hosts in a row that set a cluster aside; 0: none do
  Duration cluster_aside_first = seconds(600);  ///< for co-allocated jobs; twice as long each time after
  bool lend = true;                             ///< false: no delegation is served here
  bool owner_first = true;                      ///< free nodes that queued local requests could use are not lent
  bool keep_local = true;                       ///< what could start here now is not sent away
  bool use_hints = true;                        ///< false: hints are neither sent nor looked at
  bool lease_ends_with_job = true;  ///< where one component is all its use: no holder is asked to give nodes back
  /// A request overtaken for this long stops the scan and has nodes reserved. A day: reserved nodes stand idle
  /// until the last long job has ended, which costs the others far more than it gives
  /// (docs/decisions/overtaken-limit.md).
  Duration overtaken_limit = seconds(86400);

  std::uint32_t tries_per_round = 16;   ///< search budget of a round
  std::uint32_t dttl_limit = 16;        ///< no request may ask for more hops
  Duration answer_limit = seconds(10);  ///< silence of a neighbour for this long counts as a reject
  Duration pause_first = seconds(1);    ///< before a second round; doubles to pause_last
  Duration pause_last = seconds(60);
  std::uint32_t window_first = 4;  ///< delegations outstanding on a link, at first
  std::uint32_t window_max = 64;
  std::uint32_t hint_distance = 16;  ///< how far hints tell of: entries for sites 0 .. hint_distance-1 hops beyond
  Duration hint_interval = milliseconds(100);  ///< hints of their own are sent at most this often on a link,
  Duration hint_small_interval = seconds(60);  ///< and of small news at most this often

  Duration seen_memory = seconds(3600);  ///< how long a request is remembered
  std::uint32_t seen_max = 100'000;      ///< entries remembered per neighbour
  bool seen_counts_dttl =
      true;  ///< a copy that comes with a greater DTTL is taken again (false: the paper's plain list)

  Duration term = seconds(30);                     ///< of a lease
  Duration offer = seconds(5);                     ///< an unclaimed lease ends after this
  Duration lease_length_max = seconds(24 * 3600);  ///< no lease is renewed beyond this
  Duration detached_max = seconds(3600);           ///< work may go on this long after its lease ended by silence
  Duration absent_job_manager = seconds(600);      ///< a silent job manager keeps its nodes this long
  Duration adopt_within =
      seconds(10);  ///< after a restart, neighbours have this long to say what they lent through us
  Duration reclaim_grace = seconds(300);  ///< what runs on nodes that are reclaimed has this long to end
  bool reclaim_at_job_end = false;        ///< instead: until its job ends
  Duration reclaim_after =
      seconds(300);  ///< a local request that waited this long takes lent nodes back; 0: none does
  Duration reclaimed_rest = seconds(60);  ///< a sink that lost nodes by a reclaim is lent nothing for so long
  /// A job that owners interrupted is borrowed for so long at least, and twice as long as it ran until then; up to the
  /// bound. No reclaim for a local request ends that, and no longest lease. 0: nothing is promised.
  Duration protected_first = seconds(600);
  Duration protected_max = seconds(2 * 24 * 3600);

  std::uint32_t reuse_jobs_max = 20;          ///< jobs that one lease may serve at its sink; 1: no reuse
  Duration reuse_length_max = seconds(3600);  ///< a lease that is older serves no further job
  Duration turn_limit =
      seconds(2);  ///< nodes kept for the borrower in turn wait so long for it; 0: there are no turns
  Duration gather_max = seconds(600);  ///< the longest reservation for the wide request of a borrower in turn

  std::uint32_t requests_per_user_max = 1'000'000;  ///< open at once
  std::uint32_t requests_max = 4'000'000;           ///< of all users
  std::uint32_t delegations_per_link_max = 4'096;   ///< taken from one neighbour and not answered
  std::uint32_t leases_per_link_max = 50'000;       ///< lent to one neighbour, or borrowed of it, at a time
  std::uint32_t usage_records_max = 100'000;        ///< the oldest are dropped

  /// The longest lease that a neighbour of these limits gets; 0: as long as it is used.
  Duration lease_length_for(const NeighbourLimits& limits) const {
    return limits.lease_length > Duration{} ? limits.lease_length : lease_length_max;
  }
};

}  // namespace dmm
