// The policy as one pass over the nodes, then one over the pilots.
#include "batchmgr/lending.hpp"

#include <algorithm>
#include <cstdio>
#include <set>

namespace dmm {
namespace {

bool has_all(const std::vector<std::string>& features, const std::vector<std::string>& wanted) {
  return std::ranges::all_of(
      wanted, [&](const std::string& one) { return std::ranges::find(features, one) != features.end(); });
}

bool is_within_hours(const BatchSettings& settings, std::uint32_t minute) {
  const auto hours = parse_hours(settings.hours);
  return settings.hours.empty() || !std::holds_alternative<Hours>(hours) || std::get<Hours>(hours).has(minute);
}

/// Nodes that waiting local jobs want; where nodes are lent between their starts, of those alone that `usable` nodes
/// are enough for, in their order.
std::uint64_t nodes_wanted(const Snapshot& snapshot, const BatchSettings& settings, std::uint64_t usable) {
  std::uint64_t wanted = 0;
  for (const WaitingJob& job : snapshot.waiting)
    if (!job.too_large && (!settings.lend_between || wanted + job.nodes <= usable)) wanted += job.nodes;
  return wanted;
}

/// One pass of the policy.
class Pass {
 public:
  Pass(const Snapshot& snapshot, const LendingPast& past, const BatchSettings& settings, Instant now)
      : snapshot_(snapshot), past_(past), settings_(settings), now_(now) {
    for (const Pilot& pilot : snapshot.pilots) pilots_.emplace(pilot.node, &pilot);
    for (const BatchNode& node : snapshot.nodes)
      if (node.use == NodeUse::idle || node.use == NodeUse::drained)
        (node.use == NodeUse::idle ? idle_names_ : drained_names_).insert(node.name);
  }

  LendingDecision decide() {
    for (const BatchNode& node : snapshot_.nodes) stand(node);
    wanted_ = nodes_wanted(snapshot_, settings_, idle_ + snapshot_.pilots.size());
    choose();
    give_back();
    return std::move(decision_);
  }

 private:
  struct Idle {
    Instant since;
    std::size_t place;  ///< among the standings
  };

  void stand(const BatchNode& node) {
    const auto found = pilots_.find(node.name);
    const Pilot* const pilot = found == pilots_.end() ? nullptr : found->second;
    NodeStanding standing{.name = node.name, .state = state_of(node, pilot), .processors = node.processors};
    if (pilot) standing.pilot = pilot->id.text;
    const bool is_barred =
        node.use == NodeUse::drained || node.use == NodeUse::down || node.use == NodeUse::reserved;
    if (is_barred) standing.why = node.reason.empty() ? "the batch system says " + node.state : node.reason;
    if (node.use == NodeUse::idle && !pilot) {
      standing.why = bar_of(node);
      ++idle_;
      if (standing.why.empty()) candidates_.push_back({past_.idle_since.at(node.name), decision_.nodes.size()});
    }
    decision_.nodes.push_back(std::move(standing));
  }

  static std::string state_of(const BatchNode& node, const Pilot* pilot) {
    if (node.use == NodeUse::down) return "down";
    if (pilot && pilot->runs) return "held";
    if (node.use == NodeUse::drained) return "drained";
    if (node.use == NodeUse::reserved) return "reserved";
    if (node.use == NodeUse::busy || node.use == NodeUse::planned) return "local job";
    return pilot ? "holding" : "idle";
  }

  /// Why this idle node isn't held, whatever others there are.
  std::string bar_of(const BatchNode& node) const {
    if (!is_within_hours(settings_, past_.minute)) return "nodes are held from " + settings_.hours + " only";
    if (!has_all(node.features, settings_.features)) return "it lacks a feature that is asked for";
    if (const auto barred = past_.barred.find(node.name); barred != past_.barred.end()) return barred->second;
    const auto since = past_.idle_since.find(node.name);
    const Duration idle = since == past_.idle_since.end() ? Duration{} : now_ - since->second;
    if (since != past_.idle_since.end() && idle >= settings_.idle_for) return {};
    return "idle for " + std::to_string(static_cast<std::int64_t>(idle.in_seconds())) + " of " +
           std::to_string(static_cast<std::int64_t>(settings_.idle_for.in_seconds())) + " s";
  }

  /// Those that were idle the longest come first.
  void choose() {
    std::ranges::stable_sort(candidates_, {}, &Idle::since);
    const std::uint64_t kept = settings_.reserve + wanted_;
    std::uint64_t spare = idle_ > kept ? idle_ - kept : 0;
    std::uint64_t held = snapshot_.pilots.size();
    for (const Idle& one : candidates_) {
      NodeStanding& node = decision_.nodes[one.place];
      if (spare == 0) {
        node.why = wanted_ > 0 ? "a local job waits, and may need it" : "kept for local users (reserve)";
      } else if (settings_.nodes_max > 0 && held >= settings_.nodes_max) {
        node.why = "the limit of held nodes is reached (nodes_max)";
      } else {
        decision_.hold.push_back(node.name);
        node.state = "holding";
        --spare, ++held;
      }
    }
  }

  /// Pilots with nodes that local jobs wait for, those beyond the limit or outside the hours; the ones that don't
  /// run first.
  void give_back() {
    const bool is_closed = !is_within_hours(settings_, past_.minute);
    const bool has_waited =
        past_.waiting_since != never && now_ - past_.waiting_since >= settings_.recall_after && wanted_ > idle_;
    std::uint64_t back = has_waited ? wanted_ - idle_ : 0;
    if (settings_.nodes_max > 0 && snapshot_.pilots.size() > settings_.nodes_max)
      back = std::max<std::uint64_t>(back, snapshot_.pilots.size() - settings_.nodes_max);
    for (const Pilot& pilot : snapshot_.pilots) {
      const bool is_wanted = is_closed || wanted_ > 0 || !idle_names_.contains(pilot.node);
      if (!pilot.runs && is_wanted) {
        decision_.withdraw.push_back(pilot.id);
      } else if (pilot.runs && (is_closed || back > 0 || drained_names_.contains(pilot.node))) {
        decision_.recall.push_back(pilot.id);
        back -= back > 0;
      } else if (pilot.runs && wanted_ == 0 && pilot.left < settings_.hold / 2) {
        decision_.prolong.push_back(pilot.id);
      }
    }
  }

  const Snapshot& snapshot_;
  const LendingPast& past_;
  const BatchSettings& settings_;
  const Instant now_;
  std::uint64_t wanted_ = 0;  ///< nodes that local jobs wait for
  std::uint64_t idle_ = 0;
  std::map<std::string, const Pilot*> pilots_;  ///< by node
  std::set<std::string> idle_names_, drained_names_;
  std::vector<Idle> candidates_;
  LendingDecision decision_;
};

}  // namespace

LendingDecision decide_lending(const Snapshot& snapshot, const LendingPast& past, const BatchSettings& settings,
                               Instant now) {
  return Pass(snapshot, past, settings, now).decide();
}

OrFault<Hours> parse_hours(const std::string& text) {
  unsigned from_hour = 0, from_minute = 0, until_hour = 0, until_minute = 0;
  char rest = 0;
  const int found =
      std::sscanf(text.c_str(), "%2u:%2u-%2u:%2u%c", &from_hour, &from_minute, &until_hour, &until_minute, &rest);
  const bool is_time = from_hour < 24 && until_hour < 24 && from_minute < 60 && until_minute < 60;
  if (found != 4 || !is_time) return "expected hours as in \"20:00-06:00\", found \"" + text + '"';
  return Hours{from_hour * 60 + from_minute, until_hour * 60 + until_minute};
}

}  // namespace dmm
