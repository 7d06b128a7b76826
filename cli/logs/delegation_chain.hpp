// How a request found its nodes, rebuilt from what the managers wrote down: whom every site asked, what was
// answered, where the lease came from and how it went back (Iosup et al. 2007, section 4.3). Pure.
//
// The search is a token that walks (design: one question, one answer), so each site's own records, in its own
// order, tell the whole tree: a site that is asked writes what it does until it answers. Clocks of different
// machines are shown, but nothing is decided by comparing them.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/logs/log_records.hpp"
#include "cli/terminal/style.hpp"

namespace dmm {

enum class HopOutcome : std::uint8_t { open, granted, rejected, withdrawn };

/// One site asked by another, and what came of it.
struct Hop {
  std::string from;
  std::string to;
  std::int64_t asked_at = 0;     ///< wall microseconds, written by `from`
  std::int64_t answered_at = 0;  ///< of the reject that `from` received or the grant that `to` wrote; 0: none
  std::uint64_t round = 0;
  std::uint64_t dttl = 0;  ///< hops left after this one
  std::uint64_t tries_left = 0;
  HopOutcome outcome = HopOutcome::open;
  std::string reason;            ///< of a reject
  std::string lease;             ///< of a grant by `to` itself
  std::uint64_t processors = 0;  ///< of that grant
  std::vector<Hop> asked;        ///< whom `to` asked in turn
};

/// Something else that happened to the request or its lease.
struct Moment {
  std::int64_t at = 0;
  std::string who;   ///< "das-0", "jobmgr u0", "resmgr nodes"
  std::string text;  ///< a clause in the past: "submitted", "claimed the lease"
};

/// One attempt at running one job.
/// A lease of a request, and the way that it came: source first, sink last.
struct LeaseChain {
  std::string lease;
  std::vector<std::string> chain;
};

struct DelegationChain {
  std::string request;
  std::string home;
  std::uint64_t processors = 0;    ///< asked for, 0 if no record says
  std::vector<Moment> before;      ///< until the search began
  std::vector<Hop> asked;          ///< by the home site, in order
  std::vector<Moment> after;       ///< from the grant on
  std::vector<std::string> chain;  ///< source first, sink last; only the home site if it was served there
  std::string lease;
  std::vector<LeaseChain> leases;  ///< all of them, if the request is co-allocated; else empty
  /// It was put on a lease that was there already: the request that had the lease before it. "?" if no record
  /// says.
  std::string taken_over_from;
  std::uint64_t delegations = 0;
  std::uint64_t rejects = 0;

  bool granted() const { return !chain.empty(); }
};

/// The attempts of a request, from all records about it and about the leases that it had; empty if there are none. What
/// those leases did for other requests gives chains of these, which are not whole.
std::vector<DelegationChain> rebuild_chains(const std::vector<LogRecord>& records);

/// Lines for people: times in milliseconds since the first record, the tree of the search, the chain.
std::vector<std::string> draw_chain(const DelegationChain& chain, const Style& style);
nlohmann::ordered_json to_json(const DelegationChain& chain);

}  // namespace dmm
