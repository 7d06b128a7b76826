// Keeping the indices of the queue; see request_queue.hpp.
#include "sitemgr/request_queue.hpp"

#include "machine/assert.hpp"

namespace dmm {
using Search = LocalRequest::Search;

void RequestQueue::index(LocalRequest& request, bool add) {
  const auto put = [add](auto& index, auto key, LocalRequest* value) {
    const bool done = add ? index.emplace(key, value).second : index.erase(key) == 1;
    DMM_ASSERT(done);
  };
  auto& widths = by_width_[request.servable];
  auto& sized = widths[request.widest];
  put(sized, dispatch_key(request), &request);
  if (sized.empty()) widths.erase(request.widest);
  if (request.servable) {
    const std::uint64_t change = add ? request.processors : 0 - std::uint64_t{request.processors};
    demand_ += change;
    if (request.search != Search::out) demand_here_ += change;
  }
  switch (request.search) {
    case Search::ready: put(ready_[request.servable], delegation_->key(request.view(request.since)), &request); break;
    case Search::pausing:
      put(pausing_, std::pair(request.widest, request.arrival), &request);
      put(due_, std::pair(request.resume_at, request.arrival), &request);
      break;
    case Search::out: put(due_, std::pair(request.answer_by, request.arrival), &request); break;
    case Search::home: break;
  }
  counts_[static_cast<std::size_t>(request.search)] += add ? 1 : static_cast<std::size_t>(-1);
}

LocalRequest& RequestQueue::add(LocalRequest request) {
  const std::uint64_t arrival = request.arrival;
  auto& slot = requests_[arrival];
  DMM_ASSERT(!slot);
  slot = std::make_unique<LocalRequest>(std::move(request));
  by_id_[slot->request.id] = slot.get();
  index(*slot, true);
  return *slot;
}

LocalRequest* RequestQueue::find(const RequestId& id) {
  LocalRequest** found = by_id_.find(id);
  return found ? *found : nullptr;
}

void RequestQueue::erase(LocalRequest& request) {
  ++departures_;
  index(request, false);
  by_id_.erase(request.request.id);
  requests_.erase(request.arrival);
}

LocalRequest* RequestQueue::first_fitting(std::uint32_t widest_max, const OrderKey* after, bool servable) {
  LocalRequest* first = nullptr;
  OrderKey first_key;
  for (auto& [width, sized] : by_width_[servable]) {  // as many steps as there are different sizes in the queue
    if (width > widest_max) break;
    const auto it = after ? sized.upper_bound(*after) : sized.begin();
    if (it != sized.end() && (!first || it->first < first_key)) first = it->second, first_key = it->first;
  }
  return first;
}

LocalRequest* RequestQueue::first_pausing(std::uint32_t widest_max, std::uint64_t after) const {
  LocalRequest* first = nullptr;
  auto it = pausing_.begin();
  while (it != pausing_.end() && it->first.first <= widest_max) {
    const std::uint32_t width = it->first.first;
    it = pausing_.lower_bound({width, after + 1});
    if (it != pausing_.end() && it->first.first == width && (!first || it->second->arrival < first->arrival))
      first = it->second;
    it = pausing_.lower_bound({width + 1, 0});
  }
  return first;
}

void RequestQueue::set_search(LocalRequest& request, Search search) {
  // The caller has changed resume_at or answer_by only if the request was in neither index that is ordered by it.
  if (search == Search::out) ++departures_;
  index(request, false);
  request.search = search;
  index(request, true);
}

void RequestQueue::set_servable(LocalRequest& request, bool servable) {
  if (request.servable == servable) return;
  index(request, false);
  request.servable = servable;
  index(request, true);
}

LocalRequest* RequestQueue::due(Instant now) {
  return due_.empty() || due_.begin()->first.first > now ? nullptr : due_.begin()->second;
}

}  // namespace dmm
