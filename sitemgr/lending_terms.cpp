// The durations of lending_terms.hpp.
#include "sitemgr/lending_terms.hpp"

#include <algorithm>

#include "matchmaking/protection.hpp"

namespace dmm {

Duration longest_for(const SiteSettings& settings, const Neighbour& asker, const Delegate& asked) {
  const Duration longest = settings.lease_length_for(asker.limits);
  const Duration promised = protected_time(asked.request.past, settings.protected_first, settings.protected_max);
  return longest == Duration{} ? longest : std::max(longest, promised);
}

LendingTerms terms_for(const SiteSettings& settings, const Neighbour& asker, const Delegate& asked) {
  LendingTerms terms;
  terms.protected_time = protected_time(asked.request.past, settings.protected_first, settings.protected_max);
  // A job that is declared to run as long as the longest lease is brought there and ended beyond that.
  const Duration longest = longest_for(settings, asker, asked), declared = asked.request.length;
  const bool is_bounded = longest > Duration{} && declared > Duration{};
  terms.length = is_bounded ? std::max(longest, declared + beyond_declared) : longest;
  // Each hop promises less than it is promised, by what it takes to notice that its lender is silent (promise_of).
  // The last one is to promise a third of a term at least; other sites are taken to notice as we do.
  const Duration term = settings.term;
  const auto hops = static_cast<std::int64_t>(asked.chain.size());
  const Duration round_trip = std::clamp(asked.round_trip, Duration{}, round_trip_max);
  const Duration notices = std::max(asker.stale_after - asker.round_trip * 2, term / 10);
  terms.term = std::max(term, (term / 3 + notices * hops + round_trip * 5 / 2) * (100 + hops) / 100);
  return terms;
}

}  // namespace dmm
