// Expiry without a walk: a lease is good by its own grant, by the latest renewal, or by that one's exception.
#include "jobmgr/held_leases.hpp"

#include <algorithm>

#include "machine/assert.hpp"

namespace dmm {
namespace {

Duration less_a_hundredth(Duration length) { return length - length / 100; }

using Jobs = Few<std::uint64_t>;

bool contains(const Jobs& jobs, std::uint64_t job) { return std::find(jobs.begin(), jobs.end(), job) != jobs.end(); }

/// Whether it was there.
bool remove_from(Jobs& jobs, std::uint64_t job) {
  const auto found = std::find(jobs.begin(), jobs.end(), job);
  if (found == jobs.end()) return false;
  jobs.erase(found);
  return true;
}

}  // namespace

void HeldLeases::add(Instant now, const LeaseId& id, std::uint64_t job, Duration term) {
  Lease& lease = leases_[id];
  hold(lease, job);
  lease.until = now + less_a_hundredth(term);
  lease.granted_after = renewals_;
}

void HeldLeases::restore(const LeaseId& id, std::uint64_t job) {
  Lease& lease = leases_[id];
  hold(lease, job);
  lease.until = unknown;
}

void HeldLeases::hold(Lease& lease, std::uint64_t job) {
  DMM_ASSERT(!contains(lease.jobs, job));
  lease.jobs.push_back(job);
  ++grants_;
}

void HeldLeases::remove(const LeaseId& id, std::uint64_t job) {
  Lease* lease = leases_.find(id);
  if (!lease || !remove_from(lease->jobs, job)) return;
  --grants_;
  if (lease->jobs.empty() && lease->open.empty()) leases_.erase(id);
}

bool HeldLeases::holds(const LeaseId& id, std::uint64_t job) const {
  const Lease* lease = leases_.find(id);
  return lease && contains(lease->jobs, job);
}

void HeldLeases::open(const LeaseId& id, std::uint64_t job) {
  Lease& lease = leases_[id];
  DMM_ASSERT(!contains(lease.open, job));
  lease.open.insert(std::upper_bound(lease.open.begin(), lease.open.end(), job), job);
}

bool HeldLeases::close(const LeaseId& id, std::uint64_t job) {
  Lease* lease = leases_.find(id);
  if (!lease || !remove_from(lease->open, job)) return false;
  if (lease->jobs.empty() && lease->open.empty()) leases_.erase(id);
  return true;
}

bool HeldLeases::is_open(const LeaseId& id, std::uint64_t job) const {
  const Lease* lease = leases_.find(id);
  return lease && contains(lease->open, job);
}

std::vector<std::uint64_t> HeldLeases::open_under(const LeaseId& id) const {
  const Lease* lease = leases_.find(id);
  if (!lease) return {};
  return {lease->open.begin(), lease->open.end()};
}

std::vector<std::pair<LeaseId, std::uint64_t>> HeldLeases::all_open() const {
  std::vector<std::pair<LeaseId, std::uint64_t>> all;
  for (const LeaseId& id : leases_.keys())
    for (const std::uint64_t job : leases_.at(id).open) all.emplace_back(id, job);
  return all;
}

/// The lease if anybody holds it; under another one nothing starts.
const HeldLeases::Lease* HeldLeases::find_held(const LeaseId& id) const {
  const Lease* lease = leases_.find(id);
  return lease && !lease->jobs.empty() ? lease : nullptr;
}

Instant HeldLeases::until(const Lease& lease) const {
  if (answered_ <= lease.granted_after) return lease.until;
  if (lease.exception_of == answered_) return lease.exception_until;
  return std::max(lease.until, renewed_until_);
}

bool HeldLeases::usable(Instant now, const LeaseId& id) const {
  const Lease* lease = find_held(id);
  return lease && now < until(*lease);
}

bool HeldLeases::awaited(const LeaseId& id) const {
  const Lease* lease = find_held(id);
  return lease && until(*lease) == unknown;
}

void HeldLeases::suspend() {
  for (const LeaseId& id : leases_.keys()) {  // rare: the site restarted
    Lease& lease = leases_.at(id);
    lease.until = unknown;
    lease.granted_after = renewals_;
  }
  sent_.clear();
  answered_ = renewals_;
}

void HeldLeases::confirm(Instant now, const LeaseId& id, Duration left) {
  Lease* lease = leases_.find(id);
  if (lease && left > Duration{}) lease->until = now + less_a_hundredth(left);
}

void HeldLeases::renewal_sent(Instant now) {
  sent_.push_back(now);
  ++renewals_;
}

void HeldLeases::renewed(const Renewed& answer) {
  if (sent_.empty()) return;  // to a renewal of before the site restarted
  answered_ = renewals_ - sent_.size() + 1;
  const Instant sent = sent_.front();
  sent_.pop_front();
  renewed_until_ = sent + less_a_hundredth(answer.term);
  for (const LeaseTerm& exception : answer.shorter)
    if (Lease* lease = leases_.find(exception.lease)) {
      lease->exception_of = answered_;
      lease->exception_until =
          exception.left > Duration{} ? sent + less_a_hundredth(exception.left) : unknown;  // it will say more
    }
}

}  // namespace dmm
