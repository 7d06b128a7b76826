// Contact with the owner and with job managers. `silent_` orders those that are down by the time of their silence,
// so only the first of it decides when somebody is to be fenced next.
#include "resmgr/presence.hpp"

#include <algorithm>

#include "machine/assert.hpp"

namespace dmm {

void Presence::up(const Party& peer) {
  Contact& contact = peer == owner_ ? owner_contact_ : job_managers_[peer];
  if (!contact.up) silent_.erase({contact.since, peer});
  contact.up = true;
}

void Presence::down(Instant now, const Party& peer) {
  if (peer == owner_) {
    if (owner_contact_.up) owner_contact_.since = now;
    owner_contact_.up = false;
    return;
  }
  const auto it = job_managers_.find(peer);
  if (it == job_managers_.end() || !it->second.up) return;
  it->second.up = false;
  it->second.since = now;
  if (it->second.tasks.empty())
    job_managers_.erase(it);
  else
    silent_.insert({now, peer});
}

void Presence::heard(Instant now, const Party& peer) {
  if (peer == owner_) {
    if (!owner_contact_.up) owner_contact_.since = now;
    return;
  }
  const auto it = job_managers_.find(peer);
  if (it == job_managers_.end() || it->second.up) return;
  silent_.erase({it->second.since, peer});
  it->second.since = now;
  silent_.insert({now, peer});
}

void Presence::watch(Instant now, const Party& job_manager, std::uint64_t task) {
  const auto [it, is_new] = job_managers_.try_emplace(job_manager);
  if (is_new) {
    it->second.since = now;
    silent_.insert({now, job_manager});
  }
  const bool added = it->second.tasks.insert(task).second;
  DMM_ASSERT(added);
}

void Presence::unwatch(const Party& job_manager, std::uint64_t task) {
  const auto it = job_managers_.find(job_manager);
  if (it == job_managers_.end()) return;
  it->second.tasks.erase(task);
  if (it->second.up || !it->second.tasks.empty()) return;
  silent_.erase({it->second.since, job_manager});
  job_managers_.erase(it);
}

Instant Presence::next_fence() const {
  if (owner_contact_.up || silent_.empty()) return never;
  return std::max(silent_.begin()->first, owner_contact_.since) + term_;
}

std::vector<std::uint64_t> Presence::take_fenced(Instant now) {
  std::vector<std::uint64_t> fenced;
  while (next_fence() <= now) {
    const auto it = job_managers_.find(silent_.begin()->second);
    DMM_ASSERT(it != job_managers_.end() && !it->second.up);
    fenced.insert(fenced.end(), it->second.tasks.begin(), it->second.tasks.end());
    silent_.erase(silent_.begin());
    job_managers_.erase(it);
  }
  return fenced;
}

void Presence::check_invariants() const {
  std::size_t silent = 0;
  for (const auto& [party, contact] : job_managers_) {
    DMM_ASSERT(contact.up || !contact.tasks.empty());
    DMM_ASSERT(contact.up != silent_.contains({contact.since, party}));
    silent += !contact.up;
  }
  DMM_ASSERT(silent == silent_.size());
}

}  // namespace dmm
