// Keeping the indices of the queue; see request_queue.hpp.
#include "sitemgr/request_queue.hpp"

#include <algorithm>
#include <utility>

#include "manager/assert.hpp"
#include "sitemgr/settings.hpp"

namespace dmm {
namespace {

using Search = LocalRequest::Search;

/// Ranks are milliseconds, and a few bits that tell apart what came in the same one.
constexpr std::int64_t rank_origin = std::int64_t{1} << 39;
constexpr unsigned count_bits = 24;

/// How many requests of one class are looked at for one of a suitable length; and of how many classes.
constexpr int lengths_max = 64;
constexpr int classes_looked_at_max = 256;
/// How many that pause are passed over as too wide for a hint.
constexpr int too_wide_max = 1'024;

template <class Index, class Key, class Value>
void put(Index& index, const Key& key, Value value, bool add) {
  const bool done = add ? index.emplace(key, value).second : index.erase(key) == 1;
  DMM_ASSERT(done);
}

void put(WidthIndex& index, RequestClass& kind, const OrderKey& key, bool add) {
  add ? index.insert(kind, key) : index.erase(kind, key);
}

}  // namespace

// ---- classes -------------------------------------------------------------------------------------------------------

RequestClass& RequestQueue::class_of(const ResourceNeed& need, std::uint32_t dttl, bool& is_new) {
  const std::uint32_t widest = widest_component(need);
  auto& slot = classes_[{widest, dttl, need}];
  is_new = !slot;
  DMM_ASSERT(is_new || (slot->widest == widest && slot->dttl == dttl && !slot->waiting.empty()));
  if (!is_new) return *slot;
  slot = std::make_unique<RequestClass>();
  slot->need = need;
  slot->dttl = dttl;
  slot->processors = total_processors(need);
  slot->widest = widest;
  slot->simple =
      need.components.size() == 1 && need.kind == RequestKind::non_fixed && need.constraints == Constraints{};
  return *slot;
}

void RequestQueue::classify(RequestClass& kind, bool holds_here, bool servable, std::uint64_t clusters) {
  DMM_ASSERT(holds_here || !servable);
  if (kind.holds_here == holds_here && kind.servable == servable && kind.clusters == clusters) return;
  const std::uint64_t all = kind.waiting.size(), here = all - kind.out;
  DMM_ASSERT(kind.ready.size() + kind.out + kind.home <= all);
  totals_.reclassify(kind, servable);
  if (all > 0) totals_.subtract(kind, all, here);
  index_head(kind, false);
  index_ready_head(kind, false);
  kind.servable = servable;
  kind.holds_here = holds_here;
  index_head(kind, true);
  index_ready_head(kind, true);
  kind.clusters = clusters;
  if (all > 0) totals_.add(kind, all, here);
}

// ---- indices -------------------------------------------------------------------------------------------------------

/// Adds a request to a class's list, or takes it out if there is none of that key to be added; the class stands among
/// the others by its first.
template <class IndexHead>
void RequestQueue::change(InOrder& list, const OrderKey& key, LocalRequest* request, IndexHead index_head) {
  const bool was_first = list.empty() || key <= list.begin()->first;
  if (was_first) index_head(false);
  if (request)
    put(list, key, request, true);
  else
    DMM_ASSERT(list.erase(key) == 1);
  if (was_first) index_head(true);
}

void RequestQueue::index_head(RequestClass& kind, bool add) {
  if (kind.waiting.empty()) return;
  const OrderKey key = kind.waiting.begin()->first;
  DMM_ASSERT(kind.waiting.begin()->second->kind == &kind);
  put(heads_[kind.servable], key, &kind, add);
  if (kind.dttl > 0) put(leaving_[kind.servable], key, &kind, add);
  if (kind.servable) put(fitting_, kind, key, add);
  if (kind.simple) put(simple_, kind, key, add);
}

void RequestQueue::index_ready_head(RequestClass& kind, bool add) {
  if (kind.ready.empty()) return;
  DMM_ASSERT(kind.ready.begin()->second->kind == &kind && kind.ready.begin()->second->search == Search::ready);
  put(ready_[kind.servable], kind.ready.begin()->first, &kind, add);
}

void RequestQueue::index_search(LocalRequest& request, bool add) {
  RequestClass& kind = *request.kind;
  const std::size_t one = add ? 1 : static_cast<std::size_t>(-1);
  switch (request.search) {
    case Search::ready:
      readied_ += add;
      change(kind.ready, delegation_->key(request.view(request.since)), add ? &request : nullptr,
             [&](bool of_now) { index_ready_head(kind, of_now); });
      break;
    case Search::pausing:
      put(pausing_, std::pair(rough_width(kind.widest), request.arrival), &request, add);
      put(due_, std::pair(request.resume_at, request.arrival), &request, add);
      break;
    case Search::out:
      DMM_ASSERT(request.target < out_.size() && (add || kind.out > 0));
      put(due_, std::pair(request.answer_by, request.arrival), &request, add);
      put(out_[request.target], request.arrival, &request, add);
      kind.out += one;
      break;
    case Search::gathering:
      put(due_, std::pair(request.answer_by, request.arrival), &request, add);
      kind.out += one;
      break;
    case Search::home:
      DMM_ASSERT(add || kind.home > 0);
      kind.home += one;
      break;
  }
  add ? totals_.enter(kind, request.search) : totals_.leave(kind, request.search);
  DMM_ASSERT(totals_.requests() <= requests_.size());
}

void RequestQueue::index(LocalRequest& request, bool add) {
  RequestClass& kind = *request.kind;
  change(kind.waiting, dispatch_key(request), add ? &request : nullptr,
         [&](bool of_now) { index_head(kind, of_now); });
  const bool is_here = !request.is_away();
  add ? totals_.add(kind, 1, is_here) : totals_.subtract(kind, 1, is_here);
  index_search(request, add);
}

std::uint64_t RequestQueue::rank(Instant since) {
  const std::int64_t milliseconds =
      std::clamp<std::int64_t>(since.microseconds / 1000 + rank_origin, 0, 2 * rank_origin - 1);
  std::uint64_t rank = static_cast<std::uint64_t>(milliseconds) << count_bits;
  rank |= ++added_ & ((std::uint64_t{1} << count_bits) - 1);
  while (requests_.contains(rank)) ++rank;
  return rank;
}

LocalRequest& RequestQueue::add(LocalRequest request, RequestClass& kind) {
  const std::uint64_t arrival = request.arrival;
  auto& slot = requests_[arrival];
  DMM_ASSERT(!slot);
  slot = std::make_unique<LocalRequest>(std::move(request));
  slot->kind = &kind;
  slot->request.need = {};
  LocalRequest*& by_id = by_id_[slot->request.id];
  DMM_ASSERT(!by_id);
  by_id = slot.get();
  by_user_[slot->request.id.user].emplace(arrival, slot.get());
  if (slot->request.length > Duration{}) ++kind.lengths[slot->request.length];
  index(*slot, true);
  DMM_ASSERT(totals_.requests() == requests_.size());
  return *slot;
}

LocalRequest* RequestQueue::find(const RequestId& id) {
  LocalRequest** found = by_id_.find(id);
  DMM_ASSERT(!found || ((*found)->kind && (*found)->request.id == id));
  return found ? *found : nullptr;
}

void RequestQueue::erase(LocalRequest& request) {
  index(request, false);
  const bool had_id = by_id_.erase(request.request.id);
  const auto user = by_user_.find(request.request.id.user);
  DMM_ASSERT(had_id && user != by_user_.end());
  DMM_ASSERT(user->second.erase(request.arrival) == 1);
  if (user->second.empty()) by_user_.erase(user);
  RequestClass& kind = *request.kind;
  if (const auto length = kind.lengths.find(request.request.length); length != kind.lengths.end())
    if (--length->second == 0) kind.lengths.erase(length);
  if (kind.waiting.empty()) {
    DMM_ASSERT(kind.ready.empty() && kind.out == 0 && kind.home == 0 && kind.claimed == 0 && kind.lengths.empty());
    const std::size_t erased = classes_.erase({kind.widest, kind.dttl, kind.need});
    DMM_ASSERT(erased == 1);
  }
  requests_.erase(request.arrival);
  DMM_ASSERT(totals_.requests() == requests_.size());
}

const DenseMap<std::uint64_t, LocalRequest*>* RequestQueue::of_user(const ShortText& user) const {
  const auto found = by_user_.find(user);
  DMM_ASSERT(found == by_user_.end() || !found->second.empty());
  return found == by_user_.end() ? nullptr : &found->second;
}

void RequestQueue::set_policies(const DispatchPolicy& dispatch, const DelegationPolicy& delegation) {
  for (const auto& [arrival, request] : requests_) index(*request, false);
  DMM_ASSERT(heads_[0].empty() && heads_[1].empty() && due_.empty() && pausing_.empty());
  DMM_ASSERT(totals_.claims().empty() && totals_.requests() == 0 && totals_.demand_here() == 0);
  dispatch_ = &dispatch;
  delegation_ = &delegation;
  for (const auto& [arrival, request] : requests_) index(*request, true);
  DMM_ASSERT(totals_.requests() == requests_.size());
}

// ---- dispatching ---------------------------------------------------------------------------------------------------

const LocalRequest* RequestQueue::head() const {
  if (heads_[true].empty()) return nullptr;
  const auto& [key, kind] = *heads_[true].begin();
  DMM_ASSERT(kind->servable && kind->waiting.begin()->first == key);
  return kind->waiting.begin()->second;
}

LocalRequest* RequestQueue::after(const LocalRequest& request) {
  const OrderKey key = dispatch_key(request);
  LocalRequest* next = nullptr;
  OrderKey next_key;
  for (const auto& [first, kind] : heads_[true]) {
    if (next && next_key < first) break;
    const auto it = kind->waiting.upper_bound(key);
    if (it != kind->waiting.end() && (!next || it->first < next_key)) next = it->second, next_key = it->first;
  }
  DMM_ASSERT(!next || next->kind->servable);
  return next;
}

bool RequestQueue::may_follow(const LocalRequest& request, Duration length, Duration unsaid) {
  if (request.request.past.times > 0) return false;  // it is to have a lease of its own, which protects it
  const Duration said = request.request.length;
  return (said > Duration{} ? said + beyond_declared : unsaid) <= length;
}

LocalRequest* RequestQueue::first_for_lease(std::uint32_t processors, std::uint32_t hops, Duration length,
                                            Duration unsaid) {
  LocalRequest* first = nullptr;
  OrderKey first_key;
  WidthIndex::Walk walk = simple_.walk_from(processors, first_of_all);
  for (int classes = 0; classes < classes_looked_at_max; ++classes) {
    const RequestClass* kind = simple_.next_of(walk, processors);
    if (!kind || (first && first_key < kind->waiting.begin()->first)) break;
    DMM_ASSERT(kind->simple);
    if (kind->widest > processors || kind->dttl < hops) continue;
    int looked = 0;
    for (auto it = kind->waiting.begin(); it != kind->waiting.end() && looked < lengths_max; ++it, ++looked) {
      if (first && first_key < it->first) break;
      if (!may_follow(*it->second, length, unsaid)) continue;
      first = it->second;
      first_key = it->first;
      break;
    }
  }
  DMM_ASSERT(!first || first->kind->widest <= processors);
  return first;
}

// ---- searching -----------------------------------------------------------------------------------------------------

const LocalRequest* RequestQueue::first_borrowing(bool also_servable) const {
  const RequestClass* first = nullptr;
  OrderKey first_key;
  for (const bool servable : {false, true}) {
    if (leaving_[servable].empty() || (servable && !also_servable)) continue;
    const auto& [key, kind] = *leaving_[servable].begin();
    DMM_ASSERT(kind->dttl > 0 && kind->servable == servable && kind->waiting.begin()->first == key);
    if (!first || key < first_key) first = kind, first_key = key;
  }
  return first ? first->waiting.begin()->second : nullptr;
}

LocalRequest* RequestQueue::first_pausing(std::uint32_t widest_max, std::uint64_t after) const {
  LocalRequest* first = nullptr;
  auto it = pausing_.begin();
  while (it != pausing_.end() && it->first.first <= rough_width(widest_max)) {
    const std::uint32_t width = it->first.first;
    it = pausing_.lower_bound({width, after + 1});
    for (int looked = 0; it != pausing_.end() && it->first.first == width && looked < too_wide_max;
         ++it, ++looked) {
      if (first && first->arrival < it->second->arrival) break;
      if (it->second->kind->widest > widest_max) continue;
      first = it->second;
      break;
    }
    it = pausing_.lower_bound({width + 1, 0});
  }
  DMM_ASSERT(!first || (first->search == Search::pausing && first->arrival > after));
  return first;
}

void RequestQueue::set_search(LocalRequest& request, Search search) {
  // The caller has changed resume_at, target or answer_by only if the request was in no index that is ordered by it.
  DMM_ASSERT(request.search != search);
  if (request.is_away()) totals_.came_back(*request.kind);
  if (LocalRequest::is_away(search)) totals_.went_out(*request.kind);
  index_search(request, false);
  request.search = search;
  index_search(request, true);
  const RequestClass& kind = *request.kind;
  DMM_ASSERT(kind.ready.size() + kind.out + kind.home <= kind.waiting.size());  // each is at one stage
}

LocalRequest* RequestQueue::due(Instant now) {
  if (due_.empty() || due_.begin()->first.first > now) return nullptr;
  LocalRequest* first = due_.begin()->second;
  DMM_ASSERT(first->is_away() || first->search == Search::pausing);
  DMM_ASSERT(due_.begin()->first.first == (first->is_away() ? first->answer_by : first->resume_at));
  return first;
}

}  // namespace dmm
