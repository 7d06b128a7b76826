// What can never be served is told so: by what is configured, or known from before, of this site and of everybody
// within reach. Who is up, busy, drained or registered by now says nothing about that (docs/protocol.md section 6.4).
#include <algorithm>

#include "protocol/text.hpp"
#include "sitemgr/site_manager.hpp"

namespace dmm {
namespace {

/// The most that are refused in one step: others are heard in between.
constexpr std::size_t refusals_a_step = 1'000;
/// More clusters than this are told apart in no claim.
constexpr std::size_t clusters_told_apart = 64;

std::string text_of(const Constraints& constraints) {
  std::string text;
  const auto add = [&](const std::string& one) { text += (text.empty() ? "" : " and ") + one; };
  for (const auto& [name, value] : constraints.attributes) add(name + "=" + value);
  constexpr std::uint64_t mib = 1 << 20;
  if (constraints.memory_bytes > 0) add(std::to_string((constraints.memory_bytes + mib - 1) / mib) + " MiB of memory");
  return text;
}

std::string processors_text(std::uint32_t processors) {
  return std::to_string(processors) + (processors == 1 ? " processor" : " processors");
}

struct Refusal {
  RefusalReason reason;
  std::string text;
};

Refusal refusal_of(const RequestClass& kind, const Prospect& prospect, Duration length) {
  if (!prospect.wide_enough) {
    std::string text = "needs " + processors_text(kind.widest) + " in one cluster";
    if (kind.processors != kind.widest) text += " and " + std::to_string(kind.processors) + " at one site";
    return {RefusalReason::too_large, std::move(text)};
  }
  if (prospect.has_nodes && length == Duration{})
    return {RefusalReason::too_large, "needs " + std::to_string(kind.processors) +
                                          " processors in components of up to " + std::to_string(kind.widest) +
                                          ", which fit into no site's clusters together"};
  if (!prospect.has_nodes)
    return {RefusalReason::no_such_nodes, "needs " + processors_text(kind.widest) + " of nodes with " +
                                              text_of(kind.need.constraints)};
  return {RefusalReason::too_long, "runs for up to " + std::to_string(length.microseconds / 1'000'000) +
                                       " s, and no owner lends for so long"};
}

}  // namespace

/// What this site could do for a class when idle.
void SiteManager::judge(RequestClass& kind) {
  const std::vector<ClusterView> sizes = owned_.sizes(kind.need.constraints);
  std::uint64_t clusters = 0;
  for (std::size_t i = 0; i < sizes.size() && i < clusters_told_apart; ++i)
    if (usable_processors(sizes[i]) >= kind.widest) clusters |= std::uint64_t{1} << i;
  queue_.judge(kind, place(kind.need, sizes).has_value(), clusters);
}

/// What is configured or known of us or of others has changed: who can't be served is told, who can be is looked at.
void SiteManager::judge_all(Step& s) {
  if (!judge_due_) return;
  std::vector<LocalRequest*> hopeless;
  queue_.each_class([&](RequestClass& kind) {
    judge(kind);
    const std::optional<Duration> least = hopeless_from(kind);
    if (!least) return;
    for (auto it = kind.waiting.begin(); it != kind.waiting.end() && hopeless.size() < refusals_a_step; ++it)
      if (it->second->request.length >= *least) hopeless.push_back(it->second);
  });
  const std::size_t waited = queue_.size();
  for (LocalRequest* request : hopeless) refuse_if_hopeless(s, *request);
  judge_due_ = refuses_on_ = hopeless.size() == refusals_a_step && queue_.size() < waited;
  search_dirty_ = true;
}

/// From which length on nobody could ever serve a request of the class: 0, if none of them at all. Nothing if all
/// could.
std::optional<Duration> SiteManager::hopeless_from(const RequestClass& kind) const {
  if (kind.servable) return std::nullopt;
  const bool stays = kind.dttl == 0 || !settings_.delegate || neighbours_.configured() == 0;
  const auto is_hopeless = [&](Duration length) {
    const Prospect prospect = prospect_of(kind, length, stays);
    return !prospect.possible && prospect.complete;
  };
  if (is_hopeless({})) return Duration{};
  std::optional<Duration> least;
  for (auto length = kind.lengths.rbegin(); length != kind.lengths.rend() && is_hopeless(length->first); ++length)
    least = length->first;
  return least;
}

Prospect SiteManager::prospect_of(const RequestClass& kind, Duration length, bool stays) const {
  Prospect prospect;
  prospect.complete = owned_.all_known();
  if (kind.servable) prospect.possible = prospect.wide_enough = prospect.has_nodes = true;
  consider({prospect.complete, owned_.classes({})}, kind.need, {}, prospect);
  if (!kind.servable) prospect.possible = false;  // our own clusters can't hold it, whatever their sum
  if (stays) return prospect;
  if (!settings_.use_hints) prospect.complete = false;
  for (std::size_t n = 0; n < neighbours_.size(); ++n) {
    if (neighbours_[n].removed) continue;
    const Prospect beyond = reach_.beyond(n, kind.need, kind.dttl, length);
    prospect.possible |= beyond.possible;
    prospect.wide_enough |= beyond.wide_enough;
    prospect.has_nodes |= beyond.has_nodes;
    prospect.complete &= beyond.complete;
    prospect.largest = std::max(prospect.largest, beyond.largest);
  }
  return prospect;
}

void SiteManager::refuse_if_hopeless(Step& s, LocalRequest& request) {
  const Duration length = request.request.length;
  const Prospect prospect = prospect_of(*request.kind, length, request.search == LocalRequest::Search::home);
  if (prospect.possible || !prospect.complete) return;
  const RequestId id = request.request.id;
  Refusal refusal = refusal_of(*request.kind, prospect, length);
  if (const Clause here = clause_of(request.kind->need); here.reason == RejectReason::over_quota)
    refusal.text += "; here " + here.what;
  s.out.log(Level::info, "refuse", id,
            {{"reason", std::string(to_text(refusal.reason))},
             {"text", refusal.text},
             {"largest", std::int64_t{prospect.largest}}});
  const Party user = job_manager_of(settings_.name, id.user);
  s.out.send(user, Refuse{id, refusal.reason, prospect.largest, std::move(refusal.text)}, id);
  if (request.search == LocalRequest::Search::out) withdraw(s, request);
  --job_managers_[user].requests;
  queue_.erase(request);
}

// ---- what is told to neighbours ------------------------------------------------------------------------------------

ReachEntry SiteManager::own_reach(std::size_t n) const {
  if (!settings_.lend) return {true, {}};
  ReachEntry own{owned_.all_known(), owned_.classes(lease_length_for(n))};
  const std::uint32_t most = neighbours_[n].limits.processors_at_most();
  for (NodeClass& one : own.classes) {
    one.largest = std::min(one.largest, most);
    one.together = std::min(one.together, most);
  }
  return own;
}

void SiteManager::tell_reach(Step& s) {
  if (!settings_.use_hints || !std::exchange(reach_due_, false)) return;
  const ReachSums sums = reach_.sums(settings_.hint_distance);
  for (std::size_t n = 0; n < neighbours_.size(); ++n) {
    Neighbour& neighbour = neighbours_[n];
    if (!neighbour.up || neighbour.removed) continue;
    Reach reach = sums.without(n, own_reach(n));
    if (reach.entries == neighbour.told_reach.entries) continue;
    neighbour.told_reach = reach;
    send(s, n, std::move(reach), {});
  }
}

void SiteManager::on(Step& s, FromSite from, Reach& reach) {
  if (!reach_.hear(from.neighbour, std::move(reach))) return;
  judge_due_ = reach_due_ = true;
  if (s.out.ledger.wanted) changed_reaches_.insert(from.neighbour);
}

}  // namespace dmm
