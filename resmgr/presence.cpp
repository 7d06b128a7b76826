// Contact with the owner and with job managers. `silent_` orders those that are down by the time of their silence,
// so only the first of it decides when the next task is to be ended.
#include "resmgr/presence.hpp"

#include <algorithm>

#include "manager/assert.hpp"

namespace dmm {

void Presence::up(const Party& peer) {
  if (peer == owner_) {
    owner_contact_.up = true;
    return;
  }
  const auto it = job_managers_.try_emplace(peer).first;
  remove_from_index(*it);
  it->second.up = true;
}

void Presence::down(Instant since, const Party& peer) {
  if (peer == owner_) {
    if (owner_contact_.up) owner_contact_.since = since;
    owner_contact_.up = false;
    return;
  }
  const auto it = job_managers_.find(peer);
  if (it == job_managers_.end() || !it->second.up) return;
  it->second.up = false;
  it->second.since = since;
  keep_or_drop(it);
}

void Presence::heard(Instant now, const Party& peer) {
  if (peer == owner_) {
    if (!owner_contact_.up) owner_contact_.since = now;
    return;
  }
  const auto it = job_managers_.find(peer);
  if (it == job_managers_.end() || it->second.up) return;
  DMM_ASSERT(it->second.has_tasks());  // else it would be forgotten
  remove_from_index(*it);
  it->second.since = now;
  add_to_index(*it);
}

void Presence::watch(Instant now, const Party& job_manager, std::uint64_t task) {
  DMM_ASSERT(job_manager != owner_);
  const auto [it, is_new] = job_managers_.try_emplace(job_manager);
  if (is_new) it->second.since = now;
  const bool added = it->second.tasks[on_either].insert(task);
  DMM_ASSERT(added && !it->second.tasks[on_job_manager].contains(task));
  add_to_index(*it);
}

void Presence::detach(const Party& job_manager, std::uint64_t task) {
  const auto it = job_managers_.find(job_manager);
  if (it == job_managers_.end() || !it->second.tasks[on_either].contains(task)) return;
  remove_from_index(*it);
  it->second.tasks[on_either].erase(task);
  const bool added = it->second.tasks[on_job_manager].insert(task);
  DMM_ASSERT(added);
  add_to_index(*it);
}

void Presence::unwatch(const Party& job_manager, std::uint64_t task) {
  const auto it = job_managers_.find(job_manager);
  if (it == job_managers_.end()) return;
  DMM_ASSERT(it->second.up || it->second.has_tasks());
  remove_from_index(*it);
  for (auto& tasks : it->second.tasks) tasks.erase(task);
  keep_or_drop(it);
}

void Presence::add_to_index(const Contacts::value_type& entry) {
  const auto& [party, contact] = entry;
  for (std::size_t kind = 0; kind < dependences; ++kind)
    if (!contact.up && !contact.tasks[kind].empty()) silent_[kind].insert({contact.since, party});
  for (const auto& silent : silent_) DMM_ASSERT(silent.size() <= job_managers_.size());
}

void Presence::remove_from_index(const Contacts::value_type& entry) {
  if (entry.second.up) return;
  for (auto& silent : silent_) silent.erase({entry.second.since, entry.first});
}

void Presence::keep_or_drop(Contacts::iterator entry) {
  if (entry->second.up || entry->second.has_tasks())
    add_to_index(*entry);
  else
    job_managers_.erase(entry);
  for (const auto& silent : silent_) DMM_ASSERT(silent.size() <= job_managers_.size());
}

Instant Presence::next_deadline(Dependence dependence) const {
  const auto& silent = silent_[dependence];
  DMM_ASSERT(silent.size() <= job_managers_.size());
  if (silent.empty()) return never;
  if (dependence == on_job_manager) return silent.begin()->first + term_;
  return owner_contact_.up ? never : std::max(silent.begin()->first, owner_contact_.since) + term_;
}

Instant Presence::next_deadline() const {
  return std::min(next_deadline(on_either), next_deadline(on_job_manager));
}

std::vector<std::uint64_t> Presence::take_out_of_contact(Instant now) {
  std::vector<std::uint64_t> lost;
  for (const Dependence dependence : {on_either, on_job_manager})
    while (next_deadline(dependence) <= now) {
      const auto it = job_managers_.find(silent_[dependence].begin()->second);
      DMM_ASSERT(it != job_managers_.end() && !it->second.up);
      DMM_ASSERT(it->second.since == silent_[dependence].begin()->first);
      const std::vector<std::uint64_t> tasks = it->second.tasks[dependence].sorted();
      DMM_ASSERT(!tasks.empty());
      lost.insert(lost.end(), tasks.begin(), tasks.end());
      remove_from_index(*it);
      it->second.tasks[dependence].clear();
      keep_or_drop(it);
    }
  DMM_ASSERT(next_deadline() > now);
  return lost;
}

void Presence::check_invariants() const {
  std::array<std::size_t, dependences> silent{};
  for (const auto& [party, contact] : job_managers_) {
    DMM_ASSERT(contact.up || contact.has_tasks());
    for (std::size_t kind = 0; kind < dependences; ++kind) {
      const bool is_silent = !contact.up && !contact.tasks[kind].empty();
      DMM_ASSERT(is_silent == silent_[kind].contains({contact.since, party}));
      silent[kind] += is_silent;
    }
  }
  for (std::size_t kind = 0; kind < dependences; ++kind) DMM_ASSERT(silent[kind] == silent_[kind].size());
}

}  // namespace dmm
