// Keeping the indices of the queue; see request_queue.hpp.
#include "sitemgr/request_queue.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
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
/// Of how many classes a pass of matchmaking finds out in one step whether they fit: some milliseconds.
constexpr std::uint32_t looks_max = 1'024;
/// How many that pause are passed over as too wide for a hint.
constexpr int too_wide_max = 1'024;
/// More kinds of nodes that users wait for aren't told apart.
constexpr std::size_t claims_max = 64;

constexpr OrderKey first_of_all{std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::min(), 0};
OrderKey behind(OrderKey key) {
  ++key.arrival;
  return key;
}

/// The same for widths that differ by less than an eighth; each up to 16 has its own.
std::uint32_t rough(std::uint32_t width) {
  if (width < 16) return width;
  const auto shift = static_cast<std::uint32_t>(std::bit_width(width)) - 4;
  return (shift << 3) + (width >> shift);
}

template <class Index, class Key, class Value>
void put(Index& index, const Key& key, Value value, bool add) {
  const bool done = add ? index.emplace(key, value).second : index.erase(key) == 1;
  DMM_ASSERT(done);
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
  slot->simple = need.components.size() == 1 && need.kind == RequestKind::non_fixed &&
                 need.constraints == Constraints{};
  return *slot;
}

/// What its requests come to in the sums; `here` of them aren't out.
void RequestQueue::count(RequestClass& kind, std::uint64_t requests, std::uint64_t here, bool add) {
  const std::uint64_t all = requests * kind.processors, here_all = here * kind.processors;
  if (!kind.servable) return;
  DMM_ASSERT(here <= requests && (add || (demand_ >= all && demand_here_ >= here_all && kind.claimed >= all)));
  demand_ += add ? all : 0 - all;
  demand_here_ += add ? here_all : 0 - here_all;
  if (kind.claimed == 0) kind.claim = claim_of(kind);
  const auto claim = claims_.try_emplace(kind.claim, 0).first;
  DMM_ASSERT(claim->second >= kind.claimed);
  claim->second += add ? all : 0 - all;
  kind.claimed += add ? all : 0 - all;
  if (claim->second == 0) claims_.erase(claim);
  ++claim_changes_;
  DMM_ASSERT(demand_here_ <= demand_);
}

LocalClaim RequestQueue::claim_of(const RequestClass& kind) const {
  LocalClaim own{kind.need.constraints, kind.clusters};
  if (claims_.size() < claims_max || claims_.contains(own)) return own;
  return {{}, ~std::uint64_t{0}};
}

void RequestQueue::classify(RequestClass& kind, bool servable, std::uint64_t clusters) {
  if (kind.servable == servable && kind.clusters == clusters) return;
  DMM_ASSERT(kind.out + kind.home <= kind.waiting.size());
  const std::uint64_t all = kind.waiting.size(), here = all - kind.out;
  const std::uint64_t borrowing = (all - kind.home) * kind.processors;
  DMM_ASSERT(borrowing_[kind.servable] >= borrowing);
  borrowing_[kind.servable] -= borrowing;
  borrowing_[servable] += borrowing;
  if (all > 0) count(kind, all, here, false);
  index_head(kind, false);
  index_ready_head(kind, false);
  kind.servable = servable;
  index_head(kind, true);
  index_ready_head(kind, true);
  kind.clusters = clusters;
  if (all > 0) count(kind, all, here, true);
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
  if (kind.servable) put(fitting_, std::pair(rough(kind.widest), key), &kind, add);
  if (kind.simple) put(simple_, std::pair(rough(kind.widest), key), &kind, add);
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
      put(pausing_, std::pair(rough(kind.widest), request.arrival), &request, add);
      put(due_, std::pair(request.resume_at, request.arrival), &request, add);
      break;
    case Search::out:
      DMM_ASSERT(request.target < out_.size() && (add || kind.out > 0));
      put(due_, std::pair(request.answer_by, request.arrival), &request, add);
      put(out_[request.target], request.arrival, &request, add);
      kind.out += one;
      break;
    case Search::home:
      DMM_ASSERT(add || kind.home > 0);
      kind.home += one;
      break;
  }
  const std::uint64_t borrows = request.search == Search::home ? 0 : kind.processors;
  DMM_ASSERT(add || borrowing_[kind.servable] >= borrows);
  borrowing_[kind.servable] += add ? borrows : 0 - borrows;
  counts_[static_cast<std::size_t>(request.search)] += one;
  DMM_ASSERT(counts_[static_cast<std::size_t>(request.search)] <= requests_.size());
}

void RequestQueue::index(LocalRequest& request, bool add) {
  RequestClass& kind = *request.kind;
  change(kind.waiting, dispatch_key(request), add ? &request : nullptr,
         [&](bool of_now) { index_head(kind, of_now); });
  count(kind, 1, request.search != Search::out, add);
  index_search(request, add);
}

std::uint64_t RequestQueue::rank(Instant since) {
  const std::int64_t milliseconds = std::clamp<std::int64_t>(since.microseconds / 1000 + rank_origin, 0,
                                                             2 * rank_origin - 1);
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
  DMM_ASSERT(counts_[0] + counts_[1] + counts_[2] + counts_[3] == requests_.size());
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
  DMM_ASSERT(counts_[0] + counts_[1] + counts_[2] + counts_[3] == requests_.size());
}

