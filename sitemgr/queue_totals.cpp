// Keeping the sums of queue_totals.hpp.
#include "sitemgr/queue_totals.hpp"

#include "manager/assert.hpp"

namespace dmm {
namespace {

using Search = LocalRequest::Search;

/// More kinds of nodes that users wait for aren't told apart.
constexpr std::size_t claims_max = 64;

std::uint64_t borrowed(const RequestClass& kind, Search search) {
  return search == Search::home ? 0 : kind.processors;
}

}  // namespace

void QueueTotals::change(RequestClass& kind, std::uint64_t requests, std::uint64_t here, bool add) {
  const std::uint64_t all = requests * kind.processors, here_all = here * kind.processors;
  if (!kind.holds_here) return;
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

LocalClaim QueueTotals::claim_of(const RequestClass& kind) const {
  LocalClaim own{kind.need.constraints, kind.clusters};
  if (claims_.size() < claims_max || claims_.contains(own)) return own;
  return {{}, ~std::uint64_t{0}};
}

void QueueTotals::enter(const RequestClass& kind, Search search) {
  borrowing_[kind.servable] += borrowed(kind, search);
  ++counts_[static_cast<std::size_t>(search)];
}

void QueueTotals::leave(const RequestClass& kind, Search search) {
  std::size_t& count = counts_[static_cast<std::size_t>(search)];
  DMM_ASSERT(count > 0 && borrowing_[kind.servable] >= borrowed(kind, search));
  borrowing_[kind.servable] -= borrowed(kind, search);
  --count;
}

void QueueTotals::went_out(const RequestClass& kind) {
  if (!kind.holds_here) return;
  DMM_ASSERT(demand_here_ >= kind.processors);
  demand_here_ -= kind.processors;
}

void QueueTotals::came_back(const RequestClass& kind) {
  if (!kind.holds_here) return;
  demand_here_ += kind.processors;
  DMM_ASSERT(demand_here_ <= demand_);
}

void QueueTotals::reclassify(const RequestClass& kind, bool servable) {
  DMM_ASSERT(kind.out + kind.home <= kind.waiting.size());
  const std::uint64_t borrowing = (kind.waiting.size() - kind.home) * kind.processors;
  DMM_ASSERT(borrowing_[kind.servable] >= borrowing);
  borrowing_[kind.servable] -= borrowing;
  borrowing_[servable] += borrowing;
}

}  // namespace dmm
