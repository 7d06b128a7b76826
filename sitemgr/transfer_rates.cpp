#include "sitemgr/transfer_rates.hpp"

#include <algorithm>

#include "manager/assert.hpp"

namespace dmm {
namespace {

constexpr double share_of_news = 0.25;
constexpr double bandwidth_max = 1e12;

}  // namespace

void TransferRates::heard(Instant now, const SiteName& from, const SiteName& to, std::uint64_t bytes,
                          Duration took) {
  if (bytes < bytes_min || took <= Duration{} || from == to || from.empty() || to.empty()) return;
  const double bandwidth = std::clamp(static_cast<double>(bytes) / took.in_seconds(), 1.0, bandwidth_max);
  const auto [at, is_new] = rates_.try_emplace({from, to});
  Rate& rate = at->second;
  const bool is_old = is_new || now - rate.heard > remembered;
  rate.bandwidth = is_old ? bandwidth : rate.bandwidth + (bandwidth - rate.bandwidth) * share_of_news;
  rate.heard = now;
  if (rates_.size() > pairs_max) forget_oldest();
  DMM_ASSERT(rates_.size() <= pairs_max);
}

void TransferRates::forget_oldest() {
  rates_.erase(std::ranges::min_element(rates_, {}, [](const auto& row) { return row.second.heard; }));
}

std::vector<MeasuredTransfer> TransferRates::all(Instant now) const {
  std::vector<MeasuredTransfer> known;
  for (const auto& [pair, rate] : rates_)
    if (now - rate.heard <= remembered)
      known.push_back({pair.first, pair.second, static_cast<std::uint64_t>(rate.bandwidth)});
  return known;
}

}  // namespace dmm
