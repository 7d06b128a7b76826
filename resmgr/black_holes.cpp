// Every change of a node goes through `set_until` or the list of its jobs, and is noted for the ledger and the site.
#include "resmgr/black_holes.hpp"

#include <algorithm>

#include "machine/assert.hpp"
#include "resmgr/slots.hpp"

namespace dmm {
namespace {

constexpr Duration pause_max = seconds(24 * 3600);

/// One message for all nodes of the same text.
std::vector<SetAside> as_messages(const std::map<std::string, NodeSet>& nodes, bool back) {
  std::vector<SetAside> messages;
  for (const auto& [text, set] : nodes) messages.push_back({set, back, text});
  return messages;
}

}  // namespace

void BlackHoles::failed(Instant now, const NodeSet& nodes, const RequestId& job, const std::string& why) {
  if (after_ == 0) return;
  RequestId any_attempt = job;
  any_attempt.attempt = 0;
  each_node(nodes, [&](std::uint32_t node) { fail_one(now, node, any_attempt, why); });
}

void BlackHoles::fail_one(Instant now, std::uint32_t node, const RequestId& job, const std::string& why) {
  Suspect& suspect = suspects_[node];
  if (suspect.until != never) return;  // that it goes on failing is no news
  const bool is_new = std::find(suspect.jobs.begin(), suspect.jobs.end(), job) == suspect.jobs.end();
  const bool is_on_probation = suspect.jobs.size() >= after_;
  if (!is_new && !is_on_probation) return;
  changed_.insert(node);
  if (!is_on_probation) suspect.jobs.push_back(job);
  if (suspect.jobs.size() < after_) return;
  set_aside_one(now, node,
                "lost or could not start " + std::to_string(after_) + " different jobs in a row, the last: " + why);
}

void BlackHoles::set_aside_one(Instant now, std::uint32_t node, std::string text) {
  Suspect& suspect = suspects_[node];
  suspect.pause = std::min(suspect.pause == Duration{} ? pause_first_ : suspect.pause * 2, pause_max);
  suspect.text = std::move(text);
  set_until(node, suspect, now + suspect.pause);
}

void BlackHoles::set_aside(Instant now, const NodeSet& nodes, const std::string& why) {
  if (after_ == 0) return;
  each_node(nodes, [&](std::uint32_t node) {
    const Suspect* known = find(node);
    if (known == nullptr || known->until == never) set_aside_one(now, node, why);
  });
}

void BlackHoles::ran(const NodeSet& nodes) {
  if (suspects_.empty()) return;
  each_node(nodes, [&](std::uint32_t node) {
    const auto it = suspects_.find(node);
    if (it == suspects_.end()) return;
    if (it->second.until != never) set_until(node, it->second, never);
    suspects_.erase(it);
    changed_.insert(node);
  });
}

void BlackHoles::bring_back(Instant now) {
  while (next_back() <= now) {
    const std::uint32_t node = backs_.begin()->second;
    set_until(node, suspects_.at(node), never);
  }
}

void BlackHoles::set_until(std::uint32_t node, Suspect& suspect, Instant until) {
  if (suspect.until != never) backs_.erase({suspect.until, node});
  suspect.until = until;
  if (until != never) backs_.insert({until, node});
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
  std::vector<SetAside> news = as_messages(aside, false);
  if (!back.empty()) news.push_back({back, true, {}});
  return news;
}

std::vector<SetAside> BlackHoles::aside() const {
  std::map<std::string, NodeSet> aside;
  for (const auto& [node, suspect] : suspects_)
    if (suspect.until != never) append(aside[suspect.text], node);
  return as_messages(aside, false);
}

const Suspect* BlackHoles::find(std::uint32_t node) const {
  const auto it = suspects_.find(node);
  return it == suspects_.end() ? nullptr : &it->second;
}

void BlackHoles::restore(std::uint32_t node, Suspect suspect) {
  if (suspect.until != never) backs_.insert({suspect.until, node});
  const bool is_new = suspects_.emplace(node, std::move(suspect)).second;
  DMM_ASSERT(is_new);
}

}  // namespace dmm
