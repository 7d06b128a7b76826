// Expiry without a walk: a lease is good by its own grant, by the latest renewal, or by that one's exception.
#include "jobmgr/held_leases.hpp"

#include <algorithm>

#include "machine/assert.hpp"

namespace dmm {
namespace {

Duration less_a_hundredth(Duration length) { return length - length / 100; }

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
  DMM_ASSERT(std::find(lease.jobs.begin(), lease.jobs.end(), job) == lease.jobs.end());
  lease.jobs.push_back(job);
  ++grants_;
}

void HeldLeases::remove(const LeaseId& id, std::uint64_t job) {
  const auto it = leases_.find(id);
  if (it == leases_.end() || std::erase(it->second.jobs, job) == 0) return;
  --grants_;
  if (it->second.jobs.empty()) leases_.erase(it);
}

bool HeldLeases::holds(const LeaseId& id, std::uint64_t job) const {
  const auto it = leases_.find(id);
  if (it == leases_.end()) return false;
  const auto& jobs = it->second.jobs;
  return std::find(jobs.begin(), jobs.end(), job) != jobs.end();
}

Instant HeldLeases::until(const Lease& lease) const {
  if (answered_ <= lease.granted_after) return lease.until;
  if (lease.exception_of == answered_) return lease.exception_until;
  return std::max(lease.until, renewed_until_);
}

bool HeldLeases::usable(Instant now, const LeaseId& id) const {
  const auto it = leases_.find(id);
  return it != leases_.end() && now < until(it->second);
}

bool HeldLeases::awaited(const LeaseId& id) const {
  const auto it = leases_.find(id);
  return it != leases_.end() && until(it->second) == unknown;
}

void HeldLeases::suspend() {
  for (auto& [id, lease] : leases_) {
    lease.until = unknown;
    lease.granted_after = renewals_;
  }
  sent_.clear();
  answered_ = renewals_;
}

void HeldLeases::confirm(Instant now, const LeaseId& id, Duration left) {
  const auto it = leases_.find(id);
  if (it != leases_.end() && left > Duration{}) it->second.until = now + less_a_hundredth(left);
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
    if (const auto it = leases_.find(exception.lease); it != leases_.end()) {
      it->second.exception_of = answered_;
      it->second.exception_until =
          exception.left > Duration{} ? sent + less_a_hundredth(exception.left) : unknown;  // it will say more
    }
}

}  // namespace dmm
