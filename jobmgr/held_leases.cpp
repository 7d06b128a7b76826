// Expiry without a walk: what Beats vouch for lasts, and else each lease has a term from the last of them.
#include "jobmgr/held_leases.hpp"

#include <algorithm>

#include "manager/assert.hpp"

namespace dmm {
namespace {

Duration less_a_hundredth(Duration length) { return length - length / 100; }

using Jobs = Few<std::uint64_t>;

bool contains(const Jobs& jobs, std::uint64_t job) {
  return std::find(jobs.begin(), jobs.end(), job) != jobs.end();
}

/// Whether it was there.
bool remove_from(Jobs& jobs, std::uint64_t job) {
  const auto found = std::find(jobs.begin(), jobs.end(), job);
  if (found == jobs.end()) return false;
  jobs.erase(found);
  return true;
}

}  // namespace

void HeldLeases::add(Instant now, const LeaseId& id, std::uint64_t job, Duration term, Instant left) {
  HeldLease& lease = leases_[id];
  hold(lease, job);
  DMM_ASSERT(lease.promised <= now && left <= now);
  lease.promised = now;
  lease.term = less_a_hundredth(term);
  lease.granted_until = std::max(lease.granted_until, left + lease.term);
  lease.awaited = false;
}

void HeldLeases::restore(const LeaseId& id, std::uint64_t job) {
  HeldLease& lease = leases_[id];
  hold(lease, job);
  lease.awaited = true;
}

void HeldLeases::hold(HeldLease& lease, std::uint64_t job) {
  DMM_ASSERT(!contains(lease.jobs, job));
  lease.jobs.push_back(job);
  ++grants_;
  DMM_ASSERT(grants_ >= lease.jobs.size());
}

void HeldLeases::remove(const LeaseId& id, std::uint64_t job) {
  HeldLease* lease = leases_.find(id);
  DMM_ASSERT(!lease || !lease->jobs.empty() || !lease->open.empty());
  if (!lease || !remove_from(lease->jobs, job)) return;
  DMM_ASSERT(grants_ > lease->jobs.size());
  --grants_;
  if (lease->jobs.empty() && lease->open.empty()) leases_.erase(id);
}

bool HeldLeases::holds(const LeaseId& id, std::uint64_t job) const {
  const HeldLease* lease = leases_.find(id);
  return lease && contains(lease->jobs, job);
}

void HeldLeases::open(const LeaseId& id, std::uint64_t job) {
  HeldLease& lease = leases_[id];
  DMM_ASSERT(!contains(lease.open, job));
  lease.open.insert(std::upper_bound(lease.open.begin(), lease.open.end(), job), job);
  DMM_ASSERT(*lease.open.begin() <= job && job <= *(lease.open.end() - 1));  // in order
}

bool HeldLeases::close(const LeaseId& id, std::uint64_t job) {
  HeldLease* lease = leases_.find(id);
  DMM_ASSERT(!lease || !lease->jobs.empty() || !lease->open.empty());
  if (!lease || !remove_from(lease->open, job)) return false;
  if (lease->jobs.empty() && lease->open.empty()) leases_.erase(id);
  return true;
}

bool HeldLeases::is_open(const LeaseId& id, std::uint64_t job) const {
  const HeldLease* lease = leases_.find(id);
  return lease && contains(lease->open, job);
}

std::vector<std::uint64_t> HeldLeases::open_under(const LeaseId& id) const {
  const HeldLease* lease = leases_.find(id);
  if (!lease) return {};
  DMM_ASSERT(!lease->jobs.empty() || !lease->open.empty());
  return {lease->open.begin(), lease->open.end()};
}

std::vector<std::pair<LeaseId, std::uint64_t>> HeldLeases::all_open() const {
  std::vector<std::pair<LeaseId, std::uint64_t>> all;
  for (const LeaseId& id : leases_.keys()) {
    const HeldLease& lease = leases_.at(id);
    DMM_ASSERT(!lease.jobs.empty() || !lease.open.empty());
    for (const std::uint64_t job : lease.open) all.emplace_back(id, job);
  }
  return all;
}

/// The lease if a job holds it; under another one nothing starts.
const HeldLeases::HeldLease* HeldLeases::find_held(const LeaseId& id) const {
  const HeldLease* lease = leases_.find(id);
  DMM_ASSERT(!lease || !lease->jobs.empty() || !lease->open.empty());
  return lease && !lease->jobs.empty() ? lease : nullptr;
}

bool HeldLeases::usable(Instant now, const LeaseId& id) const {
  const HeldLease* lease = find_held(id);
  if (!lease) return false;
  if (lease->awaited) return now < lease->granted_until;
  return stands_ || now < std::max(lease->promised, proved_) + lease->term;
}

bool HeldLeases::awaited(Instant now, const LeaseId& id) const {
  const HeldLease* lease = find_held(id);
  return lease && lease->awaited && now >= lease->granted_until;
}

void HeldLeases::suspend() {
  for (const LeaseId& id : leases_.keys()) {  // rare: the site restarted
    leases_.at(id).awaited = true;
    leases_.at(id).granted_until = {};
  }
}

void HeldLeases::promise(Instant now, const LeaseId& id, Duration term) {
  HeldLease* lease = leases_.find(id);
  if (!lease) return;
  DMM_ASSERT(!lease->jobs.empty() || !lease->open.empty());
  lease->awaited = term <= Duration{};
  if (lease->awaited) return;
  DMM_ASSERT(lease->promised <= now);
  lease->promised = now;
  lease->term = less_a_hundredth(term);
}

}  // namespace dmm
