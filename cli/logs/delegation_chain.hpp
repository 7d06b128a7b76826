// How a request found its nodes, rebuilt from the logs of the managers: which sites each site asked, what they
// answered, where the lease came from, and how it went back (Iosup et al. 2007, section 4.3). Pure.
//
// One question has one answer, so the search is at one site at a time, and a site that was asked logs what it does
// until it answers. Each site's records in their own order are therefore enough to rebuild the tree. Clocks of
// different machines are shown, but never compared to decide anything.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <vector>

#include "cli/logs/log_records.hpp"
#include "cli/terminal/style.hpp"

namespace dmm {

enum class HopOutcome : std::uint8_t { open, granted, rejected, withdrawn };

/// One site asked another, and the outcome.
struct Hop {
  std::string from;
  std::string to;
  std::int64_t asked_at = 0;     ///< wall-clock microseconds, logged by `from`
  std::int64_t answered_at = 0;  ///< when `from` logged the reject or `to` the grant; 0: neither
  std::uint64_t round = 0;
  std::uint64_t dttl = 0;  ///< hops left after this one
  std::uint64_t tries_left = 0;
  HopOutcome outcome = HopOutcome::open;
  std::string reason;            ///< of a reject
  std::string lease;             ///< of a grant by `to` itself
  std::uint64_t processors = 0;  ///< of that grant
  std::vector<Hop> asked;        ///< the sites that `to` asked in turn
};

/// An event of the request or its lease beside the search.
struct Moment {
  std::int64_t at = 0;
  std::string party;  ///< "das-0", "jobmgr u0", "resmgr nodes"
  std::string text;   ///< a clause in the past: "submitted", "claimed the lease"
};

/// A lease of a request and its chain: the owner first, the sink last.
struct LeaseChain {
  std::string lease;
  std::vector<std::string> chain;
};

/// One attempt at running one job.
struct DelegationChain {
  std::string request;
  std::string home;
  std::uint64_t processors = 0;    ///< that were asked for; 0 if no record says it
  std::vector<Moment> before;      ///< until the search began
  std::vector<Hop> asked;          ///< by the home site, in order
  std::vector<Moment> after;       ///< from the grant on
  std::vector<std::string> chain;  ///< the owner first, the sink last; only the home site if it served the request
  std::string lease;
  std::vector<LeaseChain> leases;  ///< of a co-allocated request: all its leases; else empty
  /// If the request took over a lease: the request that had the lease before. "?" if no record says which.
  std::string taken_over_from;
  /// Of an element of an array: its name, "home/u/17_3"; else empty. Likewise for the request of `taken_over_from`.
  std::string element, taken_over_from_element;
  std::uint64_t delegations = 0;
  std::uint64_t rejects = 0;

  bool granted() const { return !chain.empty(); }
};

/// The attempts of a request, from all records about it and its leases; empty if there are none. Those leases may have
/// served other requests: their chains are included, but incomplete.
std::vector<DelegationChain> rebuild_chains(const std::vector<LogRecord>& records);

/// The jobs that the chains name: their own, and those that had their leases before.
std::set<std::string> jobs_of(const std::vector<DelegationChain>& chains);
/// Gives elements of arrays among these jobs the names that their users know (`names_of_elements`).
void name_elements(std::vector<DelegationChain>& chains, const std::map<std::string, std::string>& names);

/// Lines for people: times in milliseconds since the first record, the tree of the search, the chain.
std::vector<std::string> draw_chain(const DelegationChain& chain, const Style& style);
nlohmann::ordered_json to_json(const DelegationChain& chain);

}  // namespace dmm
