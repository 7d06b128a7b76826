// A lease as messages and rows; see lease_mould.hpp.
#include "sitemgr/lease_mould.hpp"

#include <algorithm>

#include "manager/assert.hpp"

// All fields of a lease, as names in the scope: a field more, and no function of this file compiles.
// clang-format off
#define DMM_LEASE_FIELDS                                                                                             \
  [id, state, wanted, unsure, detached, changed, pooled, upstream, downstream, nodes, cleaning, handed_out,          \
   managers, granted, old_right, promised, processor_microseconds, processors, part, round, jobs, priority,          \
   waits_since, request, term, longest_promise, length, round_trip, expected_until, held_for, upstream_until,        \
   downstream_until, grace, protected_until, idle, chain, owner_ancestors, blocks]
// clang-format on

namespace dmm {

HopLease lease_of_own(const LeaseId& lease_id, const RequestId& of, Instant now, const SiteSettings& settings) {
  DMM_ASSERT(lease_id.owner == settings.name && !lease_id.empty());
  HopLease lease;
  auto& DMM_LEASE_FIELDS = lease;
  id = lease_id;
  request = of;
  state = LeaseState::active;
  granted = now;
  term = settings.term;
  chain = {settings.name};
  grace = settings.reclaim_at_job_end ? end_of_job : settings.reclaim_grace;
  return lease;
}

void lend(HopLease& lease, const Foreign& foreign, const LendingTerms& terms, const SiteNames& ancestors) {
  const Delegate& asked = foreign.delegate;
  auto& DMM_LEASE_FIELDS = lease;
  DMM_ASSERT(!downstream && chain.size() == 1);
  state = LeaseState::offered;
  downstream = foreign.from;
  part = asked.part;
  round = asked.round;
  chain.insert(chain.end(), asked.chain.rbegin(), asked.chain.rend());
  owner_ancestors = ancestors;
  round_trip = std::max(asked.round_trip, Duration{});
  length = terms.length;
  protected_until = granted + terms.protected_time;
  term = terms.term;
}

HopLease lease_from(const Grant& grant, Instant now, Instant left_at, std::size_t from, bool upstream_stands) {
  DMM_ASSERT(!grant.nodes.empty() && !grant.chain.empty() &&
             grant.term > Duration{});  // what isn't so was refused
  DMM_ASSERT(left_at <= now);
  HopLease lease;
  auto& DMM_LEASE_FIELDS = lease;
  id = grant.lease;
  request = grant.request;
  part = grant.part;
  round = grant.round;
  upstream = from;
  nodes = grant.nodes;
  chain = grant.chain;
  owner_ancestors = grant.owner_ancestors;
  blocks = grant.blocks;
  granted = now;
  promised = left_at;
  term = std::min(grant.term, term_max);
  upstream_until = upstream_stands ? never : promised + term;
  grace = grant.grace;
  length = std::max(grant.length, Duration{});
  if (grant.expected > Duration{}) expected_until = now + grant.expected;
  round_trip = std::clamp(grant.round_trip, Duration{}, round_trip_max);
  processors = processors_of(grant.nodes);
  return lease;
}

HopLease lease_from(const Holding& lent, Instant now, std::size_t from, std::size_t to, bool upstream_stands,
                    Duration own_term) {
  DMM_ASSERT(from != to);
  HopLease lease;
  auto& DMM_LEASE_FIELDS = lease;
  id = lent.lease;
  request = lent.request;
  state = lent.offered ? LeaseState::offered : LeaseState::active;
  upstream = from;
  downstream = to;
  nodes = lent.nodes;
  chain = lent.chain;
  owner_ancestors = lent.owner_ancestors;
  blocks = lent.blocks;
  grace = lent.grace;
  granted = promised = now;
  length = std::max(lent.length, Duration{});
  round_trip = std::clamp(lent.round_trip, Duration{}, round_trip_max);
  unsure = lent.left <= Duration{};
  term = unsure ? own_term : std::min(lent.left, term_max);
  upstream_until = upstream_stands && !unsure ? never : now + term;
  processors = processors_of(lent.nodes);
  return lease;
}

HopLease lease_from(LeaseRecord& row, Instant now, std::optional<std::size_t> from, std::optional<std::size_t> to,
                    Duration own_term) {
  HopLease lease;
  auto& DMM_LEASE_FIELDS = lease;
  id = row.id;
  request = row.request;
  part = row.part;
  round = row.round;
  const bool awaits_claim = from && to;  // else it is ours to lend or to hold
  state = row.state == LeaseState::offered && !awaits_claim ? LeaseState::active : row.state;
  upstream = from;
  downstream = to;
  nodes = std::move(row.nodes);
  cleaning = std::move(row.cleaning);
  chain = std::move(row.chain);
  owner_ancestors = std::move(row.owner_ancestors);
  blocks = std::move(row.blocks);
  granted = promised = std::min(row.granted, now);
  processors = row.processors;
  processor_microseconds = row.processor_microseconds;
  grace = row.grace;
  wanted = row.wanted;
  detached = row.detached;
  term = std::max(row.term, own_term);
  length = row.length;
  round_trip = row.round_trip;
  jobs = row.jobs;
  protected_until = row.protected_until;
  // The borrower may have renewed just before we stopped: it has a whole term to do so again.
  if (downstream) downstream_until = now + term + term / owner_margin;
  unsure = upstream.has_value();
  if (unsure) upstream_until = now + term;
  return lease;
}

namespace {

/// How long from now the owner expects not to want the nodes back; 0: it can't tell. What is over is very short.
Duration expected_left(const HopLease& lease, Instant now) {
  return lease.expected_until == never ? Duration{} : std::max(lease.expected_until - now, microseconds(1));
}

/// How long from now the owner lets the lease last; 0: as long as it is used.
Duration length_left(const HopLease& lease, Instant now) {
  return lease.length == Duration{} ? Duration{} : std::max(lease.limit() - now, microseconds(1));
}

}  // namespace

Grant grant_of(const HopLease& lease, const std::vector<NodeGroup>& handed, Instant now, Duration promise) {
  DMM_ASSERT(!handed.empty());
  const auto& DMM_LEASE_FIELDS = lease;
  Grant grant;
  grant.request = request;
  grant.part = part;
  grant.round = round;
  grant.lease = id;
  grant.nodes = handed;
  grant.term = promise;
  grant.chain = chain;
  grant.owner_ancestors = owner_ancestors;
  grant.blocks = blocks;
  grant.grace = grace;
  grant.length = length_left(lease, now);
  grant.round_trip = round_trip;
  grant.expected = expected_left(lease, now);
  return grant;
}

Holding holding_of(const HopLease& lease, const RequestId& of, const std::vector<NodeGroup>& held, Instant now,
                   Duration left) {
  const auto& DMM_LEASE_FIELDS = lease;
  return {id,
          of,
          held,
          chain,
          owner_ancestors,
          blocks,
          std::max(left, Duration{}),
          grace,
          length_left(lease, now),
          round_trip,
          state == LeaseState::offered};
}

void add_own_ancestors(const HopLease& lease, const SiteSettings& settings, SiteNames& owner_ancestors) {
  if (!lease.upstream) owner_ancestors = settings.ancestors;
}

LeaseRecord record_of(const HopLease& lease, const Neighbours& neighbours) {
  const auto& DMM_LEASE_FIELDS = lease;
  DMM_ASSERT(!upstream || *upstream < neighbours.size());
  DMM_ASSERT(!downstream || *downstream < neighbours.size());
  LeaseRecord row;
  row.id = id;
  row.request = request;
  row.part = part;
  row.round = round;
  row.state = state;
  if (upstream) row.upstream = neighbours[*upstream].site;
  if (downstream) row.downstream = neighbours[*downstream].site;
  row.nodes = nodes;
  row.cleaning = cleaning;
  row.chain = chain;
  row.owner_ancestors = owner_ancestors;
  row.blocks = blocks;
  row.granted = granted;
  for (const auto& [of, out] : handed_out) row.handed_out.push_back({of, of.user, out});
  row.processors = processors;
  row.processor_microseconds = processor_microseconds;
  row.grace = grace;
  row.wanted = !upstream && wanted;
  row.detached = detached;
  row.term = std::max(term, longest_promise);
  row.length = length;
  row.round_trip = round_trip;
  row.jobs = jobs;
  row.protected_until = protected_until;
  return row;
}

}  // namespace dmm

#undef DMM_LEASE_FIELDS
