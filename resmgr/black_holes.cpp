// Every change of a node goes through `set_until` or the list of its jobs, and is noted for the ledger and the site.
#include "resmgr/black_holes.hpp"

#include <algorithm>

#include "manager/assert.hpp"
#include "resmgr/slots.hpp"

namespace dmm {
namespace {

constexpr Duration pause_max = seconds(24 * 3600);

/// The user of the job, as a request without job and attempt.
RequestId user_of(const RequestId& job) { return {job.site, job.user, 0, 0}; }

/// One message for all nodes of the same text.
std::vector<SetAside> as_messages(const std::map<std::string, NodeSet>& nodes, bool back) {
  std::vector<SetAside> messages;
  for (const auto& [text, set] : nodes) messages.push_back({set, back, text});
  return messages;
}

}  // namespace

void BlackHoles::failed(Instant now, const NodeSet& nodes, const RequestId& job, const std::string& why) {
  if (after_ == 0) return;
  each_node(nodes, [&](std::uint32_t node) { fail_one(now, node, user_of(job), why); });
}

void BlackHoles::fail_one(Instant now, std::uint32_t node, const RequestId& user, const std::string& why) {
  DMM_ASSERT(after_ > 0);
  Suspect& suspect = suspects_[node];
  if (suspect.until != never) return;  // that it goes on failing is no news
  const bool is_new = std::ranges::find(suspect.users, user) == suspect.users.end();
  const bool is_on_probation = suspect.users.size() >= after_;
  if (!is_new && !is_on_probation) return;
  changed_.insert(node);
  if (!is_on_probation) suspect.users.push_back(user);
  if (suspect.users.size() < after_) return;
  DMM_ASSERT(!suspect.users.empty());
  set_aside_one(
      now, node,
      "lost or could not start jobs of " + std::to_string(after_) + " different users in a row, the last: " + why);
}

void BlackHoles::keeper_died(Instant now, const NodeSet& nodes, const std::vector<RequestId>& jobs) {
  if (after_ == 0) return;
  std::set<RequestId>& users = keeper_deaths_.emplace_back();
  for (const RequestId& job : jobs) users.insert(user_of(job));
  while (keeper_deaths_.size() > after_) keeper_deaths_.pop_front();
  if (keeper_deaths_.size() < after_) return;
  const bool is_suspected = std::ranges::any_of(keeper_deaths_.front(), [&](const RequestId& user) {
    return std::ranges::all_of(keeper_deaths_, [&](const auto& there) { return there.contains(user); });
  });
  if (is_suspected) return;
  set_aside(
      now, nodes,
      "the keeper died " + std::to_string(after_) + " times in a row, and no user had a job there each time");
}

void BlackHoles::set_aside_one(Instant now, std::uint32_t node, std::string text) {
  Suspect& suspect = suspects_[node];
  DMM_ASSERT(suspect.until == never);
  suspect.pause = std::min(suspect.pause == Duration{} ? pause_first_ : suspect.pause * 2, pause_max);
  suspect.text = std::move(text);
  set_until(node, suspect, now + suspect.pause);
  DMM_ASSERT(suspect.until != never && changed_.contains(node));
}

void BlackHoles::set_aside(Instant now, const NodeSet& nodes, const std::string& why) {
  if (after_ == 0) return;
  each_node(nodes, [&](std::uint32_t node) {
    const Suspect* known = find(node);
    if (known == nullptr || known->until == never) set_aside_one(now, node, why);
  });
}

void BlackHoles::ran(const NodeSet& nodes) {
  keeper_deaths_.clear();
  if (suspects_.empty()) return;
  each_node(nodes, [&](std::uint32_t node) {
    const auto it = suspects_.find(node);
    if (it == suspects_.end()) return;
    if (it->second.until != never) set_until(node, it->second, never);
    suspects_.erase(it);
    DMM_ASSERT(backs_.size() <= suspects_.size());
    changed_.insert(node);
  });
}

void BlackHoles::bring_back(Instant now) {
  while (const auto node = backs_.due(now)) set_until(*node, suspects_.at(*node), never);
}

void BlackHoles::set_until(std::uint32_t node, Suspect& suspect, Instant until) {
  backs_.set(suspect.until, node, until);
  DMM_ASSERT(backs_.size() <= suspects_.size());
  changed_.insert(node);
  news_.insert(node);
}

std::vector<SetAside> BlackHoles::take_news() {
  if (news_.empty()) return {};
  std::map<std::string, NodeSet> aside;
  NodeSet back;
  for (const std::uint32_t node : std::exchange(news_, {})) {
    const Suspect* suspect = find(node);
    append(suspect != nullptr && suspect->until != never ? aside[suspect->text] : back, node);
  }
  DMM_ASSERT(aside.empty() || backs_.size() > 0);
  std::vector<SetAside> news = as_messages(aside, false);
  if (!back.empty()) news.push_back({back, true, {}});
  return news;
}

std::vector<SetAside> BlackHoles::aside() const {
  std::map<std::string, NodeSet> aside;
  for (const auto& [node, suspect] : suspects_)
    if (suspect.until != never) append(aside[suspect.text], node);
  DMM_ASSERT(aside.empty() == (backs_.size() == 0));
  return as_messages(aside, false);
}

const Suspect* BlackHoles::find(std::uint32_t node) const {
  const auto it = suspects_.find(node);
  return it == suspects_.end() ? nullptr : &it->second;
}

void BlackHoles::restore(std::uint32_t node, Suspect suspect) {
  backs_.restore(suspect.until, node);
  // A ledger of before has jobs.
  for (RequestId& user : suspect.users) user = user_of(user);
  std::ranges::sort(suspect.users);
  suspect.users.erase(std::ranges::unique(suspect.users).begin(), suspect.users.end());
  const bool is_new = suspects_.emplace(node, std::move(suspect)).second;
  DMM_ASSERT(is_new);
  DMM_ASSERT(backs_.size() <= suspects_.size());
}

}  // namespace dmm