const DenseMap<std::uint64_t, LocalRequest*>* RequestQueue::of_user(const ShortText& user) const {
  const auto found = by_user_.find(user);
  DMM_ASSERT(found == by_user_.end() || !found->second.empty());
  return found == by_user_.end() ? nullptr : &found->second;
}

void RequestQueue::set_policies(const DispatchPolicy& dispatch, const DelegationPolicy& delegation) {
  for (const auto& [arrival, request] : requests_) index(*request, false);
  DMM_ASSERT(heads_[0].empty() && heads_[1].empty() && due_.empty() && pausing_.empty());
  DMM_ASSERT(claims_.empty() && demand_ == 0 && demand_here_ == 0 && borrowing_[0] == 0 && borrowing_[1] == 0);
  dispatch_ = &dispatch;
  delegation_ = &delegation;
  for (const auto& [arrival, request] : requests_) index(*request, true);
  swept_ = first_of_all;
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

/// What is in a walk is never later than the next head of its width: what is found there tells.
RequestQueue::Walk RequestQueue::walk_from(const HeadsByWidth& heads, std::uint32_t widest_max, const OrderKey& from) {
  Walk walk;
  for (auto it = heads.begin(); it != heads.end() && it->first.first <= rough(widest_max);
       it = heads.lower_bound({it->first.first + 1, first_of_all}))
    walk.emplace_back(from, it->first.first);
  std::ranges::make_heap(walk, std::greater<>());
  return walk;
}

/// Widths that have become too wide leave the walk.
RequestClass* RequestQueue::next_of(const HeadsByWidth& heads, std::uint32_t widest_max, Walk& walk) {
  while (!walk.empty()) {
    std::ranges::pop_heap(walk, std::greater<>());
    auto& [earliest, width] = walk.back();
    const auto it = heads.lower_bound({width, earliest});
    if (it == heads.end() || it->first.first != width || width > rough(widest_max)) {
      walk.pop_back();
      continue;
    }
    const bool is_it = it->first.second == earliest;
    DMM_ASSERT(!is_it || it->second->waiting.begin()->first == earliest);
    earliest = is_it ? behind(earliest) : it->first.second;
    std::ranges::push_heap(walk, std::greater<>());
    if (is_it) return it->second;
  }
  return nullptr;
}

void RequestQueue::begin_pass() {
  ++pass_;
  swept_ = first_of_all;
  go_on();
}

void RequestQueue::go_on() {
  sweep_ = walk_from(fitting_, std::numeric_limits<std::uint32_t>::max(), swept_);
  looks_left_ = looks_max;
}

LocalRequest* RequestQueue::first_fitting(std::uint32_t widest_max) {
  for (; looks_left_ > 0; --looks_left_) {
    const RequestClass* kind = next_of(fitting_, widest_max, sweep_);
    if (!kind) return nullptr;
    DMM_ASSERT(kind->servable && swept_ <= kind->waiting.begin()->first);  // a pass never goes back
    swept_ = behind(kind->waiting.begin()->first);
    if (kind->widest > widest_max || kind->misfit == pass_) continue;
    --looks_left_;
    return kind->waiting.begin()->second;
  }
  return nullptr;
}

LocalRequest* RequestQueue::first_for_lease(std::uint32_t processors, std::uint32_t hops, Duration length,
                                            Duration unsaid) {
  LocalRequest* first = nullptr;
  OrderKey first_key;
  Walk walk = walk_from(simple_, processors, first_of_all);
  for (int classes = 0; classes < classes_looked_at_max; ++classes) {
    const RequestClass* kind = next_of(simple_, processors, walk);
    if (!kind || (first && first_key < kind->waiting.begin()->first)) break;
    DMM_ASSERT(kind->simple);
    if (kind->widest > processors || kind->dttl < hops) continue;
    int looked = 0;
    for (auto it = kind->waiting.begin(); it != kind->waiting.end() && looked < lengths_max; ++it, ++looked) {
      if (first && first_key < it->first) break;
      if (it->second->request.past.times > 0) continue;  // it is to have a lease of its own, which protects it
      const Duration said = it->second->request.length;
      if ((said > Duration{} ? said + beyond_declared : unsaid) > length) continue;
      first = it->second;
      first_key = it->first;
      break;
    }
  }
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
  while (it != pausing_.end() && it->first.first <= rough(widest_max)) {
    const std::uint32_t width = it->first.first;
    it = pausing_.lower_bound({width, after + 1});
    for (int looked = 0; it != pausing_.end() && it->first.first == width && looked < too_wide_max; ++it, ++looked) {
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
  if (request.kind->servable) {
    const std::uint64_t processors = request.kind->processors;
    DMM_ASSERT(request.search == Search::out || demand_here_ >= processors);
    if (request.search != Search::out) demand_here_ -= processors;
    if (search != Search::out) demand_here_ += processors;
    DMM_ASSERT(demand_here_ <= demand_);
  }
  index_search(request, false);
  request.search = search;
  index_search(request, true);
}

LocalRequest* RequestQueue::due(Instant now) {
  if (due_.empty() || due_.begin()->first.first > now) return nullptr;
  LocalRequest* first = due_.begin()->second;
  DMM_ASSERT(first->search == Search::out || first->search == Search::pausing);
  DMM_ASSERT(due_.begin()->first.first == (first->search == Search::out ? first->answer_by : first->resume_at));
  return first;
}

}  // namespace dmm
