#include "sitemgr/transfer_rates.hpp"

#include <algorithm>

#include "manager/assert.hpp"

namespace dmm {
namespace {

constexpr double share_of_news = 0.25;
constexpr double bandwidth_max = 1e12;
/// A transfer is slow that took longer than this number of times its estimate, and this. Starts of tasks take a moment.
constexpr std::int64_t slow_times = 4;
constexpr Duration slow_beyond = seconds(5);

}  // namespace

void TransferRates::heard(Instant now, const SiteName& from, const SiteName& to, std::uint64_t bytes,
                          Duration took, Duration expected) {
  if (bytes < bytes_min || took <= Duration{} || from == to || from.empty() || to.empty()) return;
  const double bandwidth = std::clamp(static_cast<double>(bytes) / took.in_seconds(), 1.0, bandwidth_max);
  Rate& rate = rates_[{from, to}];
  const bool is_slow = took - slow_beyond > expected * slow_times;
  const bool was_slow = rate.slow && now - *rate.slow <= remembered;
  rate.slow = is_slow ? std::optional(now) : std::nullopt;
  if (!is_slow || was_slow) {
    const bool is_old = rate.bandwidth <= 0 || now - rate.heard > remembered;
    rate.bandwidth = is_old ? bandwidth : rate.bandwidth + (bandwidth - rate.bandwidth) * share_of_news;
    rate.heard = now;
  }
  if (rates_.size() > pairs_max) forget_oldest();
  DMM_ASSERT(rates_.size() <= pairs_max);
}

void TransferRates::forget_oldest() {
  rates_.erase(std::ranges::min_element(rates_, {}, [](const auto& row) { return row.second.latest(); }));
}

std::vector<MeasuredTransfer> TransferRates::all(Instant now) const {
  std::vector<MeasuredTransfer> known;
  for (const auto& [pair, rate] : rates_)
    if (rate.bandwidth > 0 && now - rate.heard <= remembered)
      known.push_back({pair.first, pair.second, static_cast<std::uint64_t>(rate.bandwidth)});
  return known;
}

}  // namespace dmm
