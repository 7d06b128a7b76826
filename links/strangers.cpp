// Which parties knocked, and how often; see strangers.hpp.
#include "links/strangers.hpp"

#include <algorithm>

namespace dmm {

bool Strangers::knock(Instant now, const Party& party, std::size_t most, Duration between_notices) {
  if (known_.size() >= most && !known_.contains(party))
    known_.erase(std::ranges::min_element(known_, {}, [](const auto& entry) { return entry.second.last; }));
  const auto [known, is_new] = known_.try_emplace(party, Stranger{party, 0, now, now});
  Stranger& stranger = known->second;
  const bool is_news = is_new || now - stranger.last > between_notices;
  ++stranger.knocks;
  stranger.last = now;
  return is_news;
}

std::vector<Stranger> Strangers::all() const {
  std::vector<Stranger> all;
  for (const auto& [party, stranger] : known_) all.push_back(stranger);
  return all;
}

}  // namespace dmm
