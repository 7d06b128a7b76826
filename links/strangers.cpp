// Which parties knocked, and how often; see strangers.hpp.
#include "links/strangers.hpp"

#include <algorithm>

namespace dmm {

bool Strangers::knock(Instant now, const Party& party, const std::string& why, std::size_t most,
                      Duration between_notices) {
  bool is_crowd = false;  // each knocks under another name: people are told of no more than there is room for
  if (known_.size() >= most && !known_.contains(party)) {
    const auto oldest = std::ranges::min_element(known_, {}, [](const auto& entry) { return entry.second.last; });
    is_crowd = now - oldest->second.first < between_notices;
    known_.erase(oldest);
  }
  const auto [known, is_new] = known_.try_emplace(party, Stranger{party, 0, now, now, {}});
  Stranger& stranger = known->second;
  const bool is_news = (is_new && !is_crowd) || now - stranger.last > between_notices;
  ++stranger.knocks;
  stranger.last = now;
  stranger.why = why;
  return is_news;
}

std::vector<Stranger> Strangers::all() const {
  std::vector<Stranger> all;
  for (const auto& [party, stranger] : known_) all.push_back(stranger);
  return all;
}

}  // namespace dmm
